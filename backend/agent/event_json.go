package agent

import (
	"encoding/json"
	"errors"
	"fmt"
)

// ErrUnknownEvent is what decoding an event of a type from another version gives. A reader of the runner's wire drops
// and counts it; a reader of a log must not.
var ErrUnknownEvent = errors.New("unknown event type")

// eventJSON is every field that an event may have. Which ones belong to which type is settled in toJSON and fromJSON.
type eventJSON struct {
	Type        string          `json:"type"`
	ID          string          `json:"id,omitempty"`
	Name        string          `json:"name,omitempty"`
	Text        string          `json:"text,omitempty"`
	Texts       []string        `json:"texts,omitempty"` // in a log only: a run of deltas
	Input       json.RawMessage `json:"input,omitempty"`
	Output      string          `json:"output,omitempty"`
	Data        json.RawMessage `json:"data,omitempty"`
	IsError     bool            `json:"isError,omitempty"`
	Denied      bool            `json:"denied,omitempty"`
	Transient   bool            `json:"transient,omitempty"`
	URL         string          `json:"url,omitempty"`
	MediaType   string          `json:"mediaType,omitempty"`
	Items       []PlanItem      `json:"items,omitempty"`
	Usage       *Usage          `json:"usage,omitempty"`
	StopReason  StopReason      `json:"stopReason,omitempty"`
	Model       string          `json:"model,omitempty"`
	TraceID     string          `json:"traceId,omitempty"`
	Agent       string          `json:"agent,omitempty"`
	WorkingDir  string          `json:"workingDir,omitempty"`
	TurnID      TurnID          `json:"turnId,omitempty"`
	UserMessage MessageID       `json:"userMessageId,omitempty"`
	Message     MessageID       `json:"messageId,omitempty"`
	Failure     *Failure        `json:"error,omitempty"`
	Trace       *Trace          `json:"trace,omitempty"`
	Inputs      json.RawMessage `json:"inputs,omitempty"`
	Render      json.RawMessage `json:"render,omitempty"`
	Title       string          `json:"title,omitempty"`
	Filename    string          `json:"filename,omitempty"`
	Call        string          `json:"toolCallId,omitempty"`
	Kind        InteractionKind `json:"kind,omitempty"`
	Payload     json.RawMessage `json:"payload,omitempty"`
	Approved    bool            `json:"approved,omitempty"`
	Note        string          `json:"note,omitempty"`
	Scope       Scope           `json:"scope,omitempty"`
	Rule        string          `json:"rule,omitempty"`
	Given       json.RawMessage `json:"given,omitempty"`
	Problem     string          `json:"problem,omitempty"`
	Client      bool            `json:"client,omitempty"`
	Path        string          `json:"path,omitempty"`
	Before      []byte          `json:"before,omitempty"`
	After       []byte          `json:"after,omitempty"`
	Created     bool            `json:"created,omitempty"`
}

func toJSON(e Event) (eventJSON, error) {
	switch e := e.(type) {
	case MessageStart:
		return eventJSON{Type: "message_start"}, nil
	case MessageDelta:
		return eventJSON{Type: "message_delta", Text: e.Text}, nil
	case MessageEnd:
		return eventJSON{Type: "message_end"}, nil
	case MessageWhole:
		return eventJSON{Type: "message", Text: e.Text}, nil
	case ThoughtStart:
		return eventJSON{Type: "thought_start"}, nil
	case ThoughtDelta:
		return eventJSON{Type: "thought_delta", Text: e.Text}, nil
	case ThoughtEnd:
		return eventJSON{Type: "thought_end"}, nil
	case ThoughtWhole:
		return eventJSON{Type: "thought", Text: e.Text}, nil
	case ToolCallDelta:
		return eventJSON{Type: "tool_call_delta", ID: e.ID, Name: e.Name, Text: e.Text, Client: e.Client}, nil
	case ToolCall:
		return eventJSON{Type: "tool_call", ID: e.ID, Name: e.Name, Input: e.Input, Render: e.Render, Client: e.Client}, nil
	case ToolProgress:
		return eventJSON{Type: "tool_progress", ID: e.ID, Output: e.Output}, nil
	case ToolResult:
		return eventJSON{Type: "tool_result", ID: e.ID, Name: e.Name, Output: e.Output, Data: e.Data, IsError: e.IsError, Denied: e.Denied}, nil
	case FileWritten:
		return eventJSON{Type: "file_written", Path: e.Path, Before: e.Before, After: e.After, Created: e.Created}, nil
	case Data:
		return eventJSON{Type: "data", Name: e.Name, Data: e.Data, Transient: e.Transient}, nil
	case File:
		return eventJSON{Type: "file", URL: e.URL, MediaType: e.MediaType}, nil
	case Plan:
		return eventJSON{Type: "plan", Items: e.Items}, nil
	case UsageReport:
		return eventJSON{Type: "usage", Usage: &e.Usage}, nil
	case Status:
		return eventJSON{Type: "status", Text: e.Text}, nil
	case SessionStarted:
		return eventJSON{Type: "session_started", Agent: e.Agent, Model: e.Model, WorkingDir: e.WorkingDir}, nil
	case SessionExported:
		return eventJSON{Type: "session_exported", Path: e.Path}, nil
	case TurnStarted:
		j := eventJSON{Type: "turn_started", TurnID: e.Turn, UserMessage: e.UserMessage, Message: e.Message, Agent: e.Agent, Model: e.Model, Inputs: e.Inputs}
		if e.Trace != (Trace{}) {
			j.Trace = &e.Trace
		}
		return j, nil
	case Source:
		return eventJSON{Type: "source", ID: e.ID, URL: e.URL, Title: e.Title, MediaType: e.MediaType, Filename: e.Filename}, nil
	case InteractionRequest:
		return eventJSON{Type: "interaction_request", ID: string(e.ID), Call: e.Call, Kind: e.Kind, Payload: e.Payload}, nil
	case InteractionResponse:
		return eventJSON{Type: "interaction_response", ID: string(e.ID), Call: e.Call, Approved: e.Approved, Note: e.Note, Scope: e.Scope, Rule: e.Rule, Given: e.Output, Problem: e.Problem}, nil
	case Steered:
		return eventJSON{Type: "steered", Message: e.Message, Text: e.Text}, nil
	case TurnPaused:
		return eventJSON{Type: "turn_paused", Usage: &e.Usage, Model: e.Model}, nil
	case TurnResumed:
		return eventJSON{Type: "turn_resumed"}, nil
	case TurnCompleted:
		return eventJSON{Type: "turn_completed", StopReason: e.StopReason, Usage: &e.Usage, Model: e.Model, TraceID: e.TraceID, Failure: e.Failure}, nil
	}
	return eventJSON{}, fmt.Errorf("encode event: %T is never written", e)
}

func fromJSON(j eventJSON) (Event, error) {
	var usage Usage
	if j.Usage != nil {
		usage = *j.Usage
	}
	switch j.Type {
	case "message_start":
		return MessageStart{}, nil
	case "message_delta":
		return MessageDelta{j.Text}, nil
	case "message_end":
		return MessageEnd{}, nil
	case "message":
		return MessageWhole{j.Text}, nil
	case "thought_start":
		return ThoughtStart{}, nil
	case "thought_delta":
		return ThoughtDelta{j.Text}, nil
	case "thought_end":
		return ThoughtEnd{}, nil
	case "thought":
		return ThoughtWhole{j.Text}, nil
	case "tool_call_delta":
		return ToolCallDelta{j.ID, j.Name, j.Text, j.Client}, nil
	case "tool_call":
		return ToolCall{j.ID, j.Name, j.Input, j.Render, j.Client}, nil
	case "tool_progress":
		return ToolProgress{j.ID, j.Output}, nil
	case "tool_result":
		return ToolResult{j.ID, j.Name, j.Output, j.Data, j.IsError, j.Denied}, nil
	case "file_written":
		return FileWritten{j.Path, j.Before, j.After, j.Created}, nil
	case "data":
		return Data{j.Name, j.Data, j.Transient}, nil
	case "file":
		return File{j.URL, j.MediaType}, nil
	case "plan":
		return Plan{j.Items}, nil
	case "usage":
		return UsageReport{usage}, nil
	case "status":
		return Status{j.Text}, nil
	case "session_started":
		return SessionStarted{j.Agent, j.Model, j.WorkingDir}, nil
	case "session_exported":
		return SessionExported{j.Path}, nil
	case "turn_started":
		started := TurnStarted{Turn: j.TurnID, UserMessage: j.UserMessage, Message: j.Message, Agent: j.Agent, Model: j.Model, Inputs: j.Inputs}
		if j.Trace != nil {
			started.Trace = *j.Trace
		}
		return started, nil
	case "source":
		return Source{j.ID, j.URL, j.Title, j.MediaType, j.Filename}, nil
	case "interaction_request":
		if !j.Kind.Valid() {
			return nil, fmt.Errorf("%w: a request of the kind %q", ErrUnknownEvent, j.Kind)
		}
		return InteractionRequest{InteractionID(j.ID), j.Call, j.Kind, j.Payload}, nil
	case "interaction_response":
		return InteractionResponse{InteractionID(j.ID), j.Call, j.Approved, j.Note, j.Scope, j.Rule, j.Given, j.Problem}, nil
	case "steered":
		return Steered{j.Message, j.Text}, nil
	case "turn_paused":
		return TurnPaused{usage, j.Model}, nil
	case "turn_resumed":
		return TurnResumed{}, nil
	case "turn_completed":
		return TurnCompleted{j.StopReason, usage, j.Model, j.TraceID, j.Failure}, nil
	}
	return nil, fmt.Errorf("%w: %q", ErrUnknownEvent, j.Type)
}

// EncodeEvent writes e as the JSON object of the runner's wire. Finish has no such form.
func EncodeEvent(e Event) ([]byte, error) {
	j, err := toJSON(e)
	if err != nil {
		return nil, err
	}
	return json.Marshal(j)
}

// DecodeEvent reads one event of the runner's wire. The error wraps ErrUnknownEvent if the type is not known here.
func DecodeEvent(b []byte) (Event, error) {
	var j eventJSON
	if err := json.Unmarshal(b, &j); err != nil {
		return nil, fmt.Errorf("decode event: %w", err)
	}
	return fromJSON(j)
}
