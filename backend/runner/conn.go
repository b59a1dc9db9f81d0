package runner

import (
	"context"
	"crypto/rand"
	"iter"
	"sync"
	"time"

	"parley/backend/agent"
)

// conn is a harness in a runner.
type conn struct {
	runner  *link
	launch  agent.Launch
	permits *agent.Permits // in place of the launch's
	closed  chan struct{}
	once    sync.Once
}

// Close lets a Prompt that runs end with an error. It does not wait for it.
func (c *conn) Close() error {
	c.once.Do(func() { close(c.closed) })
	return nil
}

// Prompt writes one request and follows the turn. Leaving the loop early waits until the runner has stopped, or was
// killed: nothing of a turn is left behind when the loop is.
func (c *conn) Prompt(ctx context.Context, prompt agent.Prompt) iter.Seq2[agent.Event, error] {
	return func(yield func(agent.Event, error) bool) {
		listening := true
		last, err := c.take(ctx, prompt, func(e agent.Event) bool {
			listening = listening && yield(e, nil)
			return listening
		})
		switch {
		case !listening:
		case err != nil:
			yield(nil, agent.AsError(err))
		default:
			yield(last, nil)
		}
	}
}

// Steer is agent.Steerer's.
func (c *conn) Steer(ctx context.Context, said agent.Steering) bool {
	x := c.runner.exchange.Load()
	return x != nil && x.conn == c && c.tell(ctx, x, string(said.Message), control{Type: controlSteer, Ref: string(said.Message), Note: said.Text})
}

// Permit is agent.Permitter's. A turn that begins later is told with its request.
func (c *conn) Permit(ctx context.Context, policy agent.PermissionPolicy, rules agent.Rules) bool {
	c.permits.Permit(ctx, policy, rules)
	x := c.runner.exchange.Load()
	return x == nil || x.conn != c || c.tell(ctx, x, rand.Text(), control{Type: controlPermissions, PermissionPolicy: policy, Permissions: rules})
}

// tell says something to the turn that runs, under an id of its own, and reports whether it was taken.
func (c *conn) tell(ctx context.Context, x *exchange, id string, word control) bool {
	answer := make(chan ack, 1)
	c.runner.acks.Store(id, answer)
	defer c.runner.acks.Delete(id)
	select {
	case x.controls <- encodeControl(id, x.key, word):
	case <-x.over:
		return false
	case <-ctx.Done():
		return false
	}
	over := (<-chan struct{})(x.over)
	var late <-chan time.Time
	for {
		select {
		case a := <-answer:
			return a.OK
		case <-over: // the answer may be on its way still: by HTTP it comes apart from the turn
			over, late = nil, time.After(c.runner.limits.stop)
		case <-late:
			return false
		case <-c.runner.dead:
			return false
		case <-ctx.Done():
			return false
		}
	}
}

// take takes a turn and gives its Finish. say gets the events before it, and reports whether more are wanted.
func (c *conn) take(ctx context.Context, prompt agent.Prompt, say func(agent.Event) bool) (agent.Event, error) {
	if c.isClosed() {
		return nil, agent.Errorf(agent.CodeValidation, "This conn is closed.")
	}
	if ctx.Err() != nil {
		return agent.Finish{StopReason: agent.StopCancelled}, nil
	}
	x := &exchange{prompt.Key, prompt.Turn, prompt, nil, make(chan []byte), c, make(chan record), make(chan struct{})}
	if !c.runner.exchange.CompareAndSwap(nil, x) {
		return nil, agent.Errorf(agent.CodeValidation, "The agent is still answering. Wait for it, or stop it.")
	}
	h := newHosting(ctx, x)
	defer h.wait() // nothing of a turn is left behind
	defer close(x.over)
	defer c.runner.exchange.Store(nil)
	defer h.stop()
	launch, grounds := c.launch, c.permits.Grounds(prompt) // what they become from here on, Permit tells the turn
	launch.PermissionPolicy, launch.Rules = grounds.Policy, grounds.Rules
	var err error
	if x.request, err = encodeRequest(launch, prompt); err != nil {
		return nil, err
	}

	begin, cancelled, closed := c.runner.begin, ctx.Done(), c.closed
	var controls chan<- []byte // while the runner is yet to be told to stop
	var grace <-chan time.Time // set once the runner is told to stop
	word := encodeControl(controlStop, prompt.Key, control{Type: controlStop})
	stop := func() {
		h.stop()
		if grace == nil {
			controls = x.controls
			grace = time.After(c.runner.limits.stop)
		}
	}
	for {
		select {
		case begin <- x:
			begin = nil
		case controls <- word:
			controls = nil
		case r := <-x.records:
			switch {
			case r.ended != nil:
				return c.settle(r.ended)
			case r.ask != nil:
				if err := h.take(*r.ask); err != nil {
					c.runner.kill()
					return nil, err
				}
			case !say(r.event):
				stop()
			}
		case e := <-h.said:
			if !say(e) {
				stop()
			}
		case <-cancelled:
			cancelled = nil
			stop()
		case <-closed:
			closed = nil
			stop()
		case <-grace:
			c.runner.kill()
			return c.settle(killed)
		case <-c.runner.dead:
			if grace != nil { // it was told to stop, and died of it
				return c.settle(killed)
			}
			return nil, c.runner.cause
		}
	}
}

var killed = &outcome{finish: agent.Finish{StopReason: agent.StopCancelled, Killed: true}}

// settle gives the end of a turn. Once the conn or its sandbox is closed that is an error, whatever the runner says.
func (c *conn) settle(o *outcome) (agent.Event, error) {
	switch {
	case c.isClosed() || c.runner.closed.Load():
		return nil, agent.Errorf(agent.CodeSandbox, "The agent was closed before its answer was complete.")
	case o.failure != nil:
		return nil, o.failure
	}
	return o.finish, nil
}

func (c *conn) isClosed() bool {
	select {
	case <-c.closed:
		return true
	default:
		return false
	}
}
