package agent

import "encoding/json"

// InteractionID names one question of an agent. It is ours, and unique everywhere.
type InteractionID string

// NewInteractionID mints the id of a question.
func NewInteractionID() InteractionID { return InteractionID("ask_" + randomHex(16)) }

// InteractionKind says what a question asks for.
type InteractionKind string

// The kinds; the enum is closed.
const (
	UserApproval InteractionKind = "user_approval" // may this call run?
	UserInput    InteractionKind = "user_input"    // what does the person say?
	ClientTool   InteractionKind = "client_tool"   // what does the caller's own tool give?
)

// Valid reports whether k is one of the list.
func (k InteractionKind) Valid() bool {
	return k == UserApproval || k == UserInput || k == ClientTool
}

// Scope is how far an approval reaches.
type Scope string

// The scopes; the enum is closed.
const (
	ScopeOnce        Scope = "once"
	ScopeSession     Scope = "session"
	ScopeThisProject Scope = "project"
	ScopeAlways      Scope = "always" // in every project
)

// Valid reports whether s is one of the list.
func (s Scope) Valid() bool {
	return s == ScopeOnce || s == ScopeSession || s == ScopeThisProject || s == ScopeAlways
}

// InteractionRequest asks for something that the turn cannot go on without. A harness says all that it can do without the
// answers and then finishes with StopPaused; it is prompted again once every question of the turn is answered.
type InteractionRequest struct {
	ID      InteractionID // filled in by the session
	Call    string        // the call that waits
	Kind    InteractionKind
	Payload json.RawMessage // what the person decides on: for an approval, what will happen
}

// InteractionResponse answers the request with the same id. It is spoken by the session, and stored before anything
// follows from it.
type InteractionResponse struct {
	ID       InteractionID
	Call     string
	Approved bool            // of an approval
	Note     string          // of an approval that is denied: what the model is told
	Scope    Scope           // of an approval
	Rule     string          // of an approval beyond this once: the pattern of the calls that it is for
	Output   json.RawMessage // of input and of a client's tool
	Problem  string          // of a client's tool that failed: why
}

// TurnPaused says that the turn waits for answers. It is spoken by the session when a harness finishes with StopPaused.
type TurnPaused struct {
	Usage Usage // of the turn so far
	Model string
}

// TurnResumed says that every question was answered and the turn goes on. It is spoken by the session: what follows from
// an answer follows at most once.
type TurnResumed struct{}

// Source is something that the agent drew on: a page if it has a URL, else a document.
type Source struct {
	ID        string
	URL       string
	Title     string // a document always has one
	MediaType string // of a document
	Filename  string // of a document; may be empty
}

func (InteractionRequest) event()  {}
func (InteractionResponse) event() {}
func (TurnPaused) event()          {}
func (TurnResumed) event()         {}
func (Source) event()              {}

// ClientToolSpec is a tool that the caller runs: a page, or the program that sent the message.
type ClientToolSpec struct {
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	InputSchema json.RawMessage `json:"inputSchema"`
}
