package api

import (
	"crypto/rand"
	"crypto/subtle"
	"encoding/hex"
	"net/http"
	"slices"
	"strings"

	"parley/backend/agent"
)

const (
	ProjectHeader   = "x-parley-project" // a header: the project that the owner asks about
	projectProtocol = "parley.project."  // the same among the subprotocols of a socket, which has no headers
)

// caller is who asks. Whatever a handler looks up, it looks up in the caller's project.
type caller struct {
	project agent.ProjectID
	owner   bool // may name any project, and do what concerns all of them
}

// key reads the session's id in the path.
func (c caller) key(r *http.Request) (agent.SessionKey, error) {
	id := agent.SessionID(r.PathValue("id"))
	return agent.SessionKey{Project: c.project, Session: id}, id.Validate()
}

// Bind gives the token of a folder's project: for as long as the door is there, it opens that project and nothing else.
func (d *Door) Bind(project agent.ProjectID, folder string) string {
	d.mu.Lock()
	defer d.mu.Unlock()
	token, known := d.bound[project]
	if !known {
		token = NewToken()
		d.bound[project], d.folders[project] = token, folder
	}
	return token
}

// Folder gives the folder of a project that was opened; empty if it was not.
func (d *Door) Folder(project agent.ProjectID) string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.folders[project]
}

// NewToken mints 256 bits, as text.
func NewToken() string {
	b := make([]byte, 32)
	rand.Read(b) // never fails: crypto/rand ends the program instead
	return hex.EncodeToString(b)
}

// caller tells who has sent a request, by its token.
func (d *Door) caller(r *http.Request) (caller, error) {
	token, named := bearer(r), projectOf(r)
	c, known := d.holder(token)
	switch {
	case !known:
		return caller{}, errToken
	case named == "" || named == c.project:
		return c, nil
	case !c.owner:
		return caller{}, errBound
	}
	c.project = named
	return c, named.Validate()
}

// holder is who a token was given to. Every token is compared, and each in the same time.
func (d *Door) holder(token string) (c caller, known bool) {
	is := func(other string) bool { return subtle.ConstantTimeCompare([]byte(token), []byte(other)) == 1 }
	if is(d.Token) {
		c, known = caller{agent.DefaultProject, true}, true
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	for project, bound := range d.bound {
		if is(bound) {
			c, known = caller{project, false}, true
		}
	}
	return c, known
}

// bearer is the caller's token: from the Authorization header, or, because a browser's socket cannot set one, from the
// subprotocol.
func bearer(r *http.Request) string {
	if t, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer "); ok {
		return t
	}
	return protocol(r, tokenProtocol)
}

// projectOf is the project that the request names, if any.
func projectOf(r *http.Request) agent.ProjectID {
	if named := r.Header.Get(ProjectHeader); named != "" {
		return agent.ProjectID(named)
	}
	return agent.ProjectID(protocol(r, projectProtocol))
}

// protocol is what follows the prefix in one of a socket's subprotocols.
func protocol(r *http.Request, prefix string) string {
	offered := strings.Split(r.Header.Get("Sec-WebSocket-Protocol"), ",")
	i := slices.IndexFunc(offered, func(p string) bool { return strings.HasPrefix(strings.TrimSpace(p), prefix) })
	if i < 0 {
		return ""
	}
	return strings.TrimPrefix(strings.TrimSpace(offered[i]), prefix)
}
