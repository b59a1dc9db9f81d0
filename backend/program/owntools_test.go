//go:build linux

package program

import (
	"context"
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"parley/backend/agent"
	"parley/backend/tool"
)

// callOwn calls a tool of parley-tools, as a program does.
func callOwn(at *Tools, name string, input any) (string, error) {
	client := mcp.NewClient(&mcp.Implementation{Name: "words", Version: "1"}, nil)
	session, err := client.Connect(context.Background(), &mcp.StreamableClientTransport{Endpoint: at.URL, HTTPClient: &http.Client{Transport: bearer(at.Token)}}, nil)
	if err != nil {
		return "", err
	}
	defer session.Close()
	r, err := session.CallTool(context.Background(), &mcp.CallToolParams{Name: name, Arguments: input})
	if err != nil {
		return "", err
	}
	return r.Content[0].(*mcp.TextContent).Text, nil
}

type bearer string

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+string(b))
	return http.DefaultTransport.RoundTrip(r)
}

// TestOwnTools: what a program calls of ours is decided as if our own loop had called it, and has one result.
func TestOwnTools(t *testing.T) {
	r := newRig(t)
	r.launch.Tools = []string{"write_file"}
	r.sandbox.Close()
	root := t.TempDir()
	r.open(root)
	r.sandbox.(*sandbox).backend.limits.list = 0 // this program asks when it calls
	written := func(name string) bool {
		_, err := os.Stat(filepath.Join(root, name))
		return err == nil
	}

	s := r.say("own asked say after")
	if s.finish.StopReason != agent.StopPaused || len(s.asked) != 1 || s.asked[0].Call != "own-asked" || written("asked.txt") {
		t.Fatalf("%+v, %v", s, s.err)
	}
	r.prompt.Approved = []string{"own-asked"}
	s = r.listen(t.Context(), nil)
	if s.err != nil || len(s.results) != 1 || s.results[0].ID != "own-asked" || s.results[0].Data == nil || !strings.HasSuffix(s.text, "after ") || !written("asked.txt") {
		t.Fatalf("%+v, %v", s, s.err)
	}

	r.prompt.Approved, r.prompt.Allowed = nil, []string{"write_file"}
	var announced []string
	s = r.sayUntil(t.Context(), "own silent", func(e agent.Event) {
		if call, ok := e.(agent.ToolCall); ok {
			announced = append(announced, call.ID)
		}
	})
	if s.err != nil || len(announced) != 1 || len(s.results) == 0 || s.results[0].ID != announced[0] || !written("silent.txt") {
		t.Fatalf("a call that the program does not tell of: %+v, %v, %v", s, s.err, announced)
	}

	r.launch.PermissionPolicy = agent.PermissionDeny
	s = r.say("own denied")
	if s.err != nil || len(s.results) != 1 || !s.results[0].Denied || written("denied.txt") || !strings.Contains(s.text, "may not change anything") {
		t.Fatalf("%+v, %v", s, s.err)
	}
}

// TestOtherToolsReachAProgramThatRuns: it is told when those of others change, and calls what there is then.
func TestOtherToolsReachAProgramThatRuns(t *testing.T) {
	var mu sync.Mutex
	name, changed := "before", make(chan struct{})
	b := NewBackend(nil, "127.0.0.1:0")
	b.Foreign = func(agent.Launch) []tool.Foreign {
		mu.Lock()
		defer mu.Unlock()
		return []tool.Foreign{{Definition: tool.Definition{Name: name, Schema: json.RawMessage(`{"type":"object"}`)}}}
	}
	b.Changed = func() <-chan struct{} {
		mu.Lock()
		defer mu.Unlock()
		return changed
	}
	own, err := b.newOwnTools(agent.Policy{Scratch: t.TempDir()}, agent.Launch{})
	if err != nil {
		t.Fatal(err)
	}
	defer own.close()
	told := make(chan struct{}, 1)
	client := mcp.NewClient(&mcp.Implementation{Name: "words", Version: "1"}, &mcp.ClientOptions{
		ToolListChangedHandler: func(context.Context, *mcp.ToolListChangedRequest) { told <- struct{}{} },
	})
	session, err := client.Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: own.address().URL, HTTPClient: &http.Client{Transport: bearer(own.address().Token)}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	mu.Lock()
	old := changed
	name, changed = "after", make(chan struct{})
	mu.Unlock()
	close(old)
	<-told
	listed, err := session.ListTools(t.Context(), nil)
	if err != nil || len(listed.Tools) != 1 || listed.Tools[0].Name != "after" {
		t.Errorf("%+v, %v", listed, err)
	}
	if _, there := own.set.Decide(agent.ToolCall{Name: "after", Input: json.RawMessage(`{}`)}, agent.Grounds{}).(agent.InteractionRequest); !there {
		t.Error("what is new is not decided")
	}
}
