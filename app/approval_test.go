package app

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/backend/api"
	"parley/backend/modelserver"
)

const addsLine = `[[tool:write_file {"path":"a.txt","content":"x\n","append":true}]] [[say:added it]]`

// asked sends something that the careful demo agent asks about, and gives the question once the response has ended.
func (s *server) asked(text string) api.Question {
	s.t.Helper()
	body := map[string]any{"id": "s", "references": map[string]string{"agent": "demo-careful"}, "messages": []any{map[string]any{
		"id": "u1", "role": "user", "parts": []any{map[string]string{"type": "text", "text": text}},
	}}}
	res, err := s.do(s.t.Context(), http.MethodPost, "/messages", body)
	if err != nil {
		s.t.Fatal(err)
	}
	defer res.Body.Close()
	stream, err := io.ReadAll(res.Body)
	if err != nil || !strings.Contains(string(stream), `"finishReason":"tool-calls"`) || !strings.HasSuffix(string(stream), "data: [DONE]\n\n") {
		s.t.Fatalf("%s (%v)", stream, err)
	}
	return s.waiting()
}

// waiting gives the one thing that waits for a person.
func (s *server) waiting() api.Question {
	s.t.Helper()
	inbox, err := ask[api.Inbox](s.t.Context(), s.Connection, http.MethodGet, "/approvals", nil)
	if err != nil || len(inbox.Approvals) != 1 {
		s.t.Fatalf("%+v waits (%v)", inbox, err)
	}
	return inbox.Approvals[0]
}

// §6 restarting the app in the middle loses neither the question nor the answer: asked, killed, restarted, answered, run once.
func TestAnApprovalOutlivesTheApp(t *testing.T) {
	p := newPlace(t)
	s := p.serve()
	asked := s.asked(addsLine)
	s.kill()

	s = p.serve()
	if again := s.waiting(); again.ID != asked.ID || !strings.Contains(string(again.Manifest), "a.txt") {
		t.Fatalf("after the restart %+v waits, not %+v", again, asked)
	}
	file := filepath.Join(p.home, "scratch", "default", "s", "a.txt")
	if _, err := os.Stat(file); err == nil {
		t.Fatal("the tool ran before anybody allowed it")
	}
	for range 2 { // the first answer may have been lost on the way back
		decided, err := ask[api.Decided](t.Context(), s.Connection, http.MethodPost, "/approvals/"+string(asked.ID), map[string]bool{"approved": true})
		if err != nil || !decided.Resumed {
			t.Fatalf("%+v, %v", decided, err)
		}
	}
	res, err := s.do(t.Context(), http.MethodGet, "/sessions/s/events?from=0", nil)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	readUntil(t, res.Body, `"stopReason":"stop"`)
	s.kill()

	s = p.serve()
	if content, err := os.ReadFile(file); string(content) != "x\n" {
		t.Errorf("the file holds %q (%v)", content, err)
	}
	if loaded := s.load(); !strings.Contains(loaded, "added it") || strings.Count(loaded, `"state":"output-available"`) != 1 {
		t.Errorf("loaded %s", loaded)
	}
}

func TestTheCommandLineWaitsForAnAnswer(t *testing.T) {
	p := newPlace(t)
	_, notes, code := p.run("chat", "-m", addsLine, "--agent", "demo-careful", "--session", "s")
	if code != exitWaits || !strings.Contains(notes, "parley chat --session s") {
		t.Fatalf("exit %d: %s", code, notes)
	}
	if _, notes, code = p.run("chat", "-m", "meanwhile", "--session", "s"); code != exitFailed || !strings.Contains(notes, "wait") {
		t.Errorf("another message: exit %d: %s", code, notes)
	}
}

// §6 a deny can carry a note: what the person says reaches the model, over both of its wires.
func TestTheModelReadsWhyItWasDenied(t *testing.T) {
	for _, provider := range []string{"openai", "anthropic"} {
		t.Run(provider, func(t *testing.T) {
			p, model := newPlace(t), newModel(t)
			p.env = append(p.env, "PARLEY_MODEL="+provider+"/scripted-1", fmt.Sprintf("%s_BASE_URL=%s/v1", strings.ToUpper(provider), model.url))
			s := p.serve()
			read := s.say("u1", `[[tool:write_file {"path":"a.txt","content":"x"}]] [[say:as you wish]]`)
			readUntil(t, read, "tool-approval-request")
			io.Copy(io.Discard, read)
			id := s.waiting().ID
			if _, err := ask[api.Decided](t.Context(), s.Connection, http.MethodPost, "/approvals/"+string(id), map[string]any{"approved": false, "note": "not on a Sunday"}); err != nil {
				t.Fatal(err)
			}
			res, err := s.do(t.Context(), http.MethodGet, "/sessions/s/events?from=0", nil)
			if err != nil {
				t.Fatal(err)
			}
			defer res.Body.Close()
			readUntil(t, res.Body, `"stopReason":"stop"`)
			requests := model.server.Requests()
			if last := requests[len(requests)-1]; !json.Valid(last.Body) || !strings.Contains(string(last.Body), "not on a Sunday") {
				t.Errorf("the model received %s", last.Body)
			}
		})
	}
}

// model is a scripted model server.
type model struct {
	server *modelserver.Server
	url    string
}

func newModel(t *testing.T) model {
	t.Helper()
	server := modelserver.New(modelserver.Options{})
	listening := httptest.NewServer(server)
	t.Cleanup(listening.Close)
	return model{server, listening.URL}
}
