package app

import (
	"bufio"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/backend/agent"
	"parley/backend/api"
)

// lends is a Parley whose agent has a model, and tools that are given secrets.
type lends struct {
	*server
	model  model
	stream strings.Builder // all that was said
	turns  int
}

func newLends(t *testing.T, a api.AgentDetails, secrets map[string]string) *lends {
	t.Helper()
	p, model := newPlace(t), newModel(t)
	p.env = append(p.env, "OPENAI_BASE_URL="+model.url+"/v1", "OPENAI_API_KEY=none-of-them", "PATH="+os.Getenv("PATH")+":"+filepath.Dir(os.Args[0]))
	l := &lends{server: p.serve(), model: model}
	for slug, value := range secrets {
		l.keep(slug, value)
	}
	a.ID, a.Harness, a.Provider, a.Model, a.SystemPrompt = "lent", agent.KindNative, "openai", "scripted-1", "Be brief."
	res, err := l.do(t.Context(), http.MethodPut, "/agents/lent", a)
	if err != nil {
		t.Fatal(err)
	}
	res.Body.Close()
	return l
}

// do asks the door.
func do[T any](l *lends, method, path string, body any) T {
	l.t.Helper()
	answer, err := ask[T](l.t.Context(), l.Connection, method, path, body)
	if err != nil {
		l.t.Fatalf("%s %s: %v", method, path, err)
	}
	return answer
}

func (l *lends) keep(slug, value string) {
	l.t.Helper()
	format := "text"
	if strings.HasPrefix(value, "{") {
		format = "json"
	}
	do[api.Secret](l, http.MethodPost, "/secrets", map[string]any{"name": slug, "slug": slug, "value": value, "format": format, "global": true})
}

// tell sends a message, and gives what is said until the turn ends or waits.
func (l *lends) tell(text string) string {
	l.t.Helper()
	l.turns++
	res, err := l.do(l.t.Context(), http.MethodPost, "/messages", map[string]any{
		"id": "s", "references": map[string]string{"agent": "lent"},
		"messages": []any{map[string]any{"id": fmt.Sprint("u", l.turns), "role": "user", "parts": []any{map[string]string{"type": "text", "text": text}}}},
	})
	if err != nil {
		l.t.Fatal(err)
	}
	defer res.Body.Close()
	said, err := io.ReadAll(res.Body)
	if err != nil {
		l.t.Fatal(err)
	}
	l.stream.Write(said)
	return string(said)
}

// allow answers the one question that waits, and gives its manifest and what is said from there on.
func (l *lends) allow(approved bool, scope agent.Scope) (asked manifest, said string) {
	l.t.Helper()
	q := l.waiting()
	if err := json.Unmarshal(q.Manifest, &asked); err != nil {
		l.t.Fatal(err)
	}
	do[api.Decided](l, http.MethodPost, "/approvals/"+string(q.ID), map[string]any{"approved": approved, "scope": scope})
	return asked, l.events()
}

// events gives the session's events, up to the end of the turn that was begun last.
func (l *lends) events() string {
	l.t.Helper()
	res, err := l.do(l.t.Context(), http.MethodGet, "/sessions/s/events?from=0", nil)
	if err != nil {
		l.t.Fatal(err)
	}
	defer res.Body.Close()
	var said strings.Builder
	for lines, ended := bufio.NewReader(res.Body), 0; ended < l.turns; {
		line, err := lines.ReadString('\n')
		said.WriteString(line)
		if err != nil {
			l.t.Fatalf("the turn did not end: %v after %s", err, said.String())
		}
		if strings.Contains(line, `"stopReason":`) && !strings.Contains(line, `"stopReason":"paused"`) {
			ended++
		}
	}
	l.stream.WriteString(said.String())
	return said.String()
}

type manifest struct {
	ToolName, Preview, Rule string
	Secrets                 []string
}

// heard is all that the model was sent.
func (l *lends) heard() string {
	var all strings.Builder
	for _, r := range l.model.server.Requests() {
		all.Write(r.Body)
	}
	return all.String()
}

const showsToken = `import os, hashlib
print(os.environ["TOKEN"], hashlib.sha256(os.environ["TOKEN"].encode()).hexdigest())`

func sum(text string) string { return fmt.Sprintf("%x", sha256.Sum256([]byte(text))) }

// A tool is given the secret that it declares, once a person allows that, and nobody is told it: not the model, not the page.
func TestASecretReachesItsToolAlone(t *testing.T) {
	const value, rotated = "canary-4f0ac1d9", "canary-77e31b02"
	l := newLends(t, api.AgentDetails{
		Tools: []string{"read_file", "run_command"}, CommandEnv: map[string]string{"DEPLOY": "{{secret:login.pass}}"},
		AuthorTools: []agent.AuthorTool{{
			Kind: agent.AuthorCode, Name: "shows", Description: "Shows.", InputSchema: json.RawMessage(`{"type":"object"}`),
			Runtime: agent.RuntimePython, Code: showsToken, Secrets: map[string]string{"TOKEN": "{{secret:token}}"}, Permission: agent.Allow,
		}},
	}, map[string]string{"token": value, "login": `{"user":"ada","pass":"pass-of-ada-90"}`})

	l.tell(`[[tool:shows {}]] [[say:shown]]`)
	asked, said := l.allow(true, agent.ScopeSession)
	if asked.ToolName != "shows" || !strings.HasPrefix(asked.Rule, "shows@") || fmt.Sprint(asked.Secrets) != "[token]" {
		t.Errorf("the person was asked about %+v", asked)
	}
	if !strings.Contains(said, "[secret:token] "+sum(value)) {
		t.Errorf("the tool gave %.3000s", said)
	}

	do[api.Secret](l, http.MethodPatch, "/secrets/token?global=1", map[string]string{"value": rotated})
	if said := l.tell(`[[tool:shows {}]] [[say:again]]`); !strings.Contains(said, "[secret:token] "+sum(rotated)) {
		t.Errorf("the next call gave %s", said)
	}

	l.tell(`[[tool:run_command {"command":"/bin/sh","args":["-c","echo $DEPLOY; printenv DEPLOY > kept; cat kept | sha256sum"]}]] [[tool:read_file {"path":"kept"}]] [[say:run]]`)
	asked, said = l.allow(true, agent.ScopeOnce)
	if asked.ToolName != "run_command" || fmt.Sprint(asked.Secrets) != "[login]" || !strings.HasPrefix(asked.Rule, "run_command@") {
		t.Errorf("the person was asked about %+v", asked)
	}
	if strings.Count(said, "[secret:login]") < 2 || !strings.Contains(said, sum("pass-of-ada-90\n")) {
		t.Errorf("the command and the file gave %s", said)
	}

	all := l.stream.String() + l.load()
	for _, secret := range []string{value, rotated, "pass-of-ada-90"} {
		if strings.Contains(all, secret) || strings.Contains(l.heard(), secret) {
			t.Errorf("%s got out", secret)
		}
	}
	if !strings.Contains(l.heard(), "[secret:token] "+sum(rotated)) {
		t.Error("the model was not told the result")
	}
	uses := do[api.SecretUses](l, http.MethodGet, "/secrets/token/uses?global=1", nil)
	if len(uses.Uses) != 2 || uses.Uses[0].Tool != "shows" || uses.Uses[0].Session != "s" {
		t.Errorf("its uses are %+v", uses)
	}
}
