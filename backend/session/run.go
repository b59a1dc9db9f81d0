package session

import (
	"context"
	"errors"
	"os"
	"slices"
	"time"

	"parley/backend/agent"
	"parley/backend/policy"
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
	instructions, err := fill(session.Agent.SystemPrompt, r.Inputs)
	if err != nil {
		return err
	}
	if _, err := s.Harness(session.Agent.Harness); err != nil {
		return err
	}
	at, err := s.place(ctx, session, r)
	if err != nil {
		return err
	}
	turn := store.NewTurn{
		Started: agent.TurnStarted{
			Turn: t.ID, UserMessage: at.asked.ID, Message: t.Message, Agent: session.Agent.ID, Model: session.Agent.Model,
			Trace: agent.NewTrace(), Inputs: r.Inputs,
		},
		Parent: at.parent,
		Media:  r.Media,
		Title:  title(r.User),
		Queued: r.queued,
	}
	if !r.Regenerate {
		turn.User = &at.asked
	}
	// The agent gets ready while the disk takes the turn; it is asked after that.
	ready := make(chan opened, 1)
	go func() { ready <- s.openNew(ctx, t, session, instructions, at) }()
	first, err := s.Store.StartTurn(ctx, r.Key, turn)
	if err != nil {
		(<-ready).close()
	}
	if errors.Is(err, store.ErrExists) {
		return agent.Errorf(agent.CodeValidation, "The message id %s is taken in this session. Send it under a new id.", at.asked.ID)
	}
	if err != nil {
		return err
	}
	t.publish([]agent.Record{first})
	s.changes.publish(Change{t.Key, first})
	go s.run(ctx, t, func(*turnLog) opened { return <-ready })
	return nil
}

// opened is an agent that is ready to be asked, or why there is none.
type opened struct {
	agent  agent.Spec
	conn   agent.Conn
	launch agent.Launch
	prompt agent.Prompt
	host   *host         // of the prompt; nil if it has none
	said   []agent.Event // before the agent says anything
	asks   []agent.Event // that come before it: then it is not asked yet
	err    error
}

func (o opened) close() {
	if o.conn != nil {
		o.conn.Close()
	}
}

// run takes the turn to its end, or to where it waits for answers, and frees the session. What waits in the queue of a turn
// that is done is sent.
func (s *Sessions) run(ctx context.Context, t *Turn, open func(*turnLog) opened) {
	defer s.end(t, func() { s.goOn(ctx, t.Key) })
	log := newTurnLog(s, t)
	done := s.answer(ctx, t, log, open(log))
	if err := s.settle(ctx, t, log, done); err != nil {
		s.Log.Error("the turn could not be settled", "session", t.Key.Session, "turn", t.ID, "error", err)
		t.fail(err)
	}
}

// answer lets the agent speak and says how it ended: with TurnCompleted or TurnPaused. Everything said is stored and shown by
// the time it returns.
func (s *Sessions) answer(ctx context.Context, t *Turn, log *turnLog, o opened) agent.Event {
	defer func() {
		o.close()
		if o.host != nil && o.host.excepted.Load() { // a runner that starts anew holds what is protected again
			s.Environment.Evict(t.Key)
		}
	}()
	if o.err == nil {
		o.err = log.store(ctx, append(o.said, o.asks...))
	}
	if o.err == nil && len(o.asks) > 0 {
		return log.finish(agent.Finish{StopReason: agent.StopPaused, Model: log.model})
	}
	if o.err == nil {
		o.prompt.Messages, o.prompt.Media, o.err = s.told(ctx, t, o.prompt.Messages, o.launch)
	}
	if o.err != nil {
		return s.failed(t, o.err)
	}
	t.listen(o.conn)
	defer t.listen(nil)
	s.bind(ctx, t, o.agent)

	// Two loops: one reads what the agent says, the other stores it, so that neither waits for the other's next step.
	batch := newBatch()
	go func() {
		for event, err := range o.conn.Prompt(t.ctx, o.prompt) {
			if isOfGrant(event) {
				event, err = nil, agent.Errorf(agent.CodeSandbox, "The agent made a call under a name that is kept for Parley's own questions, so it was stopped. Send the message again.")
			}
			if !batch.add(event, err) {
				return
			}
		}
		batch.add(nil, agent.Errorf(agent.CodeInternal, "The agent's turn ended without an end."))
	}()
	return log.follow(ctx, batch)
}

// openNew opens the agent for a turn that begins at a place.
func (s *Sessions) openNew(ctx context.Context, t *Turn, session store.Session, instructions string, at place) opened {
	if session.Turns >= session.MaxTurns {
		return opened{err: agent.Errorf(agent.CodeTurnLimit, "This session has reached its limit of %d turns.", session.MaxTurns)}
	}
	before, err := s.Store.History(ctx, at.parent)
	if err != nil {
		return opened{err: err}
	}
	return s.open(ctx, t, session, instructions, at.parent, append(before, at.asked), nil)
}

// reopen opens the agent for a turn that was paused, with what follows from the answers.
func (s *Sessions) reopen(ctx context.Context, t *Turn, session store.Session, log *turnLog) opened {
	results, approved, err := s.consequences(ctx, t, log)
	if err != nil {
		return opened{err: err}
	}
	if err := log.store(ctx, results); err != nil {
		return opened{err: err}
	}
	instructions, err := fill(session.Agent.SystemPrompt, t.inputs())
	if err != nil {
		return opened{err: err}
	}
	row, err := s.Store.Turn(ctx, t.Key, t.Message)
	if err != nil {
		return opened{err: err}
	}
	before, err := s.Store.History(ctx, t.ID)
	if err != nil {
		return opened{err: err}
	}
	return s.open(ctx, t, session, instructions, row.Parent, append(before, log.secrets.restore(uistream.Durable(t.records))...), approved)
}

// open resolves what the turn needs besides what was said, and opens the agent.
func (s *Sessions) open(ctx context.Context, t *Turn, session store.Session, instructions string, after agent.TurnID, said []agent.Message, approved []string) (o opened) {
	t.mu.Lock()
	t.began = session.Mode
	t.mu.Unlock()
	o.agent = session.Agent
	o.prompt = agent.Prompt{Key: t.Key, Turn: t.ID, After: after, Messages: withoutGrants(said), Approved: approved}
	spec := session.Agent
	spec.SystemPrompt = instructions
	spec.Permissions.Mode = session.Mode
	spec.Permissions.Rules = policy.For(spec.Permissions)
	var harness agent.Harness
	if harness, o.err = s.Harness(spec.Harness); o.err != nil {
		return o
	}
	if o.launch, o.err = s.Environment.Launch(harness, spec); o.err != nil {
		return o
	}
	if o.launch.Servers, o.err = s.Servers(spec.MCPServers); o.err != nil {
		return o
	}
	o.launch.Servers = append(o.launch.Servers, spec.OwnServers...)
	if slices.Contains(o.launch.Tools, agent.WebSearch) {
		if o.launch.Search, o.err = s.Search(); o.err != nil {
			return o
		}
	}
	if o.prompt.Allowed, o.err = s.Store.Allowed(ctx, t.Key); o.err != nil {
		return o
	}
	if e := o.launch.Endpoint; e != nil {
		var key string
		if key, o.err = s.Key(ctx, t.Key.Project, e.Provider); o.err != nil {
			return o
		}
		if key != "" {
			o.prompt.Secrets = map[string]string{e.Provider: key}
		}
	}
	policy := s.Policy(session)
	if err := os.MkdirAll(policy.Scratch, 0o700); err != nil {
		o.err = agent.Wrap(agent.CodeSandbox, err, "The session's scratch folder could not be made.")
		return o
	}
	if s.lend(ctx, t, &o, spec.ID, policy); len(o.asks) > 0 {
		return o
	}
	o.conn, o.err = s.Environment.Open(t.ctx, t.Key, policy, o.launch)
	return o
}

// lend has the app run what of the launch is given secrets, as far as a person allows it.
func (s *Sessions) lend(ctx context.Context, t *Turn, o *opened, id string, policy agent.Policy) {
	servers, tools := lentBy(id, &o.launch)
	h := &host{sessions: s, key: t.Key, policy: policy, grounds: o.launch.Permits().Grounds(o.prompt), tools: map[string]lent{}, visited: map[agent.Conn]bool{}}
	_, h.allowed = o.prompt.Resumed()
	for _, l := range tools {
		h.tools[l.name] = l
	}
	t.mu.Lock()
	t.host = h
	t.mu.Unlock()
	s.bind(ctx, t, o.agent)
	servers, o.said, o.asks = t.mayUse(servers, h.now())
	if len(o.asks) > 0 {
		return
	}
	listed, said := h.list(t.ctx, servers)
	o.launch.Hosted = append(o.launch.Hosted, listed...)
	o.said = append(o.said, said...)
	known, err := s.Known(ctx)
	o.launch.Redacts = known != nil || err != nil // what cannot be searched is withheld
	o.host, o.prompt.Host = h, h
}

// Policy says what the session's agent may touch.
func (s *Sessions) Policy(session store.Session) agent.Policy {
	return agent.Policy{Scope: session.Scope, Scratch: s.Scratch(session.Key), Folder: session.WorkingDir, Data: s.Data}
}

// settle stores how a turn ended, or that it waits, and shows it.
func (s *Sessions) settle(ctx context.Context, t *Turn, log *turnLog, ended agent.Event) error {
	var last agent.Record
	var err error
	switch ended := withoutValues(log.known(ctx), ended).(type) {
	case agent.TurnPaused:
		if last, err = s.Store.PauseTurn(ctx, t.Key, t.ID, ended); err == nil {
			s.keepWhole(t.ID, log.secrets.whole)
		}
	case agent.TurnCompleted:
		defer s.takeBack(t.Key)
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
