// Package calls is an engine without a model: it runs calls that were decided elsewhere. It works in the runner of a side,
// where tools are given secrets that no harness is.
package calls

import (
	"context"
	"encoding/json"
	"iter"
	"sync"

	"parley/backend/agent"
	"parley/backend/tool"
)

// Backend runs calls in this process.
type Backend struct{ Foreign tool.Source } // has the tools of others, if it is set

// NewBackend makes a backend.
func NewBackend() *Backend { return &Backend{} }

// Supports is agent.Backend's. The kind says whose tools they are: those of Parley's own loop.
func (*Backend) Supports(name agent.BackendName, harness agent.Kind) bool {
	return name == agent.BackendCalls && harness == agent.KindNative
}

// NewSandbox is agent.Backend's.
func (b *Backend) NewSandbox(_ context.Context, policy agent.Policy) (agent.Sandbox, error) {
	s := &sandbox{backend: b, policy: policy}
	s.life, s.end = context.WithCancel(context.Background())
	return s, nil
}

type sandbox struct {
	backend *Backend
	policy  agent.Policy
	life    context.Context
	end     context.CancelFunc
}

// Open grants the tools of launch as they are now.
func (s *sandbox) Open(_ context.Context, launch agent.Launch) (agent.Conn, error) {
	if s.life.Err() != nil {
		return nil, agent.Errorf(agent.CodeSandbox, "The tools were asked for in a sandbox that is closed.")
	}
	foreign := s.backend.Foreign.For(launch)
	tools, err := tool.Open(s.policy, launch, s.backend.Foreign)
	if err != nil {
		return nil, err
	}
	c := &conn{tools: tools, foreign: foreign}
	c.life, c.end = context.WithCancel(s.life)
	return c, nil
}

func (s *sandbox) Done() <-chan struct{} { return s.life.Done() }

func (s *sandbox) Close() error {
	s.end()
	return nil
}

type conn struct {
	tools   *tool.Set
	foreign []tool.Foreign
	life    context.Context // ends with Close
	end     context.CancelFunc
	busy    sync.Mutex
}

// Prompt says which tools there are, and runs the calls that are approved, one after the other.
func (c *conn) Prompt(ctx context.Context, prompt agent.Prompt) iter.Seq2[agent.Event, error] {
	return func(yield func(agent.Event, error) bool) {
		if !c.busy.TryLock() {
			yield(nil, agent.Errorf(agent.CodeValidation, "Another call is running here. Wait for it, or stop it."))
			return
		}
		defer c.busy.Unlock()
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		defer context.AfterFunc(c.life, cancel)()
		left := !yield(agent.Data{Name: agent.ToolsData, Data: c.list()}, nil)
		say := func(e agent.Event) {
			if left = left || !yield(e, nil); left {
				cancel()
			}
		}
		_, run := prompt.Resumed()
		for _, call := range run {
			if ctx.Err() == nil && !left {
				say(c.tools.RunApproved(ctx, prompt.Host, call, say))
			}
		}
		switch {
		case left:
		case c.life.Err() != nil:
			yield(nil, agent.Errorf(agent.CodeSandbox, "The tools were shut down while one was running."))
		case ctx.Err() != nil:
			yield(agent.Finish{StopReason: agent.StopCancelled}, nil)
		default:
			yield(agent.Finish{StopReason: agent.StopEndTurn}, nil)
		}
	}
}

func (c *conn) list() json.RawMessage {
	tools := []agent.HostedTool{}
	for _, f := range c.foreign {
		tools = append(tools, agent.HostedTool{Name: f.Name, Description: f.Description, InputSchema: f.Schema, Version: f.Version, Permission: f.Permission})
	}
	b, _ := json.Marshal(tools) // strings, and schemas that were read: it cannot fail
	return b
}

// Close waits for the call that runs.
func (c *conn) Close() error {
	c.end()
	return c.tools.Close()
}
