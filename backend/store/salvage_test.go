package store

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"parley/backend/agent"
	"parley/backend/store/sealed"
)

const (
	pageSize = 8192
	prologue = 3 * 4096
)

// library fills a history with sessions whose rows share pages, and go over several, and gives its messages and what waits.
func library(t *testing.T, path string) (messages, waits map[string]string, salt sealed.Salt) {
	t.Helper()
	s := open(t, path)
	for i := range 6 {
		key := agent.SessionKey{Project: agent.DefaultProject, Session: agent.SessionID(fmt.Sprint("s", i))}
		must(t, s.CreateSession(t.Context(), key, spec, "/work"))
		var parent agent.TurnID
		for j := range 6 {
			name := fmt.Sprintf("%d-%d", i, j)
			m := text(agent.MessageID("u"+name), agent.RoleUser, strings.Repeat("question "+name+" ", 1+rand.N(200)+2000*(j/5)))
			parent = say(t, s, key, name, parent, &m)
		}
		name := fmt.Sprint(i, "-w")
		waiting(t, s, key, name, parent)
		later := agent.Message{ID: agent.MessageID("l" + name), Role: agent.RoleUser, Parts: []agent.Part{picture.Part(name)}}
		_, err := s.Enqueue(t.Context(), key, later, []agent.Media{picture})
		must(t, err)
	}
	messages, waits, salt = told(t, s), waiters(t, s), s.Header().Salt()
	must(t, s.Close())
	return messages, waits, salt
}

// waiters gives every question that is open, and every message that waits.
func waiters(t *testing.T, s *Store) map[string]string {
	t.Helper()
	waits := map[string]string{}
	questions, err := s.OpenQuestions(t.Context(), agent.DefaultProject)
	must(t, err)
	for _, q := range questions {
		waits[string(q.Request.ID)] = fmt.Sprint(q.Turn, q.Request, q.Answer)
	}
	list, err := s.Sessions(t.Context(), agent.DefaultProject, Page{}, 100)
	must(t, err)
	for _, session := range list {
		queue, err := s.Queue(t.Context(), session.Key)
		must(t, err)
		for _, q := range queue {
			waits[string(q.Message.ID)] = fmt.Sprint(q.Number, q.Message)
		}
	}
	return waits
}

// told gives every message of every branch, read as a page and a model read them.
func told(t *testing.T, s *Store) map[string]string {
	t.Helper()
	list, err := s.Sessions(t.Context(), agent.DefaultProject, Page{}, 100)
	must(t, err)
	messages := map[string]string{}
	for _, session := range list {
		turns, err := s.Branch(t.Context(), session.Head, 1000)
		must(t, err)
		for _, turn := range turns {
			_, err := s.TurnLog(t.Context(), turn.ID)
			must(t, err)
		}
		history, err := s.History(t.Context(), session.Head)
		must(t, err)
		for _, m := range history {
			messages[string(m.ID)] = fmt.Sprint(m.Role, m.Parts)
		}
	}
	return messages
}

// TestSalvageKeepsWhatIsAuthentic damages pages of a history, one or some at once: a whole history comes of it each time,
// with nothing in it that was not said, and what is missing is said.
func TestSalvageKeepsWhatIsAuthentic(t *testing.T) {
	path := filepath.Join(t.TempDir(), "history.db")
	messages, waits, salt := library(t, path)
	file, err := os.ReadFile(path)
	must(t, err)
	pages := (len(file) - prologue) / pageSize
	header := sealed.NewHeader(sealed.XAES256GCM, salt)
	var survived, expected int
	for round := range 25 {
		damaged := rand.Perm(pages)[:1+9*(round%2)]
		if round == 0 {
			damaged[0] = 0 // which has the names of all tables
		}
		b := slices.Clone(file)
		for _, p := range damaged {
			b[prologue+p*pageSize+rand.N(pageSize)] ^= 1
		}
		clear(b[:64]) // the header too
		folder := t.TempDir()
		in, out := filepath.Join(folder, "damaged.db"), filepath.Join(folder, "history.db")
		must(t, os.WriteFile(in, b, 0o600))
		found, err := Salvage(t.Context(), in, &testKey, header, out)
		if err != nil {
			t.Fatalf("pages %v: %v", damaged, err)
		}
		if len(found.Bad) != len(damaged) || found.Pages != pages {
			t.Errorf("pages %v: found %v of %d", damaged, found.Bad, found.Pages)
		}
		s := open(t, out)
		kept, waiting := told(t, s), waiters(t, s)
		for id, m := range kept {
			if messages[id] != m {
				t.Fatalf("pages %v: nobody said %s %q", damaged, id, m)
			}
		}
		for id, what := range waiting {
			if waits[id] != what {
				t.Fatalf("pages %v: nothing like %s waited: %s", damaged, id, what)
			}
		}
		if len(kept) < len(messages) && len(found.Incomplete) == 0 && len(found.Tables) == 0 && found.Sessions == 6 {
			t.Errorf("pages %v: %d of %d messages, and that is not said", damaged, len(kept), len(messages))
		}
		if len(damaged) == 1 && !slices.ContainsFunc(found.Tables, func(l TableLoss) bool { return l.All }) {
			survived, expected = survived+len(kept)+len(waiting), expected+len(messages)+len(waits)
		}
		var verdict string
		must(t, s.read.row(t.Context(), "PRAGMA integrity_check").Scan(&verdict))
		broken, err := values(s.read.query(t.Context(), "PRAGMA foreign_key_check"))
		if verdict != "ok" || err != nil || len(broken) > 0 {
			t.Errorf("pages %v: %s %v %v", damaged, verdict, broken, err)
		}
		must(t, s.Close())
		if left, err := filepath.Glob(out + "-pages*"); err != nil || left != nil {
			t.Errorf("left are %v (%v)", left, err)
		}
		if now, err := os.ReadFile(in); err != nil || !slices.Equal(now, b) {
			t.Errorf("the damaged one was changed (%v)", err)
		}
	}
	// The inner page of a table takes all that is below it along; most pages are leaves.
	if survived < expected*3/4 {
		t.Errorf("%d of %d messages survive the loss of one page", survived, expected)
	}
}

// TestWhatWaitsIsSalvagedWithoutItsSession: a session is made anew for what a person queued, and what a turn asked is closed
// if the turn had to be made anew, too, because nobody knows whether it went on.
func TestWhatWaitsIsSalvagedWithoutItsSession(t *testing.T) {
	s := fresh(t)
	s.rest()
	must(t, s.CreateSession(t.Context(), home, spec, ""))
	lost := agent.SessionKey{Project: "p", Session: "lost"}
	must(t, s.CreateSession(t.Context(), lost, spec, ""))
	for _, key := range []agent.SessionKey{home, lost} {
		m := agent.Message{ID: "u1", Role: agent.RoleUser, Parts: []agent.Part{picture.Part("")}}
		_, err := s.Enqueue(t.Context(), key, m, []agent.Media{picture})
		must(t, err)
	}
	waiting(t, s, home, "1", "")
	waiting(t, s, home, "2", "t1")
	waiting(t, s, lost, "3", "")
	_, err := s.writer.ExecContext(t.Context(), `PRAGMA foreign_keys = 0;
		DELETE FROM turn WHERE id = 't1';
		DELETE FROM turn WHERE id = 't3'; DELETE FROM log WHERE session = 2; DELETE FROM message WHERE turn = 't3'; DELETE FROM session WHERE id = 'lost';
		DELETE FROM queued_media; DELETE FROM media_project; INSERT INTO media_project VALUES (9, 'p'); INSERT INTO approval VALUES (9, 'p', 9, 'shell', 0);
		INSERT INTO secret_use VALUES (9, 9, 9, 'shell', 0); INSERT INTO chosen_key VALUES (9, 'p', 'openai', 9);
		INSERT INTO workflow_draft VALUES (9, 'p', '', 'a.relavium.yaml', '', '', 9, 0);
		UPDATE session SET next_queued = 1`)
	must(t, err)
	must(t, s.update(t.Context(), written, func(tx tx) error { _, err := remake(t.Context(), tx); return err }))
	broken, err := values(s.writer.QueryContext(t.Context(), `SELECT * FROM pragma_foreign_key_check`))
	if err != nil || len(broken) > 0 {
		t.Errorf("rows refer to what is not there: %v (%v)", broken, err)
	}
	if drafts, err := s.WorkflowDrafts(t.Context(), "p", ""); err != nil || len(drafts) != 1 {
		t.Errorf("the drafts are %+v (%v)", drafts, err)
	}
	if got := openQuestions(t, s); got != "q2" {
		t.Errorf("open are %q", got)
	}
	if _, _, err := s.AnswerQuestion(t.Context(), home, "t1", approve("1")); !errors.Is(err, ErrExists) {
		t.Errorf("answered for a turn that was made anew: %v", err)
	}
	for _, key := range []agent.SessionKey{home, {Project: agent.DefaultProject, Session: "salvaged-2"}} {
		queue, err := s.Queue(t.Context(), key)
		if err != nil || len(queue) != 1 || queue[0].Message.ID != "u1" {
			t.Errorf("in %v waits %+v (%v)", key, queue, err)
		}
		if q, err := s.Enqueue(t.Context(), key, text("u2", agent.RoleUser, "more"), nil); err != nil || q.Number != 2 {
			t.Errorf("the next is %+v (%v)", q, err)
		}
	}
	collected(t, s, instant(1<<50), "p")
}
