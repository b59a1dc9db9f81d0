// Package native is Parley's own agent loop: it asks a model, runs the tools that the model calls, and asks again. It
// runs inside the runner; turn.go is the loop.
package native

import (
	"context"
	"iter"
	"sync"
	"sync/atomic"

	"parley/backend/agent"
	"parley/backend/provider"
	"parley/backend/tool"
)

// Backend runs the native harness in this process. Foreign, if it is set, has the tools of others.
type Backend struct{ Foreign tool.Source }

// NewBackend makes a backend.
func NewBackend() *Backend { return &Backend{} }

// Supports is agent.Backend's. Agenta is the loop with opinions.
func (*Backend) Supports(name agent.BackendName, harness agent.Kind) bool {
	return name == agent.BackendInprocess && (harness == agent.KindNative || harness == agent.KindAgenta)
}

// NewSandbox is agent.Backend's.
func (b *Backend) NewSandbox(_ context.Context, policy agent.Policy) (agent.Sandbox, error) {
	return &sandbox{backend: b, policy: policy, models: provider.NewClient(), conns: map[*conn]struct{}{}, done: make(chan struct{})}, nil
}

// sandbox shares its connections to model servers among its conns.
type sandbox struct {
	backend *Backend
	policy  agent.Policy
	models  *provider.Client
	done    chan struct{}

	mu    sync.Mutex
	conns map[*conn]struct{} // the open ones; nil once the sandbox is closed
}

func (s *sandbox) Open(_ context.Context, launch agent.Launch) (agent.Conn, error) {
	if launch.Endpoint == nil || launch.Model == "" {
		return nil, agent.Errorf(agent.CodeValidation, "The agent does not say which model answers, or where it is served.")
	}
	tools, err := tool.Open(s.policy, launch, s.backend.Foreign)
	if err != nil {
		return nil, err
	}
	c := &conn{Permits: launch.Permits(), sandbox: s, launch: launch, tools: tools, definitions: tools.Definitions(), run: tools.Run}
	c.open, c.cancel = context.WithCancel(context.Background())
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.conns == nil {
		_ = tools.Close()
		return nil, agent.Errorf(agent.CodeSandbox, "The agent was asked to start in a sandbox that is closed.")
	}
	s.conns[c] = struct{}{}
	return c, nil
}

func (s *sandbox) Done() <-chan struct{} { return s.done }

func (s *sandbox) Close() error {
	s.mu.Lock()
	conns := s.conns
	if s.conns != nil {
		close(s.done)
		s.conns = nil
	}
	s.mu.Unlock()
	for c := range conns {
		_ = c.Close()
	}
	s.models.Close()
	return nil
}

// conn is an agent that can take turns. The last three fields are its tools.
type conn struct {
	*agent.Permits
	sandbox *sandbox
	launch  agent.Launch
	open    context.Context
	cancel  context.CancelFunc
	busy    atomic.Bool

	tools       *tool.Set
	definitions []tool.Definition
	run         func(ctx context.Context, host agent.Host, call agent.ToolCall, say func(agent.Event)) agent.ToolResult
}

func (c *conn) Prompt(ctx context.Context, prompt agent.Prompt) iter.Seq2[agent.Event, error] {
	return func(yield func(agent.Event, error) bool) {
		if !c.busy.CompareAndSwap(false, true) {
			yield(nil, agent.Errorf(agent.CodeValidation, "The agent is still busy with the message before. Wait for its answer, or stop it."))
			return
		}
		defer c.busy.Store(false)
		if c.open.Err() != nil {
			yield(nil, agent.Errorf(agent.CodeSandbox, "The agent was asked after it was shut down."))
			return
		}
		t := &turn{conn: c, prompt: prompt, model: c.launch.Model, yield: yield}
		t.ctx, t.cancel = context.WithCancel(ctx)
		defer t.cancel()
		defer context.AfterFunc(c.open, t.cancel)()

		reason, err := t.loop()
		switch {
		case t.left:
		case err == nil:
			yield(t.finish(reason), nil)
		case c.open.Err() != nil:
			yield(nil, agent.Errorf(agent.CodeSandbox, "The agent was shut down while it answered."))
		case ctx.Err() != nil:
			yield(t.finish(agent.StopCancelled), nil)
		default:
			yield(nil, agent.AsError(err))
		}
	}
}

func (c *conn) Close() error {
	c.cancel()
	c.sandbox.mu.Lock()
	delete(c.sandbox.conns, c)
	c.sandbox.mu.Unlock()
	return c.tools.Close()
}
