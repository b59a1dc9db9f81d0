package workflow

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the golden files anew")

// golden compares with a file beside the tests.
func golden(t *testing.T, path string, got []byte) {
	t.Helper()
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s: got\n%s\nwant\n%s", path, got, want)
	}
}

func files(t testing.TB, pattern string) []string {
	t.Helper()
	paths, err := filepath.Glob(pattern)
	if err != nil || len(paths) == 0 {
		t.Fatalf("no files for %s (%v)", pattern, err)
	}
	return paths
}

// told is all that is wrong with a file, a problem to a line.
func told(src []byte) string {
	var b strings.Builder
	for _, p := range Parse(src).Problems {
		fmt.Fprintln(&b, p)
	}
	return b.String()
}

// TestInvalid: for each rule of the format there is a file that breaks it, and what a person is told then.
func TestInvalid(t *testing.T) {
	paths := files(t, "testdata/invalid/*.yaml")
	if len(paths) < 120 {
		t.Errorf("there are %d files; one rule each, 120 at least", len(paths))
	}
	for _, path := range paths {
		src, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		got := told(src)
		if got == "" {
			t.Errorf("%s: nothing is wrong with it", path)
		}
		golden(t, strings.TrimSuffix(path, ".yaml")+".golden", []byte(got))
		if crlf := told(bytes.ReplaceAll(src, []byte("\n"), []byte("\r\n"))); crlf != got {
			t.Errorf("%s with Windows line ends: %s", path, crlf)
		}
	}
}

// TestValid: files in every style are read, and written in the one form that Parse and Write agree about.
func TestValid(t *testing.T) {
	for _, path := range files(t, "testdata/valid/*.yaml") {
		src, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		written := rewritten(t, path, src)
		golden(t, strings.TrimSuffix(path, ".yaml")+".golden", written)
		if again := rewritten(t, path, written); !bytes.Equal(again, written) {
			t.Errorf("%s: written again it is\n%s", path, again)
		}
		if crlf := rewritten(t, path, bytes.ReplaceAll(src, []byte("\n"), []byte("\r\n"))); !bytes.Equal(crlf, written) {
			t.Errorf("%s: with Windows line ends it is\n%s", path, crlf)
		}
	}
}

func rewritten(t *testing.T, path string, src []byte) []byte {
	t.Helper()
	p := Parse(src)
	if len(p.Problems) > 0 {
		t.Fatalf("%s: %v", path, p.Problems)
	}
	out, err := Write(*p.Graph)
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return out
}
