package config

import (
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"parley/backend/agent"
	"parley/backend/store"
	"parley/backend/store/sealed"
	"parley/backend/watch"
)

// world is a catalog over a history, the person's configuration folder and the folder of a project.
type world struct {
	*Catalog
	t       *testing.T
	store   *store.Store
	project string
}

func fresh(t *testing.T) *world {
	t.Helper()
	s, err := store.Open(t.Context(), filepath.Join(t.TempDir(), "history.db"), &sealed.Key{1}, 0)
	if err != nil {
		t.Fatal(err)
	}
	w := &world{t: t, store: s, project: t.TempDir()}
	log := slog.New(slog.DiscardHandler)
	watcher := watch.New(log)
	w.Catalog = NewCatalog(Options{
		BuiltIn: Agents{demo}, Known: known(t), Own: t.TempDir(), Watcher: watcher, Log: log,
		Folder: func(p agent.ProjectID) string { return map[agent.ProjectID]string{"with": w.project}[p] },
	})
	t.Cleanup(func() {
		watcher.Close()
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return w
}

// list is what there is in the project, as text.
func (w *world) list() string {
	w.t.Helper()
	list, err := w.List(w.t.Context(), w.store, "with")
	w.must(err)
	var b strings.Builder
	for _, e := range list.Agents {
		fmt.Fprintf(&b, "%s %s %s%s\n", e.Source, e.ID, e.Model, map[bool]string{true: " untrusted"}[e.Untrusted])
	}
	for _, f := range list.Broken {
		for _, p := range f.Problems {
			fmt.Fprintf(&b, "%s:%s\n", filepath.Base(f.Path), p)
		}
	}
	return b.String()
}

func (w *world) must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

// write writes a file as editors do: beside it first.
func (w *world) write(path, text string) {
	w.t.Helper()
	w.must(os.MkdirAll(filepath.Dir(path), 0o700))
	w.must(os.WriteFile(path+"~", []byte(text), 0o600))
	w.must(os.Rename(path+"~", path))
}

// becomes waits until the list is as it should be.
func (w *world) becomes(want string) {
	w.t.Helper()
	limit := time.After(10 * time.Second)
	for {
		changed := w.Changed()
		got := w.list()
		if got == want {
			return
		}
		select {
		case <-changed:
		case <-limit:
			w.t.Fatalf("there are\n%snot\n%s", got, want)
		}
	}
}

func file(id, model string) string {
	return fmt.Sprintf("id: %s\nprovider: openai\nmodel: %s\nsystem_prompt: Be brief.\n", id, model)
}

const builtInDemo = "builtin demo \n"

func TestAChangedFileIsPickedUp(t *testing.T) {
	w := fresh(t)
	path := filepath.Join(w.Own, "agents", "a.agent.yaml")
	w.becomes(builtInDemo)
	w.write(path, file("a", "one"))
	w.becomes(builtInDemo + "own a one\n")
	w.write(path, file("a", "two"))
	w.becomes(builtInDemo + "own a two\n")
	w.write(path, "id: a\nmodle: two\n")
	w.becomes(builtInDemo + "own a two\n" + // as it was when it was last right
		"a.agent.yaml:1:1: model: This is missing.\na.agent.yaml:1:1: provider: This is missing.\na.agent.yaml:1:1: system_prompt: This is missing.\na.agent.yaml:2:1: modle: There is no such key. Do you mean \"model\"?\n")
	if spec, err := w.Find(t.Context(), w.store, "with", "a"); err != nil || spec.Model != "two" {
		t.Errorf("found is %+v (%v)", spec, err)
	}
	w.write(filepath.Join(filepath.Dir(path), "never.agent.yaml"), "4")
	w.write(path, file("a", "three"))
	w.becomes(builtInDemo + "own a three\nnever.agent.yaml:1:1: This must be a mapping: keys with values.\n")
	w.write(filepath.Join(filepath.Dir(path), "never.agent.yaml"), file("b", "four"))
	w.must(os.Remove(path))
	w.becomes(builtInDemo + "own b four\n")
}

func TestOfTwoWithOneIDTheFirstIs(t *testing.T) {
	w := fresh(t)
	w.must(w.Make(t.Context(), w.store, "with", agent.Spec{ID: "made", Harness: agent.KindNative, Provider: "openai", Model: "m", SystemPrompt: "p"}))
	for i, id := range []string{"demo", "made", "mine"} {
		w.write(filepath.Join(w.Own, "agents", fmt.Sprintf("%d.agent.yaml", i)), file(id, "own"))
		w.write(filepath.Join(w.project, ".parley", "agents", fmt.Sprintf("p%d.agent.yaml", i)), file(id, "theirs"))
	}
	w.must(w.Trust(t.Context(), w.store, "with", true))
	want := builtInDemo + "made made m\nown mine own\n"
	for _, name := range []string{"0 demo", "1 made", "p0 demo", "p1 made", "p2 mine"} {
		name, id, _ := strings.Cut(name, " ")
		want += fmt.Sprintf("%s.agent.yaml:1:1: id: There is an agent %q already. Give this one another id.\n", name, id)
	}
	w.becomes(want)
	if spec, err := w.Find(t.Context(), w.store, "with", "demo"); err != nil || spec.Harness != agent.KindScripted {
		t.Errorf("the demo agent is %+v (%v)", spec, err)
	}
}

// §7 Values from files the person did not write never widen permissions until the person trusts that project.
func TestTheAgentsOfAProjectWaitForTrust(t *testing.T) {
	w := fresh(t)
	w.write(filepath.Join(w.project, ".parley", "agents", "a.agent.yaml"), file("a", "m")+"permissions: {mode: auto}\n")
	for _, trusted := range []bool{false, true, false} {
		w.must(w.Trust(t.Context(), w.store, "with", trusted))
		if got, want := w.list(), builtInDemo+"project a m"+map[bool]string{false: " untrusted"}[trusted]+"\n"; got != want {
			t.Errorf("there are\n%snot\n%s", got, want)
		}
		_, err := w.Find(t.Context(), w.store, "with", "a")
		if (err == nil) != trusted || err != nil && !strings.Contains(err.Error(), "trust") {
			t.Errorf("with %v it is found: %v", trusted, err)
		}
	}
	if _, err := w.Find(t.Context(), w.store, "without", "a"); err == nil {
		t.Error("it is another project's, too")
	}
	if err := w.Trust(t.Context(), w.store, "without", true); err == nil {
		t.Error("nothing is trusted")
	}
}

func TestWhatLiesOutsideIsNotRead(t *testing.T) {
	w := fresh(t)
	outside := filepath.Join(t.TempDir(), "x.agent.yaml")
	w.write(outside, file("a", "m"))
	agents := filepath.Join(w.project, ".parley", "agents")
	w.must(os.MkdirAll(filepath.Join(agents, "folder.agent.yaml"), 0o700))
	w.must(os.Symlink(outside, filepath.Join(agents, "link.agent.yaml")))
	w.must(os.WriteFile(filepath.Join(agents, "large.agent.yaml"), make([]byte, maxAgentFile+1), 0o600))
	w.must(os.WriteFile(filepath.Join(agents, "notes.yaml"), []byte("no agent"), 0o600))
	want := builtInDemo + "folder.agent.yaml:1:1: This cannot be read: it is no file, or a link out of its folder.\n" +
		"large.agent.yaml:1:1: An agent file has 256 KiB at most.\nlink.agent.yaml:1:1: This cannot be read: it is no file, or a link out of its folder.\n"
	if got := w.list(); got != want {
		t.Errorf("there are\n%snot\n%s", got, want)
	}
}

func TestAnAgentThatWasMadeBecomesAFile(t *testing.T) {
	w := fresh(t)
	spec := agent.Spec{ID: "made", Harness: agent.KindNative, Provider: "openai", Model: "m", SystemPrompt: "One.\n\nTwo: \"false\"", Tools: []string{"read_file"}}
	spec.Permissions = agent.Permissions{Mode: agent.ModePlan, Rules: agent.Rules{Default: agent.AllowReads, Rules: []agent.Rule{{Pattern: "run_command(git *)", Permission: agent.Allow}}}}
	make := func(spec agent.Spec) error { return w.Make(t.Context(), w.store, "with", spec) }
	w.must(make(spec))
	for to, source := range map[Source]string{SourceProject: "project", SourceOwn: "own"} {
		spec.ID = "made-" + source
		w.must(make(spec))
		path, err := w.Save(t.Context(), w.store, "with", spec.ID, to)
		w.must(err)
		src, err := os.ReadFile(path)
		w.must(err)
		if got, problems := w.Known.Parse(src); len(problems) > 0 || fmt.Sprint(got) != fmt.Sprint(spec) {
			t.Errorf("%s is read as %+v, %v", src, got, problems)
		}
		if err := make(spec); err == nil {
			t.Errorf("%s was made beside its file", spec.ID)
		}
	}
	if got, want := w.list(), builtInDemo+"made made m\nown made-own m\nproject made-project m untrusted\n"; got != want {
		t.Errorf("there are\n%snot\n%s", got, want)
	}
	for _, refused := range []func() error{
		func() error { return make(agent.Spec{ID: "demo", Harness: agent.KindPi, Login: agent.LoginOwn}) },
		func() error { return make(agent.Spec{ID: "none", Harness: agent.KindNative, Provider: "openai"}) },
		func() error { return w.Remove(t.Context(), w.store, "made-own") },
		func() error { _, err := w.Save(t.Context(), w.store, "with", "demo", SourceOwn); return err },
		func() error { _, err := w.Save(t.Context(), w.store, "with", "made", "elsewhere"); return err },
		func() error { _, err := w.Save(t.Context(), w.store, "without", "made", SourceProject); return err },
	} {
		if err := refused(); err == nil {
			t.Error("it was done")
		}
	}
	w.must(w.Remove(t.Context(), w.store, "made"))
	if strings.Contains(w.list(), "made made ") {
		t.Error("it is still there")
	}
}
