package api

import (
	"encoding/json"
	"net/http"
	"reflect"
	"strings"
	"testing"

	"parley/backend/workflow"
)

func (w *world) check(what WorkflowToCheck) (c CheckedWorkflow) {
	w.t.Helper()
	w.decode(w.request("POST", "/workflows/check", asJSONText(w.t, what), as(w.door.Bind("stranger", ""))), &c)
	return c
}

func asJSONText(t testing.TB, value any) string {
	t.Helper()
	b, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// TestCheckWorkflow: an exported session goes to the page as a graph and its metadata, and comes back as the same file.
func TestCheckWorkflow(t *testing.T) {
	w := open(t)
	w.told("s", "u1", "[[say:12345678901234567890]]")
	source := w.export("s", workflow.Canvas).Content
	read := w.check(WorkflowToCheck{Source: source})
	if read.Source != source || read.Graph == nil || read.HasComments || len(read.Problems) > 0 || !strings.Contains(read.Metadata, "relaviumExport") {
		t.Fatalf("%+v", read)
	}
	if again := w.check(WorkflowToCheck{Graph: read.Graph, Metadata: read.Metadata}); !reflect.DeepEqual(again, read) {
		t.Errorf("got\n%+v\nwant\n%+v", again, read)
	}
	read.Graph.Nodes[1] = workflow.AgentNode{Head: workflow.Head{ID: "turn-1", Type: workflow.NodeAgent}}
	edited := w.check(WorkflowToCheck{Graph: read.Graph, Metadata: `{"n":12345678901234567890}`})
	if len(edited.Problems) != 1 || edited.Metadata != `{"n":12345678901234567890}` || edited.Graph == nil {
		t.Fatalf("%+v", edited)
	}
	p := edited.Problems[0]
	if line := strings.Split(edited.Source, "\n")[p.Line-1]; p.Key != "workflow.nodes[1].agent_ref" || line[p.Column-1:] != `""` {
		t.Errorf("%+v is told at %q", p, line)
	}
	if c := w.check(WorkflowToCheck{Source: "# nothing\nunknown: 1"}); c.Graph != nil || !c.HasComments || len(c.Problems) == 0 || c.Metadata != "" {
		t.Errorf("%+v", c)
	}
}

// TestCheckWorkflowRefuses: what is no graph is an error that names what is wrong with it.
func TestCheckWorkflowRefuses(t *testing.T) {
	w := open(t)
	for bad, says := range map[string]string{
		`{"graph":{"nodes":[{"id":"a","type":"input","to":"hunter2"}]}}`:                  `nodes[0]: json: unknown field "to"`,
		`{"graph":{"nodes":[{"id":"a","type":"hunter2"}]}}`:                               "nodes[0]: type",
		`{"graph":{"metadata":{},"nodes":[],"edges":[]}}`:                                 `unknown field "metadata"`,
		`{"graph":{"nodes":[],"edges":[]},"metadata":"hunter2"}`:                          "its metadata must be",
		`{"graph":{"nodes":[],"edges":[]},"metadata":"[\"hunter2\"]"}`:                    "its metadata must be",
		`{"graph":{"nodes":[],"edges":[]},"metadata":"null"}`:                             "its metadata must be",
		`{"graph":{"nodes":[],"edges":[]},"metadata":"{\"a\":` + deepJSON(300) + `}"}`:    "nested too deeply",
		`{"graph":{"nodes":[],"edges":[]},"metadata":"{\"a\":` + deepJSON(20_000) + `}"}`: "its metadata must be",
	} {
		if f := failure(t, w.request("POST", "/workflows/check", bad, nil)); f.Code != http.StatusBadRequest || !strings.Contains(f.Message, says) || strings.Contains(f.Message, "hunter2") {
			t.Errorf("%.100s: %+v", bad, f)
		}
	}
	if f := failure(t, w.request("POST", "/workflows/check", strings.Repeat(" ", maxWorkflow+1), nil)); f.Code != http.StatusRequestEntityTooLarge || !strings.Contains(f.Message, "16 MiB") {
		t.Errorf("%+v", f)
	}
}

func deepJSON(n int) string { return strings.Repeat("[", n) + strings.Repeat("]", n) }

// TestOrigins: who edits an exported session is told what its nodes were.
func TestOrigins(t *testing.T) {
	w := open(t)
	w.told("s", "u1", "[[say:Hello]]")
	w.told("s", "u2", `[[tool:list_directory {"path":"."}]][[say:one]]`)
	metadata := w.check(WorkflowToCheck{Source: w.export("s", workflow.Canvas).Content}).Metadata
	var found, none WorkflowOrigins
	w.decode(w.request("POST", "/workflows/origins", asJSONText(t, WorkflowMetadata{metadata}), nil), &found)
	want := []workflow.Origin{
		{Node: "turn-1", Session: "s", Message: "u1", Prompt: "[[say:Hello]]", Answer: "Hello", Tools: []string{}},
		{Node: "turn-2", Session: "s", Message: "u2", Prompt: `[[tool:list_directory {"path":"."}]][[say:one]]`, Answer: "one", Tools: []string{"list_directory"}},
	}
	if !reflect.DeepEqual(found.Origins, want) {
		t.Errorf("%+v", found)
	}
	w.decode(w.request("POST", "/workflows/origins", `{"metadata":""}`, nil), &none)
	if none.Origins == nil || len(none.Origins) > 0 {
		t.Errorf("%+v", none)
	}
}
