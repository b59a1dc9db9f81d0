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

// seen is how much of the pictures of a session is shown to a model in each turn, the newest first: it goes with every request.
const seen = 16 << 20

// told is a transcript as a harness takes it, and the pictures in it. A model that Parley's loop asks is shown all of them, a
// program those of the newest message: it keeps what came before. Everything else that was attached they are told of, and do
// not see.
func (s *Sessions) told(ctx context.Context, t *Turn, transcript []agent.Message, launch agent.Launch) ([]agent.Message, map[agent.MediaHandle][]byte, error) {
	media := map[agent.MediaHandle][]byte{}
	unseen, left := 0, int64(0)
	if launch.Program != nil || launch.Endpoint != nil {
		left = seen
	}
	for n, m := range slices.Backward(transcript) {
		if launch.Program != nil && n < len(transcript)-1 {
			left = 0
		}
		for i, part := range m.Parts {
			p, ok := part.(agent.MediaPart)
			if !ok {
				continue
			}
			if !slices.Contains(pictures, p.MimeType) || p.ByteLength > left {
				m.Parts[i] = agent.TextPart{Text: fmt.Sprintf("[attached: %q, %s; its content is not shown to you]", p.Name, p.MimeType)}
				unseen++
				continue
			}
			left -= p.ByteLength
			stored, err := s.Store.Media(ctx, t.Key.Project, p.Handle)
			if err != nil {
				return nil, nil, err
			}
			media[p.Handle] = stored.Content
		}
	}
	if unseen > 0 {
		s.Log.Warn("the agent is told of attached files and does not see them", "session", t.Key.Session, "turn", t.ID, "files", unseen)
	}
	return transcript, media, nil
}

// pictures are the kinds that models take.
var pictures = []string{"image/png", "image/jpeg", "image/gif", "image/webp"}
