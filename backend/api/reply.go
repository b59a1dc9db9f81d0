package api

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strings"

	"parley/backend/agent"
	"parley/backend/session"
	"parley/backend/store"
	"parley/backend/uistream"
)

// Reply is a turn as one JSON value, once it is done or waits for a person.
type Reply struct {
	TraceID    string           `json:"trace_id"`
	SpanID     string           `json:"span_id"`
	SessionID  agent.SessionID  `json:"session_id"`
	Status     ReplyStatus      `json:"status"`
	Data       ReplyData        `json:"data"`
	StopReason agent.StopReason `json:"stop_reason"`
	Pending    []Question       `json:"pending,omitempty"` // what it waits for, if it does
}

// ReplyStatus is that of the HTTP reply. A turn that failed has the type and the message of a FailureStatus, too.
type ReplyStatus struct {
	Code    int    `json:"code"`
	Type    string `json:"type,omitempty"`
	Message string `json:"message,omitempty"`
}

// ReplyData is what was said.
type ReplyData struct {
	Outputs ReplyMessage `json:"outputs"`
}

// ReplyMessage is an answer: its text, and everything that useChat knows of it.
type ReplyMessage struct {
	Role    agent.Role      `json:"role"`
	Content string          `json:"content"`
	Parts   json.RawMessage `json:"parts"`
}

// QueuedReply says that a message waits for the running turn to end.
type QueuedReply struct {
	SessionID agent.SessionID `json:"session_id"`
	Queued    QueuedMessage   `json:"queued"`
}

// QueuedMessage is a message that waits.
type QueuedMessage struct {
	Number    int64           `json:"number"`
	MessageID agent.MessageID `json:"message_id"`
}

// whole is a turn once nothing more is said in it: it is done, or waits for a person. The status of one that failed is that
// of its failure.
func whole(ctx context.Context, t *session.Turn) (Reply, error) {
	var log []agent.Record
	for {
		records, err := t.Records(ctx, len(log))
		if err != nil {
			return Reply{}, err
		}
		if len(records) == 0 {
			break
		}
		log = append(log, records...)
	}
	view, err := uistream.View(t.Key.Session, log)
	if err != nil {
		return Reply{}, err
	}
	var message struct{ Parts json.RawMessage }
	if err := json.Unmarshal(view, &message); err != nil {
		return Reply{}, err
	}
	out := Reply{SessionID: t.Key.Session, Status: ReplyStatus{Code: http.StatusOK}}
	out.Data.Outputs = ReplyMessage{agent.RoleAssistant, textOf(uistream.Durable(log)), message.Parts}
	for _, r := range log {
		switch event := r.Event.(type) {
		case agent.TurnStarted:
			out.TraceID, out.SpanID = event.Trace.ID, event.Trace.Span
		case agent.InteractionRequest:
			out.Pending = append(out.Pending, toQuestion(store.Question{Key: t.Key, Request: event, AskedAt: r.At}))
		case agent.InteractionResponse:
			out.Pending = slices.DeleteFunc(out.Pending, func(q Question) bool { return q.ID == event.ID })
		case agent.TurnPaused:
			out.StopReason = agent.StopPaused
		case agent.TurnCompleted:
			out.StopReason = event.StopReason
		}
	}
	if f := uistream.Failure(log); f != nil {
		out.StopReason, out.Status = agent.StopError, ReplyStatus(describe(agent.Errorf(f.Code, "%s", f.Message)))
	}
	if out.StopReason != agent.StopPaused {
		out.Pending = nil // a stop leaves questions open that nobody can answer
	}
	return out, nil
}

// textOf is what an answer says, its blocks apart.
func textOf(rows []agent.Message) string {
	var blocks []string
	for _, m := range rows {
		for _, p := range m.Parts {
			if p, ok := p.(agent.TextPart); ok {
				blocks = append(blocks, p.Text)
			}
		}
	}
	return strings.Join(blocks, "\n\n")
}
