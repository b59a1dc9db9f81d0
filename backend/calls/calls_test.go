package calls

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"parley/backend/agent"
	"parley/backend/agent/agenttest"
	"parley/backend/tool"
)

func open(t *testing.T, foreign ...tool.Foreign) (agent.Sandbox, agent.Conn, string) {
	t.Helper()
	dir := t.TempDir()
	b := NewBackend()
	b.Foreign = func(agent.Launch) []tool.Foreign { return foreign }
	if !b.Supports(agent.BackendCalls, agent.KindNative) || b.Supports(agent.BackendInprocess, agent.KindNative) {
		t.Error("it supports something else")
	}
	sandbox, err := b.NewSandbox(t.Context(), agent.Policy{Scratch: dir})
	if err != nil {
		t.Fatal(err)
	}
	conn, err := sandbox.Open(t.Context(), agent.Launch{Backend: agent.BackendCalls, Harness: agent.KindNative, Tools: []string{"write_file"}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close(); sandbox.Close() })
	return sandbox, conn, dir
}

// asking is a prompt of calls, of which only those in approved are to be run.
func asking(approved []string, calls ...agent.ToolCallPart) agent.Prompt {
	m := agent.Message{Role: agent.RoleAssistant}
	for _, c := range calls {
		m.Parts = append(m.Parts, c)
	}
	return agent.Prompt{Messages: []agent.Message{m}, Approved: approved}
}

var writes = []agent.ToolCallPart{
	{ID: "a", Name: "write_file", Args: json.RawMessage(`{"path":"a.txt","content":"a"}`)},
	{ID: "b", Name: "write_file", Args: json.RawMessage(`{"path":"b.txt","content":"b"}`)},
	{ID: "c", Name: "none", Args: json.RawMessage(`{}`)},
}

func TestCallsAreRun(t *testing.T) {
	_, conn, dir := open(t, tool.Foreign{Definition: tool.Definition{Name: "mcp_x", Description: "X.", Schema: json.RawMessage(`{"type":"object"}`)}, Version: "v1"})
	prompt := asking([]string{"a", "c"}, writes...)
	turn := agenttest.Resume(t, prompt, conn.Prompt(t.Context(), prompt))
	if turn.Err != nil || turn.Finish.StopReason != agent.StopEndTurn {
		t.Fatal(turn.Finish, turn.Err)
	}
	if d, ok := turn.Events[0].(agent.Data); !ok || d.Name != agent.ToolsData || string(d.Data) != `[{"name":"mcp_x","description":"X.","inputSchema":{"type":"object"},"version":"v1"}]` {
		t.Errorf("it began with %+v", turn.Events[0])
	}
	if r := turn.Results(); len(r) != 2 || r[0].ID != "a" || r[0].IsError || r[1].ID != "c" || !r[1].IsError {
		t.Errorf("the results are %+v", r)
	}
	for name, want := range map[string]bool{"a.txt": true, "b.txt": false} {
		if _, err := os.Stat(filepath.Join(dir, name)); (err == nil) != want {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestCallsEndWithWhoeverAsked(t *testing.T) {
	running := make(chan struct{}, 3)
	waits := tool.Foreign{Definition: tool.Definition{Name: "waits"}, Run: func(ctx context.Context, _ agent.ToolCall, _ func(agent.Event)) (string, json.RawMessage, error) {
		running <- struct{}{}
		<-ctx.Done()
		return "", nil, ctx.Err()
	}}
	prompt := asking([]string{"w"}, agent.ToolCallPart{ID: "w", Name: "waits", Args: json.RawMessage(`{}`)})
	for name, end := range map[string]func(stop func(), conn agent.Conn, sandbox agent.Sandbox){
		"stop":    func(stop func(), _ agent.Conn, _ agent.Sandbox) { stop() },
		"conn":    func(_ func(), conn agent.Conn, _ agent.Sandbox) { conn.Close() },
		"sandbox": func(_ func(), _ agent.Conn, sandbox agent.Sandbox) { sandbox.Close() },
	} {
		sandbox, conn, _ := open(t, waits)
		ctx, stop := context.WithCancel(t.Context())
		go func() {
			<-running
			if second := agenttest.Collect(t, conn.Prompt(t.Context(), agent.Prompt{})); second.Err == nil {
				t.Error("two at once were taken")
			}
			end(stop, conn, sandbox)
		}()
		turn := agenttest.Resume(t, prompt, conn.Prompt(ctx, prompt))
		stop()
		if stopped := turn.Err == nil && turn.Finish.StopReason == agent.StopCancelled; stopped != (name == "stop") {
			t.Errorf("%s: it ended with %+v, %v", name, turn.Finish, turn.Err)
		}
	}
}

func TestWhatIsClosedRunsNothing(t *testing.T) {
	sandbox, conn, dir := open(t)
	sandbox.Close()
	<-sandbox.Done()
	prompt := asking([]string{"a"}, writes[0])
	if turn := agenttest.Resume(t, prompt, conn.Prompt(t.Context(), prompt)); turn.Err == nil {
		t.Error("a call was run")
	}
	if _, err := sandbox.Open(t.Context(), agent.Launch{}); err == nil {
		t.Error("it was opened again")
	}
	if files, _ := os.ReadDir(dir); len(files) != 0 {
		t.Errorf("it wrote %v", files)
	}
}
