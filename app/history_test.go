package app

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"parley/backend/api"
	"parley/backend/vault"
)

// nobodySits is a place without a passphrase file, as most are.
func nobodySits(t *testing.T) *place {
	p := newPlace(t)
	p.env = slices.DeleteFunc(p.env, func(v string) bool { return strings.HasPrefix(v, vault.EnvPassphraseFile) })
	return p
}

func (s *server) vault(method, path string, body any) api.Vault {
	s.t.Helper()
	v, err := ask[api.Vault](s.t.Context(), s.Connection, method, path, body)
	if err != nil {
		s.t.Fatal(err)
	}
	return v
}

func TestWithoutAKeychainCommandsSayWhatToDoAndServeWaits(t *testing.T) {
	p := nobodySits(t)
	for _, args := range [][]string{{"chat", "-m", "hi"}, {"sessions"}, {"show", "s"}} {
		out, notes, code := p.run(args...)
		if code != exitFailed || out != "" || !strings.Contains(notes, "passphrase") || !strings.Contains(notes, "parley serve") {
			t.Errorf("%v: exit %d: %q %q", args, code, out, notes)
		}
	}
	if out, _, code := p.run("doctor"); code != exitFailed || !strings.Contains(out, "keychain") {
		t.Errorf("doctor: exit %d: %s", code, out)
	}
	s := p.serve()
	if v := s.vault(http.MethodGet, "/vault", nil); v.State != vault.NoKeychain {
		t.Fatalf("%+v", v)
	}
	s.vault(http.MethodPut, "/vault/passphrase", api.Passphrase{Passphrase: "for tests"})
	if _, notes, code := p.run("chat", "-m", "hi", "--session", "s"); code != exitDone {
		t.Errorf("chat beside it: %d %s", code, notes)
	}
	s.kill()
	s = p.serve()
	if v := s.vault(http.MethodGet, "/vault", nil); v.State != vault.NeedsPassphrase {
		t.Fatalf("%+v", v)
	}
	s.vault(http.MethodPost, "/vault/unlock", api.Unlocking{Passphrase: "for tests"})
	if loaded := s.load(); !strings.Contains(loaded, `"role":"assistant"`) {
		t.Errorf("after a crash: %s", loaded)
	}
}

// canary is found by any 16 bytes of it.
const canary = "kiwi-9f27c1e4b06d8a35-quince-72e0b9d41c6f8a53-zephyr-0b8d6e4f2a19c7"

// TestNothingReadableIsEverOnTheDisk drives the app with canaries in all that it stores, and reads every file that it
// has, also those that have no name any more.
func TestNothingReadableIsEverOnTheDisk(t *testing.T) {
	p := newPlace(t)
	temp := t.TempDir()
	p.env = append(p.env, "TMPDIR="+temp)
	s := p.serve()
	if looked := s.search(p.home, temp); looked < 3 {
		t.Fatalf("only %d files were read", looked)
	}
	for i := range 20 {
		text := fmt.Sprintf(`[[think:%[1]s]] [[tool:read_file {\"path\":\"%[1]s\"}]] [[say:%[1]s]]`, canary)
		if _, err := io.ReadAll(s.say(fmt.Sprint("u", i), text)); err != nil {
			t.Fatal(err)
		}
	}
	s.attach(canary, strings.Repeat(canary, 2000))
	title, draft := "title "+canary, "draft "+canary
	if _, err := ask[api.Session](t.Context(), s.Connection, http.MethodPatch, "/sessions/s", api.SessionChange{Title: &title, Draft: &draft}); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(s.load(), canary) {
		t.Fatal("the canaries are not in the history")
	}
	s.search(p.home, temp)
	if _, notes, code := p.run("backup", filepath.Join(p.home, "copy.db")); code != exitDone {
		t.Fatalf("backup: %d %s", code, notes)
	}
	s.search(p.home, temp)
	s.vault(http.MethodPost, "/vault/lock", nil)
	s.search(p.home, temp)
	s.vault(http.MethodPost, "/vault/unlock", api.Unlocking{Passphrase: "for tests"})
	readUntil(t, s.say("last", "[[say:"+canary+"]] [[hang]]"), canary)
	s.search(p.home, temp)
	s.kill()
	s.search(p.home, temp)
}

// attach sends a file and waits for what the agent says to it.
func (s *server) attach(name, content string) {
	s.t.Helper()
	body := fmt.Sprintf(`{"id":"s","messages":[{"id":"file","role":"user","parts":[{"type":"file","filename":%q,"url":"data:,%s"}]}]}`, name, content)
	res, err := s.do(s.t.Context(), http.MethodPost, "/messages", json.RawMessage(body))
	if err != nil {
		s.t.Fatal(err)
	}
	defer res.Body.Close()
	if _, err := io.Copy(io.Discard, res.Body); err != nil {
		s.t.Fatal(err)
	}
	if !strings.Contains(s.load(), `"filename":"`+name+`","url":"/media/`) {
		s.t.Fatal("the file is not in the history")
	}
}

// search reads every file under the folders, and every file that the app has open, and gives how many those are.
func (s *server) search(folders ...string) (looked int) {
	s.t.Helper()
	var paths []string
	for _, folder := range folders {
		err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
			if err == nil && d.Type().IsRegular() {
				paths = append(paths, path)
			}
			return err
		})
		if err != nil {
			s.t.Fatal(err)
		}
	}
	open, err := filepath.Glob(fmt.Sprintf("/proc/%d/fd/*", s.PID))
	if err != nil {
		s.t.Fatal(err)
	}
	for _, path := range append(paths, open...) {
		if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
			continue
		}
		b, err := os.ReadFile(path)
		if err != nil {
			continue // closed meanwhile
		}
		looked++
		for i := range len(canary) - 15 {
			if bytes.Contains(b, []byte(canary[i:i+16])) {
				s.t.Errorf("%s holds what nobody may read", path)
				break
			}
		}
	}
	return looked
}

func TestABackupIsTheHistory(t *testing.T) {
	p := newPlace(t)
	if _, notes, code := p.run("chat", "-m", "[[say:hello]]", "--session", "s"); code != exitDone {
		t.Fatal(notes)
	}
	copied := filepath.Join(t.TempDir(), "copy.db")
	if out, notes, code := p.run("backup", copied); code != exitDone || !strings.Contains(out, copied+".keys") {
		t.Fatalf("exit %d: %s %s", code, out, notes)
	}
	if _, notes, code := p.run("backup", copied); code != exitFailed || !strings.Contains(notes, "never replaces") {
		t.Errorf("over another: %d %s", code, notes)
	}
	other := newPlace(t)
	if _, notes, code := other.run("chat", "-m", "[[say:mine]]", "--session", "mine"); code != exitDone {
		t.Fatal(notes)
	}
	out, notes, code := other.run("restore", copied)
	if code != exitDone || !strings.Contains(out, "1 sessions, 2 messages") || !strings.Contains(notes, "Nothing was changed") {
		t.Errorf("the preview: %d %s %s", code, out, notes)
	}
	if _, _, code := other.run("show", "mine"); code != exitDone {
		t.Error("the preview replaced the history")
	}
	if out, notes, code := other.run("restore", "--yes", copied); code != exitDone {
		t.Errorf("exit %d: %s %s", code, out, notes)
	}
	if shown, notes, code := other.run("show", "s"); code != exitDone || !strings.Contains(shown, "hello") {
		t.Errorf("on another machine: %d %s %s", code, shown, notes)
	}
	aside, err := filepath.Glob(filepath.Join(other.home, "set-aside", "*", "history.*"))
	if err != nil || len(aside) != 2 {
		t.Errorf("set aside: %v (%v)", aside, err)
	}
	if _, notes, code := p.run("restore", "--yes", copied+"x"); code != exitFailed || !strings.Contains(notes, "could not be put in place") {
		t.Errorf("of no backup: %d %s", code, notes)
	}
	if _, notes, code := p.run("show", "s"); code != exitDone {
		t.Errorf("and the history after it: %d %s", code, notes)
	}
}

func TestDoctorFindsEveryDamagedPage(t *testing.T) {
	p := newPlace(t)
	if _, notes, code := p.run("chat", "-m", "[[say:hello]]", "--session", "s"); code != exitDone {
		t.Fatal(notes)
	}
	if out, _, code := p.run("doctor", "--verify"); code != exitDone || !strings.Contains(out, "as they were written") {
		t.Fatalf("exit %d: %s", code, out)
	}
	path := filepath.Join(p.home, "history.db")
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	b[len(b)-100] ^= 1
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
	out, _, code := p.run("doctor", "--verify", "--json")
	var found finding
	for line := range strings.Lines(out) {
		var f finding
		if err := json.Unmarshal([]byte(line), &f); err != nil {
			t.Fatal(err)
		}
		if f.Check == "verify" || f.Check == "history" && f.Status == broken {
			found = f
		}
	}
	if code != exitFailed || found.Status != broken || found.Remedy == "" {
		t.Errorf("exit %d: %s", code, out)
	}
}
