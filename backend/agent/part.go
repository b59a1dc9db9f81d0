package agent

import (
	"encoding/json"
	"fmt"
)

// Role says who speaks in a message.
type Role string

// The roles; the enum is closed.
const (
	RoleSystem    Role = "system"
	RoleUser      Role = "user"
	RoleAssistant Role = "assistant"
	RoleTool      Role = "tool"
)

// Message is one durable message: what the store keeps as a row and what a model receives. It is never edited.
type Message struct {
	ID    MessageID
	Role  Role
	Parts []Part
	Model string // what really answered; empty unless Role is RoleAssistant
}

// Part is one typed piece of a message. The sum is sealed: TextPart, ReasoningPart, ToolCallPart, ToolResultPart,
// MediaPart.
type Part interface{ part() }

// TextPart is what was said.
type TextPart struct{ Text string }

// ReasoningPart is what the model thought. A provider's signature is never kept.
type ReasoningPart struct{ Text string }

// ToolCallPart is a call that the model made. Args is one JSON value.
type ToolCallPart struct {
	ID, Name string
	Args     json.RawMessage
}

// ToolResultPart answers the call with the same id. Result is one JSON value: a string unless the tool gave more.
type ToolResultPart struct {
	ToolCallID string
	Result     json.RawMessage
	IsError    bool
	Denied     bool // it was not run, so that Result is Parley's and the person's own words; IsError is set too
}

// MediaPart refers to a file that belongs to the message. Its content is in the store, never in the row.
type MediaPart struct {
	MimeType   string
	Handle     MediaHandle
	Name       string // may be empty
	ByteLength int64
}

func (TextPart) part()       {}
func (ReasoningPart) part()  {}
func (ToolCallPart) part()   {}
func (ToolResultPart) part() {}
func (MediaPart) part()      {}

// RewriteParts gives parts with what they say rewritten: text by one function, JSON by the other.
func RewriteParts(parts []Part, text func(string) string, value func([]byte) []byte) []Part {
	out := make([]Part, len(parts))
	for i, p := range parts {
		switch p := p.(type) {
		case TextPart:
			p.Text = text(p.Text)
			out[i] = p
		case ReasoningPart:
			p.Text = text(p.Text)
			out[i] = p
		case ToolCallPart:
			p.Args = value(p.Args)
			out[i] = p
		case ToolResultPart:
			p.Result = value(p.Result)
			out[i] = p
		case MediaPart:
			p.Name = text(p.Name)
			out[i] = p
		}
	}
	return out
}

type partJSON struct {
	Type       string          `json:"type"`
	Text       *string         `json:"text,omitempty"`
	ID         string          `json:"id,omitempty"`
	Name       string          `json:"name,omitempty"`
	Args       json.RawMessage `json:"args,omitempty"`
	ToolCallID string          `json:"toolCallId,omitempty"`
	Result     json.RawMessage `json:"result,omitempty"`
	IsError    bool            `json:"isError,omitempty"`
	Denied     bool            `json:"denied,omitempty"`
	MimeType   string          `json:"mimeType,omitempty"`
	Handle     MediaHandle     `json:"handle,omitempty"`
	ByteLength int64           `json:"byteLength,omitempty"`
}

// EncodeParts writes the content of a message as the JSON array that a row holds.
func EncodeParts(parts []Part) ([]byte, error) {
	out := make([]partJSON, len(parts))
	for i, p := range parts {
		switch p := p.(type) {
		case TextPart:
			out[i] = partJSON{Type: "text", Text: &p.Text}
		case ReasoningPart:
			out[i] = partJSON{Type: "reasoning", Text: &p.Text}
		case ToolCallPart:
			out[i] = partJSON{Type: "tool_call", ID: p.ID, Name: p.Name, Args: p.Args}
		case ToolResultPart:
			out[i] = partJSON{Type: "tool_result", ToolCallID: p.ToolCallID, Result: p.Result, IsError: p.IsError, Denied: p.Denied}
		case MediaPart:
			out[i] = partJSON{Type: "media", MimeType: p.MimeType, Handle: p.Handle, Name: p.Name, ByteLength: p.ByteLength}
		default:
			return nil, fmt.Errorf("encode part %d: unknown type %T", i, p)
		}
	}
	return json.Marshal(out)
}

// DecodeParts reads what EncodeParts wrote. A type that this version does not know is an error, never dropped: a row
// that lost a part would be a changed message.
func DecodeParts(b []byte) ([]Part, error) {
	var in []partJSON
	if err := json.Unmarshal(b, &in); err != nil {
		return nil, fmt.Errorf("decode parts: %w", err)
	}
	parts := make([]Part, len(in))
	for i, p := range in {
		var text string
		if p.Text != nil {
			text = *p.Text
		}
		switch p.Type {
		case "text":
			parts[i] = TextPart{text}
		case "reasoning":
			parts[i] = ReasoningPart{text}
		case "tool_call":
			parts[i] = ToolCallPart{p.ID, p.Name, p.Args}
		case "tool_result":
			parts[i] = ToolResultPart{p.ToolCallID, p.Result, p.IsError, p.Denied}
		case "media":
			parts[i] = MediaPart{p.MimeType, p.Handle, p.Name, p.ByteLength}
		default:
			return nil, fmt.Errorf("decode part %d: unknown type %q", i, p.Type)
		}
	}
	return parts, nil
}
