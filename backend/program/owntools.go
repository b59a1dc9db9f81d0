package program

import (
	"context"
	"encoding/json"
	"sync"
	"time"

	"parley/backend/agent"
	"parley/backend/mcp"
	"parley/backend/tool"
)

// announced is how long a call of our tools waits for the program to say that it makes it: the program says so on its
// stdout, and calls over a socket, which may be faster.
const announced = 2 * time.Second

// ownTools are Parley's tools as a program reaches them. A nil *ownTools is none.
type ownTools struct {
	set    *tool.Set
	server *mcp.Server
	over   context.CancelFunc // ends the following
	ended  sync.WaitGroup     // of it

	mu   sync.Mutex
	play *play // the turn that runs; nil between turns
}

// newOwnTools serves the tools of a launch, and those of others as they change.
func (b *Backend) newOwnTools(policy agent.Policy, launch agent.Launch) (*ownTools, error) {
	changed := b.Changed()
	set, err := tool.Open(policy, launch, b.Foreign)
	if err != nil {
		return nil, err
	}
	t := &ownTools{set: set}
	if t.server, err = mcp.Serve(b.tools, set.Definitions(), t.call); err != nil {
		_ = set.Close()
		return nil, agent.Wrap(agent.CodeSandbox, err, "Parley's tools could not be served to the agent's program.")
	}
	life, over := context.WithCancel(context.Background())
	t.over = over
	t.ended.Go(func() {
		for {
			select {
			case <-changed:
			case <-life.Done():
				return
			}
			changed = b.Changed()
			t.server.Offer(set.Definitions())
		}
	})
	return t, nil
}

// await waits until the program knows the tools: some say that they are ready before they do, and their model would be asked
// without them. Those that ask in their first turn only are not waited for in vain for long.
func (t *ownTools) await(ctx context.Context, limit time.Duration) {
	if t == nil {
		return
	}
	select {
	case <-t.server.Listed:
	case <-time.After(limit):
	case <-ctx.Done():
	}
}

func (t *ownTools) address() *Tools { return &Tools{t.server.URL, t.server.Token} }

// serve makes the calls from now on part of a turn.
func (t *ownTools) serve(p *play) {
	if t == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.play = p
}

func (t *ownTools) close() {
	if t == nil {
		return
	}
	t.over()
	t.ended.Wait()
	t.server.Close()
	_ = t.set.Close()
}

// call runs a call if it may.
func (t *ownTools) call(ctx context.Context, name string, input json.RawMessage) agent.ToolResult {
	t.mu.Lock()
	p := t.play
	t.mu.Unlock()
	if p == nil {
		return agent.ToolResult{IsError: true, Output: name + " was not run: nobody has asked for anything."}
	}
	call := p.announcedCall(name, input)
	result := t.run(ctx, p, call)
	p.Say(result)
	return result
}

func (t *ownTools) run(ctx context.Context, p *play, call agent.ToolCall) agent.ToolResult {
	if p.grant(call) {
		return t.set.RunApproved(ctx, p.host(), call, p.Say)
	}
	switch e := t.set.Decide(call, p.grounds()).(type) {
	case agent.ToolResult:
		return e
	case agent.InteractionRequest:
		switch a := p.ask(e); {
		case a.Stopped:
			return agent.ToolResult{ID: call.ID, IsError: true, Output: call.Name + " was stopped before it began."}
		case e.Kind != agent.UserApproval || !a.Allowed: // the session has said the result already
			return agent.ToolResult{ID: call.ID, Output: a.Note, IsError: !a.Allowed}
		}
		return t.set.RunApproved(ctx, p.host(), call, p.Say)
	}
	return t.set.Run(ctx, p.host(), call, p.Say)
}

// announcedCall finds the call that the program has said it makes, and says it itself if the program does not.
func (p *play) announcedCall(name string, input json.RawMessage) agent.ToolCall {
	timer := time.AfterFunc(announced, p.said.Broadcast)
	defer timer.Stop()
	deadline := time.Now().Add(announced)
	p.mu.Lock()
	for {
		for _, c := range p.calls {
			if c.Name == name && !p.taken[c.ID] && sameJSON(c.Input, input) {
				p.taken[c.ID] = true
				p.mu.Unlock()
				return c
			}
		}
		if !time.Now().Before(deadline) || p.isStopping() {
			break
		}
		p.said.Wait()
	}
	call := agent.ToolCall{ID: "call_" + NewUUID(), Name: name, Input: input}
	p.taken[call.ID] = true
	p.mu.Unlock()
	p.Say(call)
	return call
}
