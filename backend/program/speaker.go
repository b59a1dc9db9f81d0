// Package program runs harnesses that are programs of their own. It starts them in a private configuration and a scrubbed
// environment, keeps them warm between turns, and ends them. What one says is translated by a Speaker, of which there is a
// package for each protocol.
package program

import (
	"strings"

	"parley/backend/agent"
)

// Speaker translates between a program's protocol and ours. One is made for each start of a program. It is plain code
// that blocks: nothing of it is called twice at once, and it knows nothing of processes, pauses and time. When the
// program is overdue it is killed, and Next gives an error.
type Speaker interface {
	// Open greets the program that has just started, and gives it o.Options. If o.Resume is set the program's session of
	// that id goes on; if the program does not know it any more Opened.Resumed is false, and a new one has begun.
	Open(line *Line, o Opening) (Opened, error)
	// Take takes one turn to its end. An error that is no *agent.Error is a defect of the program.
	Take(line *Line, t *Turn) (agent.Finish, error)
}

// Offerer is a Speaker of programs that change while they run what Opened said may be chosen.
type Offerer interface {
	Offered() ([]Option, []Command)
}

// Settler is a Speaker that can tell when its program has nothing more to say of what it has done. Settle is called after Open
// and after each Take that gave no error; the next turn waits for it.
type Settler interface {
	Settle(line *Line) error
}

// Opening is what a program's session begins with.
type Opening struct {
	Launch  agent.Launch
	Policy  agent.Policy
	Dir     string // the folder that it works in: Policy's
	Session string // the id in place of agent.MarkSession: of the session that goes on, or for one that begins
	Resume  bool
	Tools   *Tools // nil if there are none of ours
}

// Tools is where parley-tools is served, for programs that are told by their protocol.
type Tools struct{ URL, Token string }

// Opened is what a program says of itself once it is ready.
type Opened struct {
	Session  string    // by which it goes on later; empty if it cannot
	Resumed  bool      // it goes on
	Version  string    // as far as it is known
	Images   bool      // it takes pictures
	Steers   bool      // it takes a message in the middle of a turn
	Options  []Option  // that may be chosen
	Commands []Command // that a message may begin with
}

// Option is something that a person may choose in a program: its mode, its model.
type Option struct {
	ID       string   `json:"id"`
	Name     string   `json:"name"`
	Category string   `json:"category,omitempty"` // mode, model, thought_level …
	Value    string   `json:"value"`
	Choices  []Choice `json:"choices"`
}

// Choice is one value of an Option.
type Choice struct {
	Value       string `json:"value"`
	Name        string `json:"name"`
	Description string `json:"description,omitempty"`
}

// Command is a slash command.
type Command struct {
	Name        string `json:"name"` // without the slash
	Description string `json:"description,omitempty"`
}

// Turn is one turn as a Speaker takes it.
type Turn struct {
	Text   string // of the person; before it what was said earlier, if the program has to be told
	Images []Image
	Host   Host
}

// Image is a picture that the person sent.
type Image struct {
	MediaType string
	Content   []byte
}

// Host is who listens to a turn and answers its questions.
type Host interface {
	// Say passes on what the program says. It waits while nobody listens.
	Say(e agent.Event)
	// Approve asks whether a call that was said may run; it may take days. The answer is good for this call only. preview
	// is one line that says what will happen.
	Approve(call agent.ToolCall, action agent.Action, preview string) Answer
	// Input asks the person something, on behalf of the call that was said with that id.
	Input(call string, question string, options []string) Answer
}

// Answer is what becomes of a question.
type Answer struct {
	Allowed bool
	Note    string // if it is not allowed: what the program is told
	Text    string // what the person says to Input
	Stopped bool   // the person has stopped the turn instead: Next will say so
}

// OwnTool gives the name of a tool of parley-tools out of the one under which a program knows it.
func OwnTool(name string) (own string, ok bool) {
	for _, prefix := range []string{"mcp__" + ToolServer + "__", "mcp_" + ToolServer + "_", "mcp." + ToolServer + ".", ToolServer + "__", ToolServer + "_", ToolServer + ".", ToolServer + "/"} {
		if own, ok = strings.CutPrefix(name, prefix); ok {
			return own, true
		}
	}
	return name, false
}

// ToolServer is the name under which programs know parley-tools.
const ToolServer = "parley"
