//go:build harnesses

package app

import (
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	"parley/backend/agent"
	"parley/backend/api"
	"parley/backend/modelserver"
)

// TestCanariesOfOthers is TestCanaries with programs whose loop is their own. Their own tools, which could read a value again
// that one of ours has written to a file, are not called.
func TestCanariesOfOthers(t *testing.T) {
	for _, o := range []struct {
		kind             agent.Kind
		provider, prefix string
	}{
		{agent.KindPi, "openai", "mcp__parley__"},
		{agent.KindClaude, "anthropic", "mcp__parley__"},
		{agent.KindACP("opencode"), "openai", "parley_"},
	} {
		t.Run(string(o.kind), func(t *testing.T) {
			p := newPlace(t)
			server := modelserver.New(modelserver.Options{Foreign: true})
			listening := httptest.NewServer(server)
			t.Cleanup(listening.Close)
			p.env = append(p.env,
				"PATH="+*programs+":"+os.Getenv("PATH")+":"+filepath.Dir(os.Args[0]),
				"OPENAI_BASE_URL="+listening.URL+"/v1", "ANTHROPIC_BASE_URL="+listening.URL, "OPENAI_API_KEY="+keys["openai"], "ANTHROPIC_API_KEY="+keys["anthropic"],
			)
			l := &lends{server: p.serve(), model: model{server, listening.URL}}
			newCanaries(t, l, api.AgentDetails{Harness: o.kind, Provider: o.provider, Model: "scripted-1"}, o.prefix).play()
		})
	}
}
