//go:build unix

package tool

import (
	"path/filepath"
	"syscall"
	"testing"
)

func TestAPipeIsNotWaitedFor(t *testing.T) {
	set, root := open(t)
	if err := syscall.Mkfifo(filepath.Join(root, "pipe"), 0o644); err != nil {
		t.Fatal(err)
	}
	refused(t, call(t, set, "read_file", given{"path": "pipe"}), "not an ordinary file")
	refused(t, call(t, set, "write_file", given{"path": "pipe", "content": "x"}), "not an ordinary file")
}
