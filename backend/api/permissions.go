package api

import (
	"net/http"
	"strconv"

	"parley/backend/agent"
)

// Approval is what a person allowed for longer than once.
type Approval struct {
	ID        int64           `json:"id"`
	Pattern   string          `json:"pattern"` // of the calls that it is for
	Scope     agent.Scope     `json:"scope"`
	SessionID agent.SessionID `json:"sessionId,omitempty"` // of the scope session
	Title     string          `json:"title,omitempty"`     // of that session
	At        int64           `json:"at"`                  // milliseconds since 1970
}

// Permissions is what is allowed in a project, the newest first.
type Permissions struct {
	Approvals []Approval `json:"approvals"`
}

func (d inside) listPermissions(r *http.Request) (Permissions, error) {
	approvals, err := d.Store.Approvals(r.Context(), d.project)
	list := make([]Approval, len(approvals))
	for i, a := range approvals {
		list[i] = Approval{a.ID, a.Pattern, a.Scope, a.Session, a.Title, a.At.UnixMilli()}
	}
	return Permissions{list}, err
}

// revoke takes an approval back; what holds in every project only with the owner's token.
func (d inside) revoke(r *http.Request) (noBody, error) {
	id, err := strconv.ParseInt(r.PathValue("id"), 10, 64)
	if err != nil {
		return noBody{}, agent.Errorf(agent.CodeValidation, "%q is no approval; those are numbers.", r.PathValue("id"))
	}
	return noBody{}, d.Store.Revoke(r.Context(), d.project, id, d.owner)
}
