package session

import (
	"context"

	"parley/backend/agent"
)

// turnLog stores what one turn says.
type turnLog struct {
	sessions *Sessions
	turn     *Turn
	calls    map[string]string // tool call id → tool name
	spoken   bool              // a provider was reached
	content  bool              // something was said that a person can see
	asked    bool              // something was asked since the turn began or went on
	before   agent.Usage       // of what was said before the last pause
	model    string            // that answered before the last pause
}

// newTurnLog goes on where the turn's records end.
func newTurnLog(s *Sessions, t *Turn) *turnLog {
	l := &turnLog{sessions: s, turn: t, calls: map[string]string{}}
	for _, r := range t.records {
		switch e := r.Event.(type) {
		case agent.ToolCall:
			l.calls[e.ID] = e.Name
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
		if err := l.store(ctx, events); err != nil {
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

// store keeps events, then shows them.
func (l *turnLog) store(ctx context.Context, events []agent.Event) error {
	if len(events) == 0 {
		return nil
	}
	s, t := l.sessions, l.turn
	records, err := s.Store.AppendEvents(ctx, t.Key, t.ID, l.complete(events))
	if err != nil {
		return agent.Wrap(agent.CodeInternal, err, "The answer could not be stored, so it was stopped. Is the disk full?")
	}
	t.publish(records)
	for _, r := range records {
		if _, asks := r.Event.(agent.InteractionRequest); asks {
			s.changes.publish(Change{t.Key, r})
		}
	}
	return nil
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

// complete fills in what a harness may leave out, and notes what has been said.
func (l *turnLog) complete(events []agent.Event) []agent.Event {
	l.spoken = true
	for i, e := range events {
		switch e := e.(type) {
		case agent.ToolCall:
			l.calls[e.ID] = e.Name
			l.content = true
		case agent.ToolResult:
			if e.Name == "" {
				e.Name = l.calls[e.ID]
			}
			events[i] = e
		case agent.InteractionRequest:
			e.ID = agent.NewInteractionID()
			l.asked = true
			events[i] = e
		case agent.UsageReport:
			e.Usage = l.before.Add(e.Usage)
			events[i] = e
		case agent.MessageDelta, agent.MessageWhole, agent.File, agent.Plan:
			l.content = true
		}
	}
	return events
}
