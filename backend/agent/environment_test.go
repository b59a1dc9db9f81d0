package agent

import (
	"context"
	"errors"
	"iter"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// plot is a backend whose sandboxes do nothing but exist: what is tested is who lives, and for how long.
type plot struct {
	mu     sync.Mutex
	made   []*bed
	slow   chan struct{} // if set, making a sandbox waits for it
	refuse error
}

type bed struct {
	policy Policy
	done   chan struct{}
	close  func()
}

func (p *plot) Supports(name BackendName, harness Kind) bool { return name == BackendScripted }

func (p *plot) NewSandbox(ctx context.Context, policy Policy) (Sandbox, error) {
	if p.slow != nil {
		<-p.slow
	}
	if p.refuse != nil {
		return nil, p.refuse
	}
	b := &bed{policy: policy, done: make(chan struct{})}
	b.close = sync.OnceFunc(func() { close(b.done) })
	p.mu.Lock()
	defer p.mu.Unlock()
	p.made = append(p.made, b)
	return b, nil
}

func (b *bed) Open(ctx context.Context, launch Launch) (Conn, error) { return silent{}, nil }
func (b *bed) Done() <-chan struct{}                                 { return b.done }
func (b *bed) Close() error                                          { b.close(); return nil }

func (b *bed) closed() bool {
	select {
	case <-b.done:
		return true
	default:
		return false
	}
}

type silent struct{}

func (silent) Prompt(context.Context, Prompt) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) { yield(Finish{StopReason: StopEndTurn}, nil) }
}
func (silent) Close() error { return nil }

func key(id string) SessionKey { return SessionKey{DefaultProject, SessionID(id)} }

func use(t *testing.T, e *Environment, id string, policy Policy) Conn {
	t.Helper()
	conn, err := e.Open(t.Context(), key(id), policy, Launch{})
	if err != nil {
		t.Fatal(err)
	}
	return conn
}

func TestEnvironmentKeepsOneSandboxWarmPerSession(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &plot{}
		e := NewEnvironment(p, Limits{Seats: 8, Idle: time.Minute})
		use(t, e, "a", Policy{}).Close()
		use(t, e, "a", Policy{}).Close()
		use(t, e, "b", Policy{}).Close()
		if len(p.made) != 2 {
			t.Fatalf("%d sandboxes for two sessions", len(p.made))
		}
		pass(time.Minute - 1)
		conn := use(t, e, "a", Policy{})
		pass(time.Hour)
		synctest.Wait()
		if p.made[0].closed() || !p.made[1].closed() {
			t.Errorf("a in use: closed=%v; b idle for an hour: closed=%v", p.made[0].closed(), p.made[1].closed())
		}
		conn.Close()
		conn.Close() // gives its seat back once
		pass(time.Minute)
		synctest.Wait()
		if !p.made[0].closed() {
			t.Error("an unused sandbox outlived its idle time")
		}
		e.Close()
	})
}

func TestEnvironmentMakesANewSandbox(t *testing.T) {
	for name, change := range map[string]func(p *plot) Policy{
		"after the old one died":        func(p *plot) Policy { p.made[0].close(); return Policy{} },
		"when the policy is another":    func(p *plot) Policy { return Policy{Scratch: "/elsewhere"} },
		"after the one before failed":   func(p *plot) Policy { p.made[0].close(); p.refuse = nil; return Policy{} },
		"when it was evicted meanwhile": nil,
	} {
		t.Run(name, func(t *testing.T) {
			p := &plot{}
			e := NewEnvironment(p, DefaultLimits)
			defer e.Close()
			use(t, e, "a", Policy{}).Close()
			policy := Policy{}
			if change != nil {
				policy = change(p)
			} else {
				e.Evict(key("a"))
			}
			use(t, e, "a", policy).Close()
			if len(p.made) != 2 || p.made[1].policy != policy {
				t.Errorf("made %d sandboxes, the last with %+v", len(p.made), p.made[len(p.made)-1].policy)
			}
		})
	}
}

func TestEvictSaysWhenNothingIsLeft(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &plot{slow: make(chan struct{})}
		e := NewEnvironment(p, DefaultLimits)
		<-e.Evict(key("a")) // there is nothing
		go e.Open(t.Context(), key("a"), Policy{}, Launch{})
		synctest.Wait()
		gone := e.Evict(key("a"))
		select {
		case <-gone:
			t.Error("the sandbox is gone before it was there")
		default:
		}
		close(p.slow)
		if <-gone; !p.made[0].closed() {
			t.Error("the sandbox that was being made is not closed")
		}
		use(t, e, "a", Policy{}).Close()
		if <-e.Evict(key("a")); len(p.made) != 2 || !p.made[1].closed() {
			t.Error("the sandbox is not closed")
		}
		e.Close()
	})
}

func TestEnvironmentEvictsTheLeastRecentlyUsedIdleSeat(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &plot{}
		e := NewEnvironment(p, Limits{Seats: 2, Idle: time.Hour})
		busy := use(t, e, "busy", Policy{})
		use(t, e, "old", Policy{}).Close()
		pass(time.Second)
		use(t, e, "new", Policy{}).Close()
		synctest.Wait()
		if p.made[0].closed() || !p.made[1].closed() || p.made[2].closed() {
			t.Errorf("closed: busy=%v old=%v new=%v", p.made[0].closed(), p.made[1].closed(), p.made[2].closed())
		}
		busy.Close()
		e.Close()
	})
}

func TestEnvironmentCloseWaitsForASandboxThatIsStillBeingMade(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &plot{slow: make(chan struct{})}
		e := NewEnvironment(p, DefaultLimits)
		ctx, cancel := context.WithCancel(t.Context())
		opened := make(chan error, 1)
		go func() {
			_, err := e.Open(ctx, key("a"), Policy{}, Launch{})
			opened <- err
		}()
		synctest.Wait()
		cancel()
		if err := AsError(<-opened); err.Code != CodeCancelled {
			t.Errorf("a caller that gave up got %v", err)
		}
		closed := make(chan struct{})
		go func() { e.Close(); close(closed) }()
		synctest.Wait()
		close(p.slow)
		<-closed
		if !p.made[0].closed() {
			t.Error("Close returned while a sandbox lived")
		}
		if _, err := e.Open(t.Context(), key("b"), Policy{}, Launch{}); err == nil {
			t.Error("a closed environment opened a conn")
		}
	})
}

func TestEnvironmentGivesTheReasonWhenASandboxCannotBeMade(t *testing.T) {
	refusal := Errorf(CodeSandbox, "no room")
	p := &plot{refuse: refusal}
	e := NewEnvironment(p, DefaultLimits)
	defer e.Close()
	if _, err := e.Open(t.Context(), key("a"), Policy{}, Launch{}); !errors.Is(err, refusal) {
		t.Fatalf("got %v", err)
	}
	p.refuse = nil
	use(t, e, "a", Policy{}).Close()
}

type fixedHarness struct{ launch Launch }

func (h fixedHarness) Kind() Kind                  { return h.launch.Harness }
func (h fixedHarness) Launch(Spec) (Launch, error) { return h.launch, nil }

func TestEnvironmentRefusesAHarnessThatTheBackendCannotRun(t *testing.T) {
	e := NewEnvironment(&plot{}, DefaultLimits)
	defer e.Close()
	if _, err := e.Launch(fixedHarness{Launch{Backend: BackendInprocess, Harness: KindScripted}}, Spec{}); AsError(err).Code != CodeValidation {
		t.Errorf("got %v", err)
	}
	if _, err := e.Launch(fixedHarness{Launch{Backend: BackendScripted, Harness: KindScripted}}, Spec{}); err != nil {
		t.Errorf("got %v", err)
	}
}

// pass lets the bubble's clock run.
func pass(d time.Duration) { <-time.After(d) }
