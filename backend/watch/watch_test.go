package watch

import (
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// watching watches .parley/agents in a folder; it gives that folder, and what wants a change to be told of.
func watching(t *testing.T, root string) (agents string, told func(what string)) {
	t.Helper()
	changed := make(chan struct{}, 1)
	w := New(slog.New(slog.DiscardHandler))
	t.Cleanup(w.Close)
	w.Add(func() { t.Error("somebody is told of what is not theirs") }, "", t.TempDir(), ".", "agents")
	w.Add(func() {
		select {
		case changed <- struct{}{}:
		default:
		}
	}, "", root, ".parley/agents")
	return filepath.Join(root, ".parley", "agents"), func(what string) {
		t.Helper()
		select {
		case <-changed:
		case <-time.After(10 * time.Second):
			t.Fatalf("nobody was told that %s", what)
		}
	}
}

func done(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestWhatHappensInAFolderIsTold(t *testing.T) {
	root := t.TempDir()
	agents, told := watching(t, root)
	file := filepath.Join(agents, "a.yaml")
	done(t, os.Mkdir(filepath.Join(root, ".parley"), 0o700))
	told("the folder above was made")
	done(t, os.Mkdir(agents, 0o700))
	told("the folder was made")
	done(t, os.WriteFile(file, []byte("1"), 0o600))
	told("a file was made")
	done(t, os.WriteFile(file+".tmp", []byte("2"), 0o600))
	told("a file was made beside it")
	done(t, os.Rename(file+".tmp", file))
	told("it took the place of the first")
	done(t, os.WriteFile(file, []byte("3"), 0o600))
	told("it was written in place after that")
	done(t, os.Remove(file))
	told("it was removed")
	done(t, os.RemoveAll(filepath.Join(root, ".parley")))
	told("all was removed")
	done(t, os.MkdirAll(agents, 0o700))
	told("all was made again")
	done(t, os.WriteFile(file, []byte("4"), 0o600))
	told("a file was made again")
}

// TestOnlyNamesWithTheEndingCount, of files; of folders on the way every one does.
func TestOnlyNamesWithTheEndingCount(t *testing.T) {
	notes := set{paths: []string{filepath.FromSlash("/p"), filepath.FromSlash("/p/notes")}, ending: ".txt"}
	for name, want := range map[string]bool{"/p/a.txt": true, "/p/a.log": false, "/p/notes": true, "/p/notes/a.txt": true, "/p/notes/a": false, "/p/other": false} {
		if notes.concerns(filepath.FromSlash(name)) != want {
			t.Errorf("%s: concerns is %v", name, !want)
		}
	}
}

func TestWhatIsElsewhereIsNot(t *testing.T) {
	root := t.TempDir()
	agents := set{paths: []string{filepath.Join(root, ".parley", "agents"), filepath.Join(root, "more")}}
	for name, want := range map[string]bool{
		"more": true, "more/a": true, ".parley": true, ".parley/agents": true, ".parley/agents/a": true,
		"a": false, "more/a/b": false, ".parley/a": false, ".parley/agents2": false, ".parley/agents/a/b": false, ".parley/agent": false,
	} {
		if agents.concerns(filepath.Join(root, name)) != want {
			t.Errorf("%s: concerns is %v", name, !want)
		}
	}
}
