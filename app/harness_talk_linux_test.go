//go:build harnesses

package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"parley/backend/agent"
	"parley/backend/api"
	"parley/backend/session"
)

// longest is how long a harness may take for one thing.
const longest = 2 * time.Minute

type object = map[string]any

// talk is a session with a harness. The first thing that goes wrong stays: what follows does nothing.
type talk struct {
	*server
	trial  *trial
	id     string
	policy agent.PermissionPolicy
	tools  []string // of Parley's
	sent   int
	events []session.Event // of the turn that was sent last
	next   int64           // the number of the event that comes
	err    error
}

func (tr *trial) talk() *talk {
	tr.talks++
	tr.since = len(tr.model.Requests())
	k := &talk{server: tr.server, trial: tr, id: fmt.Sprintf("s%d", tr.talks), policy: agent.PermissionAsk, tools: []string{"read_file", "write_file"}}
	if tr.cannot[asksFirst] != "" {
		k.policy = agent.PermissionAuto
	}
	if tr.cannot[ownTool] != "" {
		k.tools = []string{}
	}
	return k
}

// send says something, with these parts besides.
func (k *talk) send(text string, parts ...object) {
	k.sent++
	body := object{
		"session_id": k.id,
		"queue":      true,
		"references": object{"agent": k.trial.agent},
		"data": object{
			"messages":   []object{{"id": fmt.Sprintf("u%d", k.sent), "role": "user", "parts": append([]object{{"type": "text", "text": text}}, parts...)}},
			"parameters": object{"agent": object{"permissions": k.policy, "tools": k.tools}},
		},
	}
	k.do(http.MethodPost, "/messages", body)
}

// do asks the door for something whose answer is not needed.
func (k *talk) do(method, path string, body any) {
	if k.err != nil {
		return
	}
	res, err := k.server.do(k.trial.t.Context(), method, path, body)
	if err != nil {
		k.err = err
		return
	}
	k.err = res.Body.Close()
}

// until follows what happens, until something does.
func (k *talk) until(what string, happens func(session.Event) bool) error {
	if k.err != nil {
		return k.err
	}
	ctx, cancel := context.WithTimeout(k.trial.t.Context(), longest)
	defer cancel()
	res, err := k.server.do(ctx, http.MethodGet, fmt.Sprintf("/sessions/%s/events?from=%d", k.id, k.next), nil)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	for lines := json.NewDecoder(res.Body); ; {
		var e session.Event
		if err := lines.Decode(&e); err != nil {
			return fmt.Errorf("waiting for %s: %w; it said %q", what, err, k.text())
		}
		if e.Type == "session:turn_started" {
			k.events = nil
		}
		k.events, k.next = append(k.events, e), e.SequenceNumber+1
		switch {
		case happens(e):
			return nil
		case e.Type == "session:turn_completed":
			return k.ended(e, "waiting for "+what)
		}
	}
}

// ended says how a turn ended that was to end otherwise.
func (k *talk) ended(last session.Event, doing string) error {
	if last.Error != nil {
		return fmt.Errorf("%s: %s: %s", doing, last.Error.Code, last.Error.Message)
	}
	return fmt.Errorf("%s: the turn ended with %q; it said %q", doing, last.StopReason, k.text())
}

// ends waits until the turn does, with this stop reason.
func (k *talk) ends(reason string) error {
	return k.until("the end with "+reason, func(e session.Event) bool {
		return e.Type == "session:turn_completed" && e.StopReason == reason
	})
}

// decides waits until the harness asks, and answers.
func (k *talk) decides(d api.Decision) error {
	if err := k.ends("paused"); err != nil {
		return err
	}
	k.answer(d)
	return k.err
}

// answer answers the question of this session.
func (k *talk) answer(d api.Decision) {
	if k.err != nil {
		return
	}
	inbox, err := ask[api.Inbox](k.trial.t.Context(), k.Connection, http.MethodGet, "/approvals", nil)
	if k.err = err; err != nil {
		return
	}
	for _, q := range inbox.Approvals {
		if string(q.SessionID) == k.id {
			k.do(http.MethodPost, "/approvals/"+string(q.ID), d)
			return
		}
	}
	k.err = errors.New("nothing waits for an answer")
}

// stops stops the turn that runs.
func (k *talk) stops() error {
	begun := time.Now()
	k.do(http.MethodPost, "/messages/"+k.id+"/stop", nil)
	if err := k.ends("aborted"); err != nil {
		return err
	}
	if took := time.Since(begun); took > 10*time.Second {
		return fmt.Errorf("it took %v to stop", took)
	}
	return nil
}

// goesOn takes another turn, as if nothing had happened.
func (k *talk) goesOn() error {
	k.trial.since = len(k.trial.model.Requests())
	k.send("[[say:on we go]]")
	if err := k.ends("stop"); err != nil {
		return fmt.Errorf("the next turn: %w", err)
	}
	if said := k.text(); said != "on we go" {
		return fmt.Errorf("the next turn says %q", said)
	}
	return nil
}

// text is what the turn said.
func (k *talk) text() (said string) {
	for _, e := range k.events {
		said += e.Token
	}
	return strings.TrimSpace(said)
}

func (k *talk) count(kind string) (n int) {
	for _, e := range k.events {
		if e.Type == kind {
			n++
		}
	}
	return n
}

// succeeded says whether the one call of the turn was shown, and its result as a good one.
func (k *talk) succeeded() error {
	results, good := 0, true
	for _, e := range k.events {
		if e.Type == "agent:tool_result" {
			results++
			good = good && *e.Success
		}
	}
	if results != 1 || !good {
		return fmt.Errorf("%d calls, %d results, all of them good: %v", k.count("agent:tool_call"), results, good)
	}
	return nil
}

// knows says whether the harness was told, in one of these ways, what was said before. Parley's own loop always is.
func (k *talk) knows(ways ...string) error {
	var told struct{ How string }
	for _, e := range k.events {
		if e.Type == "agent:data" && e.Name == "harness" {
			if err := json.Unmarshal(e.Data, &told); err != nil {
				return err
			}
		}
	}
	if k.trial.shell != "" && !slices.Contains(ways, told.How) {
		return fmt.Errorf("it is said to know what was said before as %q, not %q", told.How, ways)
	}
	return nil
}

// folder is where the session's tools work.
func (k *talk) folder() string { return filepath.Join(k.home, "scratch", "default", k.id) }

func (k *talk) file(name string) string { return filepath.Join(k.folder(), name) }

// heard reports whether the model was told something since the last message was sent.
func (tr *trial) heard(what string) bool {
	for _, r := range tr.model.Requests()[tr.since:] {
		if strings.Contains(string(r.Body), what) {
			return true
		}
	}
	return false
}

// within waits for what happens by itself.
func within(what string, happens func() bool) error {
	for deadline := time.After(10 * time.Second); !happens(); {
		select {
		case <-deadline:
			return errors.New("waited in vain for " + what)
		case <-time.After(10 * time.Millisecond):
		}
	}
	return nil
}

// proc is a process that runs.
type proc struct{ pid int }

func (p proc) file(name string) string { return fmt.Sprintf("/proc/%d/%s", p.pid, name) }

func (p proc) has(part string) bool {
	b, err := os.ReadFile(p.file("cmdline"))
	return err == nil && strings.Contains(string(b), part)
}

func (p proc) kill() { _ = syscall.Kill(p.pid, syscall.SIGKILL) } // it may have ended by itself

func (p proc) String() string {
	b, _ := os.ReadFile(p.file("cmdline"))
	return strings.TrimSpace(strings.ReplaceAll(string(b), "\x00", " "))
}

// aRunner is in the arguments of Parley's own.
const aRunner = "\x00runner\x00"

// processes gives those that work in a folder, or below it, or know of it by their arguments or environment, and have
// these arguments.
func processes(folder, args string) (list []proc) {
	folders, _ := filepath.Glob("/proc/[0-9]*") // the pattern is a good one
	for _, dir := range folders {
		pid, _ := strconv.Atoi(filepath.Base(dir))
		p := proc{pid}
		environ, _ := os.ReadFile(p.file("environ")) // what cannot be read is not ours
		cwd, _ := os.Readlink(p.file("cwd"))
		if (strings.HasPrefix(cwd, folder) || p.has(folder) || strings.Contains(string(environ), folder)) && p.has(args) {
			list = append(list, p)
		}
	}
	return list
}

// tree gives the content of every file below a folder, by its path there.
func tree(folder string) map[string][]byte {
	files := map[string][]byte{}
	_ = filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			name, _ := filepath.Rel(folder, path)
			files[name], _ = os.ReadFile(path) // it may be gone by now
		}
		return nil
	})
	return files
}
