package acp

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"parley/backend/agent"
	"parley/backend/process"
)

// terminals are the commands of a turn and what they write, by the ids under which the agent knows them: those that run
// here for it, and those that it only tells of.
type terminals struct {
	mu   sync.Mutex
	byID map[string]*terminal
	made int
	now  func() time.Time
}

// terminal is a command.
type terminal struct {
	call    string // that it belongs to; empty as long as that is not known
	output  []byte // the end of it
	limit   int    // how long that may be
	cut     bool   // there was more before
	shownAt time.Time
	process *process.Process // nil for one that the agent only tells of
	done    chan struct{}    // closed once it has ended and all was read; nil as process
}

const (
	maxOutput  = 1 << 20                // of a terminal, in bytes, whatever the agent asks for
	maxScreen  = 32 << 10               // of it, as it is shown
	frameEvery = 100 * time.Millisecond // it is shown at most
)

// get gives the terminal of an id, and makes one for those that the agent tells of. The lock is held.
func (ts *terminals) get(id string) *terminal {
	if ts.byID == nil {
		ts.byID = map[string]*terminal{}
	}
	t := ts.byID[id]
	if t == nil {
		t = &terminal{limit: maxScreen}
		ts.byID[id] = t
	}
	return t
}

// show adds output to a terminal; all is what it has shown so far.
func (ts *terminals) show(id string, output []byte, all bool) {
	if id == "" {
		return
	}
	ts.mu.Lock()
	defer ts.mu.Unlock()
	t := ts.get(id)
	if all {
		t.output = nil
	}
	t.add(output)
}

// add adds output. What is let go ends between two characters.
func (t *terminal) add(output []byte) {
	t.output = append(t.output, output...)
	if more := len(t.output) - t.limit; more > 0 {
		for more < len(t.output) && !utf8.RuneStart(t.output[more]) {
			more++
		}
		t.output, t.cut = slices.Delete(t.output, 0, more), true
	}
}

// text is the end of what a terminal shows.
func (ts *terminals) text(id string) string {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	t := ts.byID[id]
	if t == nil {
		return ""
	}
	return strings.ToValidUTF8(string(t.output[max(0, len(t.output)-maxScreen):]), "\uFFFD")
}

// adopt notes which terminals a call shows.
func (ts *terminals) adopt(call string, shown json.RawMessage) {
	if !bytes.Contains(shown, []byte(`"terminalId"`)) {
		return
	}
	all := pieces(shown)
	ts.mu.Lock()
	defer ts.mu.Unlock()
	for _, p := range all {
		if p.Terminal != "" {
			ts.get(p.Terminal).call = call
		}
	}
}

// due reports whether a terminal is to be shown again, and for which call.
func (ts *terminals) due(id string) (call string, ok bool) {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	t := ts.byID[id]
	if t == nil || t.call == "" || len(t.output) == 0 || ts.now().Sub(t.shownAt) < frameEvery {
		return "", false
	}
	t.shownAt = ts.now()
	return t.call, true
}

// progress shows what a terminal shows. It may be called from any goroutine.
func (t *turn) progress(id string) {
	if call, ok := t.terminals.due(id); ok {
		t.host.Say(agent.ToolProgress{ID: call, Output: t.terminals.text(id)})
	}
}

// end ends all commands, and forgets them.
func (ts *terminals) end() {
	ts.mu.Lock()
	all := ts.byID
	ts.byID = nil
	ts.mu.Unlock()
	for _, t := range all {
		t.end()
	}
}

func (t *terminal) end() {
	if t.process != nil {
		t.process.Kill()
		<-t.done
	}
}

type createRequest struct {
	Command string   `json:"command"`
	Args    []string `json:"args"`
	Env     []struct {
		Name  string `json:"name"`
		Value string `json:"value"`
	} `json:"env"`
	Dir   string `json:"cwd"`
	Limit *int   `json:"outputByteLimit"`
}

// createTerminal starts a command in the session's folder, in a scrubbed environment.
func (s *Speaker) createTerminal(r createRequest) (any, *problem) {
	if !s.listening() {
		return nil, &problem{Code: codeFailed, Message: "There are terminals only in a turn"}
	}
	dir := s.dir
	if r.Dir != "" {
		root, place, p := s.within(r.Dir)
		if p != nil {
			return nil, p
		}
		_, err := root.Stat(place)
		root.Close()
		if err != nil {
			return nil, refusal(err)
		}
		dir = r.Dir
	}
	c := process.Command{Path: r.Command, Args: r.Args, Dir: dir, Env: process.Inherited(), Joined: true}
	for _, e := range r.Env {
		c.Env = append(c.Env, e.Name+"="+e.Value)
	}
	started, err := process.Start(c, "")
	if err != nil {
		return nil, refusal(err)
	}
	t := &terminal{limit: maxOutput, process: started, done: make(chan struct{})}
	if r.Limit != nil {
		t.limit = min(max(*r.Limit, 0), maxOutput)
	}
	started.Stdin.Close()
	s.terminals.mu.Lock()
	s.terminals.made++
	id := "terminal-" + strconv.Itoa(s.terminals.made)
	s.terminals.get(id)
	s.terminals.byID[id] = t
	s.terminals.mu.Unlock()
	go s.turn.watch(id, t)
	return struct {
		ID string `json:"terminalId"`
	}{id}, nil
}

// watch reads what a command writes until it has ended.
func (t *turn) watch(id string, of *terminal) {
	defer close(of.done)
	defer of.process.Stdout.Close()
	b := make([]byte, 16<<10)
	for {
		n, err := of.process.Stdout.Read(b)
		t.terminals.mu.Lock()
		of.add(b[:n])
		t.terminals.mu.Unlock()
		t.progress(id)
		if err != nil {
			break
		}
	}
	<-of.process.Exited
}

type terminalRequest struct {
	ID string `json:"terminalId"`
}

// running gives a terminal that the agent has created.
func (s *Speaker) running(r terminalRequest) (*terminal, *problem) {
	s.terminals.mu.Lock()
	defer s.terminals.mu.Unlock()
	t := s.terminals.byID[r.ID]
	if t == nil || t.process == nil {
		return nil, &problem{Code: codeMissing, Message: "Resource not found: no such terminal"}
	}
	return t, nil
}

// exit is how a command ended.
type exit struct {
	Code   *int    `json:"exitCode"`
	Signal *string `json:"signal"`
}

// exit is nil while the command runs.
func (t *terminal) exit() *exit {
	select {
	case <-t.done:
	default:
		return nil
	}
	code, signal := t.process.Outcome()
	if signal != "" {
		return &exit{Signal: &signal}
	}
	return &exit{Code: &code}
}

func (s *Speaker) terminalOutput(r terminalRequest) (any, *problem) {
	t, p := s.running(r)
	if p != nil {
		return nil, p
	}
	ended := t.exit() // before the output is looked at, which is whole then
	s.terminals.mu.Lock()
	defer s.terminals.mu.Unlock()
	return struct {
		Output    string `json:"output"`
		Truncated bool   `json:"truncated"`
		Exit      *exit  `json:"exitStatus,omitempty"`
	}{strings.ToValidUTF8(string(t.output), "\uFFFD"), t.cut, ended}, nil
}

// waitForExit answers once the command has ended, and does not hold up what comes until then.
func (s *Speaker) waitForExit(m message) error {
	var r terminalRequest
	if err := json.Unmarshal(m.Params, &r); err != nil {
		return s.reply(m.ID, nil, &problem{Code: codeParams, Message: err.Error()})
	}
	t, p := s.running(r)
	if p != nil {
		return s.reply(m.ID, nil, p)
	}
	go func() {
		<-t.done
		_ = s.reply(m.ID, t.exit(), nil) // an agent that is gone is noticed by who reads
	}()
	return nil
}

func (s *Speaker) killTerminal(r terminalRequest) (any, *problem) {
	t, p := s.running(r)
	if p != nil {
		return nil, p
	}
	t.end()
	return struct{}{}, nil
}

// releaseTerminal ends a command. What it has written stays to be shown with its call.
func (s *Speaker) releaseTerminal(r terminalRequest) (any, *problem) {
	t, p := s.running(r)
	if p != nil {
		return nil, p
	}
	t.end()
	s.terminals.mu.Lock()
	defer s.terminals.mu.Unlock()
	kept := &terminal{call: t.call, limit: maxScreen}
	kept.add(t.output)
	s.terminals.byID[r.ID] = kept
	return struct{}{}, nil
}
