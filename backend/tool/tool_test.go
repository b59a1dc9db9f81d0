package tool

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"parley/backend/agent"
)

// open grants every tool a folder of its own, inside a directory that holds nothing else.
func open(t testing.TB) (set *Set, root string) {
	t.Helper()
	root = filepath.Join(t.TempDir(), "root")
	if err := os.Mkdir(root, 0o755); err != nil {
		t.Fatal(err)
	}
	set, err := Open(agent.Policy{Scratch: root}, agent.Launch{Tools: Names()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { set.Close() })
	return set, root
}

func call(t testing.TB, set *Set, name string, arguments any) agent.ToolResult {
	t.Helper()
	input, err := json.Marshal(arguments)
	if err != nil {
		t.Fatal(err)
	}
	return set.Run(t.Context(), nil, agent.ToolCall{ID: "c1", Name: name, Input: input}, unheard)
}

func unheard(agent.Event) {}

// refused fails the test unless the call was refused with words that hold want.
func refused(t testing.TB, r agent.ToolResult, want string) {
	t.Helper()
	if !r.IsError || r.Data != nil || !strings.Contains(r.Output, want) {
		t.Errorf("want a refusal with %q, got %+v", want, r)
	}
}

func TestOpen(t *testing.T) {
	for _, c := range []struct {
		root  string
		tools []string
		code  agent.Code
	}{
		{t.TempDir(), []string{"read_file", "fly"}, agent.CodeToolUnavailable},
		{t.TempDir(), []string{"read_file", "write_file", "read_file"}, agent.CodeValidation},
		{filepath.Join(t.TempDir(), "missing"), nil, agent.CodeSandbox},
	} {
		if _, err := Open(agent.Policy{Scratch: c.root}, agent.Launch{Tools: c.tools}); agent.AsError(err).Code != c.code {
			t.Errorf("%v: got %v, want %s", c.tools, err, c.code)
		}
	}
	set, err := Open(agent.Policy{Scratch: t.TempDir()}, agent.Launch{Tools: []string{"write_file", "read_file"}})
	if err != nil {
		t.Fatal(err)
	}
	defer set.Close()
	if d := set.Definitions(); len(d) != 2 || d[0].Name != "write_file" || d[1].Name != "read_file" {
		t.Errorf("the order of the grant is lost: %v", d)
	}
	refused(t, call(t, set, "list_directory", map[string]string{"path": "."}), "You may not use list_directory here. The tools you have: write_file, read_file.")
}

// TestDefinitions pins what models are told, because a changed byte costs every session its prompt cache.
func TestDefinitions(t *testing.T) {
	set, _ := open(t)
	var got strings.Builder
	for _, d := range set.Definitions() {
		if !json.Valid(d.Schema) || d.Description == "" {
			t.Errorf("%s: %q, %s", d.Name, d.Description, d.Schema)
		}
		fmt.Fprintf(&got, "%s (read only: %v)\n%s\n", d.Name, d.ReadOnly, d.Schema)
	}
	const golden = "testdata/definitions.golden"
	if *update {
		if err := os.WriteFile(golden, []byte(got.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if got.String() != string(want) {
		t.Errorf("got:\n%swant:\n%s", &got, want)
	}
}

func TestResultCarriesTheCall(t *testing.T) {
	set, _ := open(t)
	for _, r := range []agent.ToolResult{call(t, set, "list_directory", map[string]string{"path": "."}), call(t, set, "fly", nil)} {
		if r.ID != "c1" || r.Name == "" {
			t.Errorf("%+v does not say what it answers", r)
		}
	}
}

func TestCloseWaitsForCallsAndRefusesLaterOnes(t *testing.T) {
	set, _ := open(t)
	slow := readFile
	slow.run = func(_ context.Context, files *Files, _ agent.ToolCall, _ say) (string, json.RawMessage, error) {
		for set.mu.TryRLock() { // succeeds until Close waits
			closed := set.closed
			set.mu.RUnlock()
			if closed {
				break
			}
			runtime.Gosched()
		}
		_, err := files.layers[0].Stat(".")
		return "done", nil, err
	}
	set.granted = append([]tool{slow}, set.granted...)
	ended := make(chan agent.ToolResult)
	go func() { ended <- call(t, set, "read_file", given{"path": "."}) }()
	for set.mu.TryLock() { // succeeds until the call runs
		set.mu.Unlock()
		runtime.Gosched()
	}
	set.Close()
	if r := <-ended; r.IsError {
		t.Errorf("the folder was closed under a running call: %s", r.Output)
	}
	set.Close()
	refused(t, call(t, set, "list_directory", given{"path": "."}), "list_directory was stopped")
}

// listing is every name below dir.
func listing(t testing.TB, dir string) (names []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		names = append(names, path)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}
