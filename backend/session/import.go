package session

import (
	"context"
	"errors"

	"parley/backend/agent"
	"parley/backend/store"
)

// Import makes a new session of an archive that came from outside, with the media that it refers to. Of an agent that is not one
// of the person's own, as it is here, only that comes along which does nothing unasked: the rest is for them to say.
func (s *Sessions) Import(ctx context.Context, project agent.ProjectID, a store.Archive, media []agent.Media) (agent.SessionKey, error) {
	spec := &a.Session.Agent
	if own, err := s.Agent(ctx, project, spec.ID); err != nil || !sameAgent(own, *spec) {
		*spec = agent.Spec{
			ID: spec.ID, Name: spec.Name, Description: spec.Description, Harness: spec.Harness, Provider: spec.Provider, Model: spec.Model,
			SystemPrompt: spec.SystemPrompt, Tools: spec.Tools, ClientTools: spec.ClientTools, MCPServers: spec.MCPServers,
		}
	}
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
	err := s.Store.Import(ctx, key, a, media)
	if errors.Is(err, store.ErrExists) {
		return key, agent.Errorf(agent.CodeValidation, "The file was not imported: two of its messages have one id.")
	}
	if err == nil {
		s.changes.publish(Change{Key: key})
	}
	return key, err
}
