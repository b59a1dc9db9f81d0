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
	cmd.Env = append(os.Environ(), "PATH="+b.path(), "HOME="+home, "OPENCODE_CONFIG="+configured,
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
		cmd.Wait()
		return nil
	}
	p := &opencodeSession{}
	if err := p.begin(out); err != nil {
		end()
		return nil, err
	}
	go io.Copy(io.Discard, out)
	return &outsider{name: "opencode's own server", say: p.say, close: end, pid: cmd.Process.Pid}, nil
}

// opencodeSession is a session of that server.
type opencodeSession struct {
	url, session string
	events       *bufio.Reader
}

// begin waits for the server to say where it is, begins a session and listens.
func (p *opencodeSession) begin(out io.Reader) error {
	lines := bufio.NewScanner(out)
	for p.url == "" && lines.Scan() {
		if _, at, ok := strings.Cut(lines.Text(), "listening on "); ok {
			p.url = strings.TrimSpace(at)
		}
	}
	if p.url == "" {
		return errors.New("it did not say where it listens")
	}
	if err := p.wait(); err != nil {
		return err
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

// wait asks until there is an answer: what is asked in the moment that the port opens may never have one.
func (p *opencodeSession) wait() (err error) {
	patient := http.Client{Timeout: 3 * time.Second}
	for range 10 {
		var res *http.Response
		if res, err = patient.Get(p.url + "/session"); err == nil {
			return res.Body.Close()
		}
	}
	return err
}

// say takes a turn. The server shows what happens in one stream, to all who listen.
func (p *opencodeSession) say(text string) (stream, error) {
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
