package session

import (
	"context"
	"fmt"
	"slices"
	"strings"

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

// told is a transcript as a harness takes it, and the pictures in it. A program is given those of the newest message; everything else that was
// attached it is told of, and does not see.
func (s *Sessions) told(ctx context.Context, t *Turn, transcript []agent.Message, launch agent.Launch) ([]agent.Message, map[agent.MediaHandle][]byte, error) {
	media := map[agent.MediaHandle][]byte{}
	unseen := 0
	for n, m := range transcript {
		for i, part := range m.Parts {
			p, ok := part.(agent.MediaPart)
			if ok && launch.Program != nil && n == len(transcript)-1 && strings.HasPrefix(p.MimeType, "image/") {
				stored, err := s.Store.Media(ctx, t.Key.Project, p.Handle)
				if err != nil {
					return nil, nil, err
				}
				media[p.Handle] = stored.Content
			} else if ok {
				m.Parts[i] = agent.TextPart{Text: fmt.Sprintf("[attached: %q, %s; its content is not shown to you]", p.Name, p.MimeType)}
				unseen++
			}
		}
	}
	if unseen > 0 {
		s.Log.Warn("the agent is told of attached files and does not see them", "session", t.Key.Session, "turn", t.ID, "files", unseen)
	}
	return transcript, media, nil
}
