package store

import (
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
	s, err := Open(f.Context(), path, &testKey, 0)
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
