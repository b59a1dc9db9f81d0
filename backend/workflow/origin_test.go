package workflow

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// TestOrigins: every node of an exported file that is a turn has its origin, and there are no others.
func TestOrigins(t *testing.T) {
	for _, path := range files(t, "testdata/export/*.txt") {
		s, known := readSession(t, path)
		originate(t, path, *Parse(exportedFile(t, path, s, known)).Graph, s)
	}
}

// originate holds the origins of a graph to its nodes, and to the session that it was.
func originate(t *testing.T, name string, g Graph, s Session) []Origin {
	t.Helper()
	origins := Origins(g.Metadata)
	nodes := g.Nodes[1 : len(g.Nodes)-1]
	if missing := len(nodes) - len(origins); missing > 0 && strings.Contains(string(g.Metadata), `"omittedTurns":`) {
		nodes = nodes[missing:]
	}
	if len(nodes) != len(origins) {
		t.Fatalf("%s: %d turns with %d origins", name, len(nodes), len(origins))
	}
	for i, o := range origins {
		n := nodes[i].(AgentNode)
		if o.Node != n.ID || o.Session != s.ID || o.Tools == nil || strings.TrimSpace(o.Answer) == "" {
			t.Errorf("%s: %s has %+v", name, n.ID, o)
		}
		if prompt := neutral(o.Prompt); len(prompt) < maxOrigin && prompt != "" && (n.PromptTemplate == nil || prompt != *n.PromptTemplate) {
			t.Errorf("%s: %s has the prompt %q", name, n.ID, prompt)
		}
		for _, tool := range n.Tools {
			if !slices.Contains(o.Tools, tool) {
				t.Errorf("%s: %s called %s, and not only %s", name, n.ID, tool, o.Tools)
			}
		}
		if !slices.ContainsFunc(s.Rows, func(row Row) bool { return row.ID == o.Message && row.Role == "user" }) {
			t.Errorf("%s: nobody said %s", name, o.Message)
		}
	}
	return origins
}

// TestOriginsOfMetadata: what somebody else wrote, or changed, has origins only if they are sure.
func TestOriginsOfMetadata(t *testing.T) {
	const said = `{"id":"u1","role":"user","content":[{"type":"text","text":"a"}]},{"id":"a1","role":"assistant","content":[{"type":"text","text":"b"}]}`
	export := func(more string) string { return `{"relaviumExport":{"sessionId":"s",` + more + `}}` }
	for metadata, want := range map[string]string{
		export(`"messages":[` + said + `]`):                                                                       "turn-1",
		export(`"messages":[` + said + "," + said + `]`):                                                          "turn-1 turn-2",
		export(`"omittedMessages":7,"omittedTurns":3,"messages":[` + said + `]`):                                  "turn-4",
		export(`"omittedMessages":7,"omittedTurns":0,"messages":[` + said + `]`):                                  "turn-1",
		export(`"omittedMessages":7,"messages":[` + said + `]`):                                                   "",
		export(`"messages":[` + said + `,{"id":"u2","role":"user","content":[{"type":"from another time"}]}]`):    "",
		export(`"messages":[{"id":"a0","role":"assistant","content":[{"type":"text","text":"b"}]},` + said + `]`): "turn-1",
		export(`"messages":[{"id":"u0","role":"user","content":[]},{"id":"t","role":"tool","content":[]}]`):       "",
		export(`"messages":[{"id":1}]`):                                                                           "",
		export(`"messages":{}`):                                                                                   "",
		`{"relaviumExport":"somebody's"}`:                                                                         "",
		`{"other":{"messages":[` + said + `]}}`:                                                                   "",
		`[]`:                                                                                                      "",
		``:                                                                                                        "",
		`{`:                                                                                                       "",
	} {
		var got []string
		for _, o := range Origins(json.RawMessage(metadata)) {
			got = append(got, o.Node)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: %v", metadata, got)
		}
	}
}

// TestCut: a long text is cut between characters, and says so.
func TestCut(t *testing.T) {
	for text, want := range map[string]int{"": 0, strings.Repeat("é", maxOrigin): maxOrigin, strings.Repeat("😀", maxOrigin+1): maxOrigin + 1} {
		got := cut(text)
		if utf8.RuneCountInString(got) != want || !utf8.ValidString(got) || (want > maxOrigin) != strings.HasSuffix(got, "…") {
			t.Errorf("it has %d characters, not %d", utf8.RuneCountInString(got), want)
		}
	}
}
