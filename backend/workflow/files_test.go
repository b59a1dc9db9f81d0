package workflow

import (
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"parley/backend/agent"
	"parley/backend/watch"
)

// shelf is one over a folder, which is watched.
type shelf struct {
	*Shelf
	t      *testing.T
	folder string
}

func newShelf(t *testing.T) *shelf {
	t.Helper()
	w := watch.New(slog.New(slog.DiscardHandler))
	t.Cleanup(w.Close)
	folder := t.TempDir()
	return &shelf{NewShelves(t.TempDir(), func(agent.ProjectID) string { return folder }, w).Of("p"), t, folder}
}

func (s *shelf) must(err error) {
	s.t.Helper()
	if err != nil {
		s.t.Fatal(err)
	}
}

// write makes a file as another program would.
func (s *shelf) write(name, content string) {
	s.t.Helper()
	at := filepath.Join(s.folder, name)
	s.must(os.MkdirAll(filepath.Dir(at), 0o700))
	s.must(os.WriteFile(at, []byte(content), 0o600))
}

// list is the files, as text.
func (s *shelf) list() string {
	s.t.Helper()
	files, err := s.List()
	s.must(err)
	var b strings.Builder
	for _, f := range files {
		fmt.Fprintf(&b, "%q %q %d nodes %d problems %s\n", f.Path, f.Name, f.Nodes, f.Problems, f.Error)
	}
	return b.String()
}

func named(name string) string {
	return "schema_version: '1.0'\nworkflow:\n  id: a\n  name: " + name + "\n  nodes: [{id: a, type: input}]\n  edges: []\n"
}

// TestTheListOfFiles: those that are in the project, and nothing that is not; what is wrong with one keeps no other.
func TestTheListOfFiles(t *testing.T) {
	s := newShelf(t)
	outside := t.TempDir()
	s.must(os.WriteFile(filepath.Join(outside, "o.relavium.yaml"), []byte(named("O")), 0o600))
	for name, content := range map[string]string{
		"b.relavium.yaml": named("B"), "workflows/a.relavium.yaml": named("A"), ".parley/workflows/c.relavium.yaml": "half: [a",
		"workflows/Ä ö.relavium.yaml": named("Ö"), "workflows/long.relavium.yaml": strings.Repeat("#", MaxFile+1), `a:b.relavium.yaml`: named("N"), "\xff.relavium.yaml": named("N"),
		"d.yaml": named("N"), ".relavium.yaml": named("N"), ".e.relavium.yaml": named("N"), "other/f.relavium.yaml": named("N"), "workflows/deep/g.relavium.yaml": named("N"),
	} {
		s.write(name, content)
	}
	s.must(os.Mkdir(filepath.Join(s.folder, "folder.relavium.yaml"), 0o700))
	for from, to := range map[string]string{
		"out.relavium.yaml": filepath.Join(outside, "o.relavium.yaml"), "up.relavium.yaml": "../" + filepath.Base(outside) + "/o.relavium.yaml",
		"in.relavium.yaml": "other/f.relavium.yaml", "gone.relavium.yaml": "nowhere",
	} {
		s.must(os.Symlink(to, filepath.Join(s.folder, from)))
	}
	const noFile, noName = "This cannot be read: it is no file, or a link out of its folder.", "The name of the file is too long, or has a character that not every system can have in one. Give it another name."
	const want = `".parley/workflows/c.relavium.yaml" "" 0 nodes 1 problems 
"a:b.relavium.yaml" "" 0 nodes 0 problems ` + noName + `
"b.relavium.yaml" "B" 1 nodes 0 problems 
"folder.relavium.yaml" "" 0 nodes 0 problems ` + noFile + `
"in.relavium.yaml" "N" 1 nodes 0 problems 
"out.relavium.yaml" "" 0 nodes 0 problems ` + noFile + `
"up.relavium.yaml" "" 0 nodes 0 problems ` + noFile + `
"workflows/a.relavium.yaml" "A" 1 nodes 0 problems 
"workflows/long.relavium.yaml" "" 0 nodes 0 problems A workflow has 6 MiB at most, and this is larger. Take something out of it.
"workflows/Ä ö.relavium.yaml" "Ö" 1 nodes 0 problems 
"�.relavium.yaml" "" 0 nodes 0 problems ` + noName + `
`
	if got := s.list(); got != want {
		t.Errorf("there are\n%s", got)
	}
	s.must(os.RemoveAll(filepath.Join(s.folder, "workflows")))
	s.must(os.Symlink(outside, filepath.Join(s.folder, "workflows")))
	if got := s.list(); !strings.Contains(got, `"workflows" "" 0 nodes 0 problems This folder cannot be read`) || strings.Contains(got, `"O"`) || !strings.Contains(got, `"B"`) {
		t.Errorf("with a folder that is a link there are\n%s", got)
	}
	s.must(os.RemoveAll(s.folder))
	if files, err := s.List(); err == nil || !strings.Contains(agent.AsError(err).Message, "cannot be opened") {
		t.Errorf("of a folder that is gone: %+v, %v", files, err)
	}
}

// TestAListReadsWhatChanged, also when neither size nor time of a file tell.
func TestAListReadsWhatChanged(t *testing.T) {
	s := newShelf(t)
	at := filepath.Join(s.folder, "a.relavium.yaml")
	write := func(name string, changed time.Time) {
		t.Helper()
		s.write("a.relavium.yaml", named(name))
		s.must(os.Chtimes(at, changed, changed))
	}
	now, long := time.Now(), time.Now().Add(-time.Hour)
	for _, c := range []struct {
		name    string
		changed time.Time
		listed  string
	}{
		{"A", long, "A"},
		{"B", long, "A"}, // nothing tells
		{"C", now, "C"},
		{"D", now, "D"}, // it was read while its time could be that of another change
		{"EE", long, "EE"},
		{"FFF", long, "FFF"},
	} {
		write(c.name, c.changed)
		if got := s.list(); !strings.Contains(got, fmt.Sprintf(" %q ", c.listed)) {
			t.Errorf("%s is listed as %s", c.name, got)
		}
	}
	s.must(os.Rename(at, at+".old")) // or the new file could be in its very place on the disk
	write("GGG", long)
	if got := s.list(); !strings.Contains(got, `"GGG"`) {
		t.Errorf("another file is listed as %s", got)
	}
}

// TestAListHasAnEnd, and says so.
func TestAListHasAnEnd(t *testing.T) {
	s := newShelf(t)
	for i := range maxFiles + 2 {
		s.write(fmt.Sprintf("%04d.relavium.yaml", i), "")
	}
	s.write("workflows/a.relavium.yaml", "")
	files, err := s.List()
	s.must(err)
	var errors []string
	for _, f := range files {
		if f.Error != "" {
			errors = append(errors, f.Path+": "+f.Error)
		}
	}
	if len(files) != maxFiles+2 || len(errors) != 1 || !strings.HasPrefix(errors[0], ".: This folder has more than 1000 workflows") {
		t.Errorf("%d files, and %q", len(files), errors)
	}
}

// TestAPathStaysInTheProject of whoever reads or writes it.
func TestAPathStaysInTheProject(t *testing.T) {
	s := newShelf(t)
	outside := t.TempDir()
	s.must(os.Symlink(outside, filepath.Join(s.folder, "workflows")))
	s.write("other/a.relavium.yaml", named("A"))
	s.must(os.Symlink("other/a.relavium.yaml", filepath.Join(s.folder, "in.relavium.yaml")))
	s.must(os.Mkdir(filepath.Join(s.folder, "folder.relavium.yaml"), 0o700))
	s.write("UPPER.relavium.yaml", named("A"))
	long := strings.Repeat("x", 250)
	for _, name := range []string{
		"", ".", "a", "a.yaml", ".relavium.yaml", ".a.relavium.yaml", "../a.relavium.yaml", "/a.relavium.yaml", "workflows/../a.relavium.yaml", "./a.relavium.yaml",
		"other/a.relavium.yaml", "workflows/deep/a.relavium.yaml", "workflows//a.relavium.yaml", "a\n.relavium.yaml", `..\a.relavium.yaml`, "a:b.relavium.yaml",
		"\xff.relavium.yaml", long + ".relavium.yaml", "workflows/a.relavium.yaml",
	} {
		if _, _, err := s.Read(name); agent.AsError(err).Code != agent.CodeValidation && !errors.Is(err, ErrNoFile) {
			t.Errorf("%q is read: %v", name, err)
		}
		for _, replaces := range []string{"", version([]byte(named("A")))} {
			if at, err := s.Save(name, []byte("x"), replaces); at != "" || agent.AsError(err).Code != agent.CodeValidation && !errors.Is(err, ErrChanged) {
				t.Errorf("%q is saved: %v", name, err)
			}
		}
	}
	for name, want := range map[string]error{"upper.relavium.yaml": ErrTaken, "in.relavium.yaml": ErrTaken, "folder.relavium.yaml": ErrTaken} {
		if _, err := s.Save(name, []byte("x"), ""); !errors.Is(err, want) {
			t.Errorf("%q is made: %v", name, err)
		}
	}
	content, at, err := s.Read("in.relavium.yaml")
	if err != nil || string(content) != named("A") {
		t.Errorf("a link in the project is %q (%v)", content, err)
	}
	if _, err := s.Save("in.relavium.yaml", []byte("x"), at); !strings.Contains(fmt.Sprint(err), "a link to another one") {
		t.Errorf("a link is written over: %v", err)
	}
	if _, err := s.Save("b.relavium.yaml", make([]byte, MaxFile+1), ""); !errors.Is(err, ErrTooLarge) {
		t.Errorf("what is too large: %v", err)
	}
	for _, folder := range []string{outside, filepath.Dir(s.folder)} {
		entries, err := filepath.Glob(filepath.Join(folder, "*.relavium.yaml"))
		if err != nil || len(entries) > 0 {
			t.Errorf("outside there are %v (%v)", entries, err)
		}
	}
}

// TestOneOfManySaves: of those who save over the same version at once one does, and the others are told.
func TestOneOfManySaves(t *testing.T) {
	s := newShelf(t)
	const name = ".parley/workflows/a.relavium.yaml"
	replaces := ""
	for round := range 5 {
		var saved atomic.Value
		var all sync.WaitGroup
		for i := range 8 {
			all.Go(func() {
				at, err := s.Save(name, fmt.Appendf(nil, "%d %d", round, i), replaces)
				switch {
				case err == nil && saved.Swap(at) != nil:
					t.Error("two saved")
				case err != nil && !errors.Is(err, ErrTaken) && !errors.Is(err, ErrChanged):
					t.Error(err)
				}
			})
		}
		all.Wait()
		_, at, err := s.Read(name)
		if err != nil || at != saved.Load() {
			t.Fatalf("it is %s, and %v was saved (%v)", at, saved.Load(), err)
		}
		replaces = at
	}
	entries, err := os.ReadDir(filepath.Join(s.folder, ".parley", "workflows"))
	if err != nil || len(entries) != 1 {
		t.Errorf("there are %v (%v)", entries, err)
	}
}

// TestOneSavesWhereAProjectIsInAnother: the file is on two shelves.
func TestOneSavesWhereAProjectIsInAnother(t *testing.T) {
	outer := newShelf(t)
	outer.write("workflows/a.relavium.yaml", "")
	folders := map[agent.ProjectID]string{"outer": outer.folder, "inner": filepath.Join(outer.folder, "workflows")}
	shelves := NewShelves(t.TempDir(), func(p agent.ProjectID) string { return folders[p] }, outer.watcher)
	names := map[agent.ProjectID]string{"outer": "workflows/a.relavium.yaml", "inner": "a.relavium.yaml"}
	for round := range 10 {
		_, at, err := shelves.Of("inner").Read(names["inner"])
		outer.must(err)
		var saved atomic.Int32
		var all sync.WaitGroup
		for project, name := range names {
			for i := range 2 {
				all.Go(func() {
					if _, err := shelves.Of(project).Save(name, fmt.Append(nil, project, round, i), at); err == nil {
						saved.Add(1)
					}
				})
			}
		}
		all.Wait()
		if n := saved.Load(); n != 1 {
			t.Fatalf("%d saved over the same version", n)
		}
	}
}

// TestEverybodyHearsOfAChange, also while somebody looks at all files, which takes its time.
func TestEverybodyHearsOfAChange(t *testing.T) {
	s := newShelf(t)
	s.list()
	s.reading.Lock()
	defer s.reading.Unlock()
	file := filepath.Join(s.folder, "a.relavium.yaml")
	hear := func(what string, change func() error) {
		t.Helper()
		changed := s.Changed()
		s.must(change())
		select {
		case <-changed:
		case <-time.After(10 * time.Second):
			t.Errorf("nobody hears of %s", what)
		}
	}
	hear("a file that was made", func() error { return os.WriteFile(file, nil, 0o600) })
	hear("a file that was removed", func() error { return os.Remove(file) })
	hear("a folder that has gone", func() error { return os.RemoveAll(s.folder) })
	s.must(os.Mkdir(s.folder, 0o700))
	if _, _, err := s.Read("a.relavium.yaml"); !errors.Is(err, ErrNoFile) {
		t.Fatal(err)
	}
	hear("a file in a folder that was made anew", func() error { return os.WriteFile(file, nil, 0o600) })
}

// TestProjectsHaveTheirOwn: outside of all that is in the person's folder, where nobody else comes to.
func TestProjectsHaveTheirOwn(t *testing.T) {
	w := watch.New(slog.New(slog.DiscardHandler))
	t.Cleanup(w.Close)
	folders := map[agent.ProjectID]string{"a": t.TempDir(), "b": t.TempDir()}
	all := NewShelves(t.TempDir(), func(p agent.ProjectID) string { return folders[p] }, w)
	projects := []agent.ProjectID{"a", "b", agent.DefaultProject}
	for _, project := range projects {
		shelf := all.Of(project)
		if _, err := shelf.Save("workflows/x.relavium.yaml", []byte(named(string(project))), ""); err != nil || shelf != all.Of(project) || shelf.Folder != folders[project] {
			t.Errorf("%s: %q (%v)", project, shelf.Folder, err)
		}
	}
	for _, project := range projects {
		if content, _, err := all.Of(project).Read("workflows/x.relavium.yaml"); err != nil || string(content) != named(string(project)) {
			t.Errorf("%s has %q (%v)", project, content, err)
		}
	}
	if content, _, err := all.Of("unknown").Read("workflows/x.relavium.yaml"); err == nil {
		t.Errorf("of a project that was not opened: %q", content)
	}
}
