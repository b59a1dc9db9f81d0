//go:build linux

package runner

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"parley/backend/agent"
)

// newLocal gives a backend whose runners play a role, and the folder they work in. When the test ends no process may be
// left that has to do with the folder, and the ledger must be empty.
func newLocal(t testing.TB, role string) (*Local, agent.Policy) {
	root, ledger := t.TempDir(), filepath.Join(t.TempDir(), "runners")
	l, err := NewLocal(LocalOptions{Executable: executable(), Args: []string{"as=" + role}, Ledger: ledger, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		nothingLeft(t, root)
		if entries, _ := os.ReadDir(ledger); len(entries) > 0 {
			t.Errorf("the ledger still has %v", entries)
		}
	})
	return l, agent.Policy{Scratch: root}
}

func newSandbox(t testing.TB, l *Local, p agent.Policy) agent.Sandbox {
	t.Helper()
	s, err := l.NewSandbox(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func newConn(t testing.TB, s agent.Sandbox) agent.Conn {
	t.Helper()
	c, err := s.Open(t.Context(), scriptedLaunch)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// connTo gives a conn to a runner of its own that plays a role.
func connTo(t testing.TB, role string) agent.Conn {
	l, p := newLocal(t, role)
	return newConn(t, newSandbox(t, l, p))
}

// turnSaid is what came out of a turn.
type turnSaid struct {
	events []agent.Event
	text   string
	finish agent.Finish
	err    *agent.Error
}

func listen(ctx context.Context, c agent.Conn, p agent.Prompt, each func(agent.Event)) turnSaid {
	var said turnSaid
	for e, err := range c.Prompt(ctx, p) {
		if err != nil {
			said.err = agent.AsError(err)
			continue
		}
		if each != nil {
			each(e)
		}
		switch e := e.(type) {
		case agent.Finish:
			said.finish = e
		case agent.MessageDelta:
			said.text += e.Text
			said.events = append(said.events, e)
		default:
			said.events = append(said.events, e)
		}
	}
	return said
}

func TestATurn(t *testing.T) {
	said := listen(t.Context(), connTo(t, "engine"), say("count 1000", "print oops", "call read_file", "whole <é\u2028😀>"), nil)
	var want strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&want, "<%d>", i)
	}
	if said.text != want.String() {
		t.Errorf("%d bytes of deltas, want %d", len(said.text), want.Len())
	}
	n := len(said.events)
	if n < 2 {
		t.Fatalf("%d events, %v", n, said.err)
	}
	if call := said.events[n-2].(agent.ToolCall); call.ID != "c1" || call.Name != "read_file" || string(call.Input) != "{}" {
		t.Errorf("call %+v", call)
	}
	if said.events[n-1] != (agent.MessageWhole{Text: "<é\u2028😀>"}) {
		t.Errorf("last %#v", said.events[n-1])
	}
	if want := (agent.Finish{StopReason: agent.StopEndTurn, Usage: agent.Usage{Input: 1, Output: 2, Total: 3}, Model: "test-model"}); said.finish != want || said.err != nil {
		t.Errorf("ended with %+v, %v", said.finish, said.err)
	}
}

func TestARunnerTakesTurnAfterTurn(t *testing.T) {
	conn := connTo(t, "engine")
	for range 3 {
		if said := listen(t.Context(), conn, say("deltas 1 5"), nil); said.text != "xxxxx" || said.err != nil {
			t.Fatalf("%+v", said)
		}
	}
}

func TestTheCommandLine(t *testing.T) {
	for args, want := range map[string]int{"--help": 0, "--nonsense": 2, "listen": 2, "--root .": 0} {
		c := exec.Command(executable(), append([]string{"as=runner", "runner"}, strings.Fields(args)...)...)
		out, _ := c.Output()
		if got := c.ProcessState.ExitCode(); got != want {
			t.Errorf("%s: exit status %d", args, got)
		}
		if saidHello := bytes.HasPrefix(out, []byte(`{"kind":"hello"`)); saidHello != (args == "--root .") {
			t.Errorf("%s: %s", args, out)
		}
	}
}

// TestFailedTurnsLeaveTheRunnerAlive: an engine that fails, even by a panic, fails its turn and nothing else: §4 Endings,
// exactly one per response: Error (panics included).
func TestFailedTurnsLeaveTheRunnerAlive(t *testing.T) {
	conn := connTo(t, "engine")
	for action, want := range map[string]struct {
		code    agent.Code
		message string
	}{
		"error provider_auth": {agent.CodeProviderAuth, "It did not work."},
		"stranger":            {agent.CodeInternal, "Something went wrong inside Parley."},
		"panic":               {agent.CodeInternal, "Something went wrong inside Parley."},
		"endless":             {agent.CodeInternal, "Something went wrong inside Parley."},
	} {
		said := listen(t.Context(), conn, say("deltas 1 1", action), nil)
		if said.err == nil || said.err.Code != want.code || said.err.Message != want.message || said.text != "x" {
			t.Errorf("%s: %q, then %v", action, said.text, said.err)
		}
		if said := listen(t.Context(), conn, say("deltas 1 1"), nil); said.err != nil {
			t.Fatalf("after %s: %v", action, said.err)
		}
	}
}

func TestARunnerThatCannotBeUsedIsRefused(t *testing.T) {
	for name, c := range map[string]struct{ script, message, log string }{
		"of another major": {`say {"kind":"hello","protocol":"2.0","version":"9.9"}` + "\ndeaf",
			`The agent's process (version "9.9") speaks protocol "2.0" and this Parley speaks 1.0. Restart Parley, so that both are the same version.`, ""},
		"that talks nonsense": {"say Segmentation <fault>\ndeaf",
			"The agent's process wrote something that is not its protocol, so it was ended.", `"Segmentation <fault>"`},
		"that says nothing":     {"flood 0\ndeaf", "The agent's process was started, but did not say hello in time.", "last words"},
		"that ends at once":     {"flood 0\nexit 70", "The agent's process ended unexpectedly.", "exit status 70; stderr: last words"},
		"that closes its mouth": {"close\ndeaf", "The agent's process ended unexpectedly.", "signal: killed"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l, p := newLocal(t, c.script)
			l.limits.hello = 3 * time.Second
			_, err := l.NewSandbox(t.Context(), p)
			if err == nil {
				t.Fatal("it was taken")
			}
			e := agent.AsError(err)
			if e.Code != agent.CodeSandbox || e.Message != c.message || !strings.Contains(e.Error(), c.log) {
				t.Errorf("got %v", e)
			}
		})
	}
}

func TestGivingUpOnAStart(t *testing.T) {
	l, p := newLocal(t, "deaf")
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(50*time.Millisecond, cancel)
	if _, err := l.NewSandbox(ctx, p); agent.AsError(err).Code != agent.CodeCancelled {
		t.Errorf("got %v", err)
	}
}

func TestNewLocalRefusesAnEmptyCommand(t *testing.T) {
	if _, err := NewLocal(LocalOptions{Ledger: "x", Log: slog.Default()}); err == nil {
		t.Error("it was taken")
	}
	l, p := newLocal(t, "engine")
	l.options.Executable = filepath.Join(p.Scratch, "missing")
	if _, err := l.NewSandbox(t.Context(), p); agent.AsError(err).Code != agent.CodeSandbox {
		t.Errorf("got %v", err)
	}
}

// TestLeavingTheLoopEarly: when the loop is left the turn is over, and the runner is fit for the next one.
func TestLeavingTheLoopEarly(t *testing.T) {
	conn := connTo(t, "engine")
	for range 3 {
		for _, err := range conn.Prompt(t.Context(), say("chatter")) {
			if err != nil {
				t.Fatal(err)
			}
			break
		}
	}
	if said := listen(t.Context(), conn, say("deltas 1 1"), nil); said.text != "x" || said.err != nil {
		t.Errorf("%+v", said)
	}
}

func TestASecondPromptWhileOneRuns(t *testing.T) {
	l, p := newLocal(t, "engine")
	s := newSandbox(t, l, p)
	ctx, cancel := context.WithCancel(t.Context())
	said := listen(ctx, newConn(t, s), say("deltas 1 1", "hang"), func(e agent.Event) {
		if e == (agent.MessageDelta{Text: "x"}) {
			if second := listen(t.Context(), newConn(t, s), say(), nil); second.err == nil || second.err.Code != agent.CodeValidation {
				t.Errorf("the second ended with %+v, %v", second.finish, second.err)
			}
			cancel()
		}
	})
	if said.finish.StopReason != agent.StopCancelled || said.err != nil {
		t.Errorf("the first ended with %+v, %v", said.finish, said.err)
	}
}

func TestClosingInTheMiddle(t *testing.T) {
	for name, closing := range map[string]func(agent.Sandbox, agent.Conn){
		"the conn":    func(_ agent.Sandbox, c agent.Conn) { c.Close(); c.Close() },
		"the sandbox": func(s agent.Sandbox, _ agent.Conn) { s.Close(); s.Close() },
	} {
		t.Run(name, func(t *testing.T) {
			l, p := newLocal(t, "engine")
			s := newSandbox(t, l, p)
			c := newConn(t, s)
			said := listen(t.Context(), c, say("spawn", "deltas 1 1", "hang"), func(agent.Event) { closing(s, c) })
			if said.err == nil || said.err.Code != agent.CodeSandbox {
				t.Errorf("ended with %+v, %v", said.finish, said.err)
			}
			if said := listen(t.Context(), c, say(), nil); said.err == nil {
				t.Errorf("the next turn ended with %+v", said.finish)
			}
		})
	}
}

// TestClosingEndsEverything: a runner that is idle goes by itself, and takes along what its engine left.
func TestClosingEndsEverything(t *testing.T) {
	l, p := newLocal(t, "engine")
	s := newSandbox(t, l, p)
	if said := listen(t.Context(), newConn(t, s), say("spawn"), nil); said.err != nil {
		t.Fatal(said.err)
	}
	s.Close()
	nothingLeft(t, p.Scratch)
	if state := s.(*sandbox).State(); state != "exit status 0" {
		t.Errorf("it did not go by itself: %s", state)
	}
	<-s.Done()
}

func TestClosingARunnerThatWantsToBeAsked(t *testing.T) {
	l, p := newLocal(t, "hello\nterm\nexit 7")
	s := newSandbox(t, l, p)
	s.Close()
	if state := s.(*sandbox).State(); state != "exit status 7" {
		t.Errorf("it ended with %s", state)
	}
}

// TestClosingARunnerThatIgnoresEverything goes on to SIGKILL.
func TestClosingARunnerThatIgnoresEverything(t *testing.T) {
	l, p := newLocal(t, "spawn\nescape\norphan\nhello\ndeaf")
	s := newSandbox(t, l, p)
	s.Close()
	nothingLeft(t, p.Scratch)
}

// TestKillingARunnerThatBreeds: it is stopped before its children are counted, or the last one would escape.
func TestKillingARunnerThatBreeds(t *testing.T) {
	l, p := newLocal(t, "hello\nread\nbreed\ndelta 1\ndeaf")
	s := newSandbox(t, l, p)
	listen(t.Context(), newConn(t, s), say(), func(agent.Event) { s.(*sandbox).Kill() })
	nothingLeft(t, p.Scratch)
}

func TestTwoSandboxesAtOnce(t *testing.T) {
	l, p := newLocal(t, "engine")
	one, two := newSandbox(t, l, p), newSandbox(t, l, p)
	said := listen(t.Context(), newConn(t, one), say("deltas 1 1"), func(e agent.Event) {
		if e == (agent.MessageDelta{Text: "x"}) {
			if said := listen(t.Context(), newConn(t, two), say("deltas 1 2"), nil); said.text != "xx" || said.err != nil {
				t.Errorf("two: %+v", said)
			}
			two.Close()
		}
	})
	if said.text != "x" || said.err != nil {
		t.Errorf("one: %+v", said)
	}
}

// TestWhatARunnerInherits: three descriptors, what Go itself opens, and no variable that is not on the list.
func TestWhatARunnerInherits(t *testing.T) {
	leak, err := syscall.Open(os.DevNull, syscall.O_RDONLY, 0) // without CLOEXEC, as a C library opens files
	if err != nil {
		t.Fatal(err)
	}
	defer syscall.Close(leak)
	t.Setenv("OPENAI_API_KEY", "hunter2")
	t.Setenv("LD_PRELOAD_X", "1")
	t.Setenv("LC_TIME", "C")
	t.Setenv("HTTPS_PROXY", "http://me:hunter2@proxy")
	said := listen(t.Context(), connTo(t, "engine"), say("environ"), nil)
	if said.err != nil {
		t.Fatal(said.err)
	}
	variables, descriptors, _ := strings.Cut(said.events[0].(agent.MessageWhole).Text, "\n\n")
	for line := range strings.Lines(variables) {
		name, _, _ := strings.Cut(line, "=")
		toParley := strings.Contains(line, "=http://127.0.0.1:") || strings.HasSuffix(strings.ToUpper(name), "NO_PROXY") || name == "NODE_USE_ENV_PROXY"
		if !slices.Contains([]string{"PATH", "HOME", "LANG", "TMPDIR", "TZ", "LC_TIME"}, name) && !strings.HasPrefix(name, "LC_") && !toParley {
			t.Errorf("inherited %s", line)
		}
	}
	if !strings.Contains(variables, "LC_TIME=C") || !strings.Contains(variables, "PATH=") {
		t.Errorf("not inherited: %s", variables)
	}
	for line := range strings.Lines(descriptors) {
		fd, target, _ := strings.Cut(strings.TrimSpace(line), "=")
		ofGo := target == "" || strings.HasPrefix(target, "anon_inode:") || strings.HasPrefix(target, "/sys/fs/cgroup/")
		if n, _ := strconv.Atoi(fd); n > 2 && !ofGo {
			t.Errorf("inherited descriptor %s", line)
		}
	}
}

// TestASlowConsumerIsNotASilentRunner: only the time that is spent waiting for the runner counts.
func TestASlowConsumerIsNotASilentRunner(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		runner, said := io.Pipe()
		silent := false
		w := watched{runner, time.AfterFunc(time.Minute, func() { silent = true; said.Close() }), time.Minute}
		go func() {
			for range 2 {
				<-time.After(59 * time.Second)
				said.Write([]byte("x"))
			}
		}()
		for range 2 {
			w.Read(make([]byte, 1))
			<-time.After(time.Hour)
		}
		if silent {
			t.Error("it was taken for silent")
		}
		if _, err := w.Read(make([]byte, 1)); err != io.EOF || !silent {
			t.Errorf("it was silent, and that was not noticed: %v", err)
		}
	})
}

func TestWhatIsRefusedBeforeItIsSent(t *testing.T) {
	l, p := newLocal(t, "engine")
	s := newSandbox(t, l, p)
	if _, err := s.Open(t.Context(), agent.Launch{Backend: agent.BackendScripted, Harness: agent.KindNative}); agent.AsError(err).Code != agent.CodeValidation {
		t.Errorf("got %v", err)
	}
	if !l.Supports(agent.BackendInprocess, agent.KindNative) || l.Supports(agent.BackendInprocess, agent.KindScripted) || !l.Supports("acp", "acp:x") || l.Supports("local", "acp:x") || l.Supports("acp", "acp") {
		t.Error("Supports is not the table")
	}
}
