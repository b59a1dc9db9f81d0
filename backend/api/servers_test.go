package api

import (
	"io"
	"net/http"
	"strings"
	"testing"
)

// TestServersAreConfigured by the owner only, and never with a secret in them.
func TestServersAreConfigured(t *testing.T) {
	w := open(t)
	files := `{"id":"files","transport":"stdio","command":"mcp-files","tools_allowlist":["read"]}`
	for _, step := range []struct {
		method, path, body string
		status             int
		says               string
	}{
		{"GET", "/mcp/servers", "", 200, `{"servers":[]}`},
		{"PUT", "/mcp/servers/files", files, 200, `"state":"not_started"`},
		{"PUT", "/mcp/servers/other", files, 400, "Call it the same"},
		{"PUT", "/mcp/servers/x", `{"id":"x","transport":"stdio","command":"x","env":{"API_KEY":"k"}}`, 400, "Secrets are not written"},
		{"PUT", "/mcp/servers/x", `{"id":"x","transport":"stdio","comand":"x"}`, 400, "comand"},
		{"POST", "/mcp/import", `{"text":"{\"mcpServers\":{\"files\":{\"command\":\"y\"},\"web\":{\"url\":\"https://mcp.example\"}}}"}`, 200, `"added":["web"]`},
		{"POST", "/mcp/servers/files/start", "", 200, `"id":"files"`},
		{"POST", "/mcp/servers/gone/start", "", 400, "not in the list"},
		{"GET", "/mcp/servers", "", 200, `"tools_allowlist":["read"]`},
		{"DELETE", "/mcp/servers/files", "", 204, ""},
		{"GET", "/mcp/servers", "", 200, `{"servers":[{"config":{"id":"web"`},
	} {
		res := w.request(step.method, step.path, step.body, inJSON)
		b, err := io.ReadAll(res.Body)
		if err != nil || res.StatusCode != step.status || !strings.Contains(string(b), step.says) {
			t.Errorf("%s %s: %s %s, want %d %s", step.method, step.path, res.Status, b, step.status, step.says)
		}
	}
	guest := as(w.door.Bind("p", ""))
	for _, path := range []string{"GET /mcp/servers", "PUT /mcp/servers/files", "DELETE /mcp/servers/files", "POST /mcp/servers/files/start", "POST /mcp/import"} {
		method, path, _ := strings.Cut(path, " ")
		if res := w.request(method, path, "{}", func(r *http.Request) { guest(r); inJSON(r) }); res.StatusCode != http.StatusForbidden {
			t.Errorf("a project's token: %s %s gives %s", method, path, res.Status)
		}
	}
}
