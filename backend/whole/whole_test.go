package whole

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// fresh is a folder with another one, in, in it.
func fresh(t *testing.T) *os.Root {
	t.Helper()
	root, err := os.OpenRoot(t.TempDir())
	must(t, err)
	t.Cleanup(func() { root.Close() })
	must(t, root.Mkdir("in", 0o700))
	return root
}

// has is what is in the folder in, by name, with content.
func has(t *testing.T, root *os.Root) string {
	t.Helper()
	entries, err := fs.ReadDir(root.FS(), "in")
	must(t, err)
	var all []string
	for _, e := range entries {
		content, err := root.ReadFile("in/" + e.Name())
		must(t, err)
		all = append(all, e.Name()+"="+string(content))
	}
	return strings.Join(all, " ")
}

func TestAFileIsMadeAndReplaced(t *testing.T) {
	root := fresh(t)
	must(t, Create(root, "in/a", []byte("1"), 0o600))
	must(t, root.Chmod("in/a", 0o640))
	if err := Create(root, "in/a", []byte("2"), 0o600); !errors.Is(err, fs.ErrExist) {
		t.Errorf("made again: %v", err)
	}
	must(t, Write(root, "in/b", []byte("1"), 0o600))
	if got := has(t, root); got != "a=1 b=1" {
		t.Errorf("there are %s", got)
	}
	must(t, Write(root, "in/a", []byte("3"), 0o666))
	if info, err := root.Stat("in/a"); err != nil || info.Mode().Perm() != 0o640 {
		t.Errorf("its mode has become %v (%v)", info.Mode(), err)
	}
	must(t, root.Mkdir("in/c", 0o700))
	if Write(root, "in/c", nil, 0o600) == nil || Write(root, "nowhere/d", nil, 0o600) == nil || Write(root, "../d", nil, 0o600) == nil {
		t.Error("a folder, or what is elsewhere, is written")
	}
	must(t, root.Remove("in/c"))
	if got := has(t, root); got != "a=3 b=1" {
		t.Errorf("there are %s", got)
	}
}

// TestALinkIsReplaced and not what it leads to.
func TestALinkIsReplaced(t *testing.T) {
	root := fresh(t)
	must(t, root.WriteFile("in/a", []byte("1"), 0o600))
	must(t, root.Symlink("a", "in/b"))
	must(t, Write(root, "in/b", []byte("2"), 0o600))
	if got := has(t, root); got != "a=1 b=2" {
		t.Errorf("there are %s", got)
	}
}

func TestOneOfManyMakesTheFile(t *testing.T) {
	root := fresh(t)
	var made atomic.Int32
	var all sync.WaitGroup
	for i := range 20 {
		all.Go(func() {
			err := Create(root, "in/a", fmt.Append(nil, i), 0o600)
			if err == nil {
				made.Add(1)
			} else if !errors.Is(err, fs.ErrExist) {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if made.Load() != 1 {
		t.Errorf("%d made it", made.Load())
	}
}

// TestWhatIsAbandonedGoes: nobody else's file does, and none that may still be written.
func TestWhatIsAbandonedGoes(t *testing.T) {
	root := fresh(t)
	old := time.Now().Add(-2 * abandoned)
	random := strings.Repeat("A", 26)
	for _, name := range []string{".parley-notes", "a", temporary + random[1:] + "B", temporary + random} {
		must(t, root.WriteFile("in/"+name, nil, 0o600))
		if name != temporary+random {
			must(t, root.Chtimes("in/"+name, old, old))
		}
	}
	Tidy(root, "in")
	Tidy(root, "nowhere")
	if got := has(t, root); got != temporary+random+"= .parley-notes= a=" {
		t.Errorf("left are %s", got)
	}
}
