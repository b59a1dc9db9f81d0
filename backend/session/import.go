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
// be secret is masked, as a sweep does it.
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
	mask(masking(known), &a)
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

// mask rewrites what was said in an archive.
func mask(r store.Rewriting, a *store.Archive) {
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
		}
	}
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
