package mcp

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"parley/backend/agent"
	"parley/backend/tool"
)

var echo = []tool.Definition{{Name: "echo", Description: "Says it again.", Schema: json.RawMessage(`{"type":"object","properties":{"text":{"type":"string"}}}`), ReadOnly: true}}

func serve(t *testing.T, call Call) *Server {
	s, err := Serve("127.0.0.1:0", echo, call)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

// knowing sends the token along.
type knowing string

func (k knowing) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+string(k))
	return http.DefaultTransport.RoundTrip(r)
}

func connect(t *testing.T, s *Server, token string) (*mcp.ClientSession, error) {
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	return client.Connect(t.Context(), &mcp.StreamableClientTransport{
		Endpoint: s.URL, HTTPClient: &http.Client{Transport: knowing(token)}, MaxRetries: -1,
	}, nil)
}

func TestAProgramCallsATool(t *testing.T) {
	s := serve(t, func(_ context.Context, name string, input json.RawMessage) agent.ToolResult {
		return agent.ToolResult{Output: name + " " + string(input), IsError: strings.Contains(string(input), "wrong")}
	})
	c, err := connect(t, s, s.Token)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	select {
	case <-s.Listed:
		t.Error("the tools were listed before anybody asked")
	default:
	}
	listed, err := c.ListTools(t.Context(), nil)
	if err != nil || len(listed.Tools) != 1 || listed.Tools[0].Name != "echo" || !listed.Tools[0].Annotations.ReadOnlyHint {
		t.Fatalf("%+v, %v", listed, err)
	}
	<-s.Listed
	for text, fails := range map[string]bool{"right": false, "wrong": true} {
		r, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: "echo", Arguments: map[string]string{"text": text}})
		if err != nil || r.IsError != fails || r.Content[0].(*mcp.TextContent).Text != tool.Mark(`echo {"text":"`+text+`"}`, fails, false) {
			t.Errorf("%s: %+v, %v", text, r, err)
		}
	}
}

// TestOtherToolsAreTold to who listens.
func TestOtherToolsAreTold(t *testing.T) {
	s := serve(t, func(_ context.Context, name string, _ json.RawMessage) agent.ToolResult {
		return agent.ToolResult{Output: name}
	})
	told := make(chan struct{}, 16)
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, &mcp.ClientOptions{
		ToolListChangedHandler: func(context.Context, *mcp.ToolListChangedRequest) { told <- struct{}{} },
	})
	c, err := client.Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: s.URL, HTTPClient: &http.Client{Transport: knowing(s.Token)}, MaxRetries: -1}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if !strings.Contains(c.InitializeResult().Instructions, "untrusted") {
		t.Error("the program is not told whom its model may trust")
	}
	other := tool.Definition{Name: "other", Schema: json.RawMessage(`{"type":"object"}`)}
	s.Offer([]tool.Definition{other})
	<-told
	listed, err := c.ListTools(t.Context(), nil)
	if err != nil || len(listed.Tools) != 1 || listed.Tools[0].Name != "other" {
		t.Errorf("%+v, %v", listed, err)
	}
	if r, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: "other"}); err != nil || !strings.HasSuffix(r.Content[0].(*mcp.TextContent).Text, "other") {
		t.Errorf("%+v, %v", r, err)
	}
}

func TestNobodyElseIsLetIn(t *testing.T) {
	s := serve(t, func(context.Context, string, json.RawMessage) agent.ToolResult {
		t.Error("a call got through")
		return agent.ToolResult{}
	})
	for _, token := range []string{"", "wrong", s.Token + "x"} {
		if _, err := connect(t, s, token); err == nil {
			t.Errorf("%q is let in", token)
		}
	}
	r, err := http.NewRequest(http.MethodPost, s.URL, strings.NewReader(`{}`))
	if err != nil {
		t.Fatal(err)
	}
	r.Host = "evil.example" // a page whose name leads here now
	r.Header.Set("Authorization", "Bearer "+s.Token)
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	res.Body.Close()
	if res.StatusCode != http.StatusForbidden {
		t.Errorf("another host: %s", res.Status)
	}
}

// TestClosingEndsACallThatWaits as one does for a person.
func TestClosingEndsACallThatWaits(t *testing.T) {
	begun := make(chan struct{})
	ended := make(chan struct{})
	s := serve(t, func(ctx context.Context, _ string, _ json.RawMessage) agent.ToolResult {
		close(begun)
		<-ctx.Done()
		close(ended)
		return agent.ToolResult{}
	})
	c, err := connect(t, s, s.Token)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	go func() {
		_, _ = c.CallTool(t.Context(), &mcp.CallToolParams{Name: "echo", Arguments: map[string]string{}})
	}()
	<-begun
	s.Close()
	<-ended
}
