package native

import (
	"encoding/json"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	"parley/backend/agent"
	"parley/backend/agent/agenttest"
	"parley/backend/modelserver"
)

// rig is an agent with tools in a folder of its own, in front of a scripted model.
type rig struct {
	t      *testing.T
	model  *modelserver.Server
	launch agent.Launch
	root   string

	sandbox agent.Sandbox
	conn    *conn
}

func newRig(t *testing.T, options modelserver.Options, tools ...string) *rig {
	t.Helper()
	return newRigOn(t, "openai", options, tools...)
}

// newRigOn speaks to its model as this provider does.
func newRigOn(t *testing.T, provider string, options modelserver.Options, tools ...string) *rig {
	t.Helper()
	r := &rig{t: t, model: modelserver.New(options), root: t.TempDir()}
	server := httptest.NewServer(r.model)
	t.Cleanup(server.Close)
	if err := os.WriteFile(filepath.Join(r.root, "note.txt"), []byte("milk\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	r.launch = agent.Launch{
		Backend: agent.BackendInprocess, Harness: agent.KindNative, AgentsMD: "Be brief.", Model: "scripted-1", Tools: tools,
		Endpoint: endpoint(provider, server.URL),
	}
	sandbox, err := NewBackend().NewSandbox(t.Context(), agent.Policy{Scratch: r.root})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { sandbox.Close() })
	r.sandbox = sandbox
	r.reopen(agent.PermissionAuto)
	return r
}

// reopen goes on with an agent that has these permissions.
func (r *rig) reopen(permissions agent.PermissionPolicy) {
	r.t.Helper()
	r.launch.PermissionPolicy = permissions
	opened, err := r.sandbox.Open(r.t.Context(), r.launch)
	if err != nil {
		r.t.Fatal(err)
	}
	r.conn = opened.(*conn)
}

// take takes a turn to its end. The messages of the whole conversation are texts of a person, or agent.Messages.
func (r *rig) take(messages ...any) agenttest.Turn {
	r.t.Helper()
	return agenttest.Collect(r.t, r.conn.Prompt(r.t.Context(), prompt(messages...)))
}

// finished takes a turn that must come to its own end.
func (r *rig) finished(messages ...any) agenttest.Turn {
	r.t.Helper()
	turn := r.take(messages...)
	if turn.Err != nil {
		r.t.Fatal(turn.Err)
	}
	return turn
}

// failed takes a turn that must fail with this code.
func (r *rig) failed(code agent.Code, messages ...any) agenttest.Turn {
	r.t.Helper()
	turn := r.take(messages...)
	if turn.Err == nil || turn.Err.Code != code {
		r.t.Errorf("ended with %+v, %v; want an error of code %s", turn.Finish, turn.Err, code)
	}
	return turn
}

func prompt(messages ...any) agent.Prompt {
	p := agent.Prompt{Secrets: map[string]string{"openai": "sk-test", "anthropic": "sk-test"}}
	for _, m := range messages {
		if text, ok := m.(string); ok {
			m = agent.Message{Role: agent.RoleUser, Parts: []agent.Part{agent.TextPart{Text: text}}}
		}
		p.Messages = append(p.Messages, m.(agent.Message))
	}
	return p
}

// of picks the events of one type.
func of[T agent.Event](events []agent.Event) (picked []T) {
	for _, e := range events {
		if e, ok := e.(T); ok {
			picked = append(picked, e)
		}
	}
	return picked
}

// sent is what the model read in its last request.
func (r *rig) sent() (body struct {
	Messages []struct {
		Role, Content string
		ToolCallID    string `json:"tool_call_id"`
	}
	Tools []json.RawMessage
}) {
	r.t.Helper()
	requests := r.model.Requests()
	if err := json.Unmarshal(requests[len(requests)-1].Body, &body); err != nil {
		r.t.Fatal(err)
	}
	return body
}
