package session

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"parley/backend/agent"
	"parley/backend/scripted"
	"parley/backend/store"
)

// policed is an engine that tells under which policies it made its sandboxes.
type policed struct {
	agent.Backend
	made chan agent.Policy
}

func (p policed) NewSandbox(ctx context.Context, policy agent.Policy) (agent.Sandbox, error) {
	p.made <- policy
	return p.Backend.NewSandbox(ctx, policy)
}

// §2 sandboxed is the default; a widened scope starts a new runner.
func TestAnotherScopeIsAnotherSandbox(t *testing.T) {
	engine := policed{scripted.NewBackend(), make(chan agent.Policy, 9)}
	w := openOver(t, filepath.Join(t.TempDir(), "history.db"), engine)
	folder := t.TempDir()
	w.Folder = func(agent.ProjectID) string { return folder }
	w.Data = "/data"
	want := agent.Policy{Scope: agent.FilesSandboxed, Scratch: w.Scratch(home), Folder: folder, Data: "/data"}
	for _, change := range []func(){
		func() {},
		func() { want.Scope = agent.FilesProject },
		func() { want.Folder = t.TempDir() },
		func() { want.Scope, want.Folder = agent.FilesFull, "" },
	} {
		change()
		if _, err := w.Change(t.Context(), home, store.Change{Scope: &want.Scope, WorkingDir: &want.Folder}); err != nil {
			t.Fatal(err)
		}
		for range 2 {
			all(t, w.send(t, says("[[say:x]]")))
		}
		if got := <-engine.made; got != want || len(engine.made) != 0 {
			t.Errorf("it runs under %+v, and %d more, not %+v", got, len(engine.made), want)
		}
	}
}

func TestAScopeThatCannotBeHad(t *testing.T) {
	w := fresh(t)
	folder := t.TempDir()
	link, file := filepath.Join(t.TempDir(), "link"), filepath.Join(folder, "file")
	if err := errors.Join(os.Symlink(folder, link), os.WriteFile(file, nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	scope := func(s agent.FileScope) *agent.FileScope { return &s }
	for name, c := range map[string]store.Change{
		"none of the list":       {Scope: scope("everything")},
		"no scope":               {Scope: scope("")},
		"no folder to work in":   {Scope: scope(agent.FilesProject)},
		"a folder taken from it": {Scope: scope(agent.FilesProject), WorkingDir: new(string)},
		"a file":                 {WorkingDir: &file},
		"what is not there":      {WorkingDir: new(filepath.Join(folder, "nothing"))},
		"a path without a begin": {WorkingDir: new(".")},
	} {
		if _, err := w.Change(t.Context(), home, c); agent.AsError(err).Code != agent.CodeValidation {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := w.Store.Session(t.Context(), home); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("a refused choice made the session (%v)", err)
	}
	s, err := w.Change(t.Context(), home, store.Change{Scope: scope(agent.FilesProject), WorkingDir: &link})
	if real, _ := filepath.EvalSymlinks(folder); err != nil || s.Scope != agent.FilesProject || s.WorkingDir != real {
		t.Errorf("it is about %s %s (%v)", s.Scope, s.WorkingDir, err)
	}
}
