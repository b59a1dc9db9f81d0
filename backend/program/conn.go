package program

import (
	"context"
	"iter"
	"sync"
	"time"

	"parley/backend/agent"
)

// conn is one use of the sandbox's program.
type conn struct {
	*agent.Permits
	sandbox *sandbox
	launch  agent.Launch
	closed  chan struct{}
	once    sync.Once

	mu    sync.Mutex
	hears *hearing // nil while nothing can be said in the middle of a turn
}

// hearing is a program that takes what is said in the middle of its turn.
type hearing struct {
	line *Line
	over chan struct{} // closed once it does not any more
}

// Steer is agent.Steerer's. It waits while the program is busy with what it said itself.
func (c *conn) Steer(ctx context.Context, said agent.Steering) bool {
	c.mu.Lock()
	h := c.hears
	c.mu.Unlock()
	return h != nil && h.line.Steer(ctx, said, h.over)
}

// hear lets Steer reach a program until deaf is called, which may be twice.
func (c *conn) hear(s *session) (deaf func()) {
	if !s.opened.Steers {
		return func() {}
	}
	h := &hearing{s.line, make(chan struct{})}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.hears = h
	return sync.OnceFunc(func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.hears = nil
		close(h.over)
	})
}

// Close lets a Prompt that runs end with an error. The program stays for the next conn.
func (c *conn) Close() error {
	c.once.Do(func() { close(c.closed) })
	return nil
}

// Prompt takes a turn, or goes on with one that waits for answers.
func (c *conn) Prompt(ctx context.Context, prompt agent.Prompt) iter.Seq2[agent.Event, error] {
	return func(yield func(agent.Event, error) bool) {
		if c.isClosed() {
			yield(nil, agent.Errorf(agent.CodeSandbox, "The agent was asked after it was shut down."))
			return
		}
		if ctx.Err() != nil {
			yield(agent.Finish{StopReason: agent.StopCancelled}, nil)
			return
		}
		session, err := c.sandbox.take()
		if err != nil {
			yield(nil, err)
			return
		}
		l := &listening{conn: c, prompt: prompt, yield: yield}
		finish, err := l.turn(ctx, session)
		c.sandbox.leave(l.session)
		switch {
		case l.left:
		case c.isClosed():
			yield(nil, agent.Errorf(agent.CodeSandbox, "The agent was shut down while it answered."))
		case err != nil:
			yield(nil, agent.AsError(err))
		default:
			yield(finish, nil)
		}
	}
}

func (c *conn) isClosed() bool {
	select {
	case <-c.closed:
		return true
	case <-c.sandbox.done:
		return true
	default:
		return false
	}
}

// listening is a Prompt at work.
type listening struct {
	*conn
	prompt  agent.Prompt
	yield   func(agent.Event, error) bool
	left    bool     // nobody listens any more
	session *session // to leave behind; nil if the program is gone
	deaf    func()   // ends what can be said in the middle of the turn
}

func (l *listening) say(e agent.Event) { l.left = l.left || !l.yield(e, nil) }

// turn finds the program, or starts one, and listens to it.
func (l *listening) turn(ctx context.Context, s *session) (agent.Finish, error) {
	if s != nil && s.play != nil && s.play.prompt.Turn == l.prompt.Turn && !s.gone() {
		l.session = s
		l.deaf = l.hear(s)
		defer l.deaf()
		s.play.goOn(l.Permits, l.prompt)
		return l.listen(ctx, s)
	}
	s, how, err := l.find(ctx, s)
	if err != nil {
		if ctx.Err() != nil {
			return agent.Finish{StopReason: agent.StopCancelled}, nil
		}
		return agent.Finish{}, err
	}
	l.session = s
	l.deaf = l.hear(s)
	defer l.deaf()
	l.say(s.introduce(how))
	for _, call := range s.begin(l.Permits, l.prompt, how) {
		l.say(agent.ToolResult{ID: call.ID, Name: call.Name, IsError: true, Output: "The agent was started anew, and is told that this call is allowed."})
	}
	return l.listen(ctx, s)
}

// find gives a program that stands where the prompt's history ends: the one that runs, the one that did, or a new one, which has to
// be told.
func (l *listening) find(ctx context.Context, s *session) (*session, how, error) {
	if s != nil {
		s.cancelPaused()
		s.await(ctx)
		if s.fits(l.launch, l.prompt) {
			return s, warm, nil
		}
		l.sandbox.left = s.end()
	}
	at := l.sandbox.left
	resume := ""
	if at.harness == l.launch.Harness && at.after != "" && at.after == l.prompt.After && !l.goesOn() {
		resume = at.session
	}
	l.sandbox.left = standing{}
	s, err := start(ctx, l.sandbox, l.launch, l.prompt, resume)
	if err != nil && resume != "" && ctx.Err() == nil { // some programs end when they do not know the session
		s, err = start(ctx, l.sandbox, l.launch, l.prompt, "")
	}
	switch {
	case err != nil:
		return nil, "", err
	case s.opened.Resumed:
		return s, resumed, nil
	case len(l.prompt.Messages) > 1:
		return s, retold, nil
	}
	return s, fresh, nil
}

// goesOn reports whether the turn was paused, so that what it said is part of the history.
func (l *listening) goesOn() bool {
	n := len(l.prompt.Messages)
	return n > 0 && l.prompt.Messages[n-1].Role != agent.RoleUser
}

// listen passes on what is said until the turn ends or waits.
func (l *listening) listen(ctx context.Context, s *session) (agent.Finish, error) {
	p := s.play
	stopped, closed := ctx.Done(), l.closed
	var grace <-chan time.Time
	stop := func() {
		if grace == nil {
			l.deaf()
			p.stop()
			s.line.Stop()
			grace = time.After(l.sandbox.backend.limits.stop)
		}
	}
	for {
		if l.left {
			stop()
		}
		select {
		case e := <-p.events:
			l.say(p.account(e))
		case q := <-p.questions:
			if grace != nil {
				q.reply <- Answer{Stopped: true}
				continue
			}
			p.open = &q
			l.say(q.request)
			if !l.left {
				return p.pause(), nil
			}
		case <-p.over:
			return l.ended(s, grace != nil)
		case <-stopped:
			stopped = nil
			stop()
		case <-closed:
			closed = nil
			stop()
		case <-grace:
			s.end()
			l.session = nil
			return agent.Finish{StopReason: agent.StopCancelled, Killed: true}, nil
		}
	}
}

// ended gives the end of a turn as the speaker said it. A program that failed is not used again.
func (l *listening) ended(s *session, stopping bool) (agent.Finish, error) {
	p := s.play
	if p.err == nil {
		s.rest(l.prompt.Turn)
		return p.done(), nil
	}
	failed := s.failure(p.err)
	s.end()
	l.session = nil
	if stopping {
		return agent.Finish{StopReason: agent.StopCancelled}, nil
	}
	return agent.Finish{}, failed
}
