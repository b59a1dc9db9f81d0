package app

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

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

func newLent(t *testing.T) *lends {
	t.Helper()
	p, model := newPlace(t), newModel(t)
	p.env = append(p.env, "OPENAI_BASE_URL="+model.url+"/v1", "OPENAI_API_KEY=none-of-them", "PATH="+os.Getenv("PATH")+":"+filepath.Dir(os.Args[0]))
	return &lends{server: p.serve(), model: model}
}

func newLends(t *testing.T, a api.AgentDetails, secrets map[string]string) *lends {
	t.Helper()
	l := newLent(t)
	for slug, value := range secrets {
		l.keep(slug, value)
	}
	a.Harness, a.Provider, a.Model, a.SystemPrompt = agent.KindNative, "openai", "scripted-1", "Be brief."
	l.make(a)
	return l
}

// make makes the agent.
func (l *lends) make(a api.AgentDetails) {
	l.t.Helper()
	a.ID = "lent"
	res, err := l.do(l.t.Context(), http.MethodPut, "/agents/lent", a)
	if err != nil {
		l.t.Fatal(err)
	}
	res.Body.Close()
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

// An MCP server is given its secrets by env and headers, in a sandbox of its own, after a person was asked and before anybody is
// prompted; without them the turn does without it, and says so.
func TestAServerIsGivenItsSecrets(t *testing.T) {
	const inEnv, inHeader, rotated = "canary-env-3b1", "canary-header-a9c", "canary-env-again-77"
	far := mcp.NewServer(&mcp.Implementation{Name: "far", Version: "1"}, nil)
	mcp.AddTool(far, &mcp.Tool{Name: "whoami"}, func(_ context.Context, r *mcp.CallToolRequest, _ struct{}) (*mcp.CallToolResult, any, error) {
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "you sent " + r.Extra.Header.Get("Authorization")}}}, nil, nil
	})
	listening := httptest.NewServer(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return far }, nil))
	defer listening.Close()

	l := newLends(t, api.AgentDetails{MCPServers: []string{"notes", "far", "poor", "crashes"}, Permissions: api.AgentPermissions{Mode: agent.ModeAuto}},
		map[string]string{"notes-token": inEnv, "far": `{"user":"ada","token":"` + inHeader + `"}`})
	for id, config := range map[string]map[string]any{
		"notes":   {"transport": "stdio", "command": filepath.Base(os.Args[0]), "env": map[string]string{envNotes: "1", "NOTES_TOKEN": "{{secret:notes-token}}"}},
		"far":     {"transport": "http", "url": listening.URL, "headers": map[string]string{"Authorization": "Bearer {{secret:far.token}}"}},
		"crashes": {"transport": "stdio", "command": filepath.Base(os.Args[0]), "env": map[string]string{envNotes: "crashes", "TOKEN": "{{secret:notes-token}}"}},
		"poor":    {"transport": "http", "url": listening.URL, "headers": map[string]string{"X-Key": "{{secret:nobody-has-it}}"}},
	} {
		config["id"] = id
		do[api.Server](l, http.MethodPut, "/mcp/servers/"+id, config)
	}

	l.tell(`[[tool:mcp_notes_add {"text":"token"}]] [[tool:mcp_far_whoami {}]] [[say:called]]`)
	if n := len(l.model.server.Requests()); n != 0 {
		t.Errorf("the model was asked %d times before the person was", n)
	}
	inbox := do[api.Inbox](l, http.MethodGet, "/approvals", nil)
	for _, q := range inbox.Approvals {
		var asked manifest
		if err := json.Unmarshal(q.Manifest, &asked); err != nil || !strings.HasPrefix(asked.Rule, asked.ToolName+"@") || len(asked.Secrets) != 1 {
			t.Errorf("the person was asked %s (%v)", q.Manifest, err)
		}
		do[api.Decided](l, http.MethodPost, "/approvals/"+string(q.ID), map[string]any{"approved": true, "scope": agent.ScopeSession})
	}
	if len(inbox.Approvals) != 4 {
		t.Errorf("the person was asked %d things", len(inbox.Approvals))
	}
	said := l.events()
	for _, want := range []string{"noted [secret:notes-token] " + sum(inEnv), "you sent Bearer [secret:far]", "nobody-has-it", "its program ended"} {
		if !strings.Contains(said, want) {
			t.Errorf("there is no %q in %.4000s", want, said)
		}
	}
	if heard := l.heard(); strings.Contains(heard, "grant_") || !strings.Contains(heard, "you sent Bearer [secret:far]") {
		t.Error("the model was told of the question, or not of the result")
	}

	do[api.Secret](l, http.MethodPatch, "/secrets/notes-token?global=1", map[string]string{"value": rotated})
	if said := l.tell(`[[tool:mcp_notes_add {"text":"token"}]] [[say:again]]`); !strings.Contains(said, "noted [secret:notes-token] "+sum(rotated)) {
		t.Errorf("the next call gave %.4000s", said)
	}
	l.tell(`[[tool:mcp_notes_add {"text":"plain"}]] [[say:noted]]`) // after a call it is reported what was written by then
	var wrote string
	for _, server := range do[api.ServerList](l, http.MethodGet, "/mcp/servers", nil).Servers {
		wrote += server.Log
	}
	if !strings.Contains(wrote, "my token is [secret:notes-token]") || strings.Contains(wrote, rotated) {
		t.Errorf("the servers wrote %s", wrote)
	}
	if tried := do[api.Server](l, http.MethodPost, "/mcp/servers/notes/start", nil); len(tried.Tools) != 1 || tried.State == "failed" {
		t.Errorf("it was tried with %+v", tried)
	}
	for _, secret := range []string{inEnv, inHeader, rotated} {
		if all := l.stream.String() + l.load() + l.heard(); strings.Contains(all, secret) {
			t.Errorf("%s got out", secret)
		}
	}
	l.kill()
	gone(t, "the runners and servers", func() bool { return len(l.runners()) > 0 })
}

// A message that refers to a secret is sent nowhere.
func TestAMessageDoesNotReferToASecret(t *testing.T) {
	l := newLends(t, api.AgentDetails{}, map[string]string{"token": "canary-in-a-message"})
	_, err := l.do(t.Context(), http.MethodPost, "/messages", map[string]any{
		"id": "s", "references": map[string]string{"agent": "lent"},
		"messages": []any{map[string]any{"id": "u1", "role": "user", "parts": []any{map[string]string{"type": "text", "text": "Use {{secret:token}}"}}}},
	})
	if err == nil || !strings.Contains(err.Error(), "refers to a secret") || len(l.model.server.Requests()) != 0 {
		t.Errorf("%v", err)
	}
}
