package store

import (
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"parley/backend/agent"
)

// FuzzQuery: whatever is typed, SQLite takes what becomes of it, and what is found shows why.
func FuzzQuery(f *testing.F) {
	for _, seed := range []string{`two words`, `"a phrase" -not`, `NEAR(a b) OR ^x* AND NOT body:`, `-"`, `東京 都`, "ｶﾞ\x00\xff'", `a"b"c`, "e\u0301-x", "½㎏ ŉ"} {
		f.Add(seed, seed)
	}
	path := f.TempDir() + "/history.db"
	s, err := Open(f.Context(), path)
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { s.Close() })
	f.Fuzz(func(t *testing.T, typed, text string) {
		if _, err := s.Search(t.Context(), Search{Project: agent.DefaultProject, Text: typed, Limit: 1}); err != nil {
			t.Errorf("%q: %v", typed, err)
		}
		if !utf8.ValidString(text) {
			return
		}
		for last := range words(text) {
			if last.start >= last.end || last.end > len(text) || last.text == "" || strings.ContainsAny(last.text, ` "*`) {
				t.Fatalf("%q has the word %+v", text, last)
			}
		}
		q := parseQuery(typed)
		var shown strings.Builder
		for _, p := range q.excerpt(text) {
			shown.WriteString(p.Text)
			if p.Hit && len(q.terms) == 0 {
				t.Errorf("%q in %q: a hit of nothing", typed, text)
			}
		}
		if !utf8.ValidString(shown.String()) {
			t.Errorf("%q in %q: the excerpt %q is cut inside of a character", typed, text, shown.String())
		}
	})
}

func TestLongWordsAndLongTextsAreFound(t *testing.T) {
	s := fresh(t)
	hash := strings.Repeat("0123456789abcdef", 8)
	long := strings.Repeat("nothing of note here, ", 2000)
	tell(t, s, home, "", "key "+hash, long+"but the needle "+long)
	caughtUp(t, s)
	want := "us0: key [" + hash + "]\n"
	for _, typed := range []string{hash, hash[:7], hash[:60]} {
		if got := search(t, s, Search{Text: typed}); got != want {
			t.Errorf("%s: got %q", typed, got)
		}
	}
	got := search(t, s, Search{Text: "needle"})
	if !strings.HasPrefix(got, "as0: … ") || !strings.Contains(got, " but the [needle] nothing") || !strings.HasSuffix(got, " …\n") || len(got) > 300 {
		t.Errorf("got %q", got)
	}
}

// TestEveryStatementFindsItsRows: nothing that the app asks reads a table from end to end. Every method of the store
// has to be called below, and what it prepared is explained.
func TestEveryStatementFindsItsRows(t *testing.T) {
	s := fresh(t)
	ctx := t.Context()
	tell(t, s, home, "A title", "first", "answer", "second", "answer")
	caughtUp(t, s)
	must(t, s.CreateSession(ctx, at(home.Project, "new"), spec, ""))
	title := "another title"
	calls := map[string]func() error{
		"Log":     func() error { _, err := s.Log(ctx, home, 0, 10); return err },
		"TurnLog": func() error { _, err := s.TurnLog(ctx, "ts0"); return err },
		"AppendEvents": func() error {
			_, err := s.AppendEvents(ctx, home, "ts0", []agent.Event{agent.Status{Text: "x"}})
			return err
		},
		"Message":        func() error { _, err := s.Message(ctx, home, "us0"); return err },
		"History":        func() error { _, err := s.History(ctx, "ts2"); return err },
		"Session":        func() error { _, err := s.Session(ctx, home); return err },
		"Sessions":       func() error { _, err := s.Sessions(ctx, home.Project, Page{}, 10); return err },
		"CreateSession":  func() error { return s.CreateSession(ctx, at(home.Project, "newer"), spec, "") },
		"ChooseAgent":    func() error { return s.ChooseAgent(ctx, at(home.Project, "new"), spec) },
		"ChangeSession":  func() error { return s.ChangeSession(ctx, home, Change{Title: &title}) },
		"DeleteSession":  func() error { return s.DeleteSession(ctx, at(home.Project, "new")) },
		"RestoreSession": func() error { return s.RestoreSession(ctx, at(home.Project, "new")) },
		"Turn":           func() error { _, err := s.Turn(ctx, home, "as0"); return err },
		"TurnsFor":       func() error { _, err := s.TurnsFor(ctx, home, "us0"); return err },
		"Branch":         func() error { _, err := s.Branch(ctx, "ts2", 10); return err },
		"Path":           func() error { _, err := s.Path(ctx, "ts2"); return err },
		"Unsettled":      func() error { _, err := s.Unsettled(ctx); return err },
		"Search": func() error {
			_, err := s.Search(ctx, Search{Project: home.Project, Text: "nswer", Since: instant(1), Until: instant(1 << 50), Limit: 10})
			return err
		},
		"StartTurn": nil, "SettleTurn": nil, "Close": nil, // by tell, and by the end
	}
	for method := range reflect.TypeFor[*Store]().Methods() {
		call, listed := calls[method.Name]
		if !listed {
			t.Errorf("%s is not called here", method.Name)
		} else if call != nil {
			if err := call(); err != nil {
				t.Fatalf("%s: %v", method.Name, err)
			}
		}
	}
	caughtUp(t, s)
	for _, on := range []*statements{s.read, s.write} {
		for text := range on.prepared {
			if strings.HasPrefix(text, "BEGIN") || strings.HasPrefix(text, "COMMIT") || strings.HasPrefix(text, "ROLLBACK") {
				continue
			}
			for _, step := range plan(t, s, text) {
				if readsAll(step) {
					t.Errorf("%s\n\tin\n%s", step, text)
				}
			}
		}
	}
	for _, step := range plan(t, s, `SELECT id FROM message WHERE model = ?`) {
		if !readsAll(step) {
			t.Errorf("%s is not seen to read all", step)
		}
	}
}

// readsAll reports whether a step of a plan reads a table of ours without an index. Rows that the statement itself made
// are few, full-text tables look words up, and search_retitled holds what is to be read whole.
func readsAll(step string) bool {
	table, scans := strings.CutPrefix(step, "SCAN ")
	table, _, indexed := strings.Cut(table, " ")
	switch table {
	case "session", "turn", "message", "log", "word":
		return scans && !indexed
	}
	return false
}

func plan(t *testing.T, s *Store, text string) []string {
	t.Helper()
	rows, err := s.writer.QueryContext(t.Context(), "EXPLAIN QUERY PLAN "+text, make([]any, strings.Count(text, "?"))...)
	must(t, err)
	defer rows.Close()
	var steps []string
	for rows.Next() {
		var id, parent, unused int
		var step string
		must(t, rows.Scan(&id, &parent, &unused, &step))
		steps = append(steps, step)
	}
	return steps
}
