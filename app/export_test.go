package app

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestExportAndImport: a session becomes a workflow that check has nothing to say about, and a bundle becomes a session.
func TestExportAndImport(t *testing.T) {
	p := newPlace(t)
	if _, notes, code := p.run("chat", "-m", "[[say:Hello]]", "--session", "s"); code != exitDone {
		t.Fatal(notes)
	}
	if out, notes, code := p.run("export", "s"); code != exitDone || out != "s.relavium.yaml\n" || notes == "" {
		t.Errorf("export: %d %q %q", code, out, notes)
	}
	if out, notes, code := p.run("workflow", "check", "s.relavium.yaml"); code != exitDone || out+notes != "" {
		t.Errorf("check: %d %q %q", code, out, notes)
	}
	if out, notes, code := p.run("export", "s", "--format", "bundle", "--out", "a/b/s.bundle"); code != exitDone || out != "a/b/s.bundle\n" {
		t.Errorf("export a bundle: %d %q %q", code, out, notes)
	}
	if out, notes, code := p.run("sessions", "--json"); code != exitDone || !strings.Contains(out, `"exportedPath":"`+filepath.Join(p.home, "a", "b", "s.bundle")) {
		t.Errorf("sessions: %d %q %q", code, out, notes)
	}
	id, notes, code := p.run("import", "a/b/s.bundle")
	if code != exitDone || !strings.HasPrefix(id, "sess_") {
		t.Fatalf("import: %d %q %q", code, id, notes)
	}
	if out, notes, code := p.run("show", strings.TrimSpace(id)); code != exitDone || !strings.Contains(out, "Hello") {
		t.Errorf("show: %d %q %q", code, out, notes)
	}
	for _, bad := range []struct {
		says string
		args []string
	}{
		{"no such session", []string{"export", "other"}},
		{"canvas, markdown", []string{"export", "s", "--format", "pdf"}},
		{"cannot be read", []string{"import", "nowhere"}},
		{"must be JSON", []string{"import", "s.relavium.yaml"}},
		{"cannot be read", []string{"workflow", "check", "nowhere"}},
	} {
		if out, notes, code := p.run(bad.args...); code != exitFailed || out != "" || !strings.Contains(notes, bad.says) {
			t.Errorf("%v: %d %q %q", bad.args, code, out, notes)
		}
	}
	for _, args := range [][]string{{"export"}, {"export", "../s"}, {"import"}, {"workflow", "check"}, {"workflow", "chck"}} {
		if _, notes, code := p.run(args...); code != exitUsage {
			t.Errorf("%v: %d %q", args, code, notes)
		}
	}
}

func TestWorkflowCheck(t *testing.T) {
	p := newPlace(t)
	if err := os.WriteFile(filepath.Join(p.home, "a.yaml"), []byte("schema_version: '1.0'\nworkflow:\n  idd: a\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	out, notes, code := p.run("workflow", "check", "a.yaml")
	if code != exitFailed || !strings.Contains(out, `a.yaml:3:3: workflow.idd: There is no such key. Do you mean "id"?`) || notes != "" {
		t.Errorf("%d %q %q", code, out, notes)
	}
}

// TestWriteNew: a file is made whole or not at all, and nothing is written over unasked.
func TestWriteNew(t *testing.T) {
	folder := t.TempDir()
	in := func(name string) string { return filepath.Join(folder, name) }
	if err := os.WriteFile(in("there"), []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(t.TempDir(), in("link")); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		path string
		over bool
		says string // empty: it is written
	}{
		{in("link"), true, "is a folder"},
		{"..", true, "is a folder"},
		{in("there"), false, "is there already"},
		{in("there"), true, ""},
		{in("new"), false, ""},
		{in("a/b/c"), false, ""},
		{in("a/b"), true, "is a folder"},
		{in("there/x"), false, "folder cannot be made"},
		{in(strings.Repeat("x", 300)), false, "cannot be made"},
	} {
		err := writeNew(c.path, []byte("new"), c.over)
		if c.says == "" && err != nil || c.says != "" && (err == nil || !strings.Contains(err.Error(), c.says)) {
			t.Errorf("%s: %v, want %q", c.path, err, c.says)
		}
		got, _ := os.ReadFile(c.path)
		if c.says == "" && string(got) != "new" || c.says == "is there already" && string(got) != "old" {
			t.Errorf("%s has %q", c.path, got)
		}
	}
	var left []string
	entries, err := os.ReadDir(folder)
	for _, e := range entries {
		left = append(left, e.Name())
	}
	if err != nil || strings.Join(left, " ") != "a link new there" {
		t.Errorf("there are %v (%v)", left, err)
	}
}
