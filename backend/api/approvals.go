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
	Call      string                `json:"call"`     // the id of the call that waits
	Manifest  json.RawMessage       `json:"manifest"` // what the person decides on
	AskedAt   int64                 `json:"askedAt"`  // milliseconds since 1970
}

// Inbox is everything in a project that waits for a person, the oldest first.
type Inbox struct {
	Approvals []Question `json:"approvals"`
}

// Decision answers a question. Approved is for approvals, with a note for the model if it is false; Output is for inputs
// and for the tools of the client.
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
		manifest := q.Request.Payload
		if manifest == nil {
			manifest = json.RawMessage("null")
		}
		list[i] = Question{q.Request.ID, q.Key.Session, q.Request.Kind, q.Request.Call, manifest, q.AskedAt.UnixMilli()}
	}
	return list
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
	answer, err := in.answer(q.Request)
	if err != nil {
		return Decided{}, err
	}
	turn, err := d.Sessions.Answer(r.Context(), d.project, answer)
	return Decided{q.Key.Session, turn != nil}, err
}

// answer is the decision as an answer to what was asked.
func (in Decision) answer(asked agent.InteractionRequest) (agent.InteractionResponse, error) {
	out := agent.InteractionResponse{ID: asked.ID, Call: asked.Call}
	if asked.Kind != agent.UserApproval {
		if in.Output == nil || in.Approved != nil || in.Note != "" || in.Scope != "" {
			return out, agent.Errorf(agent.CodeValidation, "This question asks for an output. Answer it with output, and with nothing else.")
		}
		out.Output = in.Output
		return out, nil
	}
	switch in.Scope {
	case "":
		in.Scope = agent.ScopeOnce
	case agent.ScopeOnce, agent.ScopeSession:
	default:
		return out, agent.Errorf(agent.CodeValidation, "scope must be %s or %s.", agent.ScopeOnce, agent.ScopeSession)
	}
	if in.Approved == nil || in.Output != nil {
		return out, agent.Errorf(agent.CodeValidation, "This question asks for an approval. Answer it with approved: true or false, and without output.")
	}
	out.Approved, out.Note, out.Scope = *in.Approved, in.Note, in.Scope
	return out, nil
}
