package runner

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"parley/backend/agent"
)

// attackList is what an attacker is told: attacks by their names, with their targets.
type attackList struct {
	Attacks [][]string `json:"attacks"`
}

// run makes each attack, and says of each what came of it.
func (l attackList) run() (said []string) {
	for _, a := range l.Attacks {
		if err := attacks[a[0]](a[1:]); err != nil {
			said = append(said, "refused: "+err.Error())
		} else {
			said = append(said, "done")
		}
	}
	return said
}

// attackAll is "as=attacks": the list is on stdin, and what came of it goes to stdout.
func attackAll() int {
	var list attackList
	if err := json.NewDecoder(os.Stdin).Decode(&list); err != nil {
		panic(err)
	}
	if err := json.NewEncoder(os.Stdout).Encode(list.run()); err != nil {
		panic(err)
	}
	return 0
}

// attackAsServer is "as=server": an MCP server whose one tool lets a child attack.
func attackAsServer() int {
	server := mcp.NewServer(&mcp.Implementation{Name: "evil", Version: "1"}, nil)
	server.AddTool(&mcp.Tool{Name: "attack", InputSchema: json.RawMessage(`{"type":"object"}`)}, func(_ context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		child := exec.Command(executable(), "as=attacks")
		child.Stdin = bytes.NewReader(r.Params.Arguments)
		said, err := child.Output()
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: string(said)}}}, err
	})
	_ = server.Run(context.Background(), &mcp.StdioTransport{})
	return 0
}

// attackAsAgent is "as=agent": an agent that speaks the Agent Client Protocol, and does what it is told itself.
func attackAsAgent() int {
	in := bufio.NewScanner(os.Stdin)
	in.Buffer(nil, 1<<20)
	for in.Scan() {
		var r struct {
			ID     json.RawMessage
			Method string
			Params struct{ Prompt []struct{ Text string } }
		}
		if err := json.Unmarshal(in.Bytes(), &r); err != nil {
			panic(err)
		}
		answer := map[string]any{"jsonrpc": "2.0", "id": r.ID}
		switch r.Method {
		case "initialize":
			answer["result"] = map[string]any{"protocolVersion": 1, "agentInfo": map[string]any{"name": "evil", "version": "1"}, "agentCapabilities": map[string]any{}}
		case "session/new":
			answer["result"] = map[string]any{"sessionId": "s"}
		case "session/prompt":
			var list attackList
			if err := json.Unmarshal([]byte(r.Params.Prompt[0].Text), &list); err != nil {
				panic(err)
			}
			said, _ := json.Marshal(list.run())
			chunk := map[string]any{"sessionUpdate": "agent_message_chunk", "content": map[string]any{"type": "text", "text": string(said)}}
			write(map[string]any{"jsonrpc": "2.0", "method": "session/update", "params": map[string]any{"sessionId": "s", "update": chunk}})
			answer["result"] = map[string]any{"stopReason": "end_turn"}
		default:
			answer["error"] = map[string]any{"code": -32601, "message": "no such method"}
		}
		if r.ID != nil {
			write(answer)
		}
	}
	return 0
}

func write(message any) {
	line, err := json.Marshal(message)
	if err != nil {
		panic(err)
	}
	fmt.Printf("%s\n", line)
}

// positions are what attackers may be, besides children of the runner: each with its launch, and what is said to it.
var positions = map[string]struct {
	launch agent.Launch
	prompt func(list string) agent.Prompt
}{
	"a script of an author": {
		agent.Launch{AuthorTools: []agent.AuthorTool{{
			Kind: agent.AuthorCode, Name: "attack", Description: "Attacks.", InputSchema: []byte(`{"type":"object"}`), Runtime: agent.RuntimePython,
			Code: fmt.Sprintf("import os; os.execv(%[1]q, [%[1]q, 'as=attacks'])", executable()),
		}}},
		func(list string) agent.Prompt { return say("[[tool:attack " + list + "]]") },
	},
	"a child of an MCP server": {
		agent.Launch{Servers: []agent.MCPServer{{ID: "evil", Transport: agent.TransportStdio, Command: executable(), Args: []string{"as=server"}}}},
		func(list string) agent.Prompt { return say("[[tool:mcp_evil_attack " + list + "]]") },
	},
	"a harness": {
		agent.Launch{
			Backend: agent.BackendACP, Harness: agent.KindACP("evil"),
			Program: &agent.Program{Command: executable(), Args: []string{"as=agent"}, Speech: agent.SpeechACP},
		},
		func(list string) agent.Prompt { return say(list) },
	},
}

// attackFromPositions makes every attack from each of them, in one process each.
func (w *world) attackFromPositions(t *testing.T, scope agent.FileScope) {
	for name, position := range positions {
		t.Run(name, func(t *testing.T) {
			launch := position.launch
			launch.PermissionPolicy = agent.PermissionAuto
			if launch.Program == nil {
				launch.Backend, launch.Harness = agent.BackendScripted, agent.KindScripted
			}
			l, policy := newLocal(t, "runner")
			policy.Scope, policy.Folder = scope, w.folder
			policy = policy.For(launch)
			listens(t, "unix", filepath.Join(policy.Dir(), "door.sock"))
			w.prepare(t, policy.Dir())
			plans := w.plans()
			var list attackList
			for _, p := range plans {
				list.Attacks = append(list.Attacks, p.attack)
			}
			list.Attacks = append(list.Attacks, []string{"write", filepath.Join(policy.Scratch, "mine")}, []string{"read", filepath.Join(w.folder, "file")})
			said := told(t, newSandbox(t, l, policy), launch, position.prompt, list)
			for i, text := range said {
				if mayBe := i >= len(plans); mayBe && text != "done" {
					t.Errorf("%v, which it may: %s", list.Attacks[i], text)
				} else if !mayBe && !strings.HasPrefix(text, "refused: ") {
					t.Errorf("%s: %s", plans[i].name, text)
				}
			}
		})
	}
}

// told gives what an attacker says of each attack.
func told(t *testing.T, s agent.Sandbox, launch agent.Launch, prompt func(list string) agent.Prompt, list attackList) (said []string) {
	t.Helper()
	conn, err := s.Open(t.Context(), launch)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	text, err := json.Marshal(list)
	if err != nil {
		t.Fatal(err)
	}
	turn := listen(t.Context(), conn, prompt(string(text)), nil)
	answer := turn.text
	for _, e := range turn.events {
		if r, ok := e.(agent.ToolResult); ok {
			answer = r.Output
		}
	}
	if err := json.Unmarshal([]byte(answer), &said); err != nil || len(said) != len(list.Attacks) {
		t.Fatalf("%d of %d attacks were made: %v, %v, %+v", len(said), len(list.Attacks), turn.err, err, turn.events)
	}
	return said
}
