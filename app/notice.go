package app

// Notice is what a person is told on their desktop.
type Notice struct {
	Title   string `json:"title"`
	Body    string `json:"body"`
	Session string `json:"session"` // whose it is; none: it is about all that waits
}
