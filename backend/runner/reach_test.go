//go:build linux

package runner

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"parley/backend/agent"
	"parley/backend/mcp"
	"parley/backend/tool"
)

// TestWhichHostsATurnLetsItsAgentReach: those that its calls may reach without being asked about, and that of a call which the
// person allowed.
func TestWhichHostsATurnLetsItsAgentReach(t *testing.T) {
	call := agent.ToolCallPart{ID: "c1", Name: "http_request", Args: []byte(`{"method":"GET","url":"https://once.example/path"}`)}
	asked := agent.Prompt{Messages: []agent.Message{{Role: agent.RoleAssistant, Parts: []agent.Part{call}}}}
	approved := asked
	approved.Approved = []string{"c1"}
	for name, c := range map[string]struct {
		policy agent.PermissionPolicy
		rules  []agent.Rule
		prompt agent.Prompt
		engine agent.BackendName
		host   string
		want   bool
	}{
		"a call that waits":        {policy: agent.PermissionAsk, prompt: asked, host: "once.example"},
		"a call that was allowed":  {policy: agent.PermissionAsk, prompt: approved, host: "once.example", want: true},
		"a call in a side":         {policy: agent.PermissionAsk, prompt: approved, engine: agent.BackendCalls, host: "once.example"},
		"another host beside it":   {policy: agent.PermissionAsk, prompt: approved, host: "twice.example"},
		"for the session":          {policy: agent.PermissionAsk, prompt: agent.Prompt{Allowed: []string{"http_request(https://host.example/*)"}}, host: "host.example", want: true},
		"another, for the session": {policy: agent.PermissionAsk, prompt: agent.Prompt{Allowed: []string{"http_request(https://host.example/*)"}}, host: "host.example.evil"},
		"who may do all":           {policy: agent.PermissionAuto, host: "host.example", want: true},
		"but for a rule": {policy: agent.PermissionAuto, host: "host.example",
			rules: []agent.Rule{{Pattern: "http_request(https://host.example*)", Permission: agent.Deny}}},
		"who may do nothing":  {policy: agent.PermissionDeny, host: "host.example"},
		"where all is denied": {policy: agent.PermissionAuto, rules: []agent.Rule{{Pattern: "egress", Permission: agent.Deny}}, host: "host.example"},
	} {
		launch := agent.Launch{PermissionPolicy: c.policy, Rules: agent.Rules{Rules: c.rules}}
		x := &exchange{prompt: c.prompt, conn: &conn{launch: agent.Launch{Backend: c.engine}, permits: launch.Permits()}}
		if got := x.lets(c.host); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// TestWhatALaunchNamesIsReached: by whoever is in its sandbox, and nothing beside it.
func TestWhatALaunchNamesIsReached(t *testing.T) {
	tells := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, secret) })
	plain, other := httptest.NewServer(tells), httptest.NewServer(tells)
	secure, otherSecure := httptest.NewTLSServer(tells), httptest.NewTLSServer(tells)
	for _, s := range []*httptest.Server{plain, other, secure, otherSecure} {
		defer s.Close()
	}
	launch := scriptedLaunch
	for i, address := range []string{plain.URL + "/mcp", secure.URL, "https://10.0.0.1/mcp"} {
		launch.Servers = append(launch.Servers, agent.MCPServer{ID: fmt.Sprint(i), Transport: agent.TransportHTTP, URL: address})
	}
	l, policy := newLocal(t, "engine")
	conn := newConn(t, newSandbox(t, l, policy.For(launch)))
	_, port, _ := strings.Cut(plain.Listener.Addr().String(), ":")
	for _, c := range []struct {
		name, address string
		reached       bool
	}{
		{"by http on this machine", plain.URL, true},
		{"by https on this machine", secure.URL, true},
		{"another port", other.URL, false},
		{"another port by https", otherSecure.URL, false},
		{"another name of the machine", "http://localhost:" + port, false},
		{"another address of the machine", "http://127.0.0.2:" + port, false},
		{"another host", "https://elsewhere.example", false},
		{"another host by http", "http://elsewhere.example", false},
		{"what is named and on a private network", "https://10.0.0.1/mcp", false},
	} {
		said := listen(t.Context(), conn, say("attack web\t"+c.address), nil)
		if said.err != nil {
			t.Fatal(said.err)
		}
		if text := said.events[0].(agent.MessageWhole).Text; (text == "done\n") != c.reached {
			t.Errorf("%s: %s", c.name, text)
		}
	}
}

// TestAServerByHTTPIsUsed: from a confined runner, by the only way out, in one turn and in the next.
func TestAServerByHTTPIsUsed(t *testing.T) {
	called := func(_ context.Context, name string, input json.RawMessage) agent.ToolResult {
		return agent.ToolResult{Output: "heard " + string(input)}
	}
	definition := tool.Definition{Name: "hear", Schema: json.RawMessage(`{"type":"object"}`)}
	far, err := mcp.Serve("127.0.0.1:0", []tool.Definition{definition}, called)
	if err != nil {
		t.Fatal(err)
	}
	defer far.Close()
	launch := scriptedLaunch
	launch.PermissionPolicy = agent.PermissionAuto
	launch.Servers = []agent.MCPServer{{ID: "far", Transport: agent.TransportHTTP, URL: far.URL, Headers: map[string]string{"Authorization": "Bearer " + far.Token}}}
	l, policy := newLocal(t, "runner")
	conn, err := newSandbox(t, l, policy.For(launch)).Open(t.Context(), launch)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		said := listen(t.Context(), conn, say(`[[tool:mcp_far_hear {"text":"hello"}]]`), nil)
		if !slices.ContainsFunc(said.events, func(e agent.Event) bool {
			r, ok := e.(agent.ToolResult)
			return ok && r.Output == tool.Mark(`heard {"text":"hello"}`, false, false)
		}) {
			t.Fatalf("%+v, %v", said.events, said.err)
		}
	}
}
