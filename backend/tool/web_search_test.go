package tool

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"parley/backend/agent"
)

// TestWebSearch asks engines as their interfaces say, and reads what those answer.
func TestWebSearch(t *testing.T) {
	var asked *http.Request
	answer := ""
	engine := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked = r
		if answer == "" {
			w.WriteHeader(http.StatusTooManyRequests)
		}
		_, _ = io.WriteString(w, answer)
	}))
	defer engine.Close()
	brave := `{"type":"search","web":{"type":"search","results":[{"title":"Herons","url":"https://example.org/herons","description":"Grey &amp;\n patient"},{"title":"Two","url":"https://example.org/2"}]}}`
	searxng := `{"query":"herons","results":[{"title":"Herons","url":"https://example.org/herons","content":"Grey & patient","engine":"x"}],"answers":[]}`
	const first = "1. Herons\nhttps://example.org/herons\nGrey & patient"
	for _, c := range []struct {
		name   string
		api    agent.SearchAPI
		answer string
		input  string
		want   string
		query  string
	}{
		{"brave", agent.SearchBrave, brave, `{"query":"herons & fish"}`, first + "\n\n2. Two\nhttps://example.org/2", "count=10&lang=en&q=herons+%26+fish&text_decorations=false"},
		{"brave, one", agent.SearchBrave, brave, `{"query":"herons","max_results":1}`, first, "count=1&lang=en&q=herons&text_decorations=false"},
		{"searxng", agent.SearchSearXNG, searxng, `{"query":"herons"}`, first, "format=json&lang=en&q=herons"},
		{"nothing", agent.SearchSearXNG, `{"results":[]}`, `{"query":"x"}`, "Nothing was found.", ""},
		{"no JSON", agent.SearchSearXNG, `<html>`, `{"query":"x"}`, "something else than its interface says", ""},
		{"too often", agent.SearchSearXNG, "", `{"query":"x"}`, "429", ""},
	} {
		search := &agent.Search{URL: engine.URL + "/search?lang=en", API: c.api, Headers: map[string]string{"X-Subscription-Token": "abc"}}
		set, err := Open(agent.Policy{Scratch: t.TempDir()}, agent.Launch{Tools: []string{agent.WebSearch}, Search: search})
		if err != nil {
			t.Fatal(err)
		}
		answer = c.answer
		r := set.Run(t.Context(), nil, agent.ToolCall{ID: "c", Name: agent.WebSearch, Input: json.RawMessage(c.input)}, nil)
		if !strings.Contains(r.Output, c.want) || asked.Header.Get("X-Subscription-Token") != "abc" || c.query != "" && (asked.URL.RawQuery != c.query || r.Output != c.want) {
			t.Errorf("%s: asked %s, gave %+v", c.name, asked.URL, r)
		}
		set.Close()
	}
}

// TestWithoutASearchEngine, and with one that may not be reached, a search says so.
func TestWithoutASearchEngine(t *testing.T) {
	for want, search := range map[string]*agent.Search{
		"There is no search engine here.": nil,
		"private network":                 {URL: "https://10.0.0.1/search", API: agent.SearchBrave},
	} {
		set, err := Open(agent.Policy{Scratch: t.TempDir()}, agent.Launch{Tools: []string{agent.WebSearch}, Search: search})
		if err != nil {
			t.Fatal(err)
		}
		if r := set.Run(t.Context(), nil, agent.ToolCall{ID: "c", Name: agent.WebSearch, Input: json.RawMessage(`{"query":"x"}`)}, nil); !r.IsError || !strings.Contains(r.Output, want) {
			t.Errorf("%+v, want %q", r, want)
		}
		set.Close()
	}
}
