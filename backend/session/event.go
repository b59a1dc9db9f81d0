package session

import (
	"context"
	"encoding/json"
	"iter"
	"strings"
	"unicode/utf8"

	"parley/backend/agent"
)

// Event is a record as other programs read it. Every record is one Event, so the numbers they see have no gaps. Only
// the fields of its type are set; absent means absent.
type Event struct {
	Type           string          `json:"type"`
	SessionID      agent.SessionID `json:"sessionId"`
	Timestamp      string          `json:"timestamp"`
	SequenceNumber int64           `json:"sequenceNumber"`

	TurnID       agent.TurnID    `json:"turnId,omitempty"`
	MessageID    agent.MessageID `json:"messageId,omitempty"`
	AgentRef     string          `json:"agentRef,omitempty"`
	Model        string          `json:"model,omitempty"`
	Context      *Context        `json:"context,omitempty"`
	StopReason   string          `json:"stopReason,omitempty"`
	WorkflowPath string          `json:"workflowPath,omitempty"`
	TokensUsed   *TokensUsed     `json:"tokensUsed,omitempty"`
	Error        *EventError     `json:"error,omitempty"`

	Token         string          `json:"token,omitempty"`
	Text          string          `json:"text,omitempty"`
	CallID        string          `json:"callId,omitempty"`
	ToolID        string          `json:"toolId,omitempty"`
	ToolInput     json.RawMessage `json:"toolInput,omitempty"`
	Success       *bool           `json:"success,omitempty"`
	OutputSummary string          `json:"outputSummary,omitempty"`

	InputTokens  *int64 `json:"inputTokens,omitempty"`
	OutputTokens *int64 `json:"outputTokens,omitempty"`
	Priced       *bool  `json:"priced,omitempty"`

	Name      string           `json:"name,omitempty"`
	Data      json.RawMessage  `json:"data,omitempty"`
	URL       string           `json:"url,omitempty"`
	MediaType string           `json:"mediaType,omitempty"`
	Items     []agent.PlanItem `json:"items,omitempty"`

	ApprovalID agent.InteractionID   `json:"approvalId,omitempty"`
	Kind       agent.InteractionKind `json:"kind,omitempty"`
	Action     string                `json:"action,omitempty"`
	Preview    string                `json:"preview,omitempty"`
	Approved   *bool                 `json:"approved,omitempty"`

	Mode            string `json:"mode,omitempty"`
	DirectiveLength *int   `json:"directiveLength,omitempty"` // in characters: no event holds what the person says
}

// Context is where a session was started.
type Context struct {
	WorkingDir string `json:"workingDir"`
}

// TokensUsed is what a turn used.
type TokensUsed struct {
	Input  int64  `json:"input"`
	Output int64  `json:"output"`
	Model  string `json:"model,omitempty"`
}

// EventError is why a turn failed.
type EventError struct {
	Code      agent.Code `json:"code"`
	Message   string     `json:"message"`
	Retryable bool       `json:"retryable"`
}

// stopReasons are the words of session events for what a harness says.
var stopReasons = map[agent.StopReason]string{
	agent.StopEndTurn: "stop", agent.StopSequence: "stop", agent.StopMaxTokens: "length", agent.StopToolUse: "tool_use",
	agent.StopRefusal: "content_filter", agent.StopContentFilter: "content_filter", agent.StopPaused: "paused",
	agent.StopCancelled: "aborted", agent.StopError: "error",
}

// Events gives the events of a session from number from on: those that there are, then those that come, until the
// caller leaves the loop or ctx ends.
func (s *Sessions) Events(ctx context.Context, key agent.SessionKey, from int64) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		session, err := s.Store.Session(ctx, key)
		if err != nil {
			yield(Event{}, err)
			return
		}
		model := session.Agent.Model
		watcher := s.Watch(key.Project)
		defer watcher.Close()
		for {
			records, err := s.Store.Log(ctx, key, from, 256)
			if err != nil {
				yield(Event{}, err)
				return
			}
			for _, r := range records {
				if started, ok := r.Event.(agent.TurnStarted); ok {
					model = started.Model
				}
				if !yield(toEvent(key.Session, model, r), nil) {
					return
				}
				from = r.Seq + 1
			}
			if len(records) > 0 {
				continue
			}
			if err := s.wait(ctx, watcher, key, from); err != nil {
				yield(Event{}, err)
				return
			}
		}
	}
}

// wait returns when there may be a record with number from.
func (s *Sessions) wait(ctx context.Context, w *Watcher, key agent.SessionKey, from int64) error {
	if t, ok := s.Running(key); ok {
		return t.reaches(ctx, from)
	}
	changes, err := w.Next(ctx)
	if err == nil && len(changes) == 0 {
		err = agent.Errorf(agent.CodeCancelled, "Parley is closing.")
	}
	return err
}

func toEvent(session agent.SessionID, model string, r agent.Record) Event {
	out := Event{SessionID: session, Timestamp: r.At.UTC().Format("2006-01-02T15:04:05.000Z"), SequenceNumber: r.Seq, TurnID: r.Turn}
	switch e := r.Event.(type) {
	case agent.SessionStarted:
		out.Type, out.AgentRef, out.Model, out.Context = "session:started", e.Agent, e.Model, &Context{e.WorkingDir}
	case agent.SessionExported:
		out.Type, out.WorkflowPath = "session:exported", e.Path
	case agent.TurnStarted:
		out.Type, out.MessageID, out.AgentRef, out.Model = "session:turn_started", e.Message, e.Agent, e.Model
	case agent.TurnCompleted:
		out.Type, out.StopReason = "session:turn_completed", stopReasons[e.StopReason]
		out.TokensUsed = &TokensUsed{e.Usage.Input, e.Usage.Output, e.Model}
		if e.Failure != nil {
			out.Error = &EventError{e.Failure.Code, e.Failure.Message, e.Failure.Code.Retryable()}
		}
	case agent.MessageDelta:
		out.Type, out.Token, out.Model = "agent:token", e.Text, model
	case agent.MessageWhole:
		out.Type, out.Token, out.Model = "agent:token", e.Text, model
	case agent.ThoughtDelta:
		out.Type, out.Text, out.Model = "agent:reasoning", e.Text, model
	case agent.ThoughtWhole:
		out.Type, out.Text, out.Model = "agent:reasoning", e.Text, model
	case agent.ToolCall:
		out.Type, out.CallID, out.ToolID, out.ToolInput = "agent:tool_call", e.ID, e.Name, e.Input
	case agent.ToolResult:
		success := !e.IsError && !e.Denied
		out.Type, out.CallID, out.ToolID, out.Success, out.OutputSummary = "agent:tool_result", e.ID, e.Name, &success, summary(e.Output)
	case agent.UsageReport:
		priced := false
		out.Type, out.Model, out.Priced = "cost:updated", model, &priced
		out.InputTokens, out.OutputTokens = &e.Usage.Input, &e.Usage.Output
	default:
		finer(&out, r.Event)
	}
	return out
}

// finer names what only a page or a recorder cares about.
func finer(out *Event, event agent.Event) {
	switch e := event.(type) {
	case agent.MessageStart:
		out.Type = "agent:message_start"
	case agent.MessageEnd:
		out.Type = "agent:message_end"
	case agent.ThoughtStart:
		out.Type = "agent:thought_start"
	case agent.ThoughtEnd:
		out.Type = "agent:thought_end"
	case agent.ToolCallDelta:
		out.Type, out.CallID, out.ToolID, out.Text = "agent:tool_call_delta", e.ID, e.Name, e.Text
	case agent.ToolProgress:
		out.Type, out.CallID, out.Text = "agent:tool_progress", e.ID, e.Output
	case agent.Data:
		out.Type, out.Name, out.Data = "agent:data", e.Name, e.Data
	case agent.File:
		out.Type, out.URL, out.MediaType = "agent:file", e.URL, e.MediaType
	case agent.Plan:
		out.Type, out.Items = "agent:plan", e.Items
	case agent.Steered:
		length := utf8.RuneCountInString(e.Text)
		out.Type, out.MessageID, out.Mode, out.DirectiveLength = "agent:directive_injected", e.Message, "steer", &length
	case agent.Source:
		out.Type, out.URL, out.MediaType, out.Text = "agent:source", e.URL, e.MediaType, e.Title
	case agent.InteractionRequest:
		out.Type, out.ApprovalID, out.CallID, out.Kind = "agent:approval_requested", e.ID, e.Call, e.Kind
		out.ToolID, out.Action, out.Preview = asked(e.Payload)
	case agent.InteractionResponse:
		out.Type, out.ApprovalID, out.CallID, out.Approved = "agent:approval_resolved", e.ID, e.Call, &e.Approved
	case agent.TurnPaused:
		out.Type, out.StopReason = "session:turn_completed", stopReasons[agent.StopPaused]
		out.TokensUsed = &TokensUsed{e.Usage.Input, e.Usage.Output, e.Model}
	case agent.TurnResumed:
		out.Type = "session:turn_resumed"
	case agent.Status:
		out.Type, out.Text = "agent:status", e.Text
	default:
		panic("session: an event without a name: " + out.Type) // the sum is sealed; a test goes through all of it
	}
}

// asked is what a notice says of a question: no more than what a person sees of it at a glance.
func asked(payload json.RawMessage) (tool, action, preview string) {
	var told struct{ ToolName, Action, Preview string }
	if json.Unmarshal(payload, &told) != nil {
		return "", "", ""
	}
	return told.ToolName, told.Action, summary(told.Preview)
}

// summary is the first line's worth of what a tool said.
func summary(output string) string {
	const most = 500
	line := strings.Join(strings.Fields(output), " ")
	if utf8.RuneCountInString(line) <= most {
		return line
	}
	return string([]rune(line)[:most-1]) + "…"
}
