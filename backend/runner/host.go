package runner

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"sync"

	"parley/backend/agent"
)

// ask is what a runner wants of the app in the middle of a turn. A tool_output answers it, by its id.
type ask struct {
	id   string
	Type string   `json:"type"`
	Call *askCall `json:"call,omitempty"` // of call
	Text string   `json:"text,omitempty"` // of redact
}

type askCall struct {
	ID    string          `json:"id"`
	Name  string          `json:"name"`
	Input json.RawMessage `json:"input"`
}

const (
	askForCall   = "call"
	askForRedact = "redact"
	askNoMore    = "cancel" // whoever asked does not wait any more
)

func (a ask) encode() []byte {
	return plainJSON(struct {
		Kind string `json:"kind"`
		ID   string `json:"id"`
		Ask  ask    `json:"ask"`
	}{"ask", a.id, a})
}

// asker is the runner's side of asks: the app, as the engine that takes one turn reaches it.
type asker struct {
	out   *outbox
	heard func()        // is called with each ask: who waits for the app is not silent
	over  chan struct{} // closed when nothing is answered any more

	mu      sync.Mutex
	waiting map[string]chan control // by the ask's id; nil once it is over
}

func newAsker(out *outbox, heard func()) *asker {
	return &asker{out: out, heard: heard, over: make(chan struct{}), waiting: map[string]chan control{}}
}

// Call is agent.Host's. What the call says meanwhile is not heard here: the app says it to whoever listens to the turn.
func (a *asker) Call(ctx context.Context, call agent.ToolCall, _ func(agent.Event)) agent.ToolResult {
	c, answered := a.ask(ctx, ask{Type: askForCall, Call: &askCall{call.ID, call.Name, call.Input}})
	if !answered {
		return agent.ToolResult{ID: call.ID, Name: call.Name, IsError: true, Output: call.Name + " was stopped."}
	}
	return agent.ToolResult{ID: call.ID, Name: call.Name, Output: c.Output, Data: c.Data, IsError: c.IsError, Denied: c.Denied}
}

// Redact is agent.Host's.
func (a *asker) Redact(ctx context.Context, text string) (string, error) {
	if text == "" {
		return "", nil
	}
	c, answered := a.ask(ctx, ask{Type: askForRedact, Text: text})
	switch {
	case !answered:
		return "", agent.Errorf(agent.CodeCancelled, "The turn was stopped.")
	case c.IsError:
		return "", agent.Errorf(agent.CodeInternal, "%s", c.Output)
	}
	return c.Output, nil
}

// ask waits for the answer until ctx or the turn ends.
func (a *asker) ask(ctx context.Context, what ask) (c control, answered bool) {
	a.heard()
	what.id = rand.Text()
	answer := make(chan control, 1)
	a.mu.Lock()
	if a.waiting != nil {
		a.waiting[what.id] = answer
		a.out.line(what.encode())
	}
	a.mu.Unlock()
	select {
	case c = <-answer:
		return c, true
	case <-a.over:
		return c, false
	case <-ctx.Done():
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.waiting[what.id] != nil {
		delete(a.waiting, what.id)
		a.out.line(ask{id: what.id, Type: askNoMore}.encode())
	}
	return c, false
}

// answer reports whether somebody waited for c.
func (a *asker) answer(c control) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	waiting := a.waiting[c.Ref]
	if waiting == nil {
		return false
	}
	delete(a.waiting, c.Ref)
	waiting <- c
	return true
}

// close leaves everything unanswered that is asked, now or later. It is called once.
func (a *asker) close() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.waiting = nil
	close(a.over)
}

// maxAsks is how much a runner may ask for at once.
const maxAsks = 256

// hosting is the app's side of asks, in one turn: what is asked of the prompt's Host, each in a goroutine of its own. New
// ones are taken by the goroutine that takes the turn.
type hosting struct {
	x    *exchange
	ctx  context.Context // ends when the turn is to stop
	stop context.CancelFunc
	said chan agent.Event // by calls that run

	all    sync.WaitGroup
	mu     sync.Mutex
	cancel map[string]context.CancelFunc // of what runs, by the ask's id
}

func newHosting(ctx context.Context, x *exchange) *hosting {
	h := &hosting{x: x, said: make(chan agent.Event), cancel: map[string]context.CancelFunc{}}
	h.ctx, h.stop = context.WithCancel(ctx)
	return h
}

// wait waits until nothing is under way any more. The turn was stopped, and is over.
func (h *hosting) wait() { h.all.Wait() }

// take begins what is asked for, or ends it. An error says that the runner asks as no runner does.
func (h *hosting) take(a ask) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	switch cancel, runs := h.cancel[a.id]; {
	case a.Type == askNoMore:
		if runs {
			cancel()
		}
		return nil
	case runs, len(h.cancel) == maxAsks:
		return agent.Errorf(agent.CodeSandbox, "The agent's process asked for the same thing twice, or for more than %d at once, so it was ended. Send the message again.", maxAsks)
	}
	ctx, cancel := context.WithCancel(h.ctx)
	h.cancel[a.id] = cancel
	h.all.Go(func() {
		defer h.forget(a.id)
		c := h.do(ctx, a)
		if h.ctx.Err() != nil { // the runner is told to stop, and might go on with what it is given
			return
		}
		c.Type, c.Ref = controlOutput, a.id
		select {
		case h.x.controls <- encodeControl(a.id, h.x.key, c):
		case <-h.x.over:
		}
	})
	return nil
}

func (h *hosting) forget(id string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.cancel[id]()
	delete(h.cancel, id)
}

// do does what is asked for. What the app does not know, because the runner is newer, it says it does not.
func (h *hosting) do(ctx context.Context, a ask) control {
	host := h.x.prompt.Host
	switch {
	case host == nil:
		return control{IsError: true, Output: "nobody runs or redacts anything for this turn"}
	case a.Type == askForCall && a.Call != nil:
		r := host.Call(ctx, agent.ToolCall{ID: a.Call.ID, Name: a.Call.Name, Input: a.Call.Input}, func(e agent.Event) {
			select {
			case h.said <- e:
			case <-h.ctx.Done():
			}
		})
		return control{Output: r.Output, Data: r.Data, IsError: r.IsError, Denied: r.Denied}
	case a.Type == askForRedact:
		text, err := host.Redact(ctx, a.Text)
		if err != nil {
			return control{IsError: true, Output: agent.AsError(err).Message}
		}
		return control{Output: text}
	}
	return control{IsError: true, Output: "this Parley does not know what is asked for; restart it, so that both are the same version"}
}
