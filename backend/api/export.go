package api

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strings"

	"parley/backend/agent"
	"parley/backend/redact"
	"parley/backend/store"
	"parley/backend/workflow"
)

// Exported is a session as a file. Nothing is written: the one who asked does that, once a person has seen the warnings.
type Exported struct {
	Name      string   `json:"name"` // that the file may have
	MediaType string   `json:"mediaType"`
	Content   string   `json:"content"`
	Warnings  []string `json:"warnings"` // sentences
}

// exportSession gives the branch that is shown in a format, or all branches as a bundle. No value that is known to be secret is
// in it.
func (d inside) exportSession(r *http.Request) (Exported, error) {
	key, err := d.key(r)
	if err != nil {
		return Exported{}, err
	}
	s, err := d.Store.Session(r.Context(), key)
	if err != nil {
		return Exported{}, err
	}
	known, err := d.Sessions.Known(r.Context())
	if err != nil {
		return Exported{}, err
	}
	format := workflow.Format(r.URL.Query().Get("format"))
	e := Exported{Name: s.Key.Session.FileName() + format.Extension(), MediaType: format.MediaType(), Warnings: []string{}}
	content, err := d.export(r.Context(), s, format, known, &e.Warnings)
	e.Content = string(content)
	for _, found := range redact.Find(e.Content) {
		if warning := "The file holds what looks like " + found.Kind + ". Look at it before you give it away."; !slices.Contains(e.Warnings, warning) {
			e.Warnings = append(e.Warnings, warning)
		}
	}
	return e, err
}

func (d inside) export(ctx context.Context, s store.Session, format workflow.Format, known *redact.Known, warnings *[]string) ([]byte, error) {
	switch format {
	case workflow.JSONL:
		messages, err := d.messagesOf(ctx, s)
		return workflow.ToJSONL(messages, known), err
	case workflow.Bundle:
		return d.bundle(ctx, s.Key, known)
	}
	rows, err := d.Store.Rows(ctx, s.Head)
	if err != nil {
		return nil, err
	}
	session := workflow.Session{
		ID: s.Key.Session, AgentSlug: s.Agent.ID, Agent: &s.Agent, Title: s.Title, CreatedAt: s.CreatedAt, UpdatedAt: s.UpdatedAt,
		Rows: make([]workflow.Row, len(rows)),
	}
	for i, row := range rows {
		session.Rows[i] = workflow.Row(row)
	}
	switch format {
	case workflow.Markdown:
		return workflow.ToMarkdown(session, known), nil
	case workflow.HTML:
		return workflow.ToHTML(session, known)
	case workflow.Canvas:
		graph, said, err := workflow.FromSession(session, known)
		if err != nil {
			return nil, err
		}
		*warnings = append(*warnings, said...)
		return workflow.Write(graph)
	}
	names := make([]string, len(workflow.Formats()))
	for i, f := range workflow.Formats() {
		names[i] = string(f)
	}
	return nil, agent.Errorf(agent.CodeValidation, "There is no such format to export in. There are: %s.", strings.Join(names, ", "))
}

// messagesOf gives the messages of the branch that is shown, as useChat has them.
func (d inside) messagesOf(ctx context.Context, s store.Session) (messages []json.RawMessage, err error) {
	turns, err := d.Store.Branch(ctx, s.Head, 1<<40)
	for _, turn := range turns {
		if err != nil {
			break
		}
		var question, answer json.RawMessage
		question, answer, err = d.view(ctx, s.Key, turn)
		messages = append(messages, question, answer)
	}
	return messages, err
}

// The data of the parts of a bundle.
type (
	bundleSession struct {
		ID        agent.SessionID `json:"id"`
		Agent     agent.Spec      `json:"agent"`
		Title     string          `json:"title,omitempty"`
		Head      agent.TurnID    `json:"head,omitempty"`
		MaxTurns  int64           `json:"maxTurns"`
		CreatedAt int64           `json:"createdAt"`
		UpdatedAt int64           `json:"updatedAt"`
	}

	bundleTurn struct {
		ID          agent.TurnID     `json:"id"`
		Parent      agent.TurnID     `json:"parent,omitempty"`
		UserMessage agent.MessageID  `json:"userMessage"`
		Message     agent.MessageID  `json:"message"`
		StopReason  agent.StopReason `json:"stopReason"`
		StartedAt   int64            `json:"startedAt"`
		SettledAt   int64            `json:"settledAt"`
		Log         []bundleLog      `json:"log"`
		Rows        []bundleRow      `json:"rows"`
	}

	// bundleLog is what was logged at once.
	bundleLog struct {
		At     int64           `json:"at"`
		Events json.RawMessage `json:"events"` // agent.EncodeLog
	}

	bundleRow struct {
		ID      agent.MessageID `json:"id"`
		Role    agent.Role      `json:"role"`
		Model   string          `json:"model,omitempty"`
		At      int64           `json:"at"`
		Content json.RawMessage `json:"content"` // agent.EncodeParts
	}

	bundleMedia struct {
		Handle  agent.MediaHandle `json:"handle"`
		Content []byte            `json:"content"`
	}
)

// bundle gives all of a session, each part without what is secret.
func (d inside) bundle(ctx context.Context, key agent.SessionKey, known *redact.Known) ([]byte, error) {
	a, err := d.Store.Archive(ctx, key)
	if err != nil {
		return nil, err
	}
	media, renamed, err := d.attached(ctx, a, known)
	if err != nil {
		return nil, err
	}
	s := a.Session
	parts := []workflow.Part{}
	add := func(kind string, data any) {
		if err != nil {
			return
		}
		var part workflow.Part
		if part, err = workflow.NewPart(kind, data); err == nil && kind != "media" {
			clean := renamed.Replace(string(known.JSON(part.Data)))
			part, err = workflow.NewPart(kind, json.RawMessage(clean))
		}
		parts = append(parts, part)
	}
	add("session", bundleSession{s.Key.Session, s.Agent, s.Title, s.Head, s.MaxTurns, s.CreatedAt.UnixMilli(), s.UpdatedAt.UnixMilli()})
	for _, m := range media {
		add("media", m)
	}
	for _, t := range a.Turns {
		turn, failed := toBundle(t)
		if failed != nil {
			return nil, failed
		}
		add("turn", turn)
	}
	if err != nil {
		return nil, err
	}
	return workflow.WriteBundle(parts, d.Version)
}

func toBundle(t store.ArchivedTurn) (bundleTurn, error) {
	out := bundleTurn{
		t.ID, t.Parent, t.UserMessage, t.Message, t.StopReason, t.StartedAt.UnixMilli(), t.SettledAt.UnixMilli(),
		[]bundleLog{}, make([]bundleRow, len(t.Rows)),
	}
	for log := t.Log; len(log) > 0; {
		at := log[0].At
		var events []agent.Event
		for len(log) > 0 && log[0].At.Equal(at) {
			events, log = append(events, log[0].Event), log[1:]
		}
		b, err := agent.EncodeLog(events)
		if err != nil {
			return out, err
		}
		out.Log = append(out.Log, bundleLog{at.UnixMilli(), b})
	}
	for i, row := range t.Rows {
		b, err := agent.EncodeParts(row.Parts)
		if err != nil {
			return out, err
		}
		out.Rows[i] = bundleRow{row.ID, row.Role, row.Model, row.At.UnixMilli(), b}
	}
	return out, nil
}

// attached gives the files that messages of a session refer to, each once. One that a secret was taken out of has another name.
func (d inside) attached(ctx context.Context, a store.Archive, known *redact.Known) (all []bundleMedia, renamed *strings.Replacer, err error) {
	seen := map[agent.MediaHandle]bool{}
	var names []string
	for _, t := range a.Turns {
		for _, row := range t.Rows {
			for _, part := range row.Parts {
				p, ok := part.(agent.MediaPart)
				if !ok || seen[p.Handle] {
					continue
				}
				seen[p.Handle] = true
				m, err := d.Store.Media(ctx, a.Session.Key.Project, p.Handle)
				if err != nil {
					return nil, nil, err
				}
				clean := agent.MediaOf([]byte(known.Text(string(m.Content))))
				if clean.Handle != p.Handle {
					names = append(names, p.Handle.Sum(), clean.Handle.Sum())
				}
				all = append(all, bundleMedia{clean.Handle, clean.Content})
			}
		}
	}
	return all, strings.NewReplacer(names...), nil
}
