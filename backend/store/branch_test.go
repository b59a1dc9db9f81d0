package store

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"parley/backend/agent"
)

func turnNames(turns []Turn) string {
	var names []string
	for _, t := range turns {
		names = append(names, string(t.ID))
	}
	return strings.Join(names, " ")
}

// edit runs a turn that answers another edition of u1.
func edit(t *testing.T, s *Store, key agent.SessionKey, name string, n int) agent.TurnID {
	t.Helper()
	id := agent.MessageID("u1").Edit(n)
	m := text(id, agent.RoleUser, "question "+name)
	turn := agent.TurnID("t" + name)
	_, err := s.StartTurn(t.Context(), key, NewTurn{Started: agent.TurnStarted{Turn: turn, UserMessage: id, Message: agent.MessageID("a" + name)}, User: &m})
	must(t, err)
	_, err = s.SettleTurn(t.Context(), key, turn, agent.TurnCompleted{StopReason: agent.StopEndTurn}, []agent.Message{text(agent.MessageID("a"+name), agent.RoleAssistant, "answer "+name)}, Idle, true)
	must(t, err)
	return turn
}

// §7 Editing a sent message or regenerating an answer makes a branch; both stay; the person switches between them.
func TestSiblingsAreSwitchedBetween(t *testing.T) {
	s := fresh(t)
	must(t, s.CreateSession(t.Context(), home, spec, ""))
	first := say(t, s, home, "1", "", nil)
	say(t, s, home, "2", first, nil)
	say(t, s, home, "1b", "", &agent.Message{}) // answered again
	edit(t, s, home, "1c", 2)
	say(t, s, home, "3", first, nil)
	say(t, s, home, "4", "t3", nil)
	other := agent.SessionKey{Project: home.Project, Session: "other"}
	must(t, s.CreateSession(t.Context(), other, spec, ""))
	say(t, s, other, "o", "", nil)

	for turn, want := range map[agent.TurnID]string{"t1": "t1 t1b t1c", "t1c": "t1 t1b t1c", "t2": "t2 t3", "t4": "t4", "to": "to"} {
		if turns, err := s.Siblings(t.Context(), Turn{ID: turn}); err != nil || turnNames(turns) != want {
			t.Errorf("beside %s are %s, not %s (%v)", turn, turnNames(turns), want, err)
		}
	}
	for turn, want := range map[agent.TurnID]agent.TurnID{"t1": "t4", "t2": "t2", "t1b": "t1b", "t4": "t4"} {
		if leaf, err := s.Leaf(t.Context(), turn); err != nil || leaf != want {
			t.Errorf("from %s it goes on to %s, not %s (%v)", turn, leaf, want, err)
		}
	}
	if _, err := s.Leaf(t.Context(), "t9"); !errors.Is(err, ErrNotFound) {
		t.Errorf("the end of no branch: %v", err)
	}
	for _, head := range []agent.TurnID{"t2", "t1c", "t4"} {
		must(t, s.ChooseHead(t.Context(), home, head))
		if session, err := s.Session(t.Context(), home); err != nil || session.Head != head {
			t.Errorf("chosen is %s, not %s (%v)", session.Head, head, err)
		}
	}
	elsewhere := agent.SessionKey{Project: "p", Session: home.Session}
	for _, err := range []error{
		s.ChooseHead(t.Context(), home, "to"), s.ChooseHead(t.Context(), home, "t9"), s.ChooseHead(t.Context(), elsewhere, "t1"),
	} {
		if !errors.Is(err, ErrNotFound) {
			t.Errorf("chosen: %v", err)
		}
	}
}

// §2 the server's record: a known id with other content is an edit. All of them are found by the id.
func TestEditions(t *testing.T) {
	s := fresh(t)
	must(t, s.CreateSession(t.Context(), home, spec, ""))
	say(t, s, home, "1", "", nil)
	for _, near := range []string{"1.", "10", "1!", "", "1}"} { // before and behind what begins with the id
		say(t, s, home, near, "", nil)
	}
	for n := 2; n < 13; n++ {
		edit(t, s, home, fmt.Sprint("e", n), n)
	}
	list, err := s.Editions(t.Context(), home, "u1")
	must(t, err)
	var got []string
	for _, m := range list {
		got = append(got, string(m.ID))
	}
	if want := "u1 u1~2 u1~3 u1~4 u1~5 u1~6 u1~7 u1~8 u1~9 u1~10 u1~11 u1~12"; strings.Join(got, " ") != want {
		t.Errorf("editions are %v", got)
	}
	if list, err := s.Editions(t.Context(), home, "u2"); err != nil || len(list) != 0 {
		t.Errorf("of what was never sent: %v (%v)", list, err)
	}
}
