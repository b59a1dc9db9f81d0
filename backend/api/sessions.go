package api

import (
	"encoding/json"
	"net/http"
	"strconv"

	"parley/backend/agent"
	"parley/backend/store"
	"parley/backend/uistream"
)

// Session is a session as a list shows it.
type Session struct {
	ID           agent.SessionID `json:"id"`
	Title        string          `json:"title"`
	Status       store.Status    `json:"status"`
	Agent        Agent           `json:"agent"`
	Mode         agent.Mode      `json:"mode"`
	ModeKept     bool            `json:"modeKept,omitempty"`     // the turn that runs began in another, and keeps some of that until it ends
	WorkingDir   string          `json:"workingDir"`             // the folder that it is about; empty if none
	ExportedPath string          `json:"exportedPath,omitempty"` // the file that it was saved as last; from a browser only its name
	Scope        agent.FileScope `json:"scope"`
	Scratch      string          `json:"scratch"` // the session's own folder
	Draft        string          `json:"draft"`
	DraftFiles   []DraftFile     `json:"draftFiles"`
	Turns        int64           `json:"turns"`
	MaxTurns     int64           `json:"maxTurns"`
	InputTokens  int64           `json:"inputTokens"`
	OutputTokens int64           `json:"outputTokens"`
	NextSequence int64           `json:"nextSequence"` // the number that the session's next event will have
	CreatedAt    int64           `json:"createdAt"`    // milliseconds since 1970
	UpdatedAt    int64           `json:"updatedAt"`
}

// SessionList is a page of sessions, newest first. Next, if any, asks for the page that follows.
type SessionList struct {
	Sessions   []Session `json:"sessions"`
	Next       string    `json:"next,omitempty"`
	WorkingDir string    `json:"workingDir"` // that a new one is about; empty if none
}

// SessionChange changes what is set. A draft, scope or workingDir may be kept for a session that does not exist yet: they
// make it. The token of a project may set the scope to sandboxed only, and the workingDir not at all.
type SessionChange struct {
	Title      *string     `json:"title,omitempty"`
	Draft      *string     `json:"draft,omitempty"`
	DraftFiles []DraftFile `json:"draftFiles,omitempty"` // all of them; url and name are enough
	MaxTurns   *int64      `json:"maxTurns,omitempty"`
	Mode       *agent.Mode `json:"mode,omitempty"` // also of the turn that runs, if its program can follow

	Scope      *agent.FileScope `json:"scope,omitempty"`      // from the next turn on
	WorkingDir *string          `json:"workingDir,omitempty"` // absolute, or empty for none; from the next turn on

	ExportedPath *string `json:"exportedPath,omitempty"` // it was saved as this file just now

	Options map[string]string `json:"options,omitempty"` // of the agent's program, from the next turn on
}

// DraftFile is a file that goes along with a draft, once that is sent. It was uploaded before.
type DraftFile struct {
	URL       string `json:"url"`
	Name      string `json:"name"`
	MediaType string `json:"mediaType,omitempty"`
	Size      int64  `json:"size,omitempty"` // in bytes
}

func (d inside) session(s store.Session) Session {
	files := make([]DraftFile, len(s.DraftFiles))
	for i, part := range s.DraftFiles {
		p := part.(agent.MediaPart)
		files[i] = DraftFile{uistream.MediaURL(p.Handle), p.Name, p.MimeType, p.ByteLength}
	}
	return Session{
		ID: s.Key.Session, Title: s.Title, Status: s.Status, Agent: toAgent(s.Agent), Mode: s.Mode, ModeKept: d.Sessions.KeepsMode(s.Key),
		WorkingDir: s.WorkingDir, ExportedPath: s.ExportedPath, Scope: s.Scope, Scratch: d.Sessions.Scratch(s.Key), Draft: s.Draft, DraftFiles: files,
		Turns: s.Turns, MaxTurns: s.MaxTurns, InputTokens: s.InputTokens, OutputTokens: s.OutputTokens, NextSequence: s.NextSeq,
		CreatedAt: s.CreatedAt.UnixMilli(), UpdatedAt: s.UpdatedAt.UnixMilli(),
	}
}

func (d inside) listSessions(r *http.Request) (SessionList, error) {
	limit, err := number(r, "limit", 50, 1, 500)
	if err != nil {
		return SessionList{}, err
	}
	page, err := store.ParsePage(r.URL.Query().Get("after"))
	if err != nil {
		return SessionList{}, err
	}
	sessions, err := d.Store.Sessions(r.Context(), d.project, page, limit)
	if err != nil {
		return SessionList{}, err
	}
	list := SessionList{Sessions: make([]Session, len(sessions)), WorkingDir: d.Sessions.Folder(d.project)}
	for i, s := range sessions {
		list.Sessions[i] = d.session(s)
	}
	if len(sessions) == limit {
		list.Next = sessions[limit-1].After().String()
	}
	return list, nil
}

func (d inside) getSession(r *http.Request) (Session, error) {
	key, err := d.key(r)
	if err != nil {
		return Session{}, err
	}
	s, err := d.Store.Session(r.Context(), key)
	return d.session(s), err
}

func (d inside) changeSession(r *http.Request, c SessionChange) (Session, error) {
	key, err := d.key(r)
	if err != nil {
		return Session{}, err
	}
	if c.MaxTurns != nil && *c.MaxTurns < 1 {
		return Session{}, agent.Errorf(agent.CodeValidation, "maxTurns must be at least 1.")
	}
	if c.ExportedPath != nil && *c.ExportedPath == "" {
		return Session{}, agent.Errorf(agent.CodeValidation, "exportedPath must name a file.")
	}
	if !d.owner && (c.WorkingDir != nil || c.Scope != nil && *c.Scope != agent.FilesSandboxed) {
		return Session{}, errOwners
	}
	change := store.Change{Title: c.Title, Draft: c.Draft, MaxTurns: c.MaxTurns, Mode: c.Mode, Scope: c.Scope, WorkingDir: c.WorkingDir, ExportedPath: c.ExportedPath, Options: c.Options}
	if c.DraftFiles != nil {
		change.DraftFiles = make([]agent.Part, len(c.DraftFiles))
	}
	for i, f := range c.DraftFiles {
		handle, err := uistream.MediaHandle(f.URL)
		if err != nil {
			return Session{}, err
		}
		change.DraftFiles[i] = agent.MediaPart{Handle: handle, Name: f.Name}
	}
	s, err := d.Sessions.Change(r.Context(), key, change)
	return d.session(s), err
}

func (d inside) deleteSession(r *http.Request) (noBody, error) {
	key, err := d.key(r)
	if err != nil {
		return noBody{}, err
	}
	return noBody{}, d.Sessions.Delete(r.Context(), key)
}

func (d inside) restoreSession(r *http.Request) (noBody, error) {
	key, err := d.key(r)
	if err != nil {
		return noBody{}, err
	}
	return noBody{}, d.Sessions.Restore(r.Context(), key)
}

// purgeSession removes for good what deleteSession hid.
func (d inside) purgeSession(r *http.Request) (noBody, error) {
	key, err := d.key(r)
	if err != nil {
		return noBody{}, err
	}
	return noBody{}, d.Store.PurgeSession(r.Context(), key)
}

// streamEvents gives the events of a session as lines of JSON: those from number `from` on, then those that come.
func (d inside) streamEvents(w http.ResponseWriter, r *http.Request) error {
	key, err := d.key(r)
	if err != nil {
		return err
	}
	from, err := number(r, "from", 0, 0, 1<<53)
	if err != nil {
		return err
	}
	if _, err := d.Store.Session(r.Context(), key); err != nil {
		return err
	}
	w.Header().Set("content-type", "application/x-ndjson")
	out := newFlusher(w)
	if err := out.write(nil); err != nil {
		return nil
	}
	for event, err := range d.Sessions.Events(r.Context(), key, int64(from)) {
		if err != nil {
			return nil // the headers are gone; the reader sees the end of the stream
		}
		line, err := json.Marshal(event)
		if err != nil {
			return err
		}
		if out.write(append(line, '\n')) != nil {
			return nil
		}
	}
	return nil
}

func number(r *http.Request, name string, fallback, least, most int) (int, error) {
	text := r.URL.Query().Get(name)
	if text == "" {
		return fallback, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < least || n > most {
		return 0, agent.Errorf(agent.CodeValidation, "%s must be a number from %d to %d.", name, least, most)
	}
	return n, nil
}
