package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// opencode starts opencode's own server, which a page of its own would talk to, with the same model.
func (b *bench) opencode(program, model string) (*outsider, error) {
	home := b.home()
	if err := os.MkdirAll(home, 0o700); err != nil {
		return nil, err
	}
	type object = map[string]any
	config, err := json.Marshal(object{
		"enabled_providers": []string{"bench"}, "model": "bench/scripted-1", "small_model": "bench/scripted-1",
		"provider": object{"bench": object{
			"npm": "@ai-sdk/openai-compatible", "options": object{"apiKey": "key", "baseURL": model + "/v1"},
			"models": object{"scripted-1": object{"name": "scripted-1", "tool_call": true}},
		}},
	})
	if err != nil {
		return nil, err
	}
	configured := filepath.Join(home, "opencode.json")
	if err := os.WriteFile(configured, config, 0o600); err != nil {
		return nil, err
	}
	cmd := exec.Command(program, "serve", "--port", "0")
	cmd.Dir = home
	cmd.Env = append(os.Environ(), "PATH="+b.programs+string(os.PathListSeparator)+os.Getenv("PATH"), "HOME="+home, "OPENCODE_CONFIG="+configured,
		"XDG_CONFIG_HOME="+home+"/config", "XDG_DATA_HOME="+home+"/data", "XDG_STATE_HOME="+home+"/state", "XDG_CACHE_HOME="+home+"/cache",
		"OPENCODE_DISABLE_AUTOUPDATE=1", "OPENCODE_DISABLE_DEFAULT_PLUGINS=1", "OPENCODE_DISABLE_LSP_DOWNLOAD=1",
		"OPENCODE_DISABLE_MODELS_FETCH=1", "OPENCODE_DISABLE_SHARE=1")
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	end := func() error {
		cmd.Process.Kill()
		return cmd.Wait()
	}
	p := &peerOpencode{}
	if err := p.connect(out); err != nil {
		return nil, errors.Join(err, end())
	}
	go io.Copy(io.Discard, out)
	return &outsider{name: "opencode's own server", say: p.say, close: end, pid: cmd.Process.Pid}, nil
}

// peerOpencode is a session of opencode's server.
type peerOpencode struct {
	url, session string
	events       *bufio.Reader
}

// connect waits for the server to say where it is, begins a session and listens.
func (p *peerOpencode) connect(out io.Reader) error {
	lines := bufio.NewScanner(out)
	for p.url == "" && lines.Scan() {
		if _, at, ok := strings.Cut(lines.Text(), "listening on "); ok {
			p.url = strings.TrimSpace(at)
		}
	}
	if p.url == "" {
		return errors.New("it did not say where it listens")
	}
	events, err := http.Get(p.url + "/event")
	if err != nil {
		return err
	}
	p.events = bufio.NewReaderSize(events.Body, 1<<20)
	res, err := http.Post(p.url+"/session", "application/json", strings.NewReader("{}"))
	if err != nil {
		return err
	}
	defer res.Body.Close()
	var begun struct{ ID string }
	if err := json.NewDecoder(res.Body).Decode(&begun); err != nil {
		return err
	}
	p.session = begun.ID
	return nil
}

// say takes a turn. The server shows what happens in one stream, to all who listen.
func (p *peerOpencode) say(text string) (stream, error) {
	body, err := json.Marshal(map[string]any{"parts": []any{map[string]string{"type": "text", "text": text}}})
	if err != nil {
		return stream{}, err
	}
	s := stream{begun: time.Now()}
	res, err := http.Post(p.url+"/session/"+p.session+"/prompt_async", "application/json", bytes.NewReader(body))
	if err != nil {
		return s, err
	}
	res.Body.Close()
	if res.StatusCode >= http.StatusBadRequest {
		return s, errors.New(res.Status)
	}
	for {
		line, err := p.events.ReadBytes('\n')
		if err != nil {
			return s, fmt.Errorf("its events: %w", err)
		}
		var event struct {
			Type       string
			Properties struct{ Field, Delta string }
		}
		data, ok := bytes.CutPrefix(line, []byte("data: "))
		if !ok || json.Unmarshal(data, &event) != nil {
			continue
		}
		switch event.Type {
		case "message.part.delta":
			if len(s.text) == 0 {
				s.first = time.Since(s.begun)
			}
			s.text = append(s.text, event.Properties.Delta...)
		case "session.error":
			s.failure = string(data)
		case "session.idle":
			s.whole, s.done = time.Since(s.begun), true
			return s, nil
		}
	}
}
