//go:build unix

package program

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"parley/backend/agent"
	"parley/backend/harness"
)

// install puts a command that is this shell script into dir.
func install(t *testing.T, dir, name, script string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"+script), 0o700); err != nil {
		t.Fatal(err)
	}
}

func TestFinder(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("PATH", dir+":/bin:/usr/bin")
	install(t, dir, "new", `echo "2.10.0 (New Code)"`)
	install(t, dir, "old", `echo v0.84.3`)
	install(t, dir, "aside", `echo 0.74.2 >&2`)
	install(t, dir, "named", `echo "@scope/named-acp 2.6.0-beta.1"`)
	install(t, dir, "silent", `cat`)
	install(t, dir, "mute", `:`)
	install(t, dir, "broken", `echo one >&2; echo "no such module" >&2; exit 3`)
	install(t, dir, "curious", `echo seen > "$HOME/seen"; echo "1.0.0"`)
	install(t, dir, "npx", `echo 1.0.0 > "$HOME/asked"; exit 1`)
	install(t, dir, "address", `echo "listens on 127.0.0.1"`)

	var programs []harness.Known
	for name, oldest := range map[string]string{
		"new": "2.9.1", "old": "0.84.4", "aside": "0.84.4", "named": "", "silent": "", "mute": "1.0.0", "broken": "", "curious": "1.0.0", "address": "", "gone": "1.0.0",
	} {
		programs = append(programs, harness.Known{Kind: agent.Kind(name), Name: strings.ToUpper(name), Command: name, Oldest: oldest, Install: "get " + name})
	}
	programs = append(programs, harness.Known{Kind: "npx", Name: "NPX", Command: "npx", Args: []string{"mine"}, Configured: true})
	person := t.TempDir()
	t.Setenv("HOME", person)
	f := NewFinder(programs)
	got := map[string]string{}
	for _, found := range f.All() {
		got[found.Command] = fmt.Sprintf("%s %s", found.State, found.Version)
		if (found.Path == "") != (found.State == Missing) {
			t.Errorf("%s is %s, at %q", found.Command, found.State, found.Path)
		}
	}
	for name, want := range map[string]string{
		"new": "ready 2.10.0", "old": "too_old 0.84.3", "aside": "too_old 0.74.2", "named": "ready 2.6.0", "silent": "ready ", "mute": "broken ", "broken": "broken ",
		"curious": "ready 1.0.0", "address": "ready ", "gone": "missing ", "npx": "ready ",
	} {
		if got[name] != want {
			t.Errorf("%s is %q, want %q", name, got[name], want)
		}
	}
	if left, err := os.ReadDir(person); err != nil || len(left) > 0 {
		t.Errorf("the person's home has %v, %v", left, err)
	}
	for kind, want := range map[agent.Kind][]string{
		"new": nil, agent.KindNative: nil, "old": {"OLD", "0.84.3", "0.84.4", "get old"}, "gone": {"GONE", "PATH", "get gone"}, "broken": {"BROKEN", "no such module", "broken --version"},
	} {
		err := f.Check(kind)
		if (err == nil) != (want == nil) {
			t.Errorf("%s: %v", kind, err)
		}
		if i := slices.IndexFunc(want, func(part string) bool { return !strings.Contains(err.Error(), part) }); i >= 0 {
			t.Errorf("%s: %v does not say %s", kind, err, want[i])
		}
	}
	if !f.OnPath("old") || f.OnPath("gone") || !f.OnPath(agent.KindNative) {
		t.Error("what is on the PATH is not what is seen there")
	}
}

func TestFinderRemembers(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("PATH", dir+":/bin:/usr/bin")
	f := NewFinder([]harness.Known{{Kind: agent.KindPi, Name: "Pi", Command: "pi", Oldest: "1.0.0"}})
	if err := f.Check(agent.KindPi); err == nil {
		t.Error("what is not there is ready")
	}
	install(t, dir, "pi", "echo 1.0.0")
	if err := f.Check(agent.KindPi); err != nil {
		t.Errorf("a person followed the remedy: %v", err)
	}
	if found := f.All()[0]; found.State != Missing {
		t.Errorf("it looked again without being asked to, and found it %s", found.State)
	}
	f.Forget()
	if found := f.All()[0]; found.State != Ready {
		t.Errorf("it was asked to look again, and found it %s", found.State)
	}
}

func TestFinderDoesNotWaitForever(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("PATH", dir+":/bin:/usr/bin")
	install(t, dir, "slow", "exec sleep 60")
	f := NewFinder([]harness.Known{{Kind: "slow", Name: "Slow", Command: "slow"}})
	f.patience = 50 * time.Millisecond
	if found := f.All()[0]; found.State != Broken || !strings.Contains(found.Problem, "50ms") {
		t.Errorf("found %+v", found)
	}
}
