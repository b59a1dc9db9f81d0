package workflow

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"parley/backend/agent"
	"parley/backend/config"
)

// through is a graph as JSON brings it to somebody who edits it, and back.
func through(t testing.TB, g Graph) (again Graph) {
	t.Helper()
	b, err := json.Marshal(g)
	if err != nil {
		t.Fatal(err)
	}
	d := json.NewDecoder(bytes.NewReader(b))
	d.DisallowUnknownFields()
	if err := d.Decode(&again); err != nil {
		t.Fatalf("%v in %s", err, b)
	}
	again.Metadata = g.Metadata
	return again
}

// TestGraphAsJSON: a file that becomes JSON, and its metadata a text beside that, is the same file again, to the byte.
func TestGraphAsJSON(t *testing.T) {
	for _, path := range slices.Concat(files(t, "testdata/valid/*.golden"), files(t, "testdata/export/*.golden")) {
		src, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for bytes.HasPrefix(src, []byte("# ")) { // what is said above an export
			_, src, _ = bytes.Cut(src, []byte("\n"))
		}
		p := Parse(src)
		if len(p.Problems) > 0 || p.HasComments {
			t.Fatalf("%s: %+v", path, p)
		}
		written, err := Write(through(t, *p.Graph))
		if err != nil || !bytes.Equal(written, src) {
			t.Errorf("%s: it is (%v)\n%s", path, err, written)
		}
	}
}

// TestUnfinished: a file that breaks a rule has a graph all the same, unless it is one of those in the golden file. Written again
// it is wrong nowhere else.
func TestUnfinished(t *testing.T) {
	var without strings.Builder
	for _, path := range files(t, "testdata/invalid/*.yaml") {
		src, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		p := Parse(src)
		if p.Graph == nil {
			fmt.Fprintln(&without, strings.TrimPrefix(path, "testdata/invalid/"))
			continue
		}
		written := kept(t, src, through(t, *p.Graph))
		for _, wrong := range Parse(written).Problems {
			if !slices.ContainsFunc(p.Problems, func(before config.Problem) bool { return strings.HasPrefix(wrong.Key, before.Key) }) {
				t.Errorf("%s: written again it has %v\n%s", path, wrong, written)
			}
		}
	}
	golden(t, "testdata/unreadable.golden", []byte(without.String()))
}

// kept writes the graph of a file, in which all is that the file says, and which stays as it is from then on.
func kept(t testing.TB, src []byte, g Graph) []byte {
	t.Helper()
	written, err := Write(g)
	if err != nil {
		t.Fatal(err)
	}
	before, _ := open(src)
	after, in := open(written)
	if len(in.problems) > 0 || !within(plain(before), plain(after)) {
		t.Fatalf("something is lost, %v:\n%s\nis now\n%s", in.problems, src, written)
	}
	p := Parse(written)
	if p.Graph == nil || p.HasComments {
		t.Fatalf("%+v of\n%s", p, written)
	}
	if again, err := Write(*p.Graph); err != nil || !bytes.Equal(again, written) {
		t.Errorf("got\n%s\nwant\n%s (%v)", again, written, err)
	}
	return written
}

// within reports whether there is in b all that is in a. Nothing and an empty text are the same.
func within(a, b any) bool {
	switch a := a.(type) {
	case nil:
		return b == nil || b == ""
	case map[string]any:
		b, ok := b.(map[string]any)
		for key, value := range a {
			ok = ok && within(value, b[key])
		}
		return ok
	case []any:
		b, ok := b.([]any)
		return ok && slices.EqualFunc(a, b, within)
	}
	return a == b
}

// TestWriteUnfinished: what a person has not filled in yet is in the file, and is told at its own line.
func TestWriteUnfinished(t *testing.T) {
	src := write(t, `{"id":"","agents":[{"id":"","model":"","provider":"","system_prompt":""}],
		"nodes":[{"id":"a","type":"agent","agent_ref":""},{"id":"c","type":"condition","expression":"","branches":[]},{"id":"g","type":"human_gate","gate_type":""}],
		"edges":[{"from":"","to":""}]}`)
	lines := strings.Split(string(src), "\n")
	p := Parse(src)
	for _, problem := range p.Problems {
		if line := lines[problem.Line-1]; !strings.HasSuffix(line, `: ""`) && !strings.HasSuffix(line, ": []") {
			t.Errorf("%v is told at %q", problem, line)
		}
	}
	if len(p.Problems) != 11 || p.Graph == nil {
		t.Errorf("%v in\n%s", p.Problems, src)
	}
}

func write(t testing.TB, graph string) []byte {
	t.Helper()
	var g Graph
	if err := json.Unmarshal([]byte(graph), &g); err != nil {
		t.Fatal(err)
	}
	src, err := Write(g)
	if err != nil {
		t.Fatal(err)
	}
	return src
}

// TestNodesAreStrict: JSON of nodes is refused by the place that is wrong, and not by what stands there.
func TestNodesAreStrict(t *testing.T) {
	for bad, says := range map[string]string{
		`[{"id":"a","type":"hunter2"}]`: "nodes[0]: type: there is no such type of nodes",
		`[{"id":"a"}]`:                  "nodes[0]: type: there is no such type of nodes",
		`[null]`:                        "nodes[0]: type: there is no such type of nodes",
		`[{"id":"a","type":"input"},{"id":"b","type":"input","to":1}]`: `nodes[1]: json: unknown field "to"`,
		`[{"id":"a","type":"input","label":1}]`:                        "nodes[0]: json: cannot unmarshal number",
		`["a"]`:                                                        "nodes[0]: json: cannot unmarshal string",
		`{}`:                                                           "json: cannot unmarshal object",
	} {
		var g Graph
		err := json.Unmarshal([]byte(`{"nodes":`+bad+`}`), &g)
		if err == nil || !strings.Contains(err.Error(), says) || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: %v", bad, err)
		}
	}
}

// TestWriteRefuses: a graph that is made to be expensive is an error, and takes no more than its own size.
func TestWriteRefuses(t *testing.T) {
	deep := func(n int) string { return strings.Repeat(`{"a":`, n) + "1" + strings.Repeat("}", n) }
	for name, c := range map[string]struct{ metadata, says string }{
		"deep":             {deep(maxDepth), "nested too deeply"},
		"deeper":           {deep(9000), "nested too deeply"},
		"many deep":        {`{"a":[` + strings.Repeat(deep(150)+",", 500) + `1]}`, "too large"},
		"lines far inside": {`{"a":` + strings.Replace(deep(150), "1", `"a`+strings.Repeat(`\na`, 1<<15)+`"`, 1) + `}`, "too large"},
		"long":             {`{"a":"` + strings.Repeat("a", MaxFile) + `"}`, "too large"},
	} {
		src, err := Write(Graph{Metadata: json.RawMessage(c.metadata)})
		if agent.AsError(err).Code != agent.CodeValidation || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, %d bytes", name, err, len(src))
		}
	}
}

// TestHasComments: wherever one stands, and in no text.
func TestHasComments(t *testing.T) {
	const rest = "  nodes: [{id: a, type: input}]\n  edges: []\n"
	for src, want := range map[string]bool{
		"schema_version: '1.0'\nworkflow:\n  id: a\n":                                              false,
		"# over it\nschema_version: '1.0'\nworkflow:\n  id: a\n":                                   true,
		"schema_version: '1.0' # behind it\nworkflow:\n  id: a\n":                                  true,
		"schema_version: '1.0'\nworkflow: # behind a key\n  id: a\n":                               true,
		"schema_version: '1.0'\nworkflow:\n  #\n  id: a\n":                                         true,
		"schema_version: '1.0'\nworkflow:\n  id: a\n  name: a#b\n":                                 false,
		"schema_version: '1.0'\nworkflow:\n  id: a\n  name: a #b\n":                                true,
		"schema_version: '1.0'\nworkflow:\n  id: a\n  name: '# a'\n":                               false,
		"schema_version: '1.0'\nworkflow:\n  id: a\n  name: \"# \\\" # a\"\n":                      false,
		"schema_version: '1.0'\nworkflow:\n  id: a\n  name: |\n    # a\n    b # c\n":               false,
		"schema_version: '1.0'\nworkflow:\n  id: a\n  name: | # a\n    b\n":                        true,
		"schema_version: '1.0'\nworkflow:\n  id: a\n  name: |\n    b\n # a\n":                      true,
		"schema_version: '1.0'\nworkflow:\n  id: a\n  name: >\n    # a\n\n    # b\n":               false,
		"schema_version: '1.0'\nworkflow:\n  id: a\n  tags: [a, # a\n    b]\n":                     true,
		"schema_version: '1.0'\nworkflow:\n  id: a\n  tags: [ # a\n  ]\n":                          true,
		"schema_version: '1.0'\nworkflow:\n  id: a\n  tags:\n    - a\n    - # a\n      b\n":        true,
		"schema_version: '1.0'\nworkflow:\n  id: a\n  metadata: {'#a': '#', b#: 1}\n":              false,
		"schema_version: '1.0'\nworkflow:\n  id: a\n" + strings.Repeat(" ", 600) + "# far\n":       true,
		"schema_version: '1.0'\nworkflow:\n  id: a\n  name: \"\\x23\" # hidden by an escape\n":     true,
		"schema_version: '1.0'\nworkflow:\n  id: a\n  name: \"\\u0023 \\U00000023\" # a # b\n":     true,
		"%YAML 1.1 # directive\n---\nschema_version: '1.0'\nworkflow:\n  id: a\n":                  true,
		"schema_version: '1.0'\nworkflow:\n  id: Not Kebab # in a file that is wrong\n":            true,
		"schema_version: '1.0'\nworkflow:\n  id: a\n  unknown: key # likewise\n":                   true,
		"schema_version: '1.0'\r\nworkflow:\r\n  id: a # with Windows line ends\r\n":               true,
		"schema_version: '1.0'\nworkflow:\n  id: a\n  ? 'name' # behind a key of its own\n  : b\n": true,
	} {
		if got := Parse([]byte(src + rest)).HasComments; got != want {
			t.Errorf("%v for\n%s", got, src)
		}
		if !Parse([]byte(src + rest + "# below it")).HasComments {
			t.Errorf("there is none below\n%s", src)
		}
	}
}

// FuzzGraph: whatever is edited is refused, or written as a file that has a graph again.
func FuzzGraph(f *testing.F) {
	for _, pattern := range []string{"testdata/valid/*.golden", "testdata/invalid/*.yaml", "testdata/export/one-turn.golden"} {
		for _, path := range files(f, pattern) {
			src, err := os.ReadFile(path)
			if err != nil {
				f.Fatal(err)
			}
			if p := Parse(src); p.Graph != nil {
				b, err := json.Marshal(p.Graph)
				if err != nil {
					f.Fatal(err)
				}
				f.Add(b, []byte(p.Graph.Metadata))
			}
		}
	}
	f.Fuzz(func(t *testing.T, graph, metadata []byte) {
		var g Graph
		if json.Unmarshal(graph, &g) != nil || len(metadata) > 0 && !json.Valid(metadata) {
			return
		}
		g.Metadata = metadata
		src, err := Write(g)
		if err != nil {
			return
		}
		if p := Parse(src); p.Graph != nil {
			kept(t, src, *p.Graph)
		} else if len(p.Problems) == 0 {
			t.Errorf("nothing is said of\n%s", src)
		}
	})
}
