package app

import (
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"parley/backend/agent"
	"parley/backend/api"
	"parley/backend/store/sealed"
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

// canaries are what may be found nowhere, by where they are put.
var canaries = map[string]string{
	"message":    "kiwi-9f27c1e4b06d8a35-quince-72e0b9d41c6f8a53",
	"answer":     "zephyr-0b8d6e4f2a19c7-mango-5d3f9a7c1e8b0264",
	"thought":    "walnut-41c7e9b2d86f05-cedar-e8a2c5f7093b1d46",
	"tool input": "saffron-d2b7f4098e61-juniper-37a9c0e5d1f8462b",
	"title":      "obsidian-6c8e1f5a03d9-lupin-b4d70e92f6a8c153",
	"draft":      "tangerine-a1e8c36f90-heron-5b2d7f4c0e9136a8",
	"file name":  "papaya-7e3d91c5a8f0-marlin-c0b6f2849d71e35a",
	"attachment": "bergamot-f5a27d0e61c4-osprey-83d1b9c7e4f0265a",
}

// pieces are all runs of 16 bytes of the canaries, with the name of theirs.
func pieces() map[[16]byte]string {
	found := map[[16]byte]string{}
	for name, canary := range canaries {
		for i := range len(canary) - 15 {
			found[[16]byte([]byte(canary[i:]))] = name
		}
	}
	return found
}

// TestNothingReadableIsEverOnTheDisk drives the app with canaries in all that it stores, and reads every file that it
// and its runners have, also those that have no name any more.
func TestNothingReadableIsEverOnTheDisk(t *testing.T) {
	p := newPlace(t)
	temp := t.TempDir()
	p.env = append(p.env, "TMPDIR="+temp)
	oldHistory(t, p.home)
	s := p.serve()
	if found := s.vault(http.MethodGet, "/vault", nil); found.State != vault.Ready {
		t.Fatalf("%+v", found)
	}
	if copies, err := filepath.Glob(filepath.Join(p.home, "history.db.schema-0001")); err != nil || len(copies) != 1 {
		t.Fatalf("before the migration it was copied to %v (%v)", copies, err)
	}
	s.search("a migration", p.home, temp)
	for i := range 20 {
		text := fmt.Sprintf(`%s [[think:%s]] [[tool:read_file {"path":"%s"}]] [[say:%s]]`, canaries["message"], canaries["thought"], canaries["tool input"], canaries["answer"])
		if _, err := io.ReadAll(s.say(fmt.Sprint("u", i), text)); err != nil {
			t.Fatal(err)
		}
	}
	attached := s.attach(canaries["file name"], strings.Repeat(canaries["attachment"], 2000))
	title, draft := canaries["title"], canaries["draft"]
	change, err := ask[api.Session](t.Context(), s.Connection, http.MethodPatch, "/sessions/s", api.SessionChange{Title: &title, Draft: &draft})
	if err != nil {
		t.Fatal(err)
	}
	all := s.load() + change.Title + change.Draft + attached
	for name, canary := range canaries {
		if !strings.Contains(all, canary) {
			t.Fatalf("the canary of the %s is not in the history", name)
		}
	}
	s.search("talk", p.home, temp)
	for _, word := range []string{"quince", "uinc", "obsid", "saffron"} {
		hits, err := ask[api.SearchResult](t.Context(), s.Connection, http.MethodGet, "/search?q="+word, nil)
		if err != nil || len(hits.Hits) == 0 && hits.Behind == 0 {
			t.Errorf("%s is not found (%v)", word, err)
		}
	}
	s.search("a search", p.home, temp)
	if _, notes, code := p.run("backup", filepath.Join(p.home, "copy.db")); code != exitDone {
		t.Fatalf("backup: %d %s", code, notes)
	}
	s.search("a backup, and with it a checkpoint", p.home, temp)
	last := s.say("last", "[[say:"+canaries["answer"]+"]] [[hang]]")
	readUntil(t, last, canaries["answer"])
	s.vault(http.MethodPost, "/vault/rotate", api.Unlocking{Passphrase: "for tests"})
	if len(s.processes()) < 2 {
		t.Error("the runner is not looked at")
	}
	s.search("a rotation under a turn", p.home, temp)
	if _, err := ask[api.Stop](t.Context(), s.Connection, http.MethodPost, "/messages/s/stop", nil); err != nil {
		t.Fatal(err)
	}
	io.ReadAll(last)
	s.vault(http.MethodPost, "/vault/lock", nil)
	s.search("a lock", p.home, temp)
	s.vault(http.MethodPost, "/vault/unlock", api.Unlocking{Passphrase: "for tests"})
	readUntil(t, s.say("killed", "[[say:"+canaries["answer"]+"]] [[hang]]"), canaries["answer"])
	s.search("a turn", p.home, temp)
	s.kill()
	s.search("a crash", p.home, temp)
	inSQL(t, p.home, "VACUUM", "PRAGMA wal_checkpoint(TRUNCATE)")
	s.search("a vacuum", p.home, temp)
	if !strings.Contains(p.serve().load(), canaries["message"]) {
		t.Error("after all that the canaries are gone")
	}

	planted := filepath.Join(temp, "planted")
	if err := os.WriteFile(planted, []byte("x"+canaries["title"][7:23]), 0o600); err != nil {
		t.Fatal(err)
	}
	if found, _ := readable(temp); len(found) != 1 {
		t.Errorf("what was planted is not found: %v", found)
	}
}

// attach sends a file, and gives what the history has of it.
func (s *server) attach(name, content string) string {
	s.t.Helper()
	body := fmt.Sprintf(`{"id":"s","messages":[{"id":"file","role":"user","parts":[{"type":"file","filename":%q,"url":"data:,%s"}]}]}`, name, content)
	sent, err := s.do(s.t.Context(), http.MethodPost, "/messages", json.RawMessage(body))
	if err != nil {
		s.t.Fatal(err)
	}
	defer sent.Body.Close()
	if _, err := io.Copy(io.Discard, sent.Body); err != nil {
		s.t.Fatal(err)
	}
	stored := regexp.MustCompile(`"filename":"` + name + `","url":"(/media/[0-9a-f]+)"`).FindStringSubmatch(s.load())
	if stored == nil {
		s.t.Fatal("the file is not in the history")
	}
	res, err := s.do(s.t.Context(), http.MethodGet, stored[1], nil)
	if err != nil {
		s.t.Fatal(err)
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return string(b)
}

// oldHistory is what the first sealed Parley left: its schema, and a session full of canaries.
func oldHistory(t *testing.T, home string) {
	t.Helper()
	keys, err := vault.CreateKeyFile(t.Context(), filepath.Join(home, "history.keys"), nil, vault.NewKeys{Cipher: vault.Cipher(sealed.XAES256GCM), Passphrase: []byte("for tests")})
	if err == nil {
		err = keys.With(func(key, _ []byte) error {
			return sealed.Create(filepath.Join(home, "history.db"), (*sealed.Key)(key), sealed.XAES256GCM)
		})
	}
	if err != nil {
		t.Fatal(err)
	}
	keys.Lock()
	schema, err := os.ReadFile("../backend/store/migrations/0001_history.sql")
	if err != nil {
		t.Fatal(err)
	}
	content, err := agent.EncodeParts([]agent.Part{agent.TextPart{Text: canaries["message"]}})
	if err != nil {
		t.Fatal(err)
	}
	inSQL(t, home, string(schema), "PRAGMA user_version = 1", `INSERT INTO session (key, project, id, agent, agent_snapshot, title, working_dir, status, draft, created_at, updated_at, next_message)
		VALUES (1, 'default', 'old', 'demo', '{"id":"demo","harness":"scripted"}', '`+canaries["title"]+`', '', 'idle', '`+canaries["draft"]+`', 1, 1, 1)`,
		`INSERT INTO turn (id, session, user_message, message, first_seq, last_seq, stop_reason, started_at, settled_at) VALUES ('t', 1, 'm', 'a', 0, 0, 'end_turn', 1, 1)`,
		`INSERT INTO message (session, seq, id, turn, role, content, at) VALUES (1, 0, 'm', 't', 'user', '`+string(content)+`', 1)`)
}

// inSQL runs statements on the history of a folder that nobody has open.
func inSQL(t *testing.T, home string, statements ...string) {
	t.Helper()
	keys, err := vault.OpenKeyFile(filepath.Join(home, "history.keys"), nil)
	if err == nil {
		err = keys.UnlockWithPassphrase([]byte("for tests"))
	}
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(home, "history.db")
	var file *sealed.File
	err = keys.With(func(key, _ []byte) (err error) {
		file, err = sealed.Open(path, (*sealed.Key)(key), 0)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("sqlite", "file:"+path+"?vfs="+sealed.VFS+"&_pragma=journal_mode(WAL)")
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range statements {
		if _, err := db.Exec(text); err != nil {
			t.Fatalf("%.60s: %v", text, err)
		}
	}
	if err := errors.Join(db.Close(), file.Close()); err != nil {
		t.Fatal(err)
	}
}

// processes are the app and its runners.
func (s *server) processes() []int {
	pids := []int{s.PID}
	for i := 0; i < len(pids); i++ {
		lists, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pids[i]))
		for _, list := range lists {
			b, _ := os.ReadFile(list)
			for _, word := range strings.Fields(string(b)) {
				if pid, err := strconv.Atoi(word); err == nil {
					pids = append(pids, pid)
				}
			}
		}
	}
	return pids
}

// search fails if a file under the folders, or one that the app or a runner has open, holds a piece of a canary.
func (s *server) search(after string, folders ...string) {
	s.t.Helper()
	for _, pid := range s.processes() {
		folders = append(folders, fmt.Sprintf("/proc/%d/fd", pid))
	}
	found, looked := readable(folders...)
	if len(found) > 0 || looked < 3 {
		s.t.Errorf("after %s: of %d files, %v hold what nobody may read", after, looked, found)
	}
}

// readable reads every file under the folders, and gives those that hold a piece of a canary, and which.
func readable(folders ...string) (found []string, looked int) {
	pieces := pieces()
	for _, folder := range folders {
		filepath.WalkDir(folder, func(path string, _ fs.DirEntry, err error) error {
			if info, failed := os.Stat(path); err != nil || failed != nil || !info.Mode().IsRegular() {
				return nil // closed or removed meanwhile, or a pipe
			}
			b, _ := os.ReadFile(path)
			looked++
			for i := range len(b) - 15 {
				if name, is := pieces[[16]byte(b[i:])]; is {
					found = append(found, path+": "+name)
					break
				}
			}
			return nil
		})
	}
	return found, looked
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

func TestDeletingEverythingLeavesNothing(t *testing.T) {
	p := newPlace(t)
	s := p.serve()
	if _, err := io.ReadAll(s.say("u1", `[[tool:write_file {"path":"notes.txt","content":"notes"}]] [[say:hello]]`)); err != nil {
		t.Fatal(err)
	}
	if notes, err := filepath.Glob(filepath.Join(p.home, "scratch", "*", "*", "notes.txt")); err != nil || len(notes) != 1 {
		t.Fatalf("the tool wrote %v (%v)", notes, err)
	}
	hangs := s.say("u2", "[[say:half]] [[hang]]")
	readUntil(t, hangs, "half")
	if _, err := ask[api.Vault](t.Context(), s.Connection, http.MethodPost, "/vault/delete-everything", api.Deletion{Confirm: "yes"}); err == nil || !strings.Contains(err.Error(), "type DELETE EVERYTHING") {
		t.Errorf("unconfirmed: %v", err)
	}
	if v := s.vault(http.MethodPost, "/vault/delete-everything", api.Deletion{Confirm: "DELETE EVERYTHING"}); v.State != vault.Ready {
		t.Errorf("%+v", v)
	}
	if list, err := ask[api.SessionList](t.Context(), s.Connection, http.MethodGet, "/sessions", nil); err != nil || len(list.Sessions) > 0 {
		t.Errorf("left are %+v (%v)", list, err)
	}
	entries, err := os.ReadDir(p.home)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if !slices.Contains([]string{"door.json", "owner.lock", "runners", "history.db", "history.db-lock", "history.db-wal", "history.keys"}, e.Name()) {
			t.Errorf("%s is left", e.Name())
		}
	}
	if _, err := io.ReadAll(s.say("u1", "[[say:afresh]]")); err != nil || !strings.Contains(s.load(), "afresh") {
		t.Errorf("the new history takes nothing (%v)", err)
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

	salvaged := filepath.Join(t.TempDir(), "salvaged.db")
	out, notes, code := p.run("doctor", "--salvage", salvaged)
	if code != exitDone || !strings.Contains(out, "1 of ") || !strings.Contains(notes, "parley restore") {
		t.Fatalf("exit %d: %s %s", code, out, notes)
	}
	other := newPlace(t)
	if out, notes, code := other.run("restore", "--yes", salvaged); code != exitDone {
		t.Fatalf("exit %d: %s %s", code, out, notes)
	}
	if out, _, code := other.run("doctor", "--verify"); code != exitDone {
		t.Errorf("what was salvaged is damaged too: exit %d: %s", code, out)
	}
}
