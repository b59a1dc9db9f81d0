package store

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"parley/backend/agent"
)

// TestAPurgedSessionLeavesNothing: no row, no hit, and in no page a word that only it had.
func TestAPurgedSessionLeavesNothing(t *testing.T) {
	s := fresh(t)
	s.stopCollect()
	s.collecting.Wait()
	other := agent.SessionKey{Project: home.Project, Session: "other"}
	var first strings.Builder // fills more pages than one step writes anew, before it comes to what has to go
	for i := range 20_000 {
		fmt.Fprintf(&first, "kept%d ", i)
	}
	tell(t, s, other, "kept", "kept question of a pear", first.String())
	tell(t, s, home, "a quinceword to find", "a quinceword to find", "an answer to find", "another to find", "and a pear, the last to find")
	attach(t, s, home, "9", picture, media(strings.Repeat("a page to find", 10_000)))
	turn := waiting(t, s, home, "10", "")
	_, err := s.AppendEvents(t.Context(), home, turn, []agent.Event{agent.InteractionRequest{ID: "q11", Kind: agent.UserInput, Payload: []byte(`"a wish to find"`)}})
	must(t, err)
	_, _, err = s.AnswerQuestion(t.Context(), home, turn, agent.InteractionResponse{ID: "q10", Call: "c10", Approved: true, Scope: agent.ScopeSession, Rule: "shell", Note: "a note to find"})
	must(t, err)
	later := agent.Message{ID: "u12", Role: agent.RoleUser, Parts: []agent.Part{agent.TextPart{Text: "later, to find"}, recording.Part("")}}
	_, err = s.Enqueue(t.Context(), home, later, []agent.Media{recording})
	must(t, err)
	caughtUp(t, s)
	if err := s.PurgeSession(t.Context(), home); !errors.Is(err, ErrNotFound) {
		t.Errorf("one that is not deleted: %v", err)
	}
	must(t, s.DeleteSession(t.Context(), home))
	if n := pagesWith(t, s, "to find"); n < 10 {
		t.Fatalf("only %d pages hold it", n)
	}
	must(t, s.PurgeSession(t.Context(), home))
	caughtUp(t, s)
	collected(t, s, time.Now().Add(2*keepUnused), "")
	forgotten(t, s)
	for _, gone := range []string{"to find", "quince", "uin", "holiday"} {
		if n := pagesWith(t, s, gone); n != 0 {
			t.Errorf("%d pages still hold %q", n, gone)
		}
	}
	if got := search(t, s, Search{Text: "find"}) + search(t, s, Search{Text: "quinceword"}); got != "" {
		t.Errorf("found:\n%s", got)
	}
	if got := search(t, s, Search{Text: "ept question"}) + search(t, s, Search{Text: "pear"}); !strings.Contains(got, "[question]") || !strings.Contains(got, "[pear]") {
		t.Errorf("another session lost its words; found:\n%s", got)
	}
	for table, want := range map[string]int{"session": 1, "turn": 1, "message": 2, "log": 3, "message_media": 0, "search_title": 1,
		"question": 0, "approval": 0, "queued": 0, "queued_media": 0, "media_project": 0, "search": 2, "search_forgetting": 0} {
		var n int
		must(t, s.writer.QueryRowContext(t.Context(), "SELECT count(*) FROM "+table).Scan(&n))
		if n != want {
			t.Errorf("%s has %d rows, not %d", table, n, want)
		}
	}
	if err := s.RestoreSession(t.Context(), home); !errors.Is(err, ErrNotFound) {
		t.Errorf("restored: %v", err)
	}
	must(t, s.CreateSession(t.Context(), home, spec, ""))
}

// pagesWith counts the pages, in use or free, that hold a text.
func pagesWith(t *testing.T, s *Store, text string) (n int) {
	t.Helper()
	must(t, s.writer.QueryRowContext(t.Context(), `SELECT count(*) FROM sqlite_dbpage WHERE instr(data, CAST(? AS BLOB))`, text).Scan(&n))
	return n
}

// forgotten takes every step of forgetting.
func forgotten(t *testing.T, s *Store) {
	t.Helper()
	for more := true; more; {
		var err error
		more, err = s.forget(t.Context())
		must(t, err)
	}
}

// TestAForgottenWordIsLearnedAgain by an indexer that remembers having known it.
func TestAForgottenWordIsLearnedAgain(t *testing.T) {
	s := fresh(t)
	s.stopIndex()
	s.indexing.Wait()
	s.stopCollect()
	s.collecting.Wait()
	known := map[string]bool{}
	index := func() {
		for more := true; more; {
			var err error
			more, err = s.indexBatch(t.Context(), mostInBatch, known)
			must(t, err)
		}
	}
	tell(t, s, home, "", "a quinceword")
	index()
	must(t, s.DeleteSession(t.Context(), home))
	must(t, s.PurgeSession(t.Context(), home))
	forgotten(t, s)
	tell(t, s, agent.SessionKey{Project: home.Project, Session: "again"}, "", "one more quinceword")
	index()
	if got := search(t, s, Search{Text: "uincewor"}); !strings.Contains(got, "[quinceword]") {
		t.Errorf("found:\n%s", got)
	}
}
