package session

import (
	"context"

	"parley/backend/agent"
	"parley/backend/store"
)

// turnLog stores what one turn says.
type turnLog struct {
	sessions *Sessions
	turn     *Turn
	calls    map[string]string        // tool call id → tool name
	told     map[agent.MessageID]bool // in the middle of the turn
	spoken   bool                     // a provider was reached
	content  bool                     // something was said that a person can see
	secrets  secrets
	asked    bool        // something was asked since the turn began or went on
	before   agent.Usage // of what was said before the last pause
	model    string      // that answered before the last pause
}

// newTurnLog goes on where the turn's records end.
func newTurnLog(s *Sessions, t *Turn) *turnLog {
	l := &turnLog{sessions: s, turn: t, calls: map[string]string{}, told: map[agent.MessageID]bool{}}
	l.secrets = s.secretsOf(t.ID)
	for _, r := range t.records {
		switch e := r.Event.(type) {
		case agent.ToolCall:
			l.calls[e.ID] = e.Name
		case agent.Steered:
			l.told[e.Message] = true
		case agent.TurnPaused:
			l.spoken, l.content = true, true
			l.before, l.model = e.Usage, e.Model
		}
	}
	return l
}

// follow stores and shows each batch of events until the agent has finished: persist, then emit.
func (l *turnLog) follow(ctx context.Context, b *batch) agent.Event {
	defer b.close()
	for {
		events, end := b.take(window)
		err := l.store(ctx, events)
		if err == nil && end != nil {
			err = l.keep(ctx, l.secrets.end())
		}
		if err != nil {
			l.turn.stop()
			return l.sessions.failed(l.turn, err)
		}
		switch {
		case end == nil:
			continue
		case end.err != nil:
			return l.sessions.failed(l.turn, end.err)
		default:
			return l.finish(end.finish)
		}
	}
}

// store keeps what may be kept of events, then shows it.
func (l *turnLog) store(ctx context.Context, events []agent.Event) error {
	events, err := l.setAside(ctx, events)
	if err != nil {
		return notStored(err)
	}
	l.known(ctx)
	return l.keep(ctx, l.secrets.events(events))
}

// keep stores events without anything secret, then shows them.
func (l *turnLog) keep(ctx context.Context, events []agent.Event) error {
	s, t := l.sessions, l.turn
	if events = l.complete(events); len(events) == 0 {
		return nil
	}
	records, err := s.Store.AppendEvents(ctx, t.Key, t.ID, events)
	if err != nil {
		return notStored(err)
	}
	t.publish(records)
	for _, r := range records {
		switch r.Event.(type) {
		case agent.InteractionRequest, agent.Steered:
			s.changes.publish(Change{t.Key, r})
		}
	}
	return nil
}

func notStored(err error) error {
	return agent.Wrap(agent.CodeInternal, err, "The answer could not be stored, so it was stopped. Is the disk full?")
}

// setAside keeps what was written to files where a person can take it back, and gives the events that are left.
func (l *turnLog) setAside(ctx context.Context, events []agent.Event) (rest []agent.Event, err error) {
	for _, e := range events {
		w, wrote := e.(agent.FileWritten)
		if !wrote {
			rest = append(rest, e)
			continue
		}
		c := store.FileChange{Path: w.Path, Before: append([]byte{}, w.Before...), After: append([]byte{}, w.After...)}
		if w.Created {
			c.Before = nil
		}
		if err := l.sessions.Store.AddFileChange(ctx, l.turn.Key, l.turn.ID, c); err != nil {
			return nil, err
		}
	}
	return rest, nil
}

func (l *turnLog) finish(f agent.Finish) agent.Event {
	l.spoken = true
	if f.Killed {
		l.turn.stopped = Killed
	}
	usage := l.before.Add(f.Usage)
	switch {
	case f.StopReason == agent.StopPaused && l.turn.ctx.Err() != nil:
		f.StopReason = agent.StopCancelled
	case f.StopReason == agent.StopPaused && l.asked:
		return agent.TurnPaused{Usage: usage, Model: f.Model}
	case f.StopReason == agent.StopPaused:
		return failed(agent.Errorf(agent.CodeInternal, "The agent waits, and did not say for what."))
	case !l.content && f.StopReason != agent.StopCancelled:
		return failed(agent.Errorf(agent.CodeProviderUnavailable, "The model gave an empty answer."))
	}
	return agent.TurnCompleted{StopReason: f.StopReason, Usage: usage, Model: f.Model, TraceID: f.TraceID}
}

// complete fills in what a harness may leave out, and notes what has been said. It drops what the agent says that it was told, and
// nobody told it.
func (l *turnLog) complete(events []agent.Event) []agent.Event {
	kept := events[:0]
	for _, e := range events {
		switch said := e.(type) {
		case agent.ToolCall:
			l.calls[said.ID] = said.Name
			l.content = true
		case agent.ToolResult:
			if said.Name == "" {
				said.Name = l.calls[said.ID]
			}
			e = said
		case agent.InteractionRequest:
			said.ID = agent.NewInteractionID()
			l.asked = true
			e = said
		case agent.UsageReport:
			said.Usage = l.before.Add(said.Usage)
			e = said
		case agent.Steered:
			text, given := l.sessions.wasGiven(l.turn.Key, said.Message)
			if !given || l.told[said.Message] {
				l.sessions.Log.Warn("the agent heard what nobody said", "session", l.turn.Key.Session, "turn", l.turn.ID)
				continue
			}
			l.told[said.Message] = true
			e = agent.Steered{Message: said.Message, Text: text}
		case agent.MessageDelta, agent.MessageWhole, agent.File, agent.Plan:
			l.content = true
		}
		kept = append(kept, e)
		l.spoken = true
	}
	return kept
}
