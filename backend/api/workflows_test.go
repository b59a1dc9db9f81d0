package api

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/backend/workflow"
)

const smallWorkflow = `schema_version: "1.0"
workflow:
  edges:
    - from: a
      to: b
  id: small
  name: Small
  nodes:
    - id: a
      type: input
    - id: b
      type: output
`

// desk is a project with a folder, and who has its token.
type desk struct {
	*world
	folder, token string
}

func newDesk(t *testing.T) *desk {
	w := open(t)
	folder := t.TempDir()
	return &desk{w, folder, w.door.Bind("garden", folder)}
}

func (d *desk) ask(method, path, body string) *http.Response {
	d.t.Helper()
	return d.request(method, path, body, as(d.token))
}

// list is the files, as text.
func (d *desk) list() string {
	d.t.Helper()
	var list WorkflowList
	d.decode(d.ask("GET", "/workflows", ""), &list)
	if list.Folder != d.folder {
		d.t.Errorf("the folder is %q", list.Folder)
	}
	var b strings.Builder
	for _, f := range list.Files {
		fmt.Fprintf(&b, "%s %q %d %d %v %s\n", f.Path, f.Name, f.Nodes, f.Problems, f.HasDraft, f.Error)
		if f.Error == "" && (len(f.Version) != 64 || f.ChangedAt == 0) {
			d.t.Errorf("it is %+v", f)
		}
	}
	return b.String()
}

func (d *desk) open(path string) (o OpenedWorkflow) {
	d.t.Helper()
	d.decode(d.ask("GET", "/workflows/file?path="+path, ""), &o)
	return o
}

func toSave(source, replaces string) string {
	return fmt.Sprintf(`{"source":%q,"replaces":%q}`, source, replaces)
}

// TestWorkflowsAreFiles: one is made, opened, changed by the page and by another program, which the page hears of.
func TestWorkflowsAreFiles(t *testing.T) {
	d := newDesk(t)
	socket := d.dialAs(d.token)
	if got := d.list(); got != "" {
		t.Errorf("there are %s", got)
	}
	const path = "workflows/small.relavium.yaml"
	var made, again, changed WorkflowSaved
	d.decode(d.ask("PUT", "/workflows/file?path="+path, toSave(smallWorkflow, "")), &made)
	if f := socket.read(); f.Type != "workflows" {
		t.Errorf("the socket says %+v", f)
	}
	if got := d.list(); got != path+" \"Small\" 2 0 false \n" {
		t.Errorf("there are %s", got)
	}
	o := d.open(path)
	if o.Path != path || o.Version != made.Version || o.Checked.Source != smallWorkflow || len(o.Checked.Problems) > 0 || len(o.Checked.Graph.Nodes) != 2 || o.Draft != nil {
		t.Errorf("opened is %+v", o)
	}
	d.decode(d.ask("PUT", "/workflows/file?path="+path, toSave("# mine\n"+smallWorkflow, made.Version)), &changed)
	if o := d.open(path); o.Version != changed.Version || o.Version == made.Version || !o.Checked.HasComments {
		t.Errorf("once it is saved it is %+v", o)
	}
	file := filepath.Join(d.folder, filepath.FromSlash(path))
	if err := os.WriteFile(file, []byte("# theirs\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for o := d.open(path); o.Checked.Source != "# theirs\n" || len(o.Checked.Problems) == 0; o = d.open(path) {
		if f := socket.read(); f.Type != "workflows" {
			t.Errorf("the socket says %+v", f)
		}
	}
	for _, replaces := range []string{"", made.Version, changed.Version} {
		if f := failure(t, d.ask("PUT", "/workflows/file?path="+path, toSave(smallWorkflow, replaces))); f.Code != http.StatusConflict || f.Type != "conflict" {
			t.Errorf("instead of %q: %+v", replaces, f)
		}
	}
	if f := failure(t, d.ask("PUT", "/workflows/file?path=workflows/other.relavium.yaml", toSave(smallWorkflow, made.Version))); f.Type != "conflict" {
		t.Errorf("instead of what is not there: %+v", f)
	}
	if b, err := os.ReadFile(file); err != nil || string(b) != "# theirs\n" {
		t.Errorf("their work is %q (%v)", b, err)
	}
	d.decode(d.ask("PUT", "/workflows/file?path="+path, toSave(smallWorkflow, d.open(path).Version)), &again)
	if again != made {
		t.Errorf("the same content is %+v, and was %+v", again, made)
	}
	if f := failure(t, d.ask("GET", "/workflows/file?path=none.relavium.yaml", "")); f.Code != http.StatusNotFound {
		t.Errorf("one that is not there: %+v", f)
	}
}

// TestDraftsOutliveTheirPage: also before there is a file, and whatever was typed.
func TestDraftsOutliveTheirPage(t *testing.T) {
	d := newDesk(t)
	d.request("PATCH", "/sessions/s", `{"draft":"x"}`, as(d.token))
	const path, half = "new.relavium.yaml", "workflow: [half"
	put := func(path, body string) {
		t.Helper()
		if res := d.ask("PUT", "/workflows/draft?path="+path, body); res.StatusCode != http.StatusNoContent {
			t.Errorf("%s: %+v", path, failure(t, res))
		}
	}
	put(path, `{"source":"workflow: [half","replaces":"","session":"s"}`)
	var list WorkflowDraftList
	d.decode(d.ask("GET", "/workflows/drafts", ""), &list)
	if len(list.Drafts) != 1 || list.Drafts[0].Path != path || list.Drafts[0].Session != "s" || list.Drafts[0].ChangedAt == 0 || d.list() != "" {
		t.Errorf("the drafts are %+v, and the files %s", list, d.list())
	}
	o := d.open(path)
	if o.Version != "" || o.Checked.Source != "" || o.Draft == nil || *o.Draft != (WorkflowDraft{half, "", "s"}) {
		t.Errorf("opened is %+v", o)
	}
	d.decode(d.ask("PUT", "/workflows/file?path="+path, toSave(smallWorkflow, "")), &WorkflowSaved{})
	if o := d.open(path); o.Version == "" || o.Draft == nil || d.list() != path+" \"Small\" 2 0 true \n" {
		t.Errorf("beside the file it is %+v, in %s", o, d.list())
	}
	d.decode(d.ask("GET", "/workflows/drafts", ""), &list)
	if len(list.Drafts) != 0 {
		t.Errorf("of files that are not there: %+v", list)
	}
	for range 2 {
		if res := d.ask("DELETE", "/workflows/draft?path="+path, ""); res.StatusCode != http.StatusNoContent {
			t.Errorf("removed: %+v", failure(t, res))
		}
	}
	if o := d.open(path); o.Draft != nil {
		t.Errorf("once it is removed there is %+v", o.Draft)
	}
	if err := os.RemoveAll(d.folder); err != nil {
		t.Fatal(err)
	}
	put(path, toSave(half, "v"))
	d.decode(d.ask("GET", "/workflows/drafts", ""), &list)
	if o := d.open(path); o.Version != "" || o.Draft == nil || o.Draft.Source != half || len(list.Drafts) != 1 {
		t.Errorf("without the folder it is %+v, in %+v", o, list)
	}
	if f := failure(t, d.ask("GET", "/workflows", "")); f.Code != http.StatusBadRequest || !strings.Contains(f.Message, "cannot be opened") {
		t.Errorf("its files: %+v", f)
	}
	long := toSave(strings.Repeat("x", workflow.MaxFile+1), "")
	for _, to := range []string{"/workflows/file", "/workflows/draft"} {
		if f := failure(t, d.ask("PUT", to+"?path=long.relavium.yaml", long)); f.Code != http.StatusBadRequest || !strings.Contains(f.Message, "6 MiB") {
			t.Errorf("%s: %+v", to, f)
		}
		if f := failure(t, d.ask("PUT", to+"?path=../"+path, toSave("x", ""))); f.Code != http.StatusBadRequest {
			t.Errorf("%s: %+v", to, f)
		}
	}
}

// TestAProjectThatIsNotOpenHasNoWorkflows, and not those of no project either.
func TestAProjectThatIsNotOpenHasNoWorkflows(t *testing.T) {
	w := open(t)
	const file = "/workflows/file?path=a.relavium.yaml"
	w.decode(w.request("PUT", file, toSave(smallWorkflow, ""), nil), &WorkflowSaved{})
	for _, c := range [][3]string{{"GET", "/workflows", ""}, {"GET", "/workflows/drafts", ""}, {"GET", file, ""}, {"PUT", file, toSave("x", "")}} {
		if f := failure(t, w.request(c[0], c[1], c[2], header(ProjectHeader, "unknown"))); f.Code != http.StatusBadRequest || !strings.Contains(f.Message, "Open the project") {
			t.Errorf("%s %s: %+v", c[0], c[1], f)
		}
	}
}

// TestADraftIsForItsFolder: a project that has another one the next time has other files of the same names.
func TestADraftIsForItsFolder(t *testing.T) {
	d := newDesk(t)
	folders := []string{d.folder, t.TempDir()}
	move := func(to string) {
		d.door.mu.Lock()
		defer d.door.mu.Unlock()
		d.door.folders["garden"] = to
	}
	for _, folder := range folders {
		move(folder)
		if res := d.ask("PUT", "/workflows/draft?path=a.relavium.yaml", toSave("in "+folder, "")); res.StatusCode != http.StatusNoContent {
			t.Errorf("%+v", failure(t, res))
		}
	}
	for _, folder := range folders {
		move(folder)
		if o := d.open("a.relavium.yaml"); o.Draft == nil || o.Draft.Source != "in "+folder {
			t.Errorf("%s has %+v", folder, o.Draft)
		}
	}
}
