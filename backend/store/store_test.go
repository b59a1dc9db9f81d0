package store

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"parley/backend/agent"
	"parley/backend/store/sealed"
)

var testKey = sealed.Key{1, 2, 3}

func open(t testing.TB, path string) *Store {
	t.Helper()
	s, err := Open(t.Context(), path, &testKey, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func fresh(t testing.TB) *Store { return open(t, filepath.Join(t.TempDir(), "history.db")) }

var (
	spec = agent.Spec{ID: "demo", Name: "Demo", Harness: agent.KindScripted, Tools: []string{"read_file"}}
	home = agent.SessionKey{Project: agent.DefaultProject, Session: "s"}
)

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func text(id agent.MessageID, role agent.Role, s string) agent.Message {
	return agent.Message{ID: id, Role: role, Parts: []agent.Part{agent.TextPart{Text: s}}}
}

// say runs a whole turn: u<name> asks, a<name> answers.
func say(t testing.TB, s *Store, key agent.SessionKey, name string, parent agent.TurnID, user *agent.Message, media ...agent.Media) agent.TurnID {
	t.Helper()
	turn := agent.TurnID("t" + name)
	started := agent.TurnStarted{Turn: turn, UserMessage: agent.MessageID("u" + name), Message: agent.MessageID("a" + name)}
	if user == nil {
		m := text(started.UserMessage, agent.RoleUser, "question "+name)
		user = &m
	} else if user.ID == "" {
		user = nil
		started.UserMessage = "u1"
	}
	_, err := s.StartTurn(t.Context(), key, NewTurn{Started: started, Parent: parent, User: user, Media: media, Title: "title " + name})
	must(t, err)
	_, err = s.AppendEvents(t.Context(), key, turn, []agent.Event{agent.MessageDelta{Text: "answer "}, agent.MessageDelta{Text: name}})
	must(t, err)
	_, err = s.SettleTurn(t.Context(), key, turn, agent.TurnCompleted{StopReason: agent.StopEndTurn, Usage: agent.Usage{Input: 2, Output: 3}},
		[]agent.Message{text(started.Message, agent.RoleAssistant, "answer "+name)}, Idle, true)
	must(t, err)
	return turn
}

func TestATurnIsStoredWholeAndSurvivesReopening(t *testing.T) {
	path := filepath.Join(t.TempDir(), "history.db")
	s := open(t, path)
	must(t, s.CreateSession(t.Context(), home, spec, "/work"))
	draft := "half a thought"
	must(t, s.ChangeSession(t.Context(), home, Change{Draft: &draft}))
	turn := say(t, s, home, "1", "", nil)
	must(t, s.Close())

	s = open(t, path)
	session, err := s.Session(t.Context(), home)
	must(t, err)
	if session.Status != Idle || session.Head != turn || session.Title != "title 1" || session.Draft != "" || session.Turns != 1 ||
		session.InputTokens != 2 || session.OutputTokens != 3 || session.MaxTurns != 50 || !reflect.DeepEqual(session.Agent, spec) {
		t.Errorf("got %+v", session)
	}
	records, err := s.TurnLog(t.Context(), turn)
	must(t, err)
	var got []string
	for _, r := range records {
		got = append(got, fmt.Sprintf("%d %T", r.Seq, r.Event))
	}
	want := "1 agent.TurnStarted, 2 agent.MessageDelta, 3 agent.MessageDelta, 4 agent.TurnCompleted"
	if strings.Join(got, ", ") != want {
		t.Errorf("got %v", got)
	}
	if records[0].At.IsZero() || records[0].Turn != turn {
		t.Errorf("got %+v", records[0])
	}
	info, err := os.Stat(path)
	must(t, err)
	if info.Mode().Perm() != 0o600 {
		t.Errorf("the history is readable by others: %v", info.Mode())
	}
}

func TestTheLogHasNoGapsAcrossTurnsAndCanBeReadFromAnywhere(t *testing.T) {
	s := fresh(t)
	must(t, s.CreateSession(t.Context(), home, spec, ""))
	say(t, s, home, "2", say(t, s, home, "1", "", nil), nil)
	for from := range int64(9) {
		records, err := s.Log(t.Context(), home, from, 100)
		must(t, err)
		if len(records) != int(9-from) {
			t.Fatalf("from %d: %d records", from, len(records))
		}
		for i, r := range records {
			if r.Seq != from+int64(i) {
				t.Errorf("from %d: record %d has number %d", from, i, r.Seq)
			}
		}
	}
	if records, err := s.Log(t.Context(), home, 9, 100); len(records) != 0 || err != nil {
		t.Errorf("past the end: %v, %v", records, err)
	}
	if records, err := s.Log(t.Context(), home, 0, 1); len(records) != 1 || err != nil {
		t.Errorf("one row: %v, %v", records, err)
	}
}

func TestBranches(t *testing.T) {
	s := fresh(t)
	must(t, s.CreateSession(t.Context(), home, spec, ""))
	first := say(t, s, home, "1", "", nil)
	say(t, s, home, "2", first, nil)
	again := say(t, s, home, "1b", "", &agent.Message{}) // the first question, answered again
	third := say(t, s, home, "3", again, nil)

	history, err := s.History(t.Context(), third)
	must(t, err)
	var got []string
	for _, m := range history {
		got = append(got, string(m.ID))
	}
	if strings.Join(got, " ") != "u1 a1b u3 a3" {
		t.Errorf("history: %v", got)
	}
	end, err := s.Branch(t.Context(), third, 1)
	must(t, err)
	if len(end) != 1 || end[0].ID != third || end[0].Parent != again || end[0].StopReason != agent.StopEndTurn || end[0].SettledAt.IsZero() {
		t.Errorf("the end of the branch: %+v", end)
	}
	both, err := s.TurnsFor(t.Context(), home, "u1")
	must(t, err)
	if len(both) != 2 || both[0].ID != first || both[1].ID != again {
		t.Errorf("turns for u1: %+v", both)
	}
}

func TestBranchOfALongSessionReadsItsEnd(t *testing.T) {
	s := fresh(t)
	must(t, s.CreateSession(t.Context(), home, spec, ""))
	var head agent.TurnID
	for i := range 30 {
		head = say(t, s, home, fmt.Sprint(i), head, nil)
	}
	turns, err := s.Branch(t.Context(), head, 5)
	must(t, err)
	if len(turns) != 5 || turns[0].ID != "t25" || turns[4].ID != "t29" {
		t.Errorf("got %+v", turns)
	}
}

func TestAKnownMessageIDIsRefusedAndNothingIsHalfWritten(t *testing.T) {
	s := fresh(t)
	must(t, s.CreateSession(t.Context(), home, spec, ""))
	first := say(t, s, home, "1", "", nil)
	m := text("u1", agent.RoleUser, "another")
	_, err := s.StartTurn(t.Context(), home, NewTurn{Started: agent.TurnStarted{Turn: "tx", UserMessage: "u1", Message: "ax"}, Parent: first, User: &m})
	if !errors.Is(err, ErrExists) {
		t.Fatalf("got %v", err)
	}
	session, err := s.Session(t.Context(), home)
	must(t, err)
	if session.Head != first || session.Status != Idle {
		t.Errorf("a refused turn left %+v", session)
	}
	if records, _ := s.Log(t.Context(), home, 5, 10); len(records) != 0 {
		t.Errorf("a refused turn used numbers: %+v", records)
	}
}

func TestSessionsOfAnotherProjectDoNotExist(t *testing.T) {
	s := fresh(t)
	must(t, s.CreateSession(t.Context(), home, spec, ""))
	say(t, s, home, "1", "", nil)
	elsewhere := agent.SessionKey{Project: "p_other", Session: "s"}
	if _, err := s.Session(t.Context(), elsewhere); !errors.Is(err, ErrNotFound) {
		t.Errorf("session: %v", err)
	}
	if _, err := s.Message(t.Context(), elsewhere, "u1"); !errors.Is(err, ErrNotFound) {
		t.Errorf("message: %v", err)
	}
	if _, err := s.Turn(t.Context(), elsewhere, "a1"); !errors.Is(err, ErrNotFound) {
		t.Errorf("turn: %v", err)
	}
	if records, err := s.Log(t.Context(), elsewhere, 0, 10); len(records) != 0 || err != nil {
		t.Errorf("log: %v, %v", records, err)
	}
	must(t, s.CreateSession(t.Context(), elsewhere, spec, ""))
	if err := s.CreateSession(t.Context(), home, spec, ""); !errors.Is(err, ErrExists) {
		t.Errorf("the same id twice: %v", err)
	}
}

func TestTheListIsNewestFirstPagedAndWithoutEmptyOrDeletedSessions(t *testing.T) {
	s := fresh(t)
	clock := time.UnixMilli(1_000)
	s.now = func() time.Time { return clock }
	for i := range 7 {
		clock = clock.Add(time.Duration(i/2) * time.Second) // some share a time
		key := agent.SessionKey{Project: agent.DefaultProject, Session: agent.SessionID(fmt.Sprint("s", i))}
		must(t, s.CreateSession(t.Context(), key, spec, ""))
		if i != 3 {
			say(t, s, key, fmt.Sprint(i), "", nil)
		}
	}
	deleted := agent.SessionKey{Project: agent.DefaultProject, Session: "s5"}
	must(t, s.DeleteSession(t.Context(), deleted))
	list := func() string {
		var got []string
		var page Page
		for {
			sessions, err := s.Sessions(t.Context(), agent.DefaultProject, page, 2)
			must(t, err)
			if len(sessions) == 0 {
				return strings.Join(got, " ")
			}
			for _, session := range sessions {
				got = append(got, string(session.Key.Session))
				page = session.After()
			}
		}
	}
	if got := list(); got != "s6 s4 s2 s1 s0" {
		t.Errorf("got %s", got)
	}
	if _, err := s.Session(t.Context(), deleted); !errors.Is(err, ErrNotFound) {
		t.Errorf("a deleted session: %v", err)
	}
	must(t, s.RestoreSession(t.Context(), deleted))
	empty, draft := agent.SessionKey{Project: agent.DefaultProject, Session: "s3"}, "unsent"
	must(t, s.ChangeSession(t.Context(), empty, Change{DraftFiles: []agent.Part{media("milk").Part("list.txt")}}))
	if got := list(); got != "s6 s5 s4 s3 s2 s1 s0" {
		t.Errorf("with a file to be sent: %s", got)
	}
	must(t, s.ChangeSession(t.Context(), empty, Change{Draft: &draft, DraftFiles: []agent.Part{}}))
	if got := list(); got != "s6 s5 s4 s3 s2 s1 s0" {
		t.Errorf("after undo and a draft: %s", got)
	}
}

func TestChooseAgentOnlyBeforeTheFirstMessage(t *testing.T) {
	s := fresh(t)
	must(t, s.CreateSession(t.Context(), home, spec, ""))
	other := agent.Spec{ID: "other", Harness: agent.KindNative}
	must(t, s.ChooseAgent(t.Context(), home, other))
	say(t, s, home, "1", "", nil)
	if err := s.ChooseAgent(t.Context(), home, spec); !errors.Is(err, ErrExists) {
		t.Errorf("got %v", err)
	}
	session, err := s.Session(t.Context(), home)
	must(t, err)
	if session.Agent.ID != "other" {
		t.Errorf("got %+v", session.Agent)
	}
}

func TestUnsettledTurnsAreFound(t *testing.T) {
	s := fresh(t)
	must(t, s.CreateSession(t.Context(), home, spec, ""))
	m := text("u", agent.RoleUser, "q")
	_, err := s.StartTurn(t.Context(), home, NewTurn{Started: agent.TurnStarted{Turn: "t", UserMessage: "u", Message: "a"}, User: &m})
	must(t, err)
	list, err := s.Unsettled(t.Context())
	must(t, err)
	if len(list) != 1 || list[0].Key != home || list[0].Turn.ID != "t" || !list[0].Turn.SettledAt.IsZero() {
		t.Errorf("got %+v", list)
	}
}

func TestATurnSettlesOnce(t *testing.T) {
	s := fresh(t)
	must(t, s.CreateSession(t.Context(), home, spec, ""))
	turn := say(t, s, home, "1", "", nil)
	if _, err := s.SettleTurn(t.Context(), home, turn, agent.TurnCompleted{}, nil, Idle, true); !errors.Is(err, ErrNotFound) {
		t.Errorf("a second time: %v", err)
	}
	if records, err := s.TurnLog(t.Context(), turn); err != nil || len(records) != 4 {
		t.Errorf("the log has %d records (%v)", len(records), err)
	}
}

func TestWritersAndReadersAtOnce(t *testing.T) {
	s := fresh(t)
	const sessions, turns = 4, 10
	done := make(chan error, sessions)
	for i := range sessions {
		go func() {
			key := agent.SessionKey{Project: agent.DefaultProject, Session: agent.SessionID(fmt.Sprint(i))}
			err := s.CreateSession(t.Context(), key, spec, "")
			for j := range turns {
				turn := agent.TurnID(fmt.Sprintf("%d.%d", i, j))
				m := text(agent.MessageID("u"+turn), agent.RoleUser, "q")
				_, startErr := s.StartTurn(t.Context(), key, NewTurn{Started: agent.TurnStarted{Turn: turn, UserMessage: m.ID, Message: agent.MessageID("a" + turn)}, User: &m})
				_, readErr := s.History(t.Context(), turn)
				_, settleErr := s.SettleTurn(t.Context(), key, turn, agent.TurnCompleted{StopReason: agent.StopEndTurn}, nil, Idle, true)
				err = errors.Join(err, startErr, readErr, settleErr)
			}
			done <- err
		}()
	}
	for range sessions {
		must(t, <-done)
	}
}
