package session

import (
	"context"
	"errors"
	"os"
	"slices"
	"time"

	"parley/backend/agent"
	"parley/backend/store"
	"parley/backend/uistream"
)

// window is how long deltas wait to be stored together. It bounds what a crash can lose, and how late a word is seen.
const window = 8 * time.Millisecond

// start stores the message and the turn, then lets the turn run on its own.
func (s *Sessions) start(ctx context.Context, t *Turn, r Request) error {
	session, err := s.Store.Session(ctx, r.Key)
	if err != nil {
		return err
	}
	user, parent := &r.User, session.Head
	if r.Regenerate {
		last, err := s.lastTurn(ctx, session)
		if err != nil {
			return err
		}
		user, parent = nil, last.Parent
		r.User.ID = last.UserMessage
	} else if r.User.ID == "" {
		r.User.ID = agent.NewMessageID()
	}
	first, err := s.Store.StartTurn(ctx, r.Key, store.NewTurn{
		Started: agent.TurnStarted{Turn: t.ID, UserMessage: r.User.ID, Message: t.Message, Agent: session.Agent.ID, Model: session.Agent.Model},
		Parent:  parent,
		User:    user,
		Media:   r.Media,
		Title:   title(r.User),
	})
	if errors.Is(err, store.ErrExists) {
		return agent.Errorf(agent.CodeValidation, "The message id %s is taken in this session. Send it under a new id.", r.User.ID)
	}
	if err != nil {
		return err
	}
	t.publish([]agent.Record{first})
	s.changes.publish(Change{t.Key, first})
	go s.run(ctx, t, session)
	return nil
}

func (s *Sessions) lastTurn(ctx context.Context, session store.Session) (store.Turn, error) {
	turns, err := s.Store.Branch(ctx, session.Head, 1)
	if err == nil && len(turns) == 0 {
		err = agent.Errorf(agent.CodeValidation, "There is nothing to answer again in this session yet.")
	}
	if err != nil {
		return store.Turn{}, err
	}
	return turns[0], nil
}

// run takes the turn from its first record to its last, and frees the session.
func (s *Sessions) run(ctx context.Context, t *Turn, session store.Session) {
	defer s.end(t)
	log := &turnLog{sessions: s, turn: t, calls: map[string]string{}}
	done := s.answer(ctx, t, session, log)
	if err := s.settle(ctx, t, log, done); err != nil {
		s.Log.Error("the turn could not be settled", "session", t.Key.Session, "turn", t.ID, "error", err)
		t.fail(err)
	}
}

// answer lets the agent speak and says how it ended. Everything said is stored and shown by the time it returns.
func (s *Sessions) answer(ctx context.Context, t *Turn, session store.Session, log *turnLog) agent.TurnCompleted {
	if session.Turns >= session.MaxTurns {
		return failed(agent.Errorf(agent.CodeTurnLimit, "This session has reached its limit of %d turns.", session.MaxTurns))
	}
	conn, prompt, err := s.open(ctx, t, session)
	if err != nil {
		return s.failed(t, err)
	}
	defer conn.Close()

	// Two loops: one reads what the agent says, the other stores it, so that neither waits for the other's next step.
	batch := newBatch()
	go func() {
		for event, err := range conn.Prompt(t.ctx, prompt) {
			if !batch.add(event, err) {
				return
			}
		}
		batch.add(nil, agent.Errorf(agent.CodeInternal, "The agent's turn ended without an end."))
	}()
	return log.follow(ctx, batch)
}

// open resolves everything that the turn needs and opens the agent.
func (s *Sessions) open(ctx context.Context, t *Turn, session store.Session) (agent.Conn, agent.Prompt, error) {
	prompt := agent.Prompt{Key: t.Key, Turn: t.ID}
	harness, err := s.Harness(session.Agent.Harness)
	if err != nil {
		return nil, prompt, err
	}
	launch, err := s.Environment.Launch(harness, session.Agent)
	if err != nil {
		return nil, prompt, err
	}
	transcript, err := s.Store.History(ctx, t.ID)
	if err != nil {
		return nil, prompt, err
	}
	prompt.Messages = s.told(t, transcript)
	if key, ok := s.Key(session.Agent.Provider); ok {
		prompt.Secrets = map[string]string{session.Agent.Provider: key}
	}
	scratch := s.Scratch(t.Key)
	if err := os.MkdirAll(scratch, 0o700); err != nil {
		return nil, prompt, agent.Wrap(agent.CodeSandbox, err, "The session's scratch folder could not be made.")
	}
	conn, err := s.Environment.Open(t.ctx, t.Key, agent.Policy{Scratch: scratch}, launch)
	return conn, prompt, err
}

// settle stores the end of a turn and shows it.
func (s *Sessions) settle(ctx context.Context, t *Turn, log *turnLog, done agent.TurnCompleted) error {
	rows := uistream.Durable(append(slices.Clip(t.records), agent.Record{Event: done}))
	last, err := s.Store.SettleTurn(ctx, t.Key, t.ID, done, rows, store.Idle, log.spoken)
	if err != nil {
		return err
	}
	if done.StopReason == agent.StopCancelled && t.stopped == WasIdle {
		t.stopped = Confirmed
	}
	t.publish([]agent.Record{last})
	s.changes.publish(Change{t.Key, last})
	return nil
}

// failed turns an error into the end of a turn; the cause is logged, the person gets the sentence.
func (s *Sessions) failed(t *Turn, err error) agent.TurnCompleted {
	if t.ctx.Err() != nil {
		return agent.TurnCompleted{StopReason: agent.StopCancelled}
	}
	s.Log.Warn("turn failed", "session", t.Key.Session, "turn", t.ID, "error", err)
	return failed(err)
}

func failed(err error) agent.TurnCompleted {
	e := agent.AsError(err)
	return agent.TurnCompleted{StopReason: agent.StopError, Failure: &agent.Failure{Code: e.Code, Message: e.Message}}
}

// turnLog stores what one turn says.
type turnLog struct {
	sessions *Sessions
	turn     *Turn
	calls    map[string]string // tool call id → tool name
	spoken   bool              // a provider was reached
	content  bool              // something was said that a person can see
}

// follow stores and shows each batch of events until the agent has finished: persist, then emit.
func (l *turnLog) follow(ctx context.Context, b *batch) agent.TurnCompleted {
	defer b.close()
	s, t := l.sessions, l.turn
	for {
		events, end := b.take(window)
		if len(events) > 0 {
			records, err := s.Store.AppendEvents(ctx, t.Key, t.ID, l.complete(events))
			if err != nil {
				t.stop()
				return s.failed(t, agent.Wrap(agent.CodeInternal, err, "The answer could not be stored, so it was stopped. Is the disk full?"))
			}
			t.publish(records)
		}
		switch {
		case end == nil:
			continue
		case end.err != nil:
			return s.failed(t, end.err)
		default:
			return l.finish(end.finish)
		}
	}
}

func (l *turnLog) finish(f agent.Finish) agent.TurnCompleted {
	l.spoken = true
	if f.Killed {
		l.turn.stopped = Killed
	}
	if !l.content && f.StopReason != agent.StopCancelled {
		return failed(agent.Errorf(agent.CodeProviderUnavailable, "The model gave an empty answer."))
	}
	return agent.TurnCompleted{StopReason: f.StopReason, Usage: f.Usage, Model: f.Model, TraceID: f.TraceID}
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
		case agent.MessageDelta, agent.MessageWhole, agent.File, agent.Plan:
			l.content = true
		}
	}
	return events
}
