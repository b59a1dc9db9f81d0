package app

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/backend/agent"
	"parley/backend/api"
)

// TestASearchIsAskedForWithThePersonsKey: the search engine is given it, nobody else is, and there is no such tool without one.
func TestASearchIsAskedForWithThePersonsKey(t *testing.T) {
	const key = "brave-canary-4f2a9c"
	engine := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		token := r.Header.Get("X-Subscription-Token")
		_, _ = fmt.Fprintf(w, `{"web":{"results":[{"title":"Asked for %s","url":"https://example.org/","description":"right key: %v, %s"}]}}`, r.FormValue("q"), token == key, token)
	}))
	defer engine.Close()
	l := newLends(t, api.AgentDetails{Permissions: api.AgentPermissions{Mode: agent.ModeAuto}}, map[string]string{"brave": key})
	searcher := api.AgentDetails{ID: "lent", Harness: agent.KindNative, Provider: "openai", Model: "scripted-1", SystemPrompt: "Be brief.", Tools: []string{agent.WebSearch}, Permissions: api.AgentPermissions{Mode: agent.ModeAuto}}
	put := func() error {
		res, err := l.do(t.Context(), http.MethodPut, "/agents/lent", searcher)
		if err == nil {
			err = res.Body.Close()
		}
		return err
	}
	if err := put(); err == nil || !strings.Contains(err.Error(), "web_search") {
		t.Errorf("where no engine is set up: %v", err)
	}
	l.kill()
	settings := fmt.Sprintf(`{"url":%q,"api":"brave","headers":{"X-Subscription-Token":"{{secret:brave}}"}}`, engine.URL+"/search")
	if err := os.WriteFile(filepath.Join(l.home, "search.json"), []byte(settings), 0o600); err != nil {
		t.Fatal(err)
	}
	l.server = l.place.serve()
	if err := put(); err != nil {
		t.Fatal(err)
	}
	l.tell(`[[tool:web_search {"query":"herons"}]] [[say:done]]`)
	asked, said := l.allow(true, agent.ScopeSession)
	if asked.ToolName != agent.WebSearch || fmt.Sprint(asked.Secrets) != "[brave]" || !strings.Contains(said, "Asked for herons") || !strings.Contains(said, "right key: true, [secret:brave]") {
		t.Errorf("%+v: %s", asked, said)
	}
	if strings.Contains(l.stream.String()+l.heard(), key) {
		t.Error("the key is told")
	}
}
