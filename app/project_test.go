package app

import (
	"encoding/json"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/backend/agent"
	"parley/backend/api"
)

// sessions lists what a connection can see.
func (c Connection) sessions(t *testing.T) (ids []string) {
	t.Helper()
	list, err := ask[api.SessionList](t.Context(), c, http.MethodGet, "/sessions", nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range list.Sessions {
		ids = append(ids, string(s.ID))
	}
	return ids
}

// §1 A caller's token is bound to one project: the link of serve --project opens that folder's sessions and no others,
// whoever has the data folder.
func TestServeAProject(t *testing.T) {
	p := newPlace(t)
	folder, link := filepath.Join(p.user, "My Project"), filepath.Join(t.TempDir(), "link")
	if err := os.Mkdir(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	relative, err := filepath.Rel(p.home, folder)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(folder, link); err != nil {
		t.Fatal(err)
	}
	s := p.serve("--project", relative)
	if !strings.HasPrefix(string(s.Project), "my-project-") || len(s.Project) != len("my-project-")+12 {
		t.Errorf("the project is %s", s.Project)
	}
	s.say("u1", "[[say:x]]")
	if ids := s.sessions(t); len(ids) != 1 || ids[0] != "s" {
		t.Errorf("the project has %v", ids)
	}
	about, err := ask[api.Session](t.Context(), s.Connection, http.MethodGet, "/sessions/s", nil)
	if err != nil || about.WorkingDir != folder || about.Scope != agent.FilesSandboxed {
		t.Errorf("its session is about %q, %s (%v)", about.WorkingDir, about.Scope, err)
	}
	owner, err := readDoor(filepath.Join(p.home, "door.json"))
	if err != nil {
		t.Fatal(err)
	}
	if ids := owner.sessions(t); owner.Token == s.Token || len(ids) != 0 {
		t.Errorf("the default project has %v", ids)
	}
	if _, err := s.do(t.Context(), http.MethodPost, "/vault/lock", nil); err == nil {
		t.Error("the token of a project locks the history")
	}

	out, errors, code := p.run("serve", "--json", "--project", link)
	var same Connection
	if err := json.Unmarshal([]byte(out), &same); err != nil || code != exitDone || same.Token != s.Token {
		t.Errorf("by another path: %d %s %s (%v)", code, out, errors, err)
	}
	out, errors, code = p.run("serve", "--json", "--project", p.home)
	var other Connection
	if err := json.Unmarshal([]byte(out), &other); err != nil || code != exitDone || other.Token == s.Token || len(other.sessions(t)) != 0 {
		t.Errorf("another folder: %d %s %s (%v)", code, out, errors, err)
	}
	for _, args := range [][]string{{"--project", filepath.Join(p.home, "nothing")}, {"--project", filepath.Join(p.home, "door.json")}, {"--allow-origin", "http://localhost:5173"}} {
		if out, errors, code := p.run(append([]string{"serve"}, args...)...); code != exitFailed || out != "" || errors == "" {
			t.Errorf("%v: %d %s %s", args, code, out, errors)
		}
	}
}

// §9 exact Host and Origin checks: a person lets in one page more, and no other.
func TestAllowOrigin(t *testing.T) {
	p := newPlace(t)
	for _, origin := range []string{"*", "http://*", "null", "localhost:5173", "http://localhost:80", "http://localhost:5173/", "http://LOCALHOST:5173", "file:///x", "http://a@b", ""} {
		if out, _, code := p.run("serve", "--allow-origin", origin); code != exitUsage || out != "" {
			t.Errorf("%q: %d %s", origin, code, out)
		}
	}
	s := p.serve("--allow-origin", "http://localhost:5173", "--allow-origin", "https://page.example")
	for origin, want := range map[string]int{"http://localhost:5173": 204, "https://page.example": 204, "http://localhost:5174": 403, "http://page.example": 403, "https://x.page.example": 403} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodOptions, s.URL+"/messages", nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Origin", origin)
		req.Header.Set("Access-Control-Request-Method", "POST")
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		res.Body.Close()
		allowed := res.Header.Get("Access-Control-Allow-Origin")
		if res.StatusCode != want || (allowed == origin) != (want == 204) || !strings.Contains(res.Header.Get("Access-Control-Allow-Headers"), "x-ai-sdk") != (want != 204) {
			t.Errorf("%s: %s %v", origin, res.Status, res.Header)
		}
	}
}

// §1 The context of a session is the folder that the command was started in: it is read, and with --scope worked in.
func TestChatInAFolder(t *testing.T) {
	p := newPlace(t)
	folder := filepath.Join(p.user, "work")
	file := filepath.Join(folder, "a.txt")
	if err := errors.Join(os.Mkdir(folder, 0o700), os.WriteFile(file, []byte("from the folder"), 0o600)); err != nil {
		t.Fatal(err)
	}
	chat := func(dir string, args ...string) string {
		cmd := p.command(append([]string{"chat"}, args...)...)
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Errorf("%v: %v", args, err)
		}
		return string(out)
	}
	const reads, writes = `[[tool:read_file {"path":"a.txt"}]] [[say:x]]`, `[[tool:write_file {"path":"a.txt","content":"changed"}]] [[say:x]]`
	if out := chat(folder, "-m", reads); !strings.Contains(out, "from the folder") {
		t.Errorf("it reads %s", out)
	}
	if out := chat(p.user, "-m", reads); !strings.Contains(out, "does not exist") {
		t.Errorf("in the person's home it reads %s", out)
	}
	chat(folder, "-m", writes)
	if content, err := os.ReadFile(file); string(content) != "from the folder" {
		t.Errorf("sandboxed, it made it %q (%v)", content, err)
	}
	chat(folder, "-m", writes, "--scope", "project")
	if content, err := os.ReadFile(file); string(content) != "changed" {
		t.Errorf("in its scope it made it %q (%v)", content, err)
	}
}
