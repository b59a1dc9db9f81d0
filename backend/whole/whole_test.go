package whole

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
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

// writerFolder names the folder that this program writes in until it is killed, if it is a writer.
const writerFolder = "WHOLE_TEST_FOLDER"

func TestMain(m *testing.M) {
	folder := os.Getenv(writerFolder)
	if folder == "" {
		os.Exit(m.Run())
	}
	root, err := os.OpenRoot(folder)
	for i := 0; err == nil; i++ {
		err = Write(root, "in/a", contents[i%2], 0o600)
		fmt.Println("written")
	}
	panic(err)
}

// contents are long enough for a write of one to be seen half done.
var contents = [2][]byte{bytes.Repeat([]byte("a"), 2<<20), bytes.Repeat([]byte("b"), 2<<20)}

// TestAKilledWriterLeavesOneOrTheOther, whole; what else it leaves goes.
func TestAKilledWriterLeavesOneOrTheOther(t *testing.T) {
	root := fresh(t)
	for range 6 {
		writer := exec.CommandContext(t.Context(), os.Args[0])
		writer.Env = append(os.Environ(), writerFolder+"="+root.Name())
		out, err := writer.StdoutPipe()
		must(t, err)
		must(t, writer.Start())
		lines := bufio.NewReader(out)
		for range 2 {
			_, err = lines.ReadString('\n')
			must(t, err)
		}
		must(t, writer.Process.Kill())
		writer.Wait()
		content, err := root.ReadFile("in/a")
		if err != nil || !bytes.Equal(content, contents[0]) && !bytes.Equal(content, contents[1]) {
			t.Fatalf("it has %d bytes (%v)", len(content), err)
		}
	}
	left, err := fs.Glob(root.FS(), "in/"+temporary+"*")
	must(t, err)
	for _, name := range left {
		must(t, root.Chtimes(name, time.Now(), time.Now().Add(-2*abandoned)))
	}
	Tidy(root, "in")
	if entries, err := fs.ReadDir(root.FS(), "in"); err != nil || len(entries) != 1 {
		t.Errorf("left are %v (%v)", entries, err)
	}
	t.Logf("%d of 6 were killed in the middle", len(left))
}
