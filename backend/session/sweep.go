package session

import (
	"context"
	"errors"

	"parley/backend/agent"
	"parley/backend/redact"
	"parley/backend/store"
)

// Sweep masks what is known to be secret in the sessions of a project, of all projects if that is empty, and in drafts of
// workflows: also in what the person said. It gives how much was changed and how many sessions were left out, because a turn of
// theirs runs or waits for an answer; sweeping again goes on with those, as it does after a failure, since each session is changed
// all or nothing. What an agent that is warm still remembers is forgotten; what a page shows, it has until it asks again. The
// contents of files are not reached.
func (s *Sessions) Sweep(ctx context.Context, project agent.ProjectID, known *redact.Known) (masked, busy int, err error) {
	keys, err := s.Store.EverySession(ctx, project)
	if err == nil {
		masked, err = s.Store.RewriteWorkflowDrafts(ctx, project, known.Text)
	}
	if err != nil {
		return masked, 0, err
	}
	for _, key := range keys {
		n, err := s.sweep(ctx, key, known)
		switch {
		case errors.Is(err, ErrBusy):
			busy++
		case err != nil && !errors.Is(err, store.ErrNotFound):
			return masked, busy, err
		}
		masked += n
	}
	return masked, busy, nil
}

func (s *Sessions) sweep(ctx context.Context, key agent.SessionKey, known *redact.Known) (int, error) {
	t, err := s.begin(key)
	if err != nil {
		return 0, err
	}
	defer s.end(t)
	_, err = s.paused(ctx, key)
	if err == nil {
		return 0, ErrBusy
	}
	if !errors.Is(err, store.ErrNotFound) {
		return 0, err
	}
	n, err := s.Store.Rewrite(ctx, key, masking(known))
	if err != nil || n == 0 {
		return 0, err
	}
	s.Environment.Evict(key)
	s.changes.publish(Change{Key: key})
	return n, nil
}

func masking(known *redact.Known) store.Rewriting {
	return store.Rewriting{
		Text:   known.Text,
		Parts:  func(parts []agent.Part) []agent.Part { return agent.RewriteParts(parts, known.Text, known.JSON) },
		Events: func(events []agent.Event) []agent.Event { return maskEvents(known, events) },
	}
}

// maskEvents masks the events of a turn, each in its place. What is said in pieces is one text.
func maskEvents(known *redact.Known, events []agent.Event) []agent.Event {
	masked := make([]agent.Event, len(events))
	open := map[string]*said{} // by what they are of
	end := func(of string) {
		if p := open[of]; p != nil {
			_, shown := piece(masked[p.last])
			masked[p.last] = withText(masked[p.last], shown+p.stream.Flush())
			delete(open, of)
		}
	}
	for i, e := range events {
		of, text := piece(e)
		if endsBlock(e) {
			for _, block := range []string{message, thought} {
				if block != of {
					end(block)
				}
			}
		}
		if of == "" {
			masked[i] = maskEvent(known, e)
			continue
		}
		if open[of] == nil {
			open[of] = &said{stream: known.Stream()}
		}
		open[of].last = i
		masked[i] = withText(e, open[of].stream.Write(text))
	}
	for of := range open {
		end(of)
	}
	return masked
}

// said is a text that came in pieces.
type said struct {
	stream *redact.Stream
	last   int // where the last of them is
}

// What pieces may be of, besides the arguments of a call.
const (
	message = "message"
	thought = "thought"
)

// piece gives what an event is a piece of, if it is one, and the piece.
func piece(e agent.Event) (of, text string) {
	switch e := e.(type) {
	case agent.MessageDelta:
		return message, e.Text
	case agent.ThoughtDelta:
		return thought, e.Text
	case agent.ToolCallDelta:
		return "call " + e.ID, e.Text
	}
	return "", ""
}

// withText gives a piece with another text.
func withText(e agent.Event, text string) agent.Event {
	switch e := e.(type) {
	case agent.MessageDelta:
		return agent.MessageDelta{Text: text}
	case agent.ThoughtDelta:
		return agent.ThoughtDelta{Text: text}
	case agent.ToolCallDelta:
		e.Text = text
		return e
	}
	return e
}

// maskEvent is withoutValues, and takes them out of what the person said, too.
func maskEvent(known *redact.Known, e agent.Event) agent.Event {
	switch e := e.(type) {
	case agent.TurnStarted:
		e.Inputs = known.JSON(e.Inputs)
		return e
	case agent.Steered:
		e.Text = known.Text(e.Text)
		return e
	case agent.InteractionResponse:
		e.Note, e.Output, e.Problem = known.Text(e.Note), known.JSON(e.Output), known.Text(e.Problem)
		return e
	}
	return withoutValues(known, e)
}
