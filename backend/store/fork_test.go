package store

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"parley/backend/agent"
)

var forked = agent.SessionKey{Project: home.Project, Session: "fork"}

// transcript is all that is known of a branch, without what a fork changes: the ids and numbers of its turns.
func transcript(t *testing.T, s *Store, head agent.TurnID) (list []string) {
	t.Helper()
	turns, err := s.Branch(t.Context(), head, 100)
	must(t, err)
	for i, turn := range turns {
		records, err := s.TurnLog(t.Context(), turn.ID)
		must(t, err)
		for _, r := range records {
			if started, ok := r.Event.(agent.TurnStarted); ok {
				if started.Turn != turn.ID {
					t.Errorf("turn %s begins as %s", turn.ID, started.Turn)
				}
				started.Turn = ""
				r.Event = started
			}
			list = append(list, fmt.Sprintf("%d %d %T%+v", i, r.At.UnixMilli(), r.Event, r.Event))
		}
		turn.ID, turn.Parent = "", ""
		list = append(list, fmt.Sprintf("%+v", turn))
	}
	history, err := s.History(t.Context(), head)
	must(t, err)
	return append(list, fmt.Sprintf("%+v", history))
}

// grown makes home a session with a branch that ends in the turn asked, which paused and went on, and with others beside it.
func grown(t *testing.T, s *Store) (again, asked agent.TurnID) {
	t.Helper()
	must(t, s.CreateSession(t.Context(), home, spec, "/work"))
	attached := agent.Message{ID: "u1", Role: agent.RoleUser, Parts: []agent.Part{agent.TextPart{Text: "look"}, picture.Part("a")}}
	first := say(t, s, home, "1", "", &attached, picture)
	say(t, s, home, "2", first, nil)
	again = say(t, s, home, "1b", "", &agent.Message{}) // u1 is stored with another branch
	asked = waiting(t, s, home, "3", again)
	answer := approve("3")
	answer.Scope, answer.Rule = agent.ScopeSession, "shell"
	_, _, err := s.AnswerQuestion(t.Context(), home, asked, answer)
	must(t, err)
	_, err = s.ResumeTurn(t.Context(), home, asked)
	must(t, err)
	_, err = s.SettleTurn(t.Context(), home, asked, agent.TurnCompleted{StopReason: agent.StopEndTurn, Usage: agent.Usage{Input: 20, Output: 30}},
		[]agent.Message{text("a3", agent.RoleAssistant, "a quinceword"), text("a3.1", agent.RoleTool, "done")}, Idle, true)
	must(t, err)
	limit, scope := int64(7), agent.FilesProject
	must(t, s.ChangeSession(t.Context(), home, Change{MaxTurns: &limit, Scope: &scope}))
	return again, asked
}

// §7 Forking copies a branch into a new session.
func TestForkCopiesABranch(t *testing.T) {
	s := fresh(t)
	s.stopCollect()
	s.collecting.Wait()
	again, asked := grown(t, s)
	waiting(t, s, home, "4", asked)
	before, err := s.Session(t.Context(), home)
	must(t, err)

	must(t, s.Fork(t.Context(), home, "t4", forked.Session, spec))
	fork, err := s.Session(t.Context(), forked)
	must(t, err)
	if got, want := transcript(t, s, fork.Head), transcript(t, s, asked); !slices.Equal(got, want) {
		t.Errorf("the copy is\n%s\nof\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if fork.Title != "title 1 (fork)" || fork.Status != Idle || fork.WorkingDir != "/work" || fork.Scope != agent.FilesProject || fork.MaxTurns != 7 || fork.Draft != "" ||
		fork.Turns != 2 || fork.InputTokens != 22 || fork.OutputTokens != 33 || !reflect.DeepEqual(fork.Agent, spec) {
		t.Errorf("the fork is %+v", fork)
	}
	records, err := s.Log(t.Context(), forked, 0, 1000)
	must(t, err)
	for i, r := range records {
		if r.Seq != int64(i) {
			t.Fatalf("record %d has the number %d", i, r.Seq)
		}
	}
	if want := agent.Event(agent.SessionStarted{Agent: spec.ID, Model: spec.Model, WorkingDir: "/work"}); records[0].Event != want || fork.NextSeq != int64(len(records)) {
		t.Errorf("%d records, the first %+v, go on with %d", len(records), records[0], fork.NextSeq)
	}
	var messages, next int64
	must(t, s.read.row(t.Context(), `SELECT 1 + max(seq), next_message FROM session JOIN message ON session = session.key WHERE session.id = 'fork'`).Scan(&messages, &next))
	if messages != 5 || next != 5 { // u1 and a1b, u3, a3 and its tool
		t.Errorf("its %d messages go on with %d", messages, next)
	}
	path, err := s.Path(t.Context(), fork.Head)
	must(t, err)
	if len(path) != 2 || slices.Contains(path, again) || slices.Contains(path, asked) {
		t.Errorf("its turns are %v", path)
	}
	for _, left := range []agent.MessageID{"a1", "u2", "a2", "u4"} {
		if _, err := s.Message(t.Context(), forked, left); !errors.Is(err, ErrNotFound) {
			t.Errorf("%s is not on the branch and was copied (%v)", left, err)
		}
	}
	if tools, err := s.Allowed(t.Context(), forked); err != nil || len(tools) != 0 {
		t.Errorf("it allows %v (%v)", tools, err)
	}

	// Both go on by themselves.
	say(t, s, forked, "f", fork.Head, nil)
	if after, err := s.Session(t.Context(), home); err != nil || !reflect.DeepEqual(after, before) {
		t.Errorf("the original became %+v (%v)", after, err)
	}
	caughtUp(t, s)
	if got := search(t, s, Search{Text: "quinceword"}); strings.Count(got, "[quinceword]") != 2 || !strings.Contains(search(t, s, Search{Text: "fork"}), "[fork]") {
		t.Errorf("found:\n%s", got)
	}
	must(t, s.DeleteSession(t.Context(), home))
	must(t, s.PurgeSession(t.Context(), home))
	collected(t, s, instant(1<<50), "p")
	if history, err := s.History(t.Context(), fork.Head); err != nil || len(history) != 5 {
		t.Errorf("without the original it is %+v (%v)", history, err)
	}
	must(t, s.DeleteSession(t.Context(), forked))
	must(t, s.PurgeSession(t.Context(), forked))
	collected(t, s, instant(1<<50), "")
}

// TestForkOfASalvagedBranch that has the same question twice: once with the turn that came first, once answered again.
func TestForkOfASalvagedBranch(t *testing.T) {
	s := fresh(t)
	must(t, s.CreateSession(t.Context(), home, spec, ""))
	say(t, s, home, "1", "", nil)
	say(t, s, home, "1b", "", &agent.Message{})
	for i, order := range [][2]agent.TurnID{{"t1", "t1b"}, {"t1b", "t1"}} {
		_, err := s.writer.ExecContext(t.Context(), `UPDATE turn SET parent = CASE id WHEN ? THEN NULL ELSE ? END`, order[0], order[0])
		must(t, err)
		to := agent.SessionKey{Project: home.Project, Session: agent.SessionID(fmt.Sprint("fork", i))}
		must(t, s.Fork(t.Context(), home, order[1], to.Session, spec))
		for _, id := range []agent.MessageID{"u1", "a1", "a1b"} {
			_, err := s.Message(t.Context(), to, id)
			must(t, err)
		}
		must(t, s.DeleteSession(t.Context(), to))
		must(t, s.PurgeSession(t.Context(), to))
	}
}

func TestWhatCannotBeForked(t *testing.T) {
	s := fresh(t)
	must(t, s.CreateSession(t.Context(), home, spec, ""))
	must(t, s.CreateSession(t.Context(), forked, spec, ""))
	turn := say(t, s, home, "1", "", nil)
	elsewhere := agent.SessionKey{Project: "p", Session: home.Session}
	for what, try := range map[string]struct {
		err, want error
	}{
		"an id that is taken":  {s.Fork(t.Context(), home, turn, forked.Session, spec), ErrExists},
		"another's turn":       {s.Fork(t.Context(), forked, turn, "new", spec), ErrNotFound},
		"no turn":              {s.Fork(t.Context(), home, "t9", "new", spec), ErrNotFound},
		"from another project": {s.Fork(t.Context(), elsewhere, turn, "new", spec), ErrNotFound},
	} {
		if !errors.Is(try.err, try.want) {
			t.Errorf("%s: %v", what, try.err)
		}
	}
	if _, err := s.Session(t.Context(), agent.SessionKey{Project: home.Project, Session: "new"}); !errors.Is(err, ErrNotFound) {
		t.Errorf("half a fork: %v", err)
	}
	if got, err := s.Session(t.Context(), forked); err != nil || got.Head != "" || got.NextSeq != 1 {
		t.Errorf("what was there became %+v (%v)", got, err)
	}
}

// TestForkOfTheFirstTurnWhileItRuns gives a session in which nothing was said yet.
func TestForkOfTheFirstTurnWhileItRuns(t *testing.T) {
	s := fresh(t)
	must(t, s.CreateSession(t.Context(), home, spec, ""))
	must(t, s.Fork(t.Context(), home, waiting(t, s, home, "1", ""), forked.Session, spec))
	if fork, err := s.Session(t.Context(), forked); err != nil || fork.Status != Created || fork.Head != "" || fork.NextSeq != 1 {
		t.Errorf("the fork is %+v (%v)", fork, err)
	}
	say(t, s, forked, "2", "", nil)
}

func BenchmarkForkOf10000Messages(b *testing.B) {
	s := fresh(b)
	must(b, s.CreateSession(b.Context(), home, spec, ""))
	var head agent.TurnID
	for i := range 5000 {
		head = say(b, s, home, fmt.Sprint(i), head, nil)
	}
	n := 0
	for b.Loop() {
		n++
		must(b, s.Fork(b.Context(), home, head, agent.SessionID(fmt.Sprint("fork", n)), spec))
	}
}
