package session

import (
	"context"
	"fmt"
	"iter"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"parley/backend/agent"
	"parley/backend/modelserver"
	"parley/backend/native"
)

// held is an engine that halts after so many events of a prompt, until the turn is stopped; 0 is never.
type held struct {
	agent.Backend
	after   int
	reached chan struct{}
}

func (h *held) NewSandbox(ctx context.Context, p agent.Policy) (agent.Sandbox, error) {
	s, err := h.Backend.NewSandbox(ctx, p)
	return heldSandbox{s, h}, err
}

type heldSandbox struct {
	agent.Sandbox
	held *held
}

func (s heldSandbox) Open(ctx context.Context, l agent.Launch) (agent.Conn, error) {
	c, err := s.Sandbox.Open(ctx, l)
	return heldConn{c, s.held}, err
}

type heldConn struct {
	agent.Conn
	held *held
}

func (c heldConn) Prompt(ctx context.Context, p agent.Prompt) iter.Seq2[agent.Event, error] {
	return func(yield func(agent.Event, error) bool) {
		n := 0
		for e, err := range c.Conn.Prompt(ctx, p) {
			if !yield(e, err) {
				return
			}
			if n++; n == c.held.after {
				c.held.reached <- struct{}{}
				<-ctx.Done()
			}
		}
	}
}

// §6 stop is graded; §6 the partial message stays, §6 the session is usable at once. §4 stop closes every dangling call: the next
// turn is valid for every provider.
func TestAStopAfterEveryEvent(t *testing.T) {
	for _, wire := range wires {
		t.Run(wire.name, func(t *testing.T) {
			model := httptest.NewServer(modelserver.New(modelserver.Options{}))
			defer model.Close()
			h := &held{Backend: native.NewBackend(), reached: make(chan struct{}, 1)}
			w := openOver(t, filepath.Join(t.TempDir(), "history.db"), h)
			endpoint := wire.endpoint(model.URL)
			w.Harness = func(agent.Kind) (agent.Harness, error) { return modelled{endpoint}, nil }
			whole := all(t, w.send(t, anew("whole", several)))
			events := len(whole) - 2 // all but the session's own
			if events < 12 {
				t.Fatalf("the turn has %d events only", events)
			}
			for h.after = 1; h.after <= events; h.after++ {
				stopAfter(t, w, h, spoken(whole))
			}
		})
	}
}

const several = `[[think:2]] [[tool:list_directory {"path":"."}]] [[tool:read_file {"path":"none"}]] [[deltas:4]]`

func anew(session, text string) Request {
	r := says(text)
	r.Key.Session = agent.SessionID(session)
	return r
}

// stopAfter stops a turn of a session of its own where the engine halts, and says the next thing. Once all of the answer has
// been said it may be too late to stop it.
func stopAfter(t *testing.T, w *world, h *held, whole string) {
	t.Helper()
	at := h.after
	session := fmt.Sprint("after-", at)
	turn := w.send(t, anew(session, several))
	<-h.reached
	how, err := w.Stop(t.Context(), turn.Key)
	records, ends := all(t, turn), 0
	for _, r := range records {
		if _, ok := r.Event.(agent.TurnCompleted); ok {
			ends++
		}
	}
	done := end(t, records)
	stopped := how == Confirmed && done.StopReason == agent.StopCancelled
	late := how == WasIdle && done.StopReason == agent.StopEndTurn && spoken(records) == whole
	if err != nil || !stopped && !late || done.Failure != nil {
		t.Errorf("stopped after %d: %q, %+v, %v", at, how, done, err)
	}
	stored, err := w.store.TurnLog(t.Context(), turn.ID)
	if err != nil || ends != 1 || len(stored) != len(records) || len(stored) < at+2 {
		t.Errorf("stopped after %d: %d ends; %d records stored of %d, %v", at, ends, len(stored), len(records), err)
	}
	rows, err := w.store.History(t.Context(), turn.ID)
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	for _, m := range rows {
		for _, p := range m.Parts {
			if said, ok := p.(agent.TextPart); ok && m.Role == agent.RoleAssistant {
				text.WriteString(said.Text)
			}
		}
	}
	if text.String() != spoken(records) {
		t.Errorf("stopped after %d: stored the text %q of %q", at, text.String(), spoken(records))
	}
	h.after = 0
	next := all(t, w.send(t, anew(session, "[[say:next]]")))
	if done := end(t, next); done.StopReason != agent.StopEndTurn || spoken(next) != "next" {
		t.Errorf("after a stop after %d the next turn ended with %+v, said %q", at, done, spoken(next))
	}
	h.after = at
}

// wires are those of the models.
var wires = []struct {
	name     string
	endpoint func(server string) agent.Endpoint
}{
	{"OpenAI", func(server string) agent.Endpoint {
		return agent.Endpoint{Provider: "openai", BaseURL: server + "/v1"}
	}},
	{"Anthropic", func(server string) agent.Endpoint {
		return agent.Endpoint{Provider: "anthropic", BaseURL: server + "/v1", Wire: agent.WireAnthropic}
	}},
}

// modelled is the harness of an agent whose model is served somewhere.
type modelled struct{ endpoint agent.Endpoint }

func (modelled) Kind() agent.Kind { return agent.KindNative }
func (m modelled) Launch(agent.Spec) (agent.Launch, error) {
	return agent.Launch{
		Backend: agent.BackendInprocess, Harness: agent.KindNative, Model: "scripted-1", AgentsMD: "Be brief.",
		Tools: []string{"list_directory", "read_file", "write_file"}, Endpoint: &m.endpoint, PermissionPolicy: agent.PermissionAuto,
	}, nil
}
