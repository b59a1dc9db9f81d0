package agent

import (
	"encoding/json"
	"time"
)

// Event is one thing that happens during a turn. The sum is sealed; EncodeEvent and DecodeEvent know every type.
//
// Most events come from a harness. Some are spoken by the session itself, so that the log of a turn tells its whole story;
// Spoken tells the two apart.
type Event interface{ event() }

// MessageStart opens a block of text. A harness that does not announce its blocks leaves it out.
type MessageStart struct{}

// MessageDelta is the next piece of the open block of text. It opens one where none is open.
type MessageDelta struct{ Text string }

// MessageEnd closes the open block of text.
type MessageEnd struct{}

// MessageWhole is a block of text from a harness that does not stream.
type MessageWhole struct{ Text string }

// ThoughtStart opens a block of reasoning.
type ThoughtStart struct{}

// ThoughtDelta is the next piece of the open block of reasoning. It opens one where none is open.
type ThoughtDelta struct{ Text string }

// ThoughtEnd closes the open block of reasoning.
type ThoughtEnd struct{}

// ThoughtWhole is a block of reasoning from a harness that does not stream.
type ThoughtWhole struct{ Text string }

// ToolCallDelta is the next piece of the JSON text of a call's arguments. Name may be empty after the first.
type ToolCallDelta struct {
	ID, Name, Text string
	Client         bool // as that of ToolCall
}

// ToolCall announces a call with its whole arguments, before it is dispatched. A repeated one refreshes Input.
type ToolCall struct {
	ID, Name string
	Input    json.RawMessage
	Render   json.RawMessage // a hint how to show it; may be nil
	Client   bool            // the caller runs it: an InteractionRequest of the kind ClientTool follows
}

// ToolProgress is what a running call has to show so far; each one replaces the one before.
type ToolProgress struct{ ID, Output string }

// ToolResult answers the call with the same id. Output is for the model; Data, if any, is the same for people, and wins
// over Output on a page. Name is filled in by the session, because a harness may leave it out.
type ToolResult struct {
	ID, Name string
	Output   string
	Data     json.RawMessage
	IsError  bool
	Denied   bool
}

// FileWritten says that a file was written, before the result of the call that did. The session keeps what it was and what it
// became, so that a person can take it back; it is no part of the log.
type FileWritten struct {
	Path          string // absolute
	Before, After []byte // what it held
	Created       bool   // there was none before
}

// Data is a named value for the page. A transient one is shown and not kept in the message.
type Data struct {
	Name      string
	Data      json.RawMessage
	Transient bool
}

// File is a file that the agent made for the person.
type File struct{ URL, MediaType string }

// Plan is the agent's checklist; each one replaces the one before.
type Plan struct{ Items []PlanItem }

// PlanItem is one line of a Plan. Status is pending, in_progress or completed.
type PlanItem struct {
	Text   string `json:"text"`
	Status string `json:"status"`
}

// UsageReport says what the turn has used so far.
type UsageReport struct{ Usage Usage }

// Status says in a few words what the agent is busy with.
type Status struct{ Text string }

// Finish is the last event of a turn that did not fail. It is never logged: TurnCompleted is.
type Finish struct {
	StopReason StopReason
	Usage      Usage
	Model      string // what really answered
	TraceID    string
	Killed     bool // a stop that the harness did not confirm in time
}

// SessionStarted opens the log of a session, once in its life.
type SessionStarted struct {
	Agent, Model string
	WorkingDir   string
}

// SessionExported says that the session was saved as a file. Where a browser saved it, Path is only its name.
type SessionExported struct{ Path string }

// TurnStarted opens the log of a turn. Message is the id of the answer that the turn will be.
type TurnStarted struct {
	Turn         TurnID
	UserMessage  MessageID
	Message      MessageID
	Agent, Model string
	Trace        Trace
	Inputs       json.RawMessage // the values that the agent's instructions ask for, as an object; may be nil
}

// Trace identifies a turn in distributed traces, by the W3C's rules. Turns of old logs have none.
type Trace struct {
	ID   string `json:"id"`   // 32 hexadecimal digits
	Span string `json:"span"` // 16
}

// TurnCompleted closes the log of a turn, exactly once. Failure is set if and only if StopReason is StopError.
type TurnCompleted struct {
	StopReason StopReason
	Usage      Usage
	Model      string
	TraceID    string
	Failure    *Failure
}

// Failure is the part of an Error that is stored with the turn and shown.
type Failure struct {
	Code    Code   `json:"code"`
	Message string `json:"message"`
}

func (MessageStart) event()    {}
func (MessageDelta) event()    {}
func (MessageEnd) event()      {}
func (MessageWhole) event()    {}
func (ThoughtStart) event()    {}
func (ThoughtDelta) event()    {}
func (ThoughtEnd) event()      {}
func (ThoughtWhole) event()    {}
func (ToolCallDelta) event()   {}
func (ToolCall) event()        {}
func (ToolProgress) event()    {}
func (ToolResult) event()      {}
func (FileWritten) event()     {}
func (Data) event()            {}
func (File) event()            {}
func (Plan) event()            {}
func (UsageReport) event()     {}
func (Status) event()          {}
func (Finish) event()          {}
func (SessionStarted) event()  {}
func (SessionExported) event() {}
func (TurnStarted) event()     {}
func (TurnCompleted) event()   {}

// Spoken reports whether e may come from a harness. A runner that sends any other event is not believed.
func Spoken(e Event) bool {
	switch e.(type) {
	case SessionStarted, SessionExported, TurnStarted, TurnPaused, TurnResumed, InteractionResponse, TurnCompleted, Finish:
		return false
	}
	return true
}

// Record is an Event in the log of a session. Seq has no gaps within a session, across restarts too. Turn is empty for
// what happens outside any turn. At is when the record was written; records written together share it.
type Record struct {
	Seq   int64
	Turn  TurnID
	At    time.Time
	Event Event
}
