package tool

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"parley/backend/agent"
)

// scoped is a world with a session's own folder, a working folder, a folder beside them and Parley's own, which the session's
// is in.
type scoped struct{ scratch, folder, beside, data string }

func newScoped(t *testing.T) scoped {
	t.Helper()
	top := t.TempDir()
	s := scoped{filepath.Join(top, "data/scratch/s"), filepath.Join(top, "work"), filepath.Join(top, "beside"), filepath.Join(top, "data")}
	for _, dir := range []string{s.scratch, s.folder, s.beside} {
		put(t, filepath.Join(dir, "file.txt"), filepath.Base(dir))
	}
	put(t, filepath.Join(s.data, "history.db"), "sealed")
	return s
}

// in grants every tool in a scope.
func (s scoped) in(t *testing.T, scope agent.FileScope) *Set {
	t.Helper()
	set, err := Open(agent.Policy{Scope: scope, Scratch: s.scratch, Folder: s.folder, Data: s.data}, agent.Launch{Tools: Names()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { set.Close() })
	return set
}

var scopes = []agent.FileScope{agent.FilesSandboxed, agent.FilesProject, agent.FilesFull}

// §2 Each scope reaches what it says, by whatever kind of path, and no more.
func TestWhatAScopeReaches(t *testing.T) {
	const none = "outside the folder"
	for _, c := range []struct {
		path func(scoped) string
		want [3]string // what is read in each scope, or the refusal
	}{
		{func(s scoped) string { return "file.txt" }, [3]string{"s", "work", "work"}},
		{func(s scoped) string { return filepath.Join(s.scratch, "file.txt") }, [3]string{"s", none, "Parley keeps"}},
		{func(s scoped) string { return filepath.Join(s.folder, "file.txt") }, [3]string{"s", "work", "work"}},
		{func(s scoped) string { return filepath.Join(s.folder, "link") }, [3]string{none, none, "beside"}},
		{func(s scoped) string { return filepath.Join(s.folder, "self") }, [3]string{"s", "work", "work"}},
		{func(s scoped) string { return filepath.Join(s.beside, "file.txt") }, [3]string{none, none, "beside"}},
		{func(s scoped) string { return "../beside/file.txt" }, [3]string{none, none, "beside"}},
		{func(s scoped) string { return "../../beside/file.txt" }, [3]string{none, none, "does not exist"}},
		{func(s scoped) string { return filepath.Join(s.data, "history.db") }, [3]string{none, none, "Parley keeps"}},
		{func(s scoped) string { return filepath.Join(s.beside, "data/history.db") }, [3]string{none, none, "Parley keeps"}},
	} {
		for i, scope := range scopes {
			s := newScoped(t)
			err := errors.Join(
				os.Symlink(filepath.Join(s.beside, "file.txt"), filepath.Join(s.folder, "link")),
				os.Symlink(filepath.Join(s.folder, "file.txt"), filepath.Join(s.folder, "self")),
				os.Symlink("../data", filepath.Join(s.beside, "data")))
			if err != nil {
				t.Fatal(err)
			}
			r := call(t, s.in(t, scope), "read_file", given{"path": c.path(s)})
			if r.IsError {
				refused(t, r, c.want[i])
			} else if r.Output != c.want[i] {
				t.Errorf("%s: %s is %q, not %q", scope, c.path(s), r.Output, c.want[i])
			}
		}
	}
}

// §2 Parley's own data is nobody's working folder, by whatever path.
func TestNoWorkingFolderInParleysOwn(t *testing.T) {
	s := newScoped(t)
	link := filepath.Join(s.beside, "link")
	if err := os.Symlink(s.data, link); err != nil {
		t.Fatal(err)
	}
	for _, folder := range []string{s.data, s.scratch, link, filepath.Join(link, "scratch")} {
		for _, scope := range scopes {
			if _, err := OpenFiles(agent.Policy{Scope: scope, Scratch: s.scratch, Folder: folder, Data: s.data}); agent.AsError(err).Code != agent.CodeValidation {
				t.Errorf("%s %s: %v", scope, folder, err)
			}
		}
	}
}

// spellings are those that some file system, or some program that looks at names, takes for the same.
func spellings(name string) []string {
	return []string{
		name, "sub/" + name, "./sub/../" + name, "sub//" + name, upper(name), name + ".", name + " ", name + ". .", name + "::$DATA", name + ":stream",
		name + "/inside", "sub/" + upper(name) + "./inside/deep",
	}
}

func upper(name string) string {
	odd := []rune(name)
	for i, r := range odd {
		switch {
		case r == 's':
			odd[i] = 'ſ'
		case r == 'k':
			odd[i] = '\u212a'
		case i%2 == 1 && 'a' <= r && r <= 'z':
			odd[i] = r - 'a' + 'A'
		}
	}
	return string(odd)
}

// §2 What is refused is so in every scope and every spelling; what is refused for writing only can be read.
func TestProtectedNames(t *testing.T) {
	secrets := []string{".ssh", ".aws", ".env", ".env.local", ".netrc", "_netrc", ".npmrc", ".pypirc", ".git-credentials", ".docker", ".kube", "kubeconfig"}
	starts := []string{".git", "git~1", ".gitconfig", ".bashrc", ".bash_profile", ".profile", ".zshrc", ".zshenv", "autostart", "LaunchAgents", "config.fish", ".xsessionrc", ".parley", "mine.agent.yaml"}
	harmless := []string{"git", ".gitignore", ".github", "env", "ssh", ".sshx", "a.env", "profile", "bashrc", "my.npmrc", "agent.yaml", "parley"}
	for _, scope := range scopes {
		s := newScoped(t)
		set := s.in(t, scope)
		read := func(path string) agent.ToolResult { return call(t, set, "read_file", given{"path": path}) }
		write := func(path string) agent.ToolResult {
			return call(t, set, "write_file", given{"path": path, "content": "x", "create_dirs": true})
		}
		for _, prefix := range []string{"", s.folder + "/", s.beside + "/"} {
			if prefix == s.beside+"/" && scope != agent.FilesFull {
				continue
			}
			for _, name := range secrets {
				for _, spelling := range spellings(name) {
					refused(t, read(prefix+spelling), "is protected")
					refused(t, write(prefix+spelling), "is protected")
				}
			}
			for _, name := range starts {
				for _, spelling := range spellings(name) {
					refused(t, read(prefix+spelling), "does not exist")
					refused(t, write(prefix+spelling), "is protected")
				}
			}
		}
		for _, name := range harmless {
			if r := write("sub/" + name); r.IsError {
				t.Errorf("%s: %s", scope, r.Output)
			}
		}
	}
}

// §2 A protected file takes a person's approval, each time, whatever rules and modes say, and Parley's own not even that.
func TestOnlyAPersonGivesWhatIsProtected(t *testing.T) {
	s := newScoped(t)
	if err := os.Symlink(".git", filepath.Join(s.folder, "way")); err != nil {
		t.Fatal(err)
	}
	put(t, filepath.Join(s.folder, ".git/config"), "old")
	put(t, filepath.Join(s.folder, ".env"), "KEY=1")
	for _, scope := range scopes[1:] {
		set := s.in(t, scope)
		for _, path := range []string{".git/config", "way/config", ".ENV"} {
			input := fmt.Appendf(nil, `{"path":%q,"content":"new"}`, path)
			wants := agent.ToolCall{ID: "c", Name: "write_file", Input: input}
			if e, asks := set.Decide(wants, agent.Grounds{Policy: agent.PermissionAuto, Allowed: []string{"write_file"}}).(agent.InteractionRequest); !asks || e.Kind != agent.UserApproval {
				t.Errorf("%s %s: nobody is asked", scope, path)
			}
			if e, denied := set.Decide(wants, agent.Grounds{Policy: agent.PermissionDeny}).(agent.ToolResult); !denied || !e.Denied {
				t.Errorf("%s %s: it is not denied", scope, path)
			}
			refused(t, set.Run(t.Context(), nil, wants, unheard), "is protected")
			if r := set.RunApproved(t.Context(), nil, wants, unheard); r.IsError {
				t.Errorf("%s %s: %s", scope, path, r.Output)
			}
			refused(t, set.RunApproved(t.Context(), nil, agent.ToolCall{Name: "read_file", Input: fmt.Appendf(nil, `{"path":%q}`, ".env")}, unheard), "is protected")
		}
		plain := agent.ToolCall{ID: "c", Name: "write_file", Input: []byte(`{"path":"file.txt","content":"new"}`)}
		if e := set.Decide(plain, agent.Grounds{Policy: agent.PermissionAuto}); e != nil {
			t.Errorf("%s: a plain file gives %v", scope, e)
		}
	}
	history := agent.ToolCall{Name: "write_file", Input: fmt.Appendf(nil, `{"path":%q,"content":"x"}`, filepath.Join(s.data, "history.db"))}
	refused(t, s.in(t, agent.FilesFull).RunApproved(t.Context(), nil, history, unheard), "Parley keeps")
}

// TestADirectoryThatIsSwappedIsNotEntered: while a tool works, somebody puts a link to a protected place, and to one outside,
// where a directory was.
func TestADirectoryThatIsSwappedIsNotEntered(t *testing.T) {
	for _, scope := range scopes[1:] {
		s := newScoped(t)
		at := func(name string) string { return filepath.Join(s.folder, name) }
		put(t, at(".git/x"), "secret")
		put(t, at("dir/x"), "plain")
		if err := os.Symlink(".git", at("link")); err != nil {
			t.Fatal(err)
		}
		stop, stopped := make(chan struct{}), make(chan struct{})
		go func() {
			defer close(stopped)
			for {
				select {
				case <-stop:
					return
				default:
				}
				for _, step := range [][2]string{{"dir", "kept"}, {"link", "dir"}, {"dir", "link"}, {"kept", "dir"}} {
					_ = os.Rename(at(step[0]), at(step[1]))
				}
			}
		}()
		set := s.in(t, scope)
		entered := 0
		for range 10_000 {
			d, err := set.files.dir("dir")
			if err != nil {
				continue
			}
			if b, _ := d.layers[0].ReadFile("x"); string(b) == "secret" {
				t.Errorf("%s: after %d times the protected directory was entered", scope, entered)
				break
			}
			entered++
			d.close()
		}
		close(stop)
		<-stopped
		if entered == 0 {
			t.Errorf("%s: it was never entered", scope)
		}
	}
}
