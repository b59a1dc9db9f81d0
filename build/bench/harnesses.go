package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"parley/backend/modelserver"
)

// programs are those of others, as Parley calls the agents that they are, and the provider that each is given.
var programs = []struct{ name, provider string }{
	{"pi", "openai"}, {"claude", "anthropic"}, {"claude-agent-acp", "anthropic"}, {"codex-acp", "openai"}, {"opencode", "openai"},
	{"kimi", "openai"}, {"qwen", "openai"}, {"gemini", "google"}, {"pi-acp", "openai"},
}

const (
	askings = 20 // turns of one delta
	bursts  = 5  // turns of many
	burst   = 2000

	// Programs go on for a moment after their turn, and would be measured with the next one's. A person reads meanwhile.
	pause = 300 * time.Millisecond
)

// harnesses measures what Parley adds to the time that programs of others take, each warm and in a Parley of its own, beside
// opencode's own server. All are asked in turn, against one model server.
func (b *bench) harnesses() (failed error) {
	model := httptest.NewServer(modelserver.New(modelserver.Options{Foreign: true}))
	defer model.Close()
	var measured []*outsider
	defer func() {
		for _, o := range measured {
			failed = errors.Join(failed, o.close())
		}
	}()
	for _, p := range programs {
		path, ok := b.find(p.name)
		if !ok {
			continue
		}
		o, err := b.throughParley(p.name, p.provider, path, model.URL)
		if err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
		measured = append(measured, o)
		if p.name == "opencode" {
			if o, err = b.opencode(path, model.URL); err != nil {
				return fmt.Errorf("opencode's own server: %w", err)
			}
			measured = append(measured, o)
		}
	}
	if len(measured) == 0 {
		row("programs of others", "not measured: none is installed; make test-harnesses installs them")
		return nil
	}
	for range 2 { // the first turns start the program and warm it
		for _, o := range measured {
			o.play(1, func(stream) {})
		}
	}
	for range askings {
		for _, o := range measured {
			o.play(1, o.noteFirst)
		}
	}
	for range bursts {
		for _, o := range measured {
			o.play(burst, o.noteBurst)
		}
	}
	for _, o := range measured {
		o.print()
		if o.err != nil {
			failed = errors.Join(failed, fmt.Errorf("%s: %w", o.name, o.err))
		}
	}
	return failed
}

// find looks for a program where those of others are installed.
func (b *bench) find(name string) (path string, ok bool) {
	for _, folder := range filepath.SplitList(b.programs) {
		if path, err := exec.LookPath(filepath.Join(folder, name)); err == nil {
			return path, true
		}
	}
	return "", false
}

// outsider is a program of others that is measured. The first thing that goes wrong with it stays.
type outsider struct {
	name  string
	pid   int // of what is between the program and the client, or of the program
	say   func(text string) (stream, error)
	close func() error
	notes string // of its relay; empty if Parley is not in between
	err   error

	first, own, before, added   sample // of one delta: in all, the program's time, Parley's before the program was asked, and all of Parley's
	whole, ownWhole, addedWhole sample // of many
}

// throughParley starts a Parley over a program, with a relay in between.
func (b *bench) throughParley(name, provider, program, model string) (*outsider, error) {
	home := b.home()
	relays := filepath.Join(home, "relays")
	if err := os.MkdirAll(relays, 0o700); err != nil {
		return nil, err
	}
	if err := place(relays, name, program); err != nil {
		return nil, err
	}
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	data := filepath.Join(home, "data")
	d, _, err := b.serve(data, "HOME="+home, "PATH="+b.path(relays, filepath.Dir(self)), // from which agents may run programs
		"OPENAI_BASE_URL="+model+"/v1", "ANTHROPIC_BASE_URL="+model, "GOOGLE_BASE_URL="+model,
		"OPENAI_API_KEY=key", "ANTHROPIC_API_KEY=key", "GOOGLE_API_KEY=key")
	if err != nil {
		return nil, err
	}
	turns := 0
	say := func(text string) (stream, error) {
		turns++
		return d.ask(name, provider, fmt.Sprint("u", turns), text)
	}
	return &outsider{name: name, pid: d.PID, say: say, close: d.close, notes: filepath.Join(data, "scratch", "default", "s", notesFile)}, nil
}

// path is the PATH with the programs of others before all else, but for these folders.
func (b *bench) path(folders ...string) string {
	return strings.Join(append(folders, b.programs, os.Getenv("PATH")), string(os.PathListSeparator))
}

// ask sends a message to an agent, and reads the answer.
func (d *door) ask(agent, provider, id, text string) (stream, error) {
	type object = map[string]any
	body, err := json.Marshal(object{
		"session_id": "s", "references": object{"agent": agent},
		"data": object{
			"messages":   []object{{"id": id, "role": "user", "parts": []object{{"type": "text", "text": text}}}},
			"parameters": object{"agent": object{"provider": provider, "model": "scripted-1", "login": "key"}},
		},
	})
	if err != nil {
		return stream{}, err
	}
	begun := time.Now()
	res, err := d.request(http.MethodPost, "/messages", string(body), nil)
	if err != nil {
		return stream{}, err
	}
	return read(res.Body, begun)
}

// play takes a turn of so many deltas. Nothing of it may be lost or change its place.
func (o *outsider) play(deltas int, take func(stream)) {
	if o.err != nil {
		return
	}
	time.Sleep(pause)
	s, err := o.say(fmt.Sprintf("[[deltas:%d]]", deltas))
	said, want := strings.TrimSpace(string(s.text)), numbered(deltas)
	switch {
	case err != nil:
		o.err = err
	case s.failure != "":
		o.err = errors.New(s.failure)
	case said != want:
		o.err = fmt.Errorf("of %d deltas %d bytes came, not %d, or in another order", deltas, len(said), len(want))
	default:
		take(s)
	}
}

// numbered is the text of so many deltas, as the model server says it.
func numbered(deltas int) string {
	var b strings.Builder
	for i := range deltas {
		fmt.Fprintf(&b, "w%07d xxxxxxxxxx ", i)
	}
	return strings.TrimSpace(b.String())
}

func (o *outsider) noteFirst(s stream) {
	o.first = append(o.first, s.first)
	if n, ok := o.note(s); ok {
		own := n.first.Sub(n.asked)
		o.own = append(o.own, own)
		o.before = append(o.before, n.asked.Sub(s.begun))
		o.added = append(o.added, s.first-own)
	}
}

func (o *outsider) noteBurst(s stream) {
	o.whole = append(o.whole, s.whole)
	if n, ok := o.note(s); ok {
		own := n.last.Sub(n.asked)
		o.ownWhole = append(o.ownWhole, own)
		o.addedWhole = append(o.addedWhole, s.whole-own)
	}
}

// note is what the relay noted of a turn, if there is one.
func (o *outsider) note(s stream) (n note, ok bool) {
	if o.notes == "" {
		return n, false
	}
	n, err := readNote(o.notes)
	if err != nil || n.asked.Before(s.begun) {
		o.err = fmt.Errorf("its relay noted nothing of a turn (%v)", err)
	}
	return n, o.err == nil
}

func (o *outsider) print() {
	switch {
	case o.err != nil:
		row(o.name, "failed")
	case o.notes == "":
		row(o.name+": first token", "%s median, %s p95", ms(o.first.median()), ms(o.first.at(0.95)))
		row(o.name+": 2,000 deltas at once", "%s median, none lost, %d MB", ms(o.whole.median()), memory(o.pid)>>10)
	default:
		row(o.name+": first token, added by Parley", "%s median, %s p95 (%s before it is asked; its own is %s)",
			ms(o.added.median()), ms(o.added.at(0.95)), ms(o.before.median()), ms(o.own.median()))
		row(o.name+": 2,000 deltas at once, added by Parley", "%s median, none lost (its own is %s), app and runner %d MB",
			ms(o.addedWhole.median()), ms(o.ownWhole.median()), ownMemory(o.pid)>>10)
	}
}
