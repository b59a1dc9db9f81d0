//go:build linux || darwin

package confine

import (
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"parley/backend/agent"
)

func TestBounds(t *testing.T) {
	host := Host{Home: "/home/me", Programs: []string{"/tools/bin"}, Own: map[agent.Kind][]string{agent.KindPi: {".pi"}}}
	policy := agent.Policy{Scratch: "/data/scratch/s", Private: "/run/p", Folder: "/home/me/work", Data: "/data"}
	want := Bounds{
		Folder: "/home/me/work", Read: []string{"/tools/bin", "/home/me/work"}, Write: []string{"/data/scratch/s", "/run/p"}, Temp: "/run/p/tmp", Home: "/run/p/home",
	}
	check := func(name string) {
		t.Helper()
		if got, err := For(policy, host); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %+v, %v; want %+v", name, got, err, want)
		}
	}
	check("sandboxed")
	policy.Scope = agent.FilesProject
	want.Read, want.Write = []string{"/tools/bin"}, append(want.Write, "/home/me/work")
	check("project")
	policy.Folder, want.Folder, want.Write = "", "", want.Write[:2]
	check("no folder")
	policy.Own, want.Home, want.Write = agent.KindPi, "", append(want.Write, "/home/me/.pi")
	check("the person's own login")
	for model, address := range map[string]string{
		"http://127.0.0.1:11434/v1": "127.0.0.1:11434", "http://localhost:1234": "127.0.0.1:1234", "http://[::1]:8080/v1": "[::1]:8080",
		"https://localhost/v1": "127.0.0.1:443", "https://api.example.com/v1": "", "http://192.168.1.5:11434": "", "": "", "http://localhost.example:1": "",
	} {
		policy.Model, want.Model = model, address
		check("a model at " + model)
	}
}

// TestAFolderThatHoldsMoreThanWork: what no confined agent reaches must not come with it.
func TestAFolderThatHoldsMoreThanWork(t *testing.T) {
	for folder, refused := range map[string]string{
		"/": "your home folder", "/home": "your home folder", "/home/me": "your home folder", "/home/me/.local": "Parley's own data",
		"/home/me/.local/share/parley": "Parley's own data", "/home/me/.local/share/parley/scratch": "Parley's own data",
		"/home/me/work": "", "/home/men": "", "/home/me/.local/share/parley-2": "",
	} {
		for _, scope := range []agent.FileScope{agent.FilesSandboxed, agent.FilesProject} {
			_, err := For(agent.Policy{Scope: scope, Folder: folder, Data: "/home/me/.local/share/parley"}, Host{Home: "/home/me"})
			if (err != nil) != (refused != "") || err != nil && !strings.Contains(agent.AsError(err).Message, folder) {
				t.Errorf("%s: %v", folder, err)
			}
		}
	}
}

func TestInstalled(t *testing.T) {
	home := t.TempDir()
	at := func(path string) string { return filepath.Join(home, filepath.FromSlash(path)) }
	for _, file := range []string{"npm/lib/node_modules/pi/dist/cli.js", "tools/claude-2", "tools/bin/other"} {
		if err := os.MkdirAll(filepath.Dir(at(file)), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(at(file), nil, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.MkdirAll(at("npm/bin"), 0o700); err != nil {
		t.Fatal(err)
	}
	for link, to := range map[string]string{"npm/bin/pi": "../lib/node_modules/pi/dist/cli.js", "npm/bin/claude": "../../tools/claude-2"} {
		if err := os.Symlink(to, at(link)); err != nil {
			t.Fatal(err)
		}
	}
	path := strings.Join([]string{at("npm/bin"), home, filepath.Dir(home), "relative", at("tools/bin"), ""}, string(filepath.ListSeparator))
	got := Installed(path, home, []string{"pi", "claude", "missing"})
	want := []string{at("npm/bin"), at("npm/lib/node_modules"), at("tools"), at("tools/bin")}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
