package runner

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"parley/backend/agent"
)

// TestToolsOfAnAuthorAreRun: in a confined runner, a script for each interpreter and a request by the only way out.
func TestToolsOfAnAuthorAreRun(t *testing.T) {
	far := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { _, _ = io.Copy(w, r.Body) }))
	defer far.Close()
	launch := scriptedLaunch
	launch.PermissionPolicy = agent.PermissionAuto
	define := func(t agent.AuthorTool) {
		t.Description, t.InputSchema = "Mine.", []byte(`{"type":"object"}`)
		launch.AuthorTools = append(launch.AuthorTools, t)
	}
	define(agent.AuthorTool{Kind: agent.AuthorCode, Name: "python", Runtime: agent.RuntimePython, Code: `import sys; print("python", sys.stdin.read(), end="")`})
	define(agent.AuthorTool{Kind: agent.AuthorCode, Name: "node", Runtime: agent.RuntimeNode, Code: `process.stdout.write("node " + require("fs").readFileSync(0))`})
	define(agent.AuthorTool{Kind: agent.AuthorHTTP, Name: "far", URL: far.URL})
	l, policy := newLocal(t, "runner")
	conn, err := newSandbox(t, l, policy.For(launch)).Open(t.Context(), launch)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"python": `python {"a":1}`, "node": `node {"a":1}`, "far": `{"a":1}`} {
		said := listen(t.Context(), conn, say(`[[tool:`+name+` {"a":1}]]`), nil)
		if said.err != nil {
			t.Fatal(said.err)
		}
		for _, e := range said.events {
			if r, ok := e.(agent.ToolResult); ok && r.Output != want {
				t.Errorf("%s: %+v", name, r)
			} else if ok {
				want = ""
			}
		}
		if want != "" {
			t.Errorf("%s gave nothing: %+v", name, said.events)
		}
	}
}
