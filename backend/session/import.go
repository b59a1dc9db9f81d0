package session

import (
	"context"
	"encoding/json"
	"errors"

	"parley/backend/agent"
	"parley/backend/redact"
	"parley/backend/store"
)

// Import makes a new session of an archive that came from outside, with the media that it refers to. Of an agent that is not one
// of the person's own, as it is here, only that comes along which does nothing unasked: the rest is for them to say. What is known to
// be secret is masked as a sweep does it, and in the files that come along, too.
func (s *Sessions) Import(ctx context.Context, project agent.ProjectID, a store.Archive, media []agent.Media) (agent.SessionKey, error) {
	known, err := s.Known(ctx)
	if err != nil {
		return agent.SessionKey{}, err
	}
	spec := &a.Session.Agent
	if own, err := s.Agent(ctx, project, spec.ID); err != nil || !sameAgent(own, *spec) {
		*spec = agent.Spec{
			ID: spec.ID, Name: spec.Name, Description: spec.Description, Harness: spec.Harness, Provider: spec.Provider, Model: spec.Model,
			SystemPrompt: spec.SystemPrompt, Tools: spec.Tools, ClientTools: spec.ClientTools, MCPServers: spec.MCPServers,
		}
		if err := maskSpec(known, spec); err != nil {
			return agent.SessionKey{}, err
		}
	}
	renamed := maskMedia(known, media)
	mask(masking(known), &a, renamed)
	a.Session.WorkingDir = s.Folder(project)
	for i := range a.Turns {
		for j := range a.Turns[i].Rows {
			row := &a.Turns[i].Rows[j]
			if err := s.lookUpMedia(ctx, project, &row.Message); err != nil {
				return agent.SessionKey{}, err
			}
			if a.Session.Title == "" {
				a.Session.Title = title(row.Message)
			}
		}
	}
	key := agent.SessionKey{Project: project, Session: agent.NewSessionID()}
	err = s.Store.Import(ctx, key, a, media)
	if errors.Is(err, store.ErrExists) {
		return key, agent.Errorf(agent.CodeValidation, "The file was not imported: two of its messages have one id.")
	}
	if err == nil {
		s.changes.publish(Change{Key: key})
	}
	return key, err
}

// mask rewrites what was said in an archive, and the names of files that have others now.
func mask(r store.Rewriting, a *store.Archive, renamed map[agent.MediaHandle]agent.Media) {
	a.Session.Title = r.Text(a.Session.Title)
	for _, t := range a.Turns {
		events := make([]agent.Event, len(t.Log))
		for i, record := range t.Log {
			events[i] = record.Event
		}
		for i, e := range r.Events(events) {
			t.Log[i].Event = e
		}
		for i, row := range t.Rows {
			t.Rows[i].Parts = r.Parts(row.Parts)
			for j, part := range t.Rows[i].Parts {
				if p, ok := part.(agent.MediaPart); ok && renamed[p.Handle].Handle != "" {
					t.Rows[i].Parts[j] = renamed[p.Handle].Part(p.Name)
				}
			}
		}
	}
}

// maskMedia masks the contents of files, and gives those that have another name now by the one that they had.
func maskMedia(known *redact.Known, media []agent.Media) map[agent.MediaHandle]agent.Media {
	renamed := map[agent.MediaHandle]agent.Media{}
	for i, m := range media {
		if clean := agent.MediaOf([]byte(known.Text(string(m.Content)))); clean.Handle != m.Handle {
			media[i], renamed[m.Handle] = clean, clean
		}
	}
	return renamed
}

// maskSpec masks whatever an agent says.
func maskSpec(known *redact.Known, spec *agent.Spec) error {
	text, err := json.Marshal(*spec)
	if err != nil {
		return err
	}
	*spec = agent.Spec{}
	return json.Unmarshal(known.JSON(text), spec)
}
