//go:build linux

package runner

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"parley/backend/agent"
)

const (
	fine   = `say {"kind":"result","result":{"ok":true}}`
	event  = `say {"kind":"event","event":`
	result = `say {"kind":"result","result":`
)

// TestTurnsWithRunnersThatMisbehave: whatever a runner does, its turn ends, once, and nothing of it is left.
func TestTurnsWithRunnersThatMisbehave(t *testing.T) {
	for name, c := range map[string]struct {
		script []string // after hello and the request
		bytes  int      // of deltas that arrive
		code   agent.Code
		log    string
	}{
		"a bare result":                  {[]string{fine, "read"}, 0, "", ""},
		"a record of 5 MB":               {[]string{"delta 5000000", fine, "read"}, 5_000_000, "", ""},
		"a flood on stderr":              {[]string{"delta 1", "flood 100", "delta 1", fine, "read"}, 2, "", ""},
		"records of another version":     {[]string{`say {"kind":"hologram"}`, event + `{"type":"hologram"}}`, event + `{}}`, "delta 1", fine, "read"}, 1, "", ""},
		"asks of another version":        {[]string{`say {"kind":"ask","id":"k","ask":{"type":"hologram"}}`, "read", `say {"kind":"ask","id":"k","ask":{"type":"call"}}`, "read", "delta 1", fine, "read"}, 1, "", ""},
		"events that only sessions say":  {[]string{event + `{"type":"turn_completed"}}`, "delta 1", fine, "read"}, 1, "", ""},
		"a result with fields to come":   {[]string{result + `{"ok":true,"novelty":[1]},"novelty":1}`, "read"}, 0, "", ""},
		"a failure with a code to come":  {[]string{result + `{"ok":false,"error":"No.","code":"tired"}}`, "read"}, 0, agent.CodeInternal, "No."},
		"a failure without a word":       {[]string{result + `{"ok":false}}`, "read"}, 0, agent.CodeInternal, "did not say why"},
		"a result without a verdict":     {[]string{result + `{}}`, "deaf"}, 0, agent.CodeSandbox, "not a record"},
		"a stop reason to come":          {[]string{result + `{"ok":true,"stopReason":"tired"}}`, "deaf"}, 0, agent.CodeSandbox, "not a record"},
		"an event that is not as agreed": {[]string{"delta 3", event + `{"type":"message_delta","text":7}}`, "deaf"}, 3, agent.CodeSandbox, "not a record"},
		"half a record":                  {[]string{"delta 3", `say {"kind":`, "deaf"}, 3, agent.CodeSandbox, `not a record: "{\"kind\":"`},
		"an early end":                   {[]string{"delta 3", "flood 0", "exit 70"}, 3, agent.CodeSandbox, "exit status 70; stderr: last words"},
		"an early end that looks fine":   {[]string{"delta 3", "exit 0"}, 3, agent.CodeSandbox, "exit status 0"},
		"a violent end with children":    {[]string{"spawn", "delta 3", "kill"}, 3, agent.CodeSandbox, "signal: killed"},
		"a closed stdout":                {[]string{"spawn", "delta 3", "close", "deaf"}, 3, agent.CodeSandbox, "EOF"},
		"silence":                        {[]string{"spawn", "escape", "orphan", "delta 3", "deaf"}, 3, agent.CodeRunTimeout, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l, p := newLocal(t, "hello\nread\n"+strings.Join(c.script, "\n"))
			if c.code == agent.CodeRunTimeout {
				l.limits.silence = 2 * time.Second
			}
			said := listen(t.Context(), newConn(t, newSandbox(t, l, p)), say(), nil)
			if len(said.text) != c.bytes || strings.Trim(said.text, "x") != "" {
				t.Errorf("%d bytes of text, want %d", len(said.text), c.bytes)
			}
			switch {
			case c.code == "" && (said.err != nil || said.finish.StopReason != agent.StopEndTurn):
				t.Errorf("ended with %+v, %v", said.finish, said.err)
			case c.code != "" && (said.err == nil || said.err.Code != c.code || !strings.Contains(said.err.Error(), c.log)):
				t.Errorf("failed with %v", said.err)
			case said.err != nil && strings.Contains(said.err.Message, "last words"):
				t.Errorf("stderr was shown to the person: %s", said.err.Message)
			}
		})
	}
}

// TestWhatIsDroppedIsCounted: what is of another version, and events that only a session may say.
func TestWhatIsDroppedIsCounted(t *testing.T) {
	l, p := newLocal(t, strings.Join([]string{
		"hello", "read", `say {"kind":"hologram"}`, event + `{"type":"hologram"}}`, event + `{"text":"typeless"}}`,
		event + `{"type":"turn_started"}}`, event + `{"type":"control_ack","ok":true}}`, fine, "read",
	}, "\n"))
	var log bytes.Buffer
	l.options.Log = slog.New(slog.NewTextHandler(&log, nil))
	if said := listen(t.Context(), newConn(t, newSandbox(t, l, p)), say(), nil); said.err != nil || len(said.events) > 0 {
		t.Errorf("%+v", said)
	}
	if !strings.Contains(log.String(), "count=4 last=agent.TurnStarted") {
		t.Errorf("the log says %s", log.String())
	}
}

// TestTalkBetweenTurns belongs to none.
func TestTalkBetweenTurns(t *testing.T) {
	if (&link{}).deliver(record{event: agent.MessageEnd{}}) {
		t.Error("it was delivered")
	}
}

func TestAStopIsConfirmed(t *testing.T) {
	conn := connTo(t, "engine")
	ctx, cancel := context.WithCancel(t.Context())
	said := listen(ctx, conn, say("deltas 1 1", "hang"), func(agent.Event) { cancel() })
	if said.finish != (agent.Finish{StopReason: agent.StopCancelled, Usage: agent.Usage{Input: 1, Output: 2, Total: 3}, Model: "test-model"}) || said.err != nil {
		t.Errorf("ended with %+v, %v", said.finish, said.err)
	}
	if said := listen(t.Context(), conn, say("deltas 1 1"), nil); said.text != "x" || said.err != nil {
		t.Errorf("the next turn: %+v", said)
	}
}

// TestAStopThatIsNotConfirmed: the runner is killed, with a child that ignores SIGTERM, one that left the session, and
// one that lost its parent as well.
func TestAStopThatIsNotConfirmed(t *testing.T) {
	for name, role := range map[string]string{
		"by the runner": "hello\nread\nspawn\nescape\norphan\ndelta 1\ndeaf",
		"by its engine": "engine",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l, p := newLocal(t, role)
			l.limits.stop = 300 * time.Millisecond
			sandbox := newSandbox(t, l, p)
			ctx, cancel := context.WithCancel(t.Context())
			said := listen(ctx, newConn(t, sandbox), say("spawn", "deltas 1 1", "deaf"), func(agent.Event) { cancel() })
			if said.finish != (agent.Finish{StopReason: agent.StopCancelled, Killed: true}) || said.err != nil {
				t.Errorf("ended with %+v, %v", said.finish, said.err)
			}
			nothingLeft(t, p.Scratch)
			<-sandbox.Done()
		})
	}
}

// TestAStopBeforeTheRequestIsRead: more is written than a pipe holds, to a runner that does not read.
func TestAStopBeforeTheRequestIsRead(t *testing.T) {
	l, p := newLocal(t, "hello\ndeaf")
	l.limits.stop = 100 * time.Millisecond
	conn := newConn(t, newSandbox(t, l, p))
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	said := listen(ctx, conn, say(strings.Repeat("x", 1<<20)), nil)
	if !said.finish.Killed || said.err != nil {
		t.Errorf("ended with %+v, %v", said.finish, said.err)
	}
}

// TestARunnerThatDiesOfAStop counts as stopped: that it died is what was asked for.
func TestARunnerThatDiesOfAStop(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	said := listen(ctx, connTo(t, "hello\nread\ndelta 1\nread\nexit 1"), say(), func(agent.Event) { cancel() })
	if said.finish != (agent.Finish{StopReason: agent.StopCancelled, Killed: true}) || said.err != nil {
		t.Errorf("ended with %+v, %v", said.finish, said.err)
	}
}

// hanging is a host whose calls end only with their context.
type hanging struct{ began, ended chan struct{} }

func (h hanging) Call(ctx context.Context, call agent.ToolCall, _ func(agent.Event)) agent.ToolResult {
	close(h.began)
	<-ctx.Done()
	close(h.ended)
	return agent.ToolResult{ID: call.ID}
}

func (hanging) Redact(context.Context, string) (string, error) { return "", nil }

// TestACallEndsWithWhoeverAskedForIt: a runner that dies, or that does not want the result any more, leaves nothing running.
func TestACallEndsWithWhoeverAskedForIt(t *testing.T) {
	const asks = `say {"kind":"ask","id":"k","ask":{"type":"call","call":{"id":"c","name":"deploy","input":{}}}}`
	for name, script := range map[string]string{
		"it dies":    "hello\nread\n" + asks + "\n" + `say {"kind":"ask","id":"r","ask":{"type":"redact","text":"x"}}` + "\nread\nexit 70",
		"it cancels": "hello\nread\n" + asks + "\n" + `say {"kind":"ask","id":"k","ask":{"type":"cancel"}}` + "\nread\n" + fine + "\nread",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l, p := newLocal(t, script)
			prompt := say()
			h := hanging{make(chan struct{}), make(chan struct{})}
			prompt.Host = h
			said := listen(t.Context(), newConn(t, newSandbox(t, l, p)), prompt, nil)
			if died := said.err != nil; died != (name == "it dies") {
				t.Errorf("the turn ended with %+v, %v", said.finish, said.err)
			}
			select {
			case <-h.ended:
			default:
				t.Error("the call outlived its turn")
			}
		})
	}
}

// waiting is a host whose calls end only with their context.
type waiting struct{}

func (waiting) Call(ctx context.Context, call agent.ToolCall, _ func(agent.Event)) agent.ToolResult {
	<-ctx.Done()
	return agent.ToolResult{ID: call.ID}
}

func (waiting) Redact(_ context.Context, text string) (string, error) { return text, nil }

// TestWhatARunnerAsksForIsBounded at once, and not in all.
func TestWhatARunnerAsksForIsBounded(t *testing.T) {
	asks := func(n int, id func(int) int, what, then string) string {
		var script strings.Builder
		for i := range n {
			fmt.Fprintf(&script, "say {\"kind\":\"ask\",\"id\":\"k%d\",\"ask\":{%s}}\n%s", id(i), what, then)
		}
		return script.String()
	}
	const call, redact = `"type":"call","call":{"id":"c","name":"deploy","input":{}}`, `"type":"redact","text":"x"`
	each, same := func(i int) int { return i }, func(int) int { return 0 }
	for name, c := range map[string]struct {
		script string
		fails  bool
	}{
		"as many as may be":       {asks(maxAsks, each, call, "") + fine + "\nread", false},
		"one more":                {asks(maxAsks+1, each, call, "") + "deaf", true},
		"one more, after another": {asks(maxAsks+1, each, redact, "read\n") + fine + "\nread", false},
		"the same twice":          {asks(2, same, call, "") + "deaf", true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l, p := newLocal(t, "hello\nread\n"+c.script)
			prompt := say()
			prompt.Host = waiting{}
			said := listen(t.Context(), newConn(t, newSandbox(t, l, p)), prompt, nil)
			if failed := said.err != nil && said.err.Code == agent.CodeSandbox && strings.Contains(said.err.Message, "at once"); failed != c.fails || said.err != nil && !failed {
				t.Errorf("the turn ended with %+v, %v", said.finish, said.err)
			}
		})
	}
}
