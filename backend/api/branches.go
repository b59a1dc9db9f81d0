package api

import (
	"net/http"

	"parley/backend/agent"
)

// BranchChoice names a message of the branch that shall be shown.
type BranchChoice struct {
	MessageID agent.MessageID `json:"messageId"`
}

// ForkRequest says up to which message a session is copied, all of it if that is left out; and who goes on with it, if
// that is another agent.
type ForkRequest struct {
	MessageID agent.MessageID `json:"messageId,omitempty"`
	Agent     string          `json:"agent,omitempty"`
	Login     *agent.Login    `json:"login,omitempty"`
}

func (d inside) chooseBranch(r *http.Request, c BranchChoice) (noBody, error) {
	key, err := d.key(r)
	if err != nil {
		return noBody{}, err
	}
	return noBody{}, d.Sessions.Choose(r.Context(), key, c.MessageID)
}

func (d inside) forkSession(r *http.Request, f ForkRequest) (Session, error) {
	key, err := d.key(r)
	if err != nil {
		return Session{}, err
	}
	if f.Login != nil && !f.Login.Valid() {
		return Session{}, agent.Errorf(agent.CodeValidation, "login must be %s or %s.", agent.LoginKey, agent.LoginOwn)
	}
	fork, err := d.Sessions.Fork(r.Context(), key, f.MessageID, f.Agent, agent.Overlay{Login: f.Login})
	if err != nil {
		return Session{}, err
	}
	s, err := d.Store.Session(r.Context(), fork)
	return d.session(s), err
}
