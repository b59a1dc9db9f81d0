package revert

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/backend/agent"
	"parley/backend/store"
	"parley/backend/store/sealed"
	"parley/backend/tool"
)

var home = agent.SessionKey{Project: agent.DefaultProject, Session: "s"}

// world is a session that works in a folder, and whose turn "t" runs.
type world struct {
	t      *testing.T
	store  *store.Store
	folder string
	set    *tool.Set
	*Revert
}

func open(t *testing.T) *world {
	t.Helper()
	s, err := store.Open(t.Context(), filepath.Join(t.TempDir(), "history.db"), &sealed.Key{1}, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	w := &world{t: t, store: s, folder: t.TempDir()}
	policy := agent.Policy{Scope: agent.FilesProject, Scratch: t.TempDir(), Folder: w.folder, Data: t.TempDir()}
	w.set, err = tool.Open(policy, agent.Launch{Tools: tool.Names()})
	w.Revert = New(s, func(store.Session) agent.Policy { return policy })
	if err == nil {
		err = s.CreateSession(t.Context(), home, agent.Spec{ID: "a"}, w.folder)
	}
	if err == nil {
		_, err = s.StartTurn(t.Context(), home, store.NewTurn{Started: agent.TurnStarted{Turn: "t", UserMessage: "u", Message: "a"}, User: &agent.Message{ID: "u", Role: agent.RoleUser}})
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.set.Close() })
	return w
}

// run lets the run call a tool, and keeps what that wrote.
func (w *world) run(name string, arguments any) {
	w.t.Helper()
	input, err := json.Marshal(arguments)
	if err != nil {
		w.t.Fatal(err)
	}
	result := w.set.Run(w.t.Context(), nil, agent.ToolCall{ID: "c", Name: name, Input: input}, func(e agent.Event) {
		wrote := e.(agent.FileWritten)
		c := store.FileChange{Path: wrote.Path, Before: append([]byte{}, wrote.Before...), After: append([]byte{}, wrote.After...)}
		if wrote.Created {
			c.Before = nil
		}
		if err := w.store.AddFileChange(w.t.Context(), home, "t", c); err != nil {
			w.t.Error(err)
		}
	})
	if result.IsError {
		w.t.Fatal(result.Output)
	}
}

func (w *world) writes(name, content string) {
	w.t.Helper()
	w.run("write_file", map[string]any{"path": name, "content": content, "create_dirs": true})
}

// edits is the person's own hand.
func (w *world) edits(name, content string) {
	w.t.Helper()
	if err := os.WriteFile(filepath.Join(w.folder, name), []byte(content), 0o644); err != nil {
		w.t.Fatal(err)
	}
}

// holds wants the folder to hold these files, and no others.
func (w *world) holds(want map[string]string) {
	w.t.Helper()
	got := map[string]string{}
	err := filepath.WalkDir(w.folder, func(path string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			var content []byte
			content, err = os.ReadFile(path)
			name, _ := filepath.Rel(w.folder, path)
			got[filepath.ToSlash(name)] = string(content)
		}
		return err
	})
	if err != nil || fmt.Sprint(got) != fmt.Sprint(want) {
		w.t.Errorf("there is %q, not %q (%v)", got, want, err)
	}
}

func (w *world) does(do func(context.Context, Request) ([]Step, error), undo bool, names ...string) []Step {
	w.t.Helper()
	q := Request{Key: home, Answer: "a", Undo: undo}
	for _, name := range names {
		q.Paths = append(q.Paths, filepath.Join(w.folder, name))
	}
	steps, err := do(w.t.Context(), q)
	if err != nil {
		w.t.Fatal(err)
	}
	return steps
}

// TestARunIsRevertedAndGivenBack: by file and by turn, with a preview that changes nothing, and undone.
func TestARunIsRevertedAndGivenBack(t *testing.T) {
	w := open(t)
	w.edits("old.txt", "one\ntwo\n")
	w.edits("mine.txt", "mine\n")
	w.writes("old.txt", "one\n2\n")
	w.writes("old.txt", "one\n2\nthree\n")
	w.writes("dir/new.txt", "new\n")
	after := map[string]string{"old.txt": "one\n2\nthree\n", "mine.txt": "mine\n", "dir/new.txt": "new\n"}
	before := map[string]string{"old.txt": "one\ntwo\n", "mine.txt": "mine\n"}

	files, err := w.Files(t.Context(), home, "a")
	if err != nil || len(files) != 2 || files[0].Created || !files[1].Created || files[0].Reverted || !strings.Contains(files[0].Diffs[0], "-two\n+2\n+three\n") {
		t.Fatalf("%+v (%v)", files, err)
	}
	if steps := w.does(w.Preview, false); len(steps) != 2 || !strings.Contains(steps[0].Diff, "-2\n-three\n+two\n") {
		t.Errorf("%+v", steps)
	}
	w.holds(after)
	w.does(w.Apply, false, "old.txt")
	w.holds(map[string]string{"old.txt": "one\ntwo\n", "mine.txt": "mine\n", "dir/new.txt": "new\n"})
	w.does(w.Apply, false)
	w.holds(before)
	if steps := w.does(w.Apply, false); len(steps) != 0 {
		t.Errorf("a second time it does %+v", steps)
	}
	w.does(w.Apply, true)
	w.holds(after)
	w.does(w.Apply, false)
	w.holds(before)
}

// Done when 7: after a run of 50 edits with unrelated edits of the person in between, the person's edits survive, and
// conflicts are shown.
func TestThePersonsEditsSurvive(t *testing.T) {
	w := open(t)
	const lines = 400
	text := make([]string, lines)
	for i := range text {
		text[i] = fmt.Sprintf("line %d", i)
	}
	content := func(text []string) string { return strings.Join(text, "\n") + "\n" }
	read := func() []string {
		b, err := os.ReadFile(filepath.Join(w.folder, "a.txt"))
		if err != nil {
			t.Fatal(err)
		}
		return strings.Split(strings.TrimSuffix(string(b), "\n"), "\n")
	}
	w.edits("a.txt", content(text))
	for i := range 50 {
		old := fmt.Sprintf("line %d\n", 8*i)
		w.run("edit_file", map[string]any{"path": "a.txt", "edits": []map[string]string{{"old": old, "new": "run\nmore " + old}}})
		now := read()
		for at, line := range now {
			if line == fmt.Sprintf("line %d", 8*i+4) {
				now[at] = fmt.Sprintf("mine %d", i)
			}
		}
		w.edits("a.txt", content(now))
	}
	now := read()
	for at, line := range now {
		if line == "more line 160" { // where the run was, too
			now[at] = "MORE line 160"
		}
	}
	w.edits("a.txt", content(now))
	asWas := content(now)

	want := append([]string{}, text...)
	for i := range 50 {
		want[8*i+4] = fmt.Sprintf("mine %d", i)
	}
	want = append(want[:160], append([]string{"run", "MORE line 160"}, want[161:]...)...)

	preview := w.does(w.Preview, false)
	w.holds(map[string]string{"a.txt": asWas})
	steps := w.does(w.Apply, false)
	if fmt.Sprint(preview) != fmt.Sprint(steps) || len(steps) != 1 || len(steps[0].Conflicts) != 1 {
		t.Fatalf("%+v", steps)
	}
	if c := steps[0].Conflicts[0]; !strings.Contains(c.Mine, "MORE line 160") || !strings.Contains(c.Back, "line 160") || c.Line != 160+20+1 {
		t.Errorf("the conflict is %+v", c)
	}
	w.holds(map[string]string{"a.txt": content(want)})
	w.does(w.Apply, true)
	w.holds(map[string]string{"a.txt": asWas})
}

// TestWhatCannotBeMergedIsLeft: what was removed, made anew or is no text is a person's as it is.
func TestWhatCannotBeMergedIsLeft(t *testing.T) {
	for name, c := range map[string]struct {
		before, after string
		now           []byte // nil: the person removed it
		want          []byte
		conflicts     int
	}{
		"not touched":         {"a\n", "b\n", []byte("b\n"), []byte("a\n"), 0},
		"taken back by hand":  {"a\n", "b\n", []byte("a\n"), []byte("a\n"), 0},
		"removed":             {"a\n", "b\n", nil, nil, 1},
		"made binary":         {"a\n", "b\n", []byte("b\x00"), []byte("b\x00"), 1},
		"a line added far":    {"a\nx\ny\nz\n", "b\nx\ny\nz\n", []byte("b\nx\ny\nz\nmine\n"), []byte("a\nx\ny\nz\nmine\n"), 0},
		"a line added beside": {"a\nx\n", "b\nx\n", []byte("b\nmine\nx\n"), []byte("b\nmine\nx\n"), 1},
		"no end of line":      {"a", "b", []byte("b\n"), []byte("b\n"), 1},
	} {
		merged, conflicts := merge([]byte(c.after), []byte(c.before), c.now)
		if !same(merged, c.want) || len(conflicts) != c.conflicts {
			t.Errorf("%s: %q, %+v", name, merged, conflicts)
		}
	}
	if merged, conflicts := merge([]byte("made\n"), nil, []byte("made\nmine\n")); string(merged) != "made\nmine\n" || len(conflicts) != 1 {
		t.Errorf("a new file that was changed since: %q, %+v", merged, conflicts)
	}
}

// TestOnlyTheSessionsFilesAreTouched, whatever is said to have been written.
func TestOnlyTheSessionsFilesAreTouched(t *testing.T) {
	w := open(t)
	outside := filepath.Join(t.TempDir(), "outside.txt")
	link := filepath.Join(w.folder, "link")
	if err := errors.Join(os.WriteFile(outside, []byte("private"), 0o600), os.Symlink(outside, link)); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{outside, link, filepath.Join(w.policy(store.Session{}).Data, "history.db")} {
		if err := w.store.AddFileChange(t.Context(), home, "t", store.FileChange{Path: path, Before: []byte("evil"), After: []byte("private")}); err != nil {
			t.Fatal(err)
		}
		q := Request{Key: home, Answer: "a", Paths: []string{path}}
		if steps, err := w.Apply(t.Context(), q); err == nil {
			t.Errorf("%s: %+v", path, steps)
		}
	}
	if b, err := os.ReadFile(outside); err != nil || string(b) != "private" {
		t.Errorf("outside there is %q (%v)", b, err)
	}
	if _, err := w.Files(t.Context(), agent.SessionKey{Project: "other", Session: "s"}, "a"); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("another project: %v", err)
	}
}
