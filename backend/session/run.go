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
	if session.Status == store.Paused {
		return ErrBusy
	}
	if _, err := fill(session.Agent.SystemPrompt, r.Inputs); err != nil {
		return err
	}
	if _, err := s.Harness(session.Agent.Harness); err != nil {
		return err
	}
	at, err := s.place(ctx, session, r)
	if err != nil {
		return err
	}
	first, err := s.Store.StartTurn(ctx, r.Key, store.NewTurn{
		Started: agent.TurnStarted{
			Turn: t.ID, UserMessage: at.asked, Message: t.Message, Agent: session.Agent.ID, Model: session.Agent.Model,
			Trace: agent.NewTrace(), Inputs: r.Inputs,
		},
		Parent: at.parent,
		User:   at.user,
		Media:  r.Media,
		Title:  title(r.User),
		Queued: r.queued,
	})
	if errors.Is(err, store.ErrExists) {
		return agent.Errorf(agent.CodeValidation, "The message id %s is taken in this session. Send it under a new id.", at.asked)
	}
	if err != nil {
		return err
	}
	t.publish([]agent.Record{first})
	s.changes.publish(Change{t.Key, first})
	go s.run(ctx, t, session)
	return nil
}

// run takes the turn to its end, or to where it waits for answers, and frees the session. What waits in the queue of a turn
// that is done is sent.
func (s *Sessions) run(ctx context.Context, t *Turn, session store.Session) {
	defer s.end(t, func() { s.goOn(ctx, t.Key) })
	log := newTurnLog(s, t)
	done := s.answer(ctx, t, session, log)
	if err := s.settle(ctx, t, log, done); err != nil {
		s.Log.Error("the turn could not be settled", "session", t.Key.Session, "turn", t.ID, "error", err)
		t.fail(err)
	}
}

// answer lets the agent speak and says how it ended: with TurnCompleted or TurnPaused. Everything said is stored and shown by
// the time it returns.
func (s *Sessions) answer(ctx context.Context, t *Turn, session store.Session, log *turnLog) agent.Event {
	var approved []string
	if t.From > 0 {
		results, allowed, err := s.consequences(ctx, t)
		if err == nil {
			err = log.store(ctx, results)
		}
		if err != nil {
			return s.failed(t, err)
		}
		approved = allowed
	} else if session.Turns >= session.MaxTurns {
		return failed(agent.Errorf(agent.CodeTurnLimit, "This session has reached its limit of %d turns.", session.MaxTurns))
	}
	conn, prompt, err := s.open(ctx, t, session)
	if err != nil {
		return s.failed(t, err)
	}
	defer conn.Close()
	if steerer, ok := conn.(agent.Steerer); ok {
		t.listen(steerer)
		defer t.listen(nil)
	}
	prompt.Approved = approved

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
	spec := session.Agent
	harness, err := s.Harness(spec.Harness)
	if err != nil {
		return nil, prompt, err
	}
	if spec.SystemPrompt, err = fill(spec.SystemPrompt, t.inputs()); err != nil {
		return nil, prompt, err
	}
	launch, err := s.Environment.Launch(harness, spec)
	if err != nil {
		return nil, prompt, err
	}
	transcript, err := s.Store.History(ctx, t.ID)
	if err != nil {
		return nil, prompt, err
	}
	if t.From > 0 {
		transcript = append(transcript, uistream.Durable(t.records)...)
	}
	row, err := s.Store.Turn(ctx, t.Key, t.Message)
	if err != nil {
		return nil, prompt, err
	}
	prompt.After = row.Parent
	if prompt.Messages, prompt.Media, err = s.told(ctx, t, transcript, launch); err != nil {
		return nil, prompt, err
	}
	if prompt.Allowed, err = s.Store.AllowedTools(ctx, t.Key); err != nil {
		return nil, prompt, err
	}
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

// settle stores how a turn ended, or that it waits, and shows it.
func (s *Sessions) settle(ctx context.Context, t *Turn, log *turnLog, ended agent.Event) error {
	var last agent.Record
	var err error
	switch ended := ended.(type) {
	case agent.TurnPaused:
		last, err = s.Store.PauseTurn(ctx, t.Key, t.ID, ended)
	case agent.TurnCompleted:
		s.takeBack(t.Key)
		rows := uistream.Durable(append(slices.Clip(t.records), agent.Record{Event: ended}))
		last, err = s.Store.SettleTurn(ctx, t.Key, t.ID, ended, rows, store.Idle, log.spoken)
		if ended.StopReason == agent.StopCancelled && t.stopped == WasIdle {
			t.stopped = Confirmed
		}
	}
	if err != nil {
		return err
	}
	_, t.paused = ended.(agent.TurnPaused)
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
