//go:build unix

package acp

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"

	"parley/backend/agent"
	"parley/backend/program"
)

// talk is an agent in the middle of a turn, which asks for files and terminals.
type talk struct {
	*testing.T
	dir  string
	in   *io.PipeWriter
	out  *bufio.Reader
	next int
	took chan error

	speaker *Speaker

	mu     sync.Mutex
	events []agent.Event
}

func (k *talk) Say(e agent.Event) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.events = append(k.events, e)
}

func (k *talk) Approve(agent.ToolCall, agent.Action, string) program.Answer {
	return program.Answer{Allowed: true}
}

func (k *talk) Input(string, string, []string) program.Answer { return program.Answer{} }

func newTalk(t *testing.T) *talk {
	fromAgent, in := io.Pipe()
	out, toAgent := io.Pipe()
	k := &talk{T: t, dir: t.TempDir(), in: in, out: bufio.NewReader(out), took: make(chan error, 1), speaker: New().(*Speaker)}
	line := program.NewLine(fromAgent, toAgent, func(err error) *agent.Error {
		return agent.Wrap(agent.CodeSandbox, err, "The program is gone.")
	})
	t.Cleanup(func() { in.Close(); out.Close(); line.Close() })
	go func() {
		s := k.speaker
		_, err := s.Open(line, program.Opening{Launch: agent.Launch{Program: &agent.Program{Command: "agent"}}, Policy: agent.Policy{Scratch: k.dir}, Dir: k.dir})
		if err == nil {
			err = s.Settle(line)
		}
		if err == nil {
			_, err = s.Take(line, &program.Turn{Text: "Go.", Host: k})
		}
		k.took <- err
	}()
	for _, result := range []string{`{"protocolVersion":1}`, `{"sessionId":"s1"}`, `{}`} {
		k.write(`{"id":%s,"result":%s}`, k.read().ID, result)
	}
	k.read() // the prompt
	return k
}

func (k *talk) write(format string, args ...any) {
	k.Helper()
	if _, err := fmt.Fprintf(k.in, format+"\n", args...); err != nil {
		k.Fatal(err)
	}
}

func (k *talk) read() (m message) {
	k.Helper()
	line, err := k.out.ReadBytes('\n')
	if err != nil {
		k.Fatal(err)
	}
	if err := json.Unmarshal(line, &m); err != nil {
		k.Fatalf("%s: %v", line, err)
	}
	return m
}

// ask asks for something, and gives the answer or why there is none.
func (k *talk) ask(method string, params map[string]any) string {
	k.Helper()
	k.next++
	b, err := json.Marshal(params)
	if err != nil {
		k.Fatal(err)
	}
	k.write(`{"id":"a%d","method":%q,"params":%s}`, k.next, method, b)
	m := k.read()
	if m.Error != nil {
		return m.Error.Error()
	}
	return string(m.Result)
}

// end ends the turn.
func (k *talk) end() {
	k.Helper()
	k.write(`{"id":4,"result":{"stopReason":"end_turn"}}`)
	if err := <-k.took; err != nil {
		k.Error(err)
	}
}

func TestFilesAreServedBelowTheFolder(t *testing.T) {
	k := newTalk(t)
	outside := t.TempDir()
	secret := filepath.Join(outside, "secret")
	if err := os.WriteFile(secret, []byte("secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(outside, filepath.Join(k.dir, "link")); err != nil {
		t.Fatal(err)
	}
	in := func(path string) string { return filepath.Join(k.dir, path) }
	for _, c := range []struct {
		method string
		params map[string]any
		want   string
	}{
		{"write", map[string]any{"path": in("sub/a.txt"), "content": "one\ntwo\nthree\n"}, `{}`},
		{"read", map[string]any{"path": in("sub/a.txt")}, `{"content":"one\ntwo\nthree\n"}`},
		{"read", map[string]any{"path": in("sub/a.txt"), "line": 2}, `{"content":"two\nthree\n"}`},
		{"read", map[string]any{"path": in("sub/a.txt"), "line": 2, "limit": 1}, `{"content":"two\n"}`},
		{"read", map[string]any{"path": in("sub/a.txt"), "line": 9, "limit": 1}, `{"content":""}`},
		{"read", map[string]any{"path": in("none")}, `-32002 Resource not found`},
		{"read", map[string]any{"path": in("sub")}, `is a directory`},
		{"write", map[string]any{"path": in("sub"), "content": "x"}, `is a directory`},
		{"read", map[string]any{"path": secret}, `is outside`},
		{"read", map[string]any{"path": in("../secret")}, `is outside`},
		{"read", map[string]any{"path": "sub/a.txt"}, `is no absolute path`},
		{"read", map[string]any{"path": in(".env")}, `is protected`},
		{"write", map[string]any{"path": in(".git/config"), "content": "x"}, `is protected`},
		{"read", map[string]any{"path": in("link/secret")}, `is outside`},
		{"write", map[string]any{"path": in("link/new"), "content": "x"}, `is outside`},
		{"write", map[string]any{"path": in("link/secret"), "content": "x"}, `is outside`},
	} {
		if got := k.ask("fs/"+c.method+"_text_file", c.params); !strings.Contains(got, c.want) {
			t.Errorf("%s %v gave %s", c.method, c.params, got)
		}
	}
	if b, err := os.ReadFile(secret); err != nil || string(b) != "secret" {
		t.Errorf("what is outside has changed: %q, %v", b, err)
	}
	k.end()
}

// TestWhatIsWrittenCanBeTakenBack: what a file held before, and what it holds now, is told.
func TestWhatIsWrittenCanBeTakenBack(t *testing.T) {
	k := newTalk(t)
	path := filepath.Join(k.dir, "a.txt")
	for _, content := range []string{"one\n", "two\n"} {
		k.ask("fs/write_text_file", map[string]any{"path": path, "content": content})
	}
	k.end()
	want := []agent.Event{
		agent.FileWritten{Path: path, After: []byte("one\n"), Created: true},
		agent.FileWritten{Path: path, Before: []byte("one\n"), After: []byte("two\n")},
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if len(k.events) < 2 || !reflect.DeepEqual(k.events[:2], want) {
		t.Errorf("it is told %+v", k.events)
	}
}

func TestTerminals(t *testing.T) {
	t.Setenv("PARLEY_SECRET", "s3cret")
	k := newTalk(t)
	create := func(script string, more ...any) string {
		params := map[string]any{"command": "/bin/sh", "args": []string{"-c", script}}
		for i := 0; i < len(more); i += 2 {
			params[more[i].(string)] = more[i+1]
		}
		return k.ask("terminal/create", params)
	}
	id := func(n int) map[string]any { return map[string]any{"terminalId": fmt.Sprintf("terminal-%d", n)} }
	for _, c := range []struct{ got, want string }{
		{create("echo one; echo two >&2; echo $MORE $PARLEY_SECRET; pwd; exit 3", "env", []any{map[string]string{"name": "MORE", "value": "more"}}), `{"terminalId":"terminal-1"}`},
		{k.ask("terminal/wait_for_exit", id(1)), `{"exitCode":3,"signal":null}`},
		{k.ask("terminal/output", id(1)), `{"output":"one\ntwo\nmore\n` + k.dir + `\n","truncated":false,"exitStatus":{"exitCode":3,"signal":null}}`},
		{create("printf 0123456789", "outputByteLimit", 4), `terminal-2`},
		{k.ask("terminal/wait_for_exit", id(2)), `"exitCode":0`},
		{k.ask("terminal/output", id(2)), `{"output":"6789","truncated":true,`},
		{create("sleep 600 & sleep 600"), `terminal-3`},
		{k.ask("terminal/output", id(3)), `{"output":"","truncated":false}`},
		{k.ask("terminal/kill", id(3)), `{}`},
		{k.ask("terminal/wait_for_exit", id(3)), `{"exitCode":null,"signal":"signal: killed"}`},
		{k.ask("terminal/release", id(3)), `{}`},
		{k.ask("terminal/output", id(3)), `no such terminal`},
		{create("pwd", "cwd", filepath.Dir(k.dir)), `is outside`},
		{create("pwd", "cwd", filepath.Join(k.dir, "none")), `Resource not found`},
		{k.ask("terminal/create", map[string]any{"command": "no-such-command-here"}), `-32`},
		{create("echo $$ > pid; echo ready; sleep 600"), `terminal-4`},
	} {
		if !strings.Contains(c.got, c.want) {
			t.Errorf("got %s, want %s", c.got, c.want)
		}
	}
	for !strings.Contains(k.ask("terminal/output", id(4)), "ready") {
	}
	k.end() // with a command that runs
	b, err := os.ReadFile(filepath.Join(k.dir, "pid"))
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(b)))
	if err != nil {
		t.Fatal(err)
	}
	if left, err := os.FindProcess(pid); err == nil && left.Signal(syscall.Signal(0)) == nil {
		t.Error("a command is left behind by its turn")
	}
}

// A call shows what its terminal shows, while it runs and afterwards.
func TestATerminalIsShownWithItsCall(t *testing.T) {
	k := newTalk(t)
	k.ask("terminal/create", map[string]any{"command": "/bin/sh", "args": []string{"-c", "echo hello"}})
	k.ask("terminal/wait_for_exit", map[string]any{"terminalId": "terminal-1"})
	call := `{"method":"session/update","params":{"sessionId":"s1","update":{"sessionUpdate":"tool_call_update","toolCallId":"c1",%s}}}`
	k.write(call, `"title":"bash","status":"in_progress","rawInput":{"command":"echo hello"},"content":[{"type":"terminal","terminalId":"terminal-1"}]`)
	k.ask("terminal/release", map[string]any{"terminalId": "terminal-1"})
	k.write(call, `"status":"completed"`)
	k.end()
	want := []agent.Event{
		agent.ToolCall{ID: "c1", Name: "bash", Input: json.RawMessage(`{"command":"echo hello"}`)},
		agent.ToolProgress{ID: "c1", Output: "hello\n"},
		agent.ToolResult{ID: "c1", Name: "bash", Output: "hello\n"},
	}
	if got, want := fmt.Sprintf("%+v", k.events), fmt.Sprintf("%+v", want); got != want {
		t.Errorf("said %s, want %s", got, want)
	}
}

// Most agents tell their commands only after they have begun.
func TestWhatIsOfferedIsAsItWasToldLast(t *testing.T) {
	k := newTalk(t)
	k.write(`{"method":"session/update","params":{"sessionId":"s1","update":{"sessionUpdate":"available_commands_update","availableCommands":[{"name":"init","description":"begin"}]}}}`)
	k.write(`{"method":"session/update","params":{"sessionId":"s1","update":{"sessionUpdate":"config_option_update","configOptions":[{"id":"fast","name":"Fast","type":"boolean","currentValue":true}]}}}`)
	k.end()
	options, commands := k.speaker.Offered()
	if got := fmt.Sprint(options, commands); got != "[{fast Fast  true [{true On } {false Off }]}] [{init begin}]" {
		t.Error(got)
	}
}
