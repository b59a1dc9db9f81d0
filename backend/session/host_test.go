package session

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"path/filepath"
	"strings"
	"testing"

	"parley/backend/agent"
	"parley/backend/mcp"
)

var (
	noted   = agent.MCPServer{ID: "notes", Transport: agent.TransportStdio, Command: "notes", Env: map[string]string{"A": "{{secret:b}}", "B": "{{secret:a.x}} {{secret:a.y}}"}}
	sent    = agent.AuthorTool{Kind: agent.AuthorHTTP, Name: "send", URL: "https://example.org", Secrets: map[string]string{"Authorization": "{{secret:c}}"}}
	lending = agent.Launch{
		Tools: []string{"run_command"}, CommandEnv: map[string]string{"D": "{{secret:d}}"},
		Servers:     []agent.MCPServer{{ID: "plain", Transport: agent.TransportStdio, Command: "plain"}, noted},
		AuthorTools: []agent.AuthorTool{{Kind: agent.AuthorCode, Name: "count"}, sent},
	}
)

// A harness is launched with none of the servers that are given secrets, and of the tools with their names alone.
func TestLend(t *testing.T) {
	launch := lending
	servers, tools := lentBy("a", &launch)
	if len(launch.Servers) != 1 || launch.Servers[0].ID != "plain" || launch.CommandEnv != nil || len(launch.AuthorTools) != 2 {
		t.Errorf("the harness is launched with %+v", launch)
	}
	var got []string
	for _, l := range append(servers, tools...) {
		got = append(got, fmt.Sprint(l.name, l.slugs(), l.refs))
		if l.launch.Backend != agent.BackendCalls || !l.launch.Redacts || len(l.launch.Servers)+len(l.launch.AuthorTools)+len(l.launch.CommandEnv) != 1 {
			t.Errorf("the side of %s is launched with %+v", l.name, l.launch)
		}
	}
	if want := "mcp_notes[a b] [b a.x a.y]; send[c] [c]; run_command[d] [d]"; strings.Join(got, "; ") != want {
		t.Errorf("lent is %v", got)
	}
	for i, h := range launch.Hosted {
		if h.Name != tools[i].name || h.Version != tools[i].version || h.Version == "" || fmt.Sprint(h.Secrets) != fmt.Sprint(tools[i].slugs()) {
			t.Errorf("%+v is hosted", h)
		}
	}
}

// What a person has allowed is not what another agent, another definition or another secret makes of it.
func TestAGrantIsForOneVersion(t *testing.T) {
	version := func(id string, change func(*agent.MCPServer)) string {
		server := noted
		change(&server)
		servers, _ := lentBy(id, &agent.Launch{Servers: []agent.MCPServer{server}})
		return servers[0].version
	}
	same := func(*agent.MCPServer) {}
	was := version("a", same)
	if version("a", same) != was {
		t.Error("nothing changed, and the version did")
	}
	for name, now := range map[string]string{
		"another agent":   version("b", same),
		"another command": version("a", func(s *agent.MCPServer) { s.Command = "evil" }),
		"another secret":  version("a", func(s *agent.MCPServer) { s.Env = map[string]string{"A": "{{secret:z}}"} }),
	} {
		if now == was {
			t.Errorf("%s has what was allowed", name)
		}
	}
}

func TestServersAreAskedAboutFirst(t *testing.T) {
	launch := lending
	servers, _ := lentBy("a", &launch)
	rule := "mcp_notes@" + servers[0].version
	turn := newTurn(home)
	answered := func(approved bool) []agent.Record {
		return []agent.Record{{Event: agent.InteractionResponse{Call: grantOf(servers[0], turn), Approved: approved}}}
	}
	deny := agent.Rules{Rules: []agent.Rule{{Pattern: "mcp_notes", Permission: agent.Deny}}}
	for name, c := range map[string]struct {
		grounds agent.Grounds
		records []agent.Record
		want    string
	}{
		"first":                {agent.Grounds{Policy: agent.PermissionAuto}, nil, "asked"},
		"allowed before":       {agent.Grounds{Policy: agent.PermissionAsk, Allowed: []string{rule}}, nil, "may"},
		"another was allowed":  {agent.Grounds{Policy: agent.PermissionAsk, Allowed: []string{"mcp_notes", rule + "0"}}, nil, "asked"},
		"allowed in this turn": {agent.Grounds{Policy: agent.PermissionAsk}, answered(true), "may"},
		"denied in this turn":  {agent.Grounds{Policy: agent.PermissionAsk}, answered(false), "the person did not allow it the secret a, b."},
		"nobody may be asked":  {agent.Grounds{Policy: agent.PermissionDeny, Allowed: []string{rule}}, nil, "Choose the mode ask, or auto."},
		"denied by a rule":     {agent.Grounds{Policy: agent.PermissionAuto, Rules: deny, Allowed: []string{rule}}, answered(true), "Change them to let it."},
	} {
		turn.records = c.records
		may, said, asks := turn.mayUse(servers, c.grounds)
		got := ""
		switch {
		case len(may)+len(said)+len(asks)/2 != 1:
			t.Errorf("%s: %v %v %v", name, may, said, asks)
			continue
		case len(may) == 1:
			got = "may"
		case len(said) == 1:
			var report mcp.Report
			if err := json.Unmarshal(said[0].(agent.Data).Data, &report); err != nil || report.Server != "notes" || report.State != mcp.Failed {
				t.Errorf("%s: it is told %+v (%v)", name, said[0], err)
			}
			got = report.Reason
		default:
			q := asks[1].(agent.InteractionRequest)
			if q.Call != asks[0].(agent.ToolCall).ID || !strings.Contains(string(q.Payload), `"rule":"`+rule+`"`) || !strings.Contains(string(q.Payload), `"secrets":["a","b"]`) {
				t.Errorf("%s: asked is %s", name, q.Payload)
			}
			got = "asked"
		}
		if !strings.HasSuffix(got, c.want) {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}

func TestNoAgentIsToldOfGrants(t *testing.T) {
	turn := newTurn(home)
	id := grantOf(lent{version: "v"}, turn)
	text := agent.Message{Role: agent.RoleUser, Parts: []agent.Part{agent.TextPart{Text: "hi"}}}
	said := []agent.Message{
		text, {Role: agent.RoleAssistant},
		{Role: agent.RoleAssistant, Parts: []agent.Part{agent.ToolCallPart{ID: id}}},
		{Role: agent.RoleTool, Parts: []agent.Part{agent.ToolResultPart{ToolCallID: id}}},
		{Role: agent.RoleAssistant, Parts: []agent.Part{agent.ToolCallPart{ID: id}, agent.ToolCallPart{ID: "c"}}},
		{Role: agent.RoleTool, Parts: []agent.Part{agent.ToolResultPart{ToolCallID: "c"}}},
	}
	if got := withoutGrants(said); len(got) != 4 || len(got[1].Parts) != 0 || len(got[2].Parts) != 1 || len(said[4].Parts) != 2 {
		t.Errorf("%+v", got)
	}
}

func TestMessagesDoNotReferToSecrets(t *testing.T) {
	w := fresh(t)
	for _, text := range []string{"{{secret:a}}", "it is {{ secret:a.b }}.", "{{secret:"} {
		if _, err := w.Send(t.Context(), says(text)); err == nil || agent.AsError(err).Code != agent.CodeValidation {
			t.Errorf("%q was sent: %v", text, err)
		}
	}
	turn := w.send(t, says("[[hang]]"))
	r := says("{{secret:a}}")
	if _, _, err := w.Enqueue(t.Context(), r); err == nil || agent.AsError(err).Code != agent.CodeValidation {
		t.Errorf("it waits: %v", err)
	}
	queued, _, err := w.Enqueue(t.Context(), says("{{inputs.secret}} is none"))
	if err != nil {
		t.Fatal(err)
	}
	if err := w.ChangeQueued(t.Context(), home, queued.Number, "{{secret:a}}"); err == nil || agent.AsError(err).Code != agent.CodeValidation {
		t.Errorf("it waits as it was changed: %v", err)
	}
	turn.stop()
	all(t, turn)
}

// TestAGrantIsTheSessionsOwn: a call that an agent names like one ends its turn, and is not kept.
func TestAGrantIsTheSessionsOwn(t *testing.T) {
	id := grantOf(lent{version: "v"}, newTurn(home))
	for _, e := range []agent.Event{
		agent.ToolCallDelta{ID: id, Name: "f"}, agent.ToolCall{ID: id, Name: "f", Input: json.RawMessage(`{}`)}, agent.ToolProgress{ID: id},
		agent.ToolResult{ID: id}, agent.InteractionRequest{Call: id, Kind: agent.UserApproval, Payload: json.RawMessage(`{}`)},
	} {
		_, _, records := speaks(t, nil, agent.MessageDelta{Text: "so far"}, e, agent.MessageDelta{Text: "and on"})
		if done := end(t, records); done.Failure == nil || done.Failure.Code != agent.CodeSandbox || len(records) != 3 || spoken(records) != "so far" {
			t.Errorf("after %T: %+v", e, records)
		}
	}
}

// TestWhatAPersonAllowsByItselfRunsOnce: also if the agent says the same call again.
func TestWhatAPersonAllowsByItselfRunsOnce(t *testing.T) {
	call := agent.ToolCall{ID: "c", Name: "write_file", Input: json.RawMessage(`{"path":".env","content":"x"}`)}
	other := call
	other.Input = json.RawMessage(`{"path":".env","content":"y"}`)
	h := host{allowed: []agent.ToolCall{call}}
	for i, c := range []struct {
		call agent.ToolCall
		want bool
	}{{other, false}, {call, true}, {call, false}} {
		if got := h.admit(c.call); got != c.want {
			t.Errorf("%d: it may run: %v", i, got)
		}
	}
}

// lends is a harness with a tool that is given a secret.
type lends struct{ script }

func (l lends) Launch(s agent.Spec) (agent.Launch, error) {
	launch, err := l.script.Launch(s)
	launch.Tools, launch.CommandEnv = lending.Tools, lending.CommandEnv
	return launch, err
}

// lender is the engine of an agent that calls that tool twice, and of its side, which tells what binds it and waits.
type lender struct {
	speaker
	*agent.Permits // of the conn
	bound          chan *agent.Permits
	wait           chan struct{}
}

func (l lender) NewSandbox(context.Context, agent.Policy) (agent.Sandbox, error) { return l, nil }

func (l lender) Open(_ context.Context, launch agent.Launch) (agent.Conn, error) {
	l.Permits = launch.Permits()
	if launch.Backend == agent.BackendCalls {
		return side{l}, nil
	}
	return l, nil
}

func (l lender) Prompt(ctx context.Context, prompt agent.Prompt) iter.Seq2[agent.Event, error] {
	var said []agent.Event
	for _, id := range []string{"a", "b"} {
		call := agent.ToolCall{ID: id, Name: "run_command", Input: json.RawMessage(`{}`)}
		said = append(said, call, prompt.Host.Call(ctx, call, func(agent.Event) {}))
	}
	return speaker(said).Prompt(ctx, prompt)
}

type side struct{ lender }

func (s side) Prompt(ctx context.Context, prompt agent.Prompt) iter.Seq2[agent.Event, error] {
	s.bound <- s.Permits
	<-s.wait
	return speaker{agent.ToolResult{ID: "a", Output: "it ran"}}.Prompt(ctx, prompt)
}

// TestAStricterModeBindsSides: what runs in one, and what would run there next.
func TestAStricterModeBindsSides(t *testing.T) {
	l := lender{bound: make(chan *agent.Permits, 2), wait: make(chan struct{})}
	w := openOver(t, filepath.Join(t.TempDir(), "history.db"), l)
	w.Harness = func(agent.Kind) (agent.Harness, error) { return lends{}, nil }
	w.Resolve = func(context.Context, agent.ProjectID, agent.SecretRef) (string, error) { return "value", nil }
	w.Used = func(context.Context, agent.SessionKey, string, string) error { return nil }
	w.choose(t, agent.ModeAuto)
	turn := w.send(t, says("go"))
	permits := <-l.bound
	before := permits.Grounds(agent.Prompt{}).Policy
	w.choose(t, agent.ModeDeny)
	if after := permits.Grounds(agent.Prompt{}).Policy; before != agent.PermissionAuto || after != agent.PermissionDeny {
		t.Errorf("the side is bound by %s, then by %s", before, after)
	}
	close(l.wait)
	var results []string
	for _, r := range all(t, turn) {
		if result, ok := r.Event.(agent.ToolResult); ok {
			results = append(results, result.Output)
		}
	}
	if len(results) != 2 || results[0] != "it ran" || !strings.Contains(results[1], "in this mode") {
		t.Errorf("the calls gave %q", results)
	}
}
