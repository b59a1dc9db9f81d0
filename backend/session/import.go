package session

import (
	"context"
	"errors"

	"parley/backend/agent"
	"parley/backend/store"
)

// Import makes a new session of an archive that came from outside, with the media that it refers to. An agent that is not one of
// the person's own, as it is here, comes without what it may do unasked and what it would run: that is for them to say.
func (s *Sessions) Import(ctx context.Context, project agent.ProjectID, a store.Archive, media []agent.Media) (agent.SessionKey, error) {
	spec := &a.Session.Agent
	if own, err := s.Agent(ctx, project, spec.ID); err != nil || !sameAgent(own, *spec) {
		spec.Permissions, spec.AuthorTools, spec.CommandEnv = agent.Permissions{}, nil, nil
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
