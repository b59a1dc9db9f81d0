//go:build linux

package runner

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"parley/backend/agent"
	"parley/backend/process"
)

// desk is a server in memory, on the bubble's clock.
type desk struct {
	t       *testing.T
	in      *io.PipeWriter
	lines   *bufio.Scanner
	served  chan error
	release chan struct{} // frees what is deaf
}

func serve(t *testing.T, ctx context.Context) *desk {
	in, w := io.Pipe()
	r, out := io.Pipe()
	d := &desk{t, w, bufio.NewScanner(r), make(chan error, 1), make(chan struct{})}
	d.lines.Buffer(nil, 1<<20)
	go func() {
		err := Serve(ctx, in, out, Options{
			Version: "test", Engines: Engines{agent.BackendScripted: engine{d.release}}, Log: slog.New(slog.DiscardHandler),
		})
		in.Close()
		out.Close()
		d.served <- err
	}()
	if hello := d.next(); !strings.HasPrefix(hello, `{"kind":"hello","protocol":"1.0","version":"test"`) {
		t.Errorf("hello is %s", hello)
	}
	return d
}

func (d *desk) write(line string) {
	d.t.Helper()
	if _, err := io.WriteString(d.in, line); err != nil {
		d.t.Fatal(err)
	}
}

func (d *desk) request(actions ...string) {
	d.t.Helper()
	line, err := encodeRequest(scriptedLaunch, say(actions...))
	if err != nil {
		d.t.Fatal(err)
	}
	d.write(string(line))
}

func (d *desk) control(kind string) {
	d.write(fmt.Sprintf(`{"kind":"control","id":"c-%s","sessionId":"s1","control":{"type":%q}}`+"\n", kind, kind))
}

func (d *desk) next() string {
	if !d.lines.Scan() {
		return ""
	}
	return d.lines.Text()
}

// want reads a line for each, and compares what follows the words that all records share.
func (d *desk) want(records ...string) {
	d.t.Helper()
	for _, want := range records {
		got := strings.TrimPrefix(d.next(), string(eventHead))
		if !strings.HasPrefix(got, want) {
			d.t.Errorf("got  %s\nwant %s…", got, want)
		}
	}
}

// end closes stdin and reads to the end.
func (d *desk) end() error {
	d.in.Close()
	for d.next() != "" {
	}
	return <-d.served
}

const (
	doneRecord    = `{"type":"done","stopReason":"end_turn"}}`
	goodRecord    = `{"kind":"result","result":{"ok":true,`
	timeoutRecord = `{"kind":"result","result":{"ok":false,"error":"The agent said nothing for too long, so its turn was ended.","code":"run_timeout"}}`
)

func TestTurnsAreTakenInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := serve(t, t.Context())
		d.request("wait 1s", "whole one")
		d.write("not JSON\n")
		d.write(`{"backend":"scripted","harness":"scripted","sandbox":"docker"}` + "\n")
		d.write(`{"kind":"hologram"}` + "\n")
		d.request("whole two")
		d.want(`{"type":"message","text":"one"}}`, doneRecord, goodRecord,
			`{"type":"error","message":"The request cannot be run: it is not one JSON object of the runner's protocol.","code":"validation"}}`,
			`{"kind":"result","result":{"ok":false,"error":"The request cannot be run: it is not one JSON object of the runner's protocol.","code":"validation"}}`,
			`{"type":"error","message":"The request cannot be run: the sandbox \"docker\" is not supported`, `{"kind":"result","result":{"ok":false,`,
			`{"type":"message","text":"two"}}`, doneRecord, goodRecord)
		if err := d.end(); err != nil {
			t.Error(err)
		}
	})
}

func TestControl(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := serve(t, t.Context())
		d.control("ping")
		d.control("stop")
		d.control("dance")
		d.want(`{"type":"control_ack","id":"c-ping","ok":true}}`,
			`{"type":"control_ack","id":"c-stop","ok":false,"error":"no such turn is running"}}`,
			`{"type":"control_ack","id":"c-dance","ok":false,"error":"the control \"dance\" is not supported"}}`)
		d.request("hang")
		d.write(`{"kind":"control","id":"c","sessionId":"another","control":{"type":"stop"}}` + "\n")
		d.control("ping")
		d.want(`{"type":"control_ack","id":"c","ok":false,`, `{"type":"control_ack","id":"c-ping","ok":true}}`)
		d.control("steer")
		d.want(`{"type":"control_ack","id":"c-steer","ok":false,"error":"the turn does not take it"}}`)
		d.write(`{"kind":"control","id":"c","control":{"type":"permissions","permissionPolicy":"deny"}}` + "\n")
		d.control("permissions")
		d.want(`{"type":"control_ack","id":"c","ok":false,"error":"the turn goes on with the permissions that it has"}}`,
			`{"type":"control_ack","id":"c-permissions","ok":false,"error":"the control \"permissions\" is not supported"}}`)
		d.control("stop")
		d.want(`{"type":"control_ack","id":"c-stop","ok":true}}`, `{"type":"done","stopReason":"cancelled"}}`, goodRecord)
		if err := d.end(); err != nil {
			t.Error(err)
		}
	})
}

func TestHeartbeats(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := serve(t, t.Context())
		start := time.Now()
		d.want(`{"kind":"heartbeat"}`)
		if silence := time.Since(start); silence != heartbeatEvery {
			t.Errorf("after %v", silence)
		}
		d.request("wait 15s", "whole x", "wait 5s")
		d.want(`{"kind":"heartbeat"}`, `{"type":"message"`, doneRecord, goodRecord, `{"kind":"heartbeat"}`)
		if err := d.end(); err != nil {
			t.Error(err)
		}
	})
}

func TestDeadlines(t *testing.T) {
	for name, c := range map[string]struct {
		actions []string
		after   time.Duration
	}{
		"before the first event": {[]string{"hang"}, firstEventLimit},
		"between two":            {[]string{"wait 1m59s", "deltas 1 1", "wait 29m59s", "deltas 1 1", "hang"}, 2*time.Minute + 2*idleLimit - 2*time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				d := serve(t, t.Context())
				start := time.Now()
				d.request(c.actions...)
				var last string
				for !strings.Contains(last, `"result"`) {
					last = d.next()
				}
				if passed := time.Since(start); last != timeoutRecord || passed != c.after {
					t.Errorf("after %v: %s", passed, last)
				}
				d.request("whole x")
				d.want(`{"type":"message"`, doneRecord, goodRecord)
				if err := d.end(); err != nil {
					t.Error(err)
				}
			})
		})
	}
}

// TestAnEngineThatDoesNotStop costs the process its life, after the result: whatever holds the engine holds on.
func TestAnEngineThatDoesNotStop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := serve(t, t.Context())
		d.request("deaf")
		var last string
		for !strings.Contains(last, `"result"`) {
			last = d.next()
		}
		if last != timeoutRecord {
			t.Error(last)
		}
		if more := d.next(); more != "" {
			t.Errorf("after the result came %s", more)
		}
		if err := <-d.served; !errors.Is(err, errStuck) {
			t.Errorf("got %v", err)
		}
		close(d.release)
	})
}

func TestTheEndOfStdinCancelsEverything(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := serve(t, t.Context())
		d.request("whole x", "hang")
		d.request("whole never")
		d.want(`{"type":"message"`)
		d.in.Close()
		d.want(`{"type":"done","stopReason":"cancelled"}}`, goodRecord, `{"type":"error"`, `{"kind":"result","result":{"ok":false,`)
		if err := d.end(); err != nil {
			t.Error(err)
		}
	})
}

func TestTheEndOfStdinDoesNotWaitForADeafEngine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := serve(t, t.Context())
		d.request("whole x", "deaf")
		d.want(`{"type":"message"`)
		start := time.Now()
		if err := d.end(); err != nil || time.Since(start) != leaveLimit {
			t.Errorf("%v after %v", err, time.Since(start))
		}
		close(d.release)
	})
}

// TestAnEndByTheContext is how SIGTERM arrives.
func TestAnEndByTheContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		d := serve(t, ctx)
		d.request("whole x", "hang")
		d.want(`{"type":"message"`)
		cancel()
		d.want(`{"type":"done","stopReason":"cancelled"}}`, goodRecord)
		if err := d.end(); err != nil {
			t.Error(err)
		}
	})
}

func TestAReaderThatIsGone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		in, w := io.Pipe()
		r, out := io.Pipe()
		r.Close()
		err := Serve(t.Context(), in, out, Options{Engines: Engines{}, Log: slog.New(slog.DiscardHandler)})
		if !errors.Is(err, io.ErrClosedPipe) {
			t.Errorf("got %v", err)
		}
		w.Close()
	})
}

func TestDeltasThatWaitAreMerged(t *testing.T) {
	o := newOutbox()
	said := func(e agent.Event) {
		if err := o.event(e); err != nil {
			t.Fatal(err)
		}
	}
	half := strings.Repeat("x", maxMerged/2)
	for _, text := range []string{"a", half, half, half} {
		said(agent.MessageDelta{Text: text})
	}
	said(agent.Status{Text: "busy"})
	for _, text := range []string{"b", "c"} {
		said(agent.MessageDelta{Text: text})
	}
	said(agent.ThoughtDelta{Text: "d"})
	o.end()
	var out bytes.Buffer
	if err := o.write(&out); err != nil {
		t.Fatal(err)
	}
	var got []agent.Event
	for line := range bytes.Lines(out.Bytes()) {
		r, err := decodeRecord(line)
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, r.event)
	}
	want := []agent.Event{
		agent.MessageDelta{Text: "a" + half}, agent.MessageDelta{Text: half + half},
		agent.Status{Text: "busy"}, agent.MessageDelta{Text: "bc"}, agent.ThoughtDelta{Text: "d"},
	}
	if !slices.Equal(got, want) {
		t.Errorf("%d events, want %d", len(got), len(want))
	}
}

// TestAnEngineWaitsForItsReader: what waits to be written is bounded.
func TestAnEngineWaitsForItsReader(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := newOutbox()
		var said int
		go func() {
			for range 100 {
				_ = o.event(agent.MessageDelta{Text: strings.Repeat("x", maxWaiting/10)})
				said++
			}
		}()
		synctest.Wait()
		if said != 10 {
			t.Errorf("%d of 100 fit", said)
		}
		o.end()
		synctest.Wait()
		if said != 100 {
			t.Errorf("after the end %d of 100 were let go", said)
		}
	})
}

func TestWhichDeltasAreMerged(t *testing.T) {
	for _, c := range []struct {
		next   agent.Event
		merges bool
	}{
		{agent.ToolCallDelta{ID: "1", Text: "b"}, true},
		{agent.ToolCallDelta{ID: "1", Name: "n", Text: "b"}, true},
		{agent.ToolCallDelta{ID: "1", Name: "m", Text: "b"}, false},
		{agent.ToolCallDelta{ID: "2", Text: "b"}, false},
		{agent.MessageDelta{Text: "b"}, false},
	} {
		out := outgoing{nil, agent.ToolCallDelta{ID: "1", Name: "n"}, []byte("a")}
		block, text, _ := splitDelta(c.next)
		if got := out.merge(block, text); got != c.merges {
			t.Errorf("%+v merges=%v", c.next, got)
		}
		if got := joinDelta(out.block, string(out.text)); c.merges && got != (agent.ToolCallDelta{ID: "1", Name: "n", Text: "ab"}) {
			t.Errorf("merged into %+v", got)
		}
	}
}

func TestAnEventThatIsTooLargeForTheWire(t *testing.T) {
	if err := newOutbox().event(agent.MessageWhole{Text: strings.Repeat("x", process.MaxLine)}); err == nil {
		t.Error("it was taken")
	}
}
