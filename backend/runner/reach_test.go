//go:build linux

package runner

import (
	"testing"

	"parley/backend/agent"
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
		host   string
		want   bool
	}{
		"a call that waits":        {policy: agent.PermissionAsk, prompt: asked, host: "once.example"},
		"a call that was allowed":  {policy: agent.PermissionAsk, prompt: approved, host: "once.example", want: true},
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
		x := &exchange{prompt: c.prompt, conn: &conn{launch: launch}}
		if got := x.lets(c.host); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
