//go:build unix

package workflow

import (
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestNobodyWaitsForAPipe: to open one is to wait for who writes to it.
func TestNobodyWaitsForAPipe(t *testing.T) {
	s := newShelf(t)
	for _, name := range []string{"workflows", "a.relavium.yaml"} {
		s.must(syscall.Mkfifo(filepath.Join(s.folder, name), 0o600))
	}
	if got := s.list(); strings.Count(got, "it is no file") != 1 || strings.Count(got, "it is none") != 1 {
		t.Errorf("there are\n%s", got)
	}
	for _, name := range []string{"workflows/a.relavium.yaml", "a.relavium.yaml"} {
		if _, _, err := s.Read(name); err == nil {
			t.Errorf("%s is read", name)
		}
		for _, replaces := range []string{"", "x"} {
			if _, err := s.Save(name, nil, replaces); err == nil {
				t.Errorf("%s is saved", name)
			}
		}
	}
}
