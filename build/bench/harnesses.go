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

// outsiders are the programs of others, and the provider that each is given.
var outsiders = []struct{ agent, provider string }{
	{"pi", "openai"}, {"claude", "anthropic"}, {"claude-agent-acp", "anthropic"}, {"codex-acp", "openai"}, {"opencode", "openai"},
	{"kimi", "openai"}, {"qwen", "openai"}, {"gemini", "google"}, {"pi-acp", "openai"},
}

const (
	askings = 20 // turns of one delta
	bursts  = 5  // turns of many
	burst   = 2000
)

// harnesses measures what Parley adds to the time that programs of others take, each warm and in a Parley of its own, beside
// opencode's own server. All are asked in turn, against one model server.
func (b *bench) harnesses() error {
	model := httptest.NewServer(modelserver.New(modelserver.Options{Foreign: true}))
	defer model.Close()
	var playing []*outsider
	defer func() {
		for _, o := range playing {
			o.close()
		}
	}()
	for _, known := range outsiders {
		program, ok := b.find(known.agent)
		if !ok {
			row(known.agent, "not measured: not installed; make test-harnesses installs it")
			continue
		}
		o, err := b.outsider(known.agent, known.provider, program, model.URL)
		if err != nil {
			return fmt.Errorf("%s: %w", known.agent, err)
		}
		playing = append(playing, o)
	}
	if program, ok := b.find("opencode"); ok {
		o, err := b.opencode(program, model.URL)
		if err != nil {
			return fmt.Errorf("opencode's own server: %w", err)
		}
		playing = append(playing, o)
	}
	for range 2 { // the first turns start the program and warm it
		for _, o := range playing {
			o.play(1, nil)
		}
	}
	for range askings {
		for _, o := range playing {
			o.play(1, func(s stream) {
				o.first = append(o.first, s.first)
				if o.notes != "" {
					o.compare(s)
				}
			})
		}
	}
	for range bursts {
		for _, o := range playing {
			o.play(burst, func(s stream) { o.whole = append(o.whole, s.whole) })
		}
	}
	var failed error
	for _, o := range playing {
		o.print()
		if o.err != nil {
			failed = errors.Join(failed, fmt.Errorf("%s: %w", o.name, o.err))
		}
	}
	return failed
}

// find looks for a program where those of others are installed.
func (b *bench) find(name string) (string, bool) {
	for _, folder := range filepath.SplitList(b.programs) {
		path := filepath.Join(folder, name)
		if found, err := exec.LookPath(path); err == nil {
			return found, true
		}
	}
	return "", false
}

// outsider is a program of others that is measured: by way of Parley, or by itself. The first thing that goes wrong stays.
type outsider struct {
	name  string
	say   func(text string) (stream, error)
	close func() error
	pid   int
	notes string // of its relay; empty if Parley is not in between
	err   error

	first, whole       sample
	own, added, before sample // of the first delta: the program's time, and Parley's; of that, before the program was asked
}

// outsider starts a Parley over a program, with a relay in between.
func (b *bench) outsider(name, provider, program, model string) (*outsider, error) {
	home := b.home()
	relays := filepath.Join(home, "relays")
	if err := os.MkdirAll(relays, 0o700); err != nil {
		return nil, err
	}
	notes, err := place(relays, name, program)
	if err != nil {
		return nil, err
	}
	d, _, err := b.serve(filepath.Join(home, "data"),
		"PATH="+strings.Join([]string{relays, b.programs, os.Getenv("PATH")}, string(os.PathListSeparator)), "HOME="+home,
		"OPENAI_BASE_URL="+model+"/v1", "ANTHROPIC_BASE_URL="+model, "GOOGLE_BASE_URL="+model,
		"OPENAI_API_KEY=key", "ANTHROPIC_API_KEY=key", "GOOGLE_API_KEY=key")
	if err != nil {
		return nil, err
	}
	n := 0
	say := func(text string) (stream, error) {
		n++
		return d.ask(name, provider, fmt.Sprint("u", n), text)
	}
	return &outsider{name: name, say: say, close: d.close, pid: d.PID, notes: notes}, nil
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

// play takes a turn of so many deltas, and gives it to take. Nothing may be lost, nothing may change its place.
func (o *outsider) play(deltas int, take func(stream)) {
	if o.err != nil {
		return
	}
	s, err := o.say(fmt.Sprintf("[[deltas:%d]]", deltas))
	want := numbered(deltas)
	switch said := strings.TrimSpace(string(s.text)); {
	case err != nil:
		o.err = err
	case s.failure != "":
		o.err = errors.New(s.failure)
	case said != want:
		o.err = fmt.Errorf("of %d deltas %d bytes came, not %d: %.100q", deltas, len(said), len(want), said)
	case take != nil:
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

// compare takes the program's own time from Parley's.
func (o *outsider) compare(s stream) {
	n, err := readNote(o.notes)
	if err != nil {
		o.err = fmt.Errorf("its relay noted nothing: %w", err)
		return
	}
	own := n.told.Sub(n.asked)
	o.own = append(o.own, own)
	o.added = append(o.added, s.first-own)
	o.before = append(o.before, n.asked.Sub(s.begun))
}

func (o *outsider) print() {
	if len(o.first) < askings || len(o.whole) < bursts {
		row(o.name, "failed")
		return
	}
	if o.notes == "" {
		row(o.name+": first token", "%s median, %s p95", ms(o.first.median()), ms(o.first.at(0.95)))
		row(o.name+": 2,000 deltas at once", "%s median, none lost; %d MB", ms(o.whole.median()), memory(o.pid)>>10)
		return
	}
	row(o.name+": first token, its own and added by Parley", "%s; %s median (%s before it), %s p95", ms(o.own.median()), ms(o.added.median()), ms(o.before.median()), ms(o.added.at(0.95)))
	row(o.name+": 2,000 deltas at once", "%s median, none lost; app and runner %d MB", ms(o.whole.median()), ownMemory(o.pid)>>10)
}
