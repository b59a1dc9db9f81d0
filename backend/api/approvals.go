package api

import (
	"encoding/json"
	"net/http"

	"parley/backend/agent"
	"parley/backend/store"
)

// Question is something that a turn waits for: an approval, an input, or the output of a tool that the client runs.
type Question struct {
	ID        agent.InteractionID   `json:"id"`
	SessionID agent.SessionID       `json:"sessionId"`
	Kind      agent.InteractionKind `json:"kind"`
	Call      string                `json:"call"`            // the id of the call that waits
	Manifest  json.RawMessage       `json:"manifest"`        // what the person decides on
	AskedAt   int64                 `json:"askedAt"`         // milliseconds since 1970
	Title     string                `json:"title,omitempty"` // of the session
	Agent     string                `json:"agent,omitempty"` // that asks, by its name
}

// Inbox is everything in a project that waits for a person, the oldest first.
type Inbox struct {
	Approvals []Question `json:"approvals"`
}

// Decision answers a question. Approved is for approvals, with a note for the model if it is false. Output is for inputs and
// for the tools of the client; without it, an input is declined.
type Decision struct {
	Approved *bool           `json:"approved,omitempty"`
	Note     string          `json:"note,omitempty"`
	Scope    agent.Scope     `json:"scope,omitempty"` // once, if it is left out
	Output   json.RawMessage `json:"output,omitempty"`
}

// Decided says where the answer belongs, and whether the turn goes on: it does with the answer to its last question.
type Decided struct {
	SessionID agent.SessionID `json:"sessionId"`
	Resumed   bool            `json:"resumed"`
}

func toQuestions(open []store.Question) []Question {
	list := make([]Question, len(open))
	for i, q := range open {
		list[i] = toQuestion(q)
	}
	return list
}

func toQuestion(q store.Question) Question {
	r := q.Request
	manifest := r.Payload
	if manifest == nil {
		manifest = json.RawMessage("null")
	}
	return Question{r.ID, q.Key.Session, r.Kind, r.Call, manifest, q.AskedAt.UnixMilli(), q.Title, q.Agent}
}

func (d inside) listApprovals(r *http.Request) (Inbox, error) {
	open, err := d.Store.OpenQuestions(r.Context(), d.project)
	return Inbox{toQuestions(open)}, err
}

func (d inside) decide(r *http.Request, in Decision) (Decided, error) {
	q, err := d.Store.Question(r.Context(), d.project, agent.InteractionID(r.PathValue("id")))
	if err != nil {
		return Decided{}, err
	}
	if q.Request.Kind == agent.UserApproval && in.Approved == nil {
		return Decided{}, agent.Errorf(agent.CodeValidation, "This question asks for an approval. Answer it with approved: true or false.")
	}
	if in.Scope == agent.ScopeAlways && !d.owner {
		return Decided{}, errOwners
	}
	answer := agent.InteractionResponse{Note: in.Note, Scope: in.Scope, Output: in.Output}
	answer.Approved = in.Approved != nil && *in.Approved
	turn, err := d.Sessions.Answer(r.Context(), q, answer)
	return Decided{q.Key.Session, turn != nil}, err
}
