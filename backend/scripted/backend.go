package scripted

import (
	"cmp"
	"context"
	"errors"
	"iter"
	"sync"
	"sync/atomic"

	"parley/backend/agent"
	"parley/backend/tool"
)

// Backend plays the script in each message, in this process.
type Backend struct {
	// Crash is what [[crash]] does: end the process. Everything that was said before has been taken by the reader when it
	// is called. If it is nil or returns, the turn fails.
	Crash func()

	Foreign tool.Source // has the tools of others, if it is set

	failed sync.Map // the played whose failure was to happen once, and did
}

// played identifies a message within its session by its text: a retry may have another id.
type played struct {
	session agent.SessionKey
	text    string
}

// NewBackend makes a backend. It needs no closing; its sandboxes do.
func NewBackend() *Backend { return &Backend{} }

// Supports reports whether this is the backend of scripts, and the harness that plays them.
func (b *Backend) Supports(name agent.BackendName, harness agent.Kind) bool {
	return name == agent.BackendScripted && harness == agent.KindScripted
}

// NewSandbox makes a place to play in. Its tools work in policy.Scratch.
func (b *Backend) NewSandbox(_ context.Context, policy agent.Policy) (agent.Sandbox, error) {
	s := &sandbox{backend: b, policy: policy, conns: map[*conn]bool{}}
	s.life, s.end = context.WithCancel(context.Background())
	return s, nil
}

// errClosed is how a turn ends whose conn or sandbox was closed.
var errClosed = agent.Errorf(agent.CodeSandbox, "The agent was shut down before it had answered.")

type sandbox struct {
	backend *Backend
	policy  agent.Policy
	life    context.Context // ends with Close
	end     context.CancelFunc

	mu    sync.Mutex
	conns map[*conn]bool // the open ones
}

func (s *sandbox) Open(_ context.Context, launch agent.Launch) (agent.Conn, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.life.Err() != nil {
		return nil, errClosed
	}
	tools, err := tool.Open(s.policy, launch, s.backend.Foreign)
	if err != nil {
		return nil, err
	}
	c := &conn{Permits: launch.Permits(), sandbox: s, launch: launch, tools: tools}
	c.life, c.end = context.WithCancel(s.life)
	s.conns[c] = true
	return c, nil
}

func (s *sandbox) Done() <-chan struct{} { return s.life.Done() }

func (s *sandbox) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.end()
	for c := range s.conns {
		_ = c.tools.Close()
	}
	clear(s.conns)
	return nil
}

type conn struct {
	*agent.Permits
	sandbox *sandbox
	launch  agent.Launch
	tools   *tool.Set
	life    context.Context // ends with Close
	end     context.CancelFunc
	busy    atomic.Bool
	heeds   atomic.Pointer[heeding] // nil while nothing can be said in the middle of a turn
}

// heeding is a turn that waits for what the person says meanwhile.
type heeding struct {
	said chan agent.Steering
	over chan struct{} // closed once it does not any more
}

// Steer is agent.Steerer's, for a turn whose script asks for it.
func (c *conn) Steer(ctx context.Context, said agent.Steering) bool {
	h := c.heeds.Load()
	if h == nil {
		return false
	}
	select {
	case h.said <- said:
		return true
	case <-h.over:
	case <-ctx.Done():
	}
	return false
}

// Close waits for a tool that runs, and for nothing else: a turn lives on its reader's goroutine, and may be the one that
// closes.
func (c *conn) Close() error {
	c.end()
	c.sandbox.mu.Lock()
	delete(c.sandbox.conns, c)
	c.sandbox.mu.Unlock()
	return c.tools.Close()
}

func (c *conn) Prompt(ctx context.Context, prompt agent.Prompt) iter.Seq2[agent.Event, error] {
	return func(yield func(agent.Event, error) bool) {
		if !c.busy.CompareAndSwap(false, true) {
			yield(nil, agent.Errorf(agent.CodeValidation, "The agent is still busy with the turn before. Stop it, or wait for its end."))
			return
		}
		defer c.busy.Store(false)
		if c.life.Err() != nil {
			yield(nil, errClosed)
			return
		}
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		defer context.AfterFunc(c.life, cancel)()

		t := newTurn(ctx, c, prompt, yield)
		if t.script.Steer {
			h := &heeding{make(chan agent.Steering), make(chan struct{})}
			c.heeds.Store(h)
			defer close(h.over)
			defer c.heeds.Store(nil)
		}
		finish := agent.Finish{StopReason: agent.StopEndTurn, Model: cmp.Or(c.launch.Model, string(agent.KindScripted))}
		switch err := t.play(); {
		case err == nil:
			finish.Usage = t.usage
			yield(finish, nil)
		case errors.Is(err, errPaused):
			finish.StopReason = agent.StopPaused
			yield(finish, nil)
		case errors.Is(err, errLeft):
		case errors.Is(err, errStopped) && c.life.Err() != nil:
			yield(nil, errClosed)
		case errors.Is(err, errStopped):
			finish.StopReason = agent.StopCancelled
			yield(finish, nil)
		default:
			yield(nil, err)
		}
	}
}
