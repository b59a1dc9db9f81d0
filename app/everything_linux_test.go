//go:build harnesses

package app

import (
	"flag"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"

	"parley/backend/api"
)

var everything = flag.String("everything", "", "the program of the official MCP server that has one of everything")

// TestTheEverythingServer passes through whole: text, sums, pictures, resources, structured content, progress, errors.
func TestTheEverythingServer(t *testing.T) {
	if *everything == "" {
		t.Fatal("which program? Give it as -everything; make test-agent does")
	}
	p := newPlace(t)
	p.env = append(p.env, "PATH="+*everything+":"+os.Getenv("PATH"))
	s := p.serve()
	config := map[string]any{"id": "all", "transport": "stdio", "command": "mcp-server-everything", "args": []string{"stdio"}}
	if _, err := ask[api.Server](t.Context(), s.Connection, http.MethodPut, "/mcp/servers/all", config); err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct{ call, want string }{
		{`echo {"message":"a heron"}`, "a heron"},
		{`get-sum {"a":20,"b":22}`, "42"},
		{`get-tiny-image {}`, `"mimeType":"image/png"`},
		{`get-structured-content {"location":"Chicago"}`, `"structured":{`},
		{`get-resource-reference {"resourceType":"Text","resourceId":1}`, `"type":"resource"`},
		{`get-resource-links {"count":2}`, `"type":"link"`},
		{`get-annotated-message {"messageType":"error","includeImage":false}`, "Error"},
		{`trigger-long-running-operation {"duration":1,"steps":4}`, " of 4"},
		{`trigger-long-running-operation {"duration":1,"steps":2}`, "completed"},
		{`get-sum {"a":"x"}`, "tool-output-error"},
	} {
		body := map[string]any{
			"references": map[string]string{"agent": "demo"},
			"data": map[string]any{
				"parameters": map[string]any{"agent": map[string]any{"mcp_servers": []string{"all"}}},
				"messages":   []any{map[string]any{"role": "user", "parts": []any{map[string]string{"type": "text", "text": "[[tool:mcp_all_" + row.call + "]]"}}}},
			},
		}
		res, err := s.do(t.Context(), http.MethodPost, "/messages", body)
		if err != nil {
			t.Fatal(err)
		}
		stream, err := io.ReadAll(res.Body)
		res.Body.Close()
		if err != nil || !strings.Contains(string(stream), row.want) {
			t.Errorf("%s: no %q in %s (%v)", row.call, row.want, stream, err)
		}
	}
}
