package session

import (
	"context"
	"fmt"
	"slices"

	"parley/backend/agent"
)

// lookUpMedia fills in what a project knows of the media that a message only names.
func (s *Sessions) lookUpMedia(ctx context.Context, project agent.ProjectID, m *agent.Message) error {
	m.Parts = slices.Clone(m.Parts)
	for i, part := range m.Parts {
		p, ok := part.(agent.MediaPart)
		if !ok || p.MimeType != "" {
			continue
		}
		known, err := s.Store.MediaPart(ctx, project, p.Handle)
		if err != nil {
			return err
		}
		known.Name = p.Name
		m.Parts[i] = known
	}
	return nil
}

// told is a transcript as harnesses take it: none of them can be given media yet, so each is told what it does not see.
func (s *Sessions) told(t *Turn, transcript []agent.Message) []agent.Message {
	unseen := 0
	for _, m := range transcript {
		for i, part := range m.Parts {
			if p, ok := part.(agent.MediaPart); ok {
				m.Parts[i] = agent.TextPart{Text: fmt.Sprintf("[attached: %q, %s; its content is not shown to you]", p.Name, p.MimeType)}
				unseen++
			}
		}
	}
	if unseen > 0 {
		s.Log.Warn("the agent is told of attached files and does not see them", "session", t.Key.Session, "turn", t.ID, "files", unseen)
	}
	return transcript
}
