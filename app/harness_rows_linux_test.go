//go:build harnesses

package app

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"parley/backend/agent"
	"parley/backend/api"
	"parley/backend/session"
)

// The rows whose reasons are said where the harnesses are.
const (
	asksFirst  = "tool allowed"
	denied     = "tool denied with a note"
	stopInTool = "stop in a tool"
	steered    = "steered message"
	ownTool    = "Parley's own tool"
	image      = "image"
	oneShape   = "one shape"
)

// rows are what every harness is asked to do, in this order. Each begins a session of its own; the last is about all of
// them.
var rows = []struct {
	name string
	play func(*trial) error
}{
	{"new session", begins},
	{"200 deltas", streams},
	{asksFirst, allows},
	{denied, denies},
	{"stop in the stream", stopsTheStream},
	{stopInTool, stopsATool},
	{"queued message", queues},
	{steered, steers},
	{"kill -9", dies},
	{"restart of Parley", restarts},
	{ownTool, usesOurs},
	{image, sees},
	{oneShape, shape},
	{"leaves nothing behind", leavesNothing},
}

func begins(tr *trial) error {
	k := tr.talk()
	k.send("[[say:hello there]]")
	if err := k.ends("stop"); err != nil {
		return err
	}
	if said := k.text(); said != "hello there" {
		return fmt.Errorf("it said %q", said)
	}
	return k.knows("new")
}

func streams(tr *trial) error {
	k := tr.talk()
	k.send("[[think:5]] [[deltas:200]] [[gap:2ms]]")
	if err := k.ends("stop"); err != nil {
		return err
	}
	var want strings.Builder
	for i := range 200 {
		fmt.Fprintf(&want, "w%07d xxxxxxxxxx ", i)
	}
	if said := k.text(); said != strings.TrimSpace(want.String()) {
		return fmt.Errorf("it said %q", said)
	}
	if tokens, thoughts := k.count("agent:token"), k.count("agent:reasoning"); tokens < 20 || thoughts == 0 {
		return fmt.Errorf("200 deltas came as %d, its thoughts as %d", tokens, thoughts)
	}
	return nil
}

const content = "made by the agent"

func allows(tr *trial) error {
	k := tr.talk()
	k.policy = agent.PermissionAsk
	k.send(tr.changes("made.txt") + " [[say:it is there]]")
	if err := k.ends("paused"); err != nil {
		return err
	}
	if _, err := os.Stat(k.file("made.txt")); err == nil {
		return errors.New("the tool ran before anybody allowed it")
	}
	k.answer(api.Decision{Approved: new(true)})
	if err := k.ends("stop"); err != nil {
		return err
	}
	made, err := os.ReadFile(k.file("made.txt"))
	if err != nil || strings.TrimSpace(string(made)) != content {
		return fmt.Errorf("the file holds %q (%v)", made, err)
	}
	return k.succeeded()
}

func denies(tr *trial) error {
	const note = "not on a Sunday"
	k := tr.talk()
	k.policy = agent.PermissionAsk
	k.send(tr.changes("denied.txt") + " [[say:as you wish]]")
	if err := k.decides(api.Decision{Approved: new(false), Note: note}); err != nil {
		return err
	}
	if err := k.ends("stop"); err != nil {
		return err
	}
	if _, err := os.Stat(k.file("denied.txt")); err == nil {
		return errors.New("the tool ran although it was denied")
	}
	if k.succeeded() == nil {
		return errors.New("the call is shown as one that succeeded")
	}
	if !tr.heard(note) {
		return errors.New("its model does not hear why")
	}
	return nil
}

func stopsTheStream(tr *trial) error {
	k := tr.talk()
	k.send("[[deltas:100000]] [[gap:5ms]]")
	if err := k.until("a first word", func(e session.Event) bool { return e.Type == "agent:token" }); err != nil {
		return err
	}
	if err := k.stops(); err != nil {
		return err
	}
	return k.goesOn()
}

func stopsATool(tr *trial) error {
	k := tr.talk()
	k.send(tr.runs("touch begun.txt; sleep 4711") + " [[say:never]]") // what changes nothing may run without asking
	if k.policy == agent.PermissionAsk {
		if err := k.decides(api.Decision{Approved: new(true)}); err != nil {
			return err
		}
	}
	asleep := func() bool { return len(processes(k.folder(), "sleep\x004711")) > 0 }
	if err := within("the tool to run", asleep); err != nil {
		return err
	}
	if err := k.stops(); err != nil {
		return err
	}
	if err := within("the tool to end", func() bool { return !asleep() }); err != nil {
		return err
	}
	return k.goesOn()
}

func queues(tr *trial) error {
	k := tr.talk()
	k.send("[[deltas:100]] [[gap:10ms]]")
	if err := k.until("a first word", func(e session.Event) bool { return e.Type == "agent:token" }); err != nil {
		return err
	}
	k.send("[[say:and the second]]")
	if err := k.ends("stop"); err != nil {
		return err
	}
	if err := k.ends("stop"); err != nil {
		return fmt.Errorf("the message that waited: %w", err)
	}
	if said := k.text(); said != "and the second" {
		return fmt.Errorf("it said %q", said)
	}
	return nil
}

// steers says something in the middle of a turn, which goes on with it.
func steers(tr *trial) error {
	const second = "[[say:and the second]]"
	k := tr.talk()
	k.send("[[deltas:100]] [[gap:10ms]]")
	if err := k.until("a first word", func(e session.Event) bool { return e.Type == "agent:token" }); err != nil {
		return err
	}
	k.send(second)
	k.do(http.MethodPost, "/messages/"+k.id+"/send-now", nil)
	if err := k.until("the message to be heard", func(e session.Event) bool { return e.Type == "agent:directive_injected" }); err != nil {
		return err
	}
	if err := k.ends("stop"); err != nil {
		return err
	}
	if said := k.text(); !strings.HasPrefix(said, "w0000000 ") || !strings.HasSuffix(said, "and the second") {
		return fmt.Errorf("it said %q", said)
	}
	if !tr.heard(second) {
		return errors.New("its model does not hear it")
	}
	return nil
}

func dies(tr *trial) error {
	k := tr.talk()
	k.send("My number is 471147. [[deltas:100000]] [[gap:5ms]]")
	if err := k.until("a first word", func(e session.Event) bool { return e.Type == "agent:token" }); err != nil {
		return err
	}
	for _, p := range processes(k.folder(), "") {
		if p.has(aRunner) == (tr.shell == "") { // Parley's own loop is in the runner itself
			p.kill()
		}
	}
	if err := k.ends("error"); err != nil {
		return err
	}
	if err := k.goesOn(); err != nil {
		return err
	}
	if !tr.heard("471147") || !tr.heard("w0000000") {
		return errors.New("its model does not hear what was said before")
	}
	return k.knows("resumed", "retold")
}

func restarts(tr *trial) error {
	k := tr.talk()
	k.send("My colour is aquamarine. [[say:a fine colour it is]]")
	if err := k.ends("stop"); err != nil {
		return err
	}
	tr.restart()
	k.server = tr.server
	if err := k.goesOn(); err != nil {
		return err
	}
	if !tr.heard("aquamarine") || !tr.heard("a fine colour it is") {
		return errors.New("its model does not hear what was said before")
	}
	return k.knows("resumed", "retold")
}

func usesOurs(tr *trial) error {
	k := tr.talk()
	k.tools = []string{"write_file"}
	k.send(fmt.Sprintf(`[[tool:%swrite_file {"path":"ours.txt","content":%q}]] [[say:written]]`, tr.ours, content))
	if err := k.decides(api.Decision{Approved: new(true)}); err != nil {
		return err
	}
	if err := k.ends("stop"); err != nil {
		return err
	}
	made, err := os.ReadFile(k.file("ours.txt"))
	if err != nil || string(made) != content {
		return fmt.Errorf("the file holds %q (%v)", made, err)
	}
	for _, e := range k.events {
		if e.Type == "agent:tool_call" && e.ToolID != "write_file" {
			return fmt.Errorf("the call is shown as one of %q", e.ToolID)
		}
	}
	return k.succeeded()
}

// red is a picture of a red square.
const red = "iVBORw0KGgoAAAANSUhEUgAAAAgAAAAICAIAAABLbSncAAAAEklEQVR4nGP4z8CAFWEXHbQSACj/P8Fu7N9hAAAAAElFTkSuQmCC"

func sees(tr *trial) error {
	k := tr.talk()
	k.send("What is this? [[say:a red square]]", object{"type": "file", "mediaType": "image/png", "url": "data:image/png;base64," + red})
	if err := k.ends("stop"); err != nil {
		return err
	}
	if !tr.heard(red) {
		return errors.New("its model does not see it")
	}
	return nil
}

// shape looks at what the message of one conversation is made of: the same in every harness.
func shape(tr *trial) error {
	k := tr.talk()
	k.tools = []string{"write_file"}
	k.send(fmt.Sprintf(`[[think:3]] [[tool:%swrite_file {"path":"shape.txt","content":"x"}]] [[say:two words]]`, tr.ours))
	if err := k.decides(api.Decision{Approved: new(true)}); err != nil {
		return err
	}
	if err := k.ends("stop"); err != nil {
		return err
	}
	loaded, err := ask[api.LoadedSession](tr.t.Context(), k.Connection, http.MethodPost, "/load-session", map[string]string{"session_id": k.id})
	if err != nil {
		return err
	}
	var message struct {
		Parts []struct{ Type, State string }
	}
	if err := json.Unmarshal(loaded.Messages[len(loaded.Messages)-1], &message); err != nil {
		return err
	}
	var got []string
	for _, p := range message.Parts {
		if p.Type != "data-harness" {
			got = append(got, strings.TrimSpace(p.Type+" "+p.State))
		}
	}
	if !slices.Equal(got, wholeMessage) {
		return fmt.Errorf("it is %q", got)
	}
	return nil
}

// wholeMessage is what a message is made of in which the agent thinks, calls one tool, and answers.
var wholeMessage = []string{"step-start", "reasoning done", "tool-write_file output-available", "data-approval", "step-start", "text done"}

// wanted is what the harnesses were asked to make.
var wanted = []string{"made.txt", "begun.txt", "ours.txt", "shape.txt"}

// leavesNothing looks at what the rows before have left, before and after the end of Parley.
func leavesNothing(tr *trial) error {
	for _, p := range processes(tr.root(), "") {
		environ, err := os.ReadFile(p.file("environ"))
		if err != nil || p.pid == tr.server.cmd.Process.Pid {
			continue
		}
		for provider, key := range keys {
			if strings.Contains(string(environ), key) && (provider != tr.provider || p.has(aRunner)) {
				return fmt.Errorf("%s has the key of %s in its environment", p, provider)
			}
		}
	}
	tr.server.cmd.Process.Signal(os.Interrupt)
	tr.server.cmd.Wait()
	if err := within("its processes to end", func() bool { return len(processes(tr.root(), "")) == 0 }); err != nil {
		return fmt.Errorf("%w: %v", err, processes(tr.root(), ""))
	}
	for file := range tree(tr.user) {
		if file != "passphrase" {
			return fmt.Errorf("%s is new in the person's home", file)
		}
	}
	for file, content := range tree(tr.home) {
		if name := filepath.Base(file); strings.HasPrefix(file, "scratch"+string(filepath.Separator)) && !slices.Contains(wanted, name) {
			return fmt.Errorf("%s is new in the working folder", file)
		}
		for _, secret := range []string{"aquamarine", keys[tr.provider]} { // what was said, see restarts, and the key
			if strings.Contains(string(content), secret) {
				return fmt.Errorf("%s holds %q", file, secret)
			}
		}
	}
	return nil
}
