package tool

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
)

// given is the arguments of a call.
type given map[string]any

func TestLinksLeadNowhereElse(t *testing.T) {
	set, root := open(t)
	outside := filepath.Join(filepath.Dir(root), "outside.txt")
	put(t, outside, "private")
	put(t, filepath.Join(root, "real/file.txt"), "inside\n")
	put(t, filepath.Join(root, ".env"), "KEY=1")
	put(t, filepath.Join(root, ".git/config"), "[core]")
	for link, target := range map[string]string{
		"absolute": outside, "relative": "../outside.txt", "up": "..", "loop": "loop", "chain": "up/outside.txt",
		"dir": "real", "file": "dir/file.txt", "real/back": "../real/file.txt", "new": "real/new.txt",
		"env": ".env", "git": "real/../.git",
	} {
		if err := os.Symlink(target, filepath.Join(root, link)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Link(outside, filepath.Join(root, "hard.txt")); err != nil {
		t.Fatal(err)
	}

	for _, path := range []string{"absolute", "relative", "up/outside.txt", "loop", "chain"} {
		refused(t, call(t, set, "read_file", given{"path": path}), "outside the folder")
		refused(t, call(t, set, "write_file", given{"path": path, "content": "x"}), "outside the folder")
	}
	refused(t, call(t, set, "list_directory", given{"path": "up"}), "outside the folder")
	refused(t, call(t, set, "read_file", given{"path": "hard.txt"}), "hard link")
	refused(t, call(t, set, "write_file", given{"path": "hard.txt", "content": "x", "append": true}), "hard link")
	refused(t, call(t, set, "read_file", given{"path": "env"}), "protected")
	refused(t, call(t, set, "write_file", given{"path": "git/config", "content": "x"}), "protected")

	for _, path := range []string{"file", "dir/file.txt", "dir/back"} {
		if r := call(t, set, "read_file", given{"path": path}); r.Output != "inside\n" {
			t.Errorf("%s: %+v", path, r)
		}
	}
	for _, path := range []string{"file", "new"} {
		if r := call(t, set, "write_file", given{"path": path, "content": "changed"}); r.IsError {
			t.Errorf("%s: %s", path, r.Output)
		}
		if info, err := os.Lstat(filepath.Join(root, path)); err != nil || info.Mode()&os.ModeSymlink == 0 {
			t.Errorf("writing through the link %s replaced it (%v)", path, err)
		}
	}
	if b, err := os.ReadFile(outside); err != nil || string(b) != "private" {
		t.Errorf("outside is %q now (%v)", b, err)
	}
}

func TestOnlyTextOfSomeSizeIsRead(t *testing.T) {
	set, root := open(t)
	put(t, filepath.Join(root, "picture.png"), "\x89PNG\r\n\x1a\n\x00\x00")
	put(t, filepath.Join(root, "late.bin"), strings.Repeat("a", 8<<10)+"\x00")
	put(t, filepath.Join(root, "latin1.txt"), "caf\xe9\n")
	put(t, filepath.Join(root, "large.txt"), strings.Repeat("a", maxFile+1))
	refused(t, call(t, set, "read_file", given{"path": "picture.png"}), "not text (image/png, 10 bytes)")
	refused(t, call(t, set, "read_file", given{"path": "large.txt"}), "8388609 bytes")
	refused(t, call(t, set, "write_file", given{"path": "large.txt", "content": "x", "append": true}), "8388609 bytes")
	refused(t, call(t, set, "write_file", given{"path": "new.txt", "content": strings.Repeat("a", maxFile+1)}), "8388609 bytes")
	if r := call(t, set, "read_file", given{"path": "late.bin"}); r.IsError {
		t.Errorf("a NUL past the first 8 KiB: %s", r.Output)
	}
	if r := call(t, set, "read_file", given{"path": "latin1.txt"}); r.Output != "caf\uFFFD\n" {
		t.Errorf("got %q", r.Output)
	}
}

func TestAWriteKeepsTheModeAndLeavesNothingBehind(t *testing.T) {
	set, root := open(t)
	script := filepath.Join(root, "run.sh")
	put(t, script, "old")
	if err := os.Chmod(script, 0o775); err != nil {
		t.Fatal(err)
	}
	if r := call(t, set, "write_file", given{"path": "run.sh", "content": "new"}); r.IsError {
		t.Fatal(r.Output)
	}
	if info, err := os.Stat(script); err != nil || info.Mode().Perm() != 0o775 {
		t.Errorf("the mode is %v now (%v)", info.Mode(), err)
	}
	if err := os.Chmod(script, 0o444); err != nil {
		t.Fatal(err)
	}
	refused(t, call(t, set, "write_file", given{"path": "run.sh", "content": "newer"}), "read-only")

	stopped, cancel := context.WithCancel(t.Context())
	cancel()
	if err := replace(stopped, set.files.layers[0], "run.sh", []byte("newest"), nil); !errors.Is(err, context.Canceled) {
		t.Errorf("a stopped write gave %v", err)
	}
	put(t, filepath.Join(root, "folder/file"), "")
	if err := replace(t.Context(), set.files.layers[0], "folder", []byte("newest"), nil); err == nil {
		t.Error("a folder was replaced by a file")
	}
	want := []string{root, filepath.Join(root, "folder"), filepath.Join(root, "folder/file"), script}
	if b, err := os.ReadFile(script); err != nil || string(b) != "new" || fmt.Sprint(listing(t, root)) != fmt.Sprint(want) {
		t.Errorf("there is %q in %v (%v)", b, listing(t, root), err)
	}
}

// The page accepts and reverts by hunk, so the diff is whole, however long.
func TestALongDiffIsWhole(t *testing.T) {
	set, _ := open(t)
	content := strings.Repeat("0123456789abcde\n", 20_000)
	r := call(t, set, "write_file", given{"path": "long.txt", "content": content})
	var data writeFileData
	if err := json.Unmarshal(r.Data, &data); err != nil {
		t.Fatal(err)
	}
	if got := strings.Count(data.Diff, "\n+0123456789abcde"); got != 20_000 || data.Bytes != len(content) || len(r.Output) > 100 {
		t.Errorf("%d lines of diff, %d bytes, the model reads %q", got, data.Bytes, r.Output)
	}
}

func TestALongFileIsReadInParts(t *testing.T) {
	set, root := open(t)
	var content strings.Builder
	for i := range 5000 {
		fmt.Fprintf(&content, "line %d %s\n", i+1, strings.Repeat("x", i%100))
	}
	put(t, filepath.Join(root, "long.txt"), content.String())
	var got strings.Builder
	for next := 1; ; {
		r := call(t, set, "read_file", given{"path": "long.txt", "offset": next})
		var data readFileData
		if err := json.Unmarshal(r.Data, &data); err != nil {
			t.Fatalf("%v in %s", err, r.Output)
		}
		if data.From != next || data.Lines == 0 || len(r.Output) > maxOutput || !strings.HasPrefix(r.Output, data.Text) {
			t.Fatalf("from %d: %d lines from %d in %d bytes", next, data.Lines, data.From, len(r.Output))
		}
		got.WriteString(data.Text)
		if !data.Truncated {
			break
		}
		next += data.Lines
		if want := fmt.Sprintf("Go on with offset %d.]", next); !strings.HasSuffix(r.Output, want) {
			t.Fatalf("the model is not told: %s", want)
		}
	}
	if got.String() != content.String() {
		t.Error("the parts are not the file")
	}
}

func TestAListingStopsWhenAsked(t *testing.T) {
	set, root := open(t)
	for i := range 1100 {
		put(t, filepath.Join(root, fmt.Sprintf("%04d", i)), "")
	}
	for limit, want := range map[int]int{0: 200, 7: 7, 1000: 1000} {
		arguments := given{"path": "."}
		if limit > 0 {
			arguments["limit"] = limit
		}
		var data listDirectoryData
		if err := json.Unmarshal(call(t, set, "list_directory", arguments).Data, &data); err != nil {
			t.Fatal(err)
		}
		if len(data.Entries) != want || !data.Truncated {
			t.Errorf("limit %d: %d entries, truncated %v", limit, len(data.Entries), data.Truncated)
		}
	}
	stopped, cancel := context.WithCancel(t.Context())
	cancel()
	r := set.Run(stopped, nil, agent.ToolCall{Name: "list_directory", Input: json.RawMessage(`{"path":"."}`)}, unheard)
	refused(t, r, "stopped")
}
