package store

import (
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"

	"parley/backend/agent"
)

// TestArchive: what is taken out of a history and put into another one is all there, and goes on by itself. What waits stays behind.
func TestArchive(t *testing.T) {
	s, other := fresh(t), fresh(t)
	_, asked := grown(t, s)
	waiting(t, s, home, "4", asked)
	a, err := s.Archive(t.Context(), home)
	must(t, err)
	if len(a.Turns) != 4 || a.Session.Head != asked {
		t.Fatalf("%d turns, the last %s", len(a.Turns), a.Session.Head)
	}
	to := agent.SessionKey{Project: "elsewhere", Session: "imported"}
	must(t, other.Import(t.Context(), to, a, []agent.Media{picture}))
	imported, err := other.Session(t.Context(), to)
	must(t, err)
	if got, want := transcript(t, other, imported.Head), transcript(t, s, asked); !slices.Equal(got, want) {
		t.Errorf("it is\n%s\nof\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if imported.Title != "title 1" || imported.Status != Idle || imported.MaxTurns != 7 || imported.Turns != 4 || imported.InputTokens != 26 ||
		!imported.CreatedAt.Equal(a.Session.CreatedAt) || !reflect.DeepEqual(imported.Agent, spec) {
		t.Errorf("it is %+v", imported)
	}
	again, err := other.Archive(t.Context(), to)
	must(t, err)
	if len(again.Turns) != 4 || again.Turns[1].Parent != again.Turns[0].ID || again.Turns[2].Parent != "" || again.Turns[3].Parent != again.Turns[2].ID {
		t.Errorf("its turns are %+v", again.Turns)
	}
	for i, turn := range again.Turns {
		if old := a.Turns[i]; turn.ID == old.ID || len(turn.Log) != len(old.Log) || len(turn.Rows) != len(old.Rows) || turn.UserMessage != old.UserMessage {
			t.Errorf("turn %d is %+v of %+v", i, turn, old)
		}
	}
	say(t, other, to, "f", imported.Head, nil)

	// Nothing is left of what cannot be stored.
	if err := other.Import(t.Context(), to, a, []agent.Media{picture}); !errors.Is(err, ErrExists) {
		t.Errorf("the same id: %v", err)
	}
	to.Session = "bad"
	for name, bad := range map[string]func(a *Archive){
		"no picture":    func(a *Archive) {},
		"a turn twice":  func(a *Archive) { a.Turns = append(a.Turns, a.Turns[0]) },
		"no parent":     func(a *Archive) { a.Turns = a.Turns[1:2] },
		"an id twice":   func(a *Archive) { a.Turns[0].Rows = append(a.Turns[0].Rows, a.Turns[0].Rows[0]) },
		"parents later": func(a *Archive) { slices.Reverse(a.Turns) },
	} {
		broken := a
		broken.Turns = slices.Clone(a.Turns)
		bad(&broken)
		elsewhere := fresh(t)
		var media []agent.Media
		if name != "no picture" {
			media = []agent.Media{picture}
		}
		if err := elsewhere.Import(t.Context(), to, broken, media); err == nil {
			t.Errorf("%s: it is imported", name)
		}
		if _, err := elsewhere.Session(t.Context(), to); !errors.Is(err, ErrNotFound) {
			t.Errorf("%s: there is something (%v)", name, err)
		}
	}
	if _, err := s.Archive(t.Context(), to); !errors.Is(err, ErrNotFound) {
		t.Errorf("a session that is not there: %v", err)
	}
}
