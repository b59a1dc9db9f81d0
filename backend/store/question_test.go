package store

import (
	"errors"
	"fmt"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"parley/backend/agent"
)

// waiting runs a turn until it waits: its call c<name> of the tool shell asks q<name>, and so do others.
func waiting(t *testing.T, s *Store, key agent.SessionKey, name string, parent agent.TurnID, others ...string) agent.TurnID {
	t.Helper()
	turn := agent.TurnID("t" + name)
	m := text(agent.MessageID("u"+name), agent.RoleUser, "question "+name)
	_, err := s.StartTurn(t.Context(), key, NewTurn{Started: agent.TurnStarted{Turn: turn, UserMessage: m.ID, Message: agent.MessageID("a" + name)}, Parent: parent, User: &m})
	must(t, err)
	asks(t, s, key, turn, append([]string{name}, others...)...)
	return turn
}

// asks lets a turn that runs ask by names, and wait.
func asks(t *testing.T, s *Store, key agent.SessionKey, turn agent.TurnID, names ...string) {
	t.Helper()
	for _, name := range names {
		_, err := s.AppendEvents(t.Context(), key, turn, []agent.Event{
			agent.ToolCall{ID: "c" + name, Name: "shell", Input: []byte(`{}`)},
			agent.InteractionRequest{ID: agent.InteractionID("q" + name), Call: "c" + name, Kind: agent.UserApproval, Payload: []byte(`{"command":"ls"}`)},
		})
		must(t, err)
	}
	_, err := s.PauseTurn(t.Context(), key, turn, agent.TurnPaused{Usage: agent.Usage{Input: 1}, Model: "m"})
	must(t, err)
}

func approve(name string) agent.InteractionResponse {
	return agent.InteractionResponse{ID: agent.InteractionID("q" + name), Call: "c" + name, Approved: true, Scope: agent.ScopeOnce}
}

// openQuestions gives what waits in the project of home, by name.
func openQuestions(t *testing.T, s *Store) string {
	t.Helper()
	list, err := s.OpenQuestions(t.Context(), home.Project)
	must(t, err)
	return questionNames(list)
}

func questionNames(list []Question) string {
	var names []string
	for _, q := range list {
		name := string(q.Request.ID)
		if q.Answer != nil {
			name += "!"
		}
		names = append(names, name)
	}
	return strings.Join(names, " ")
}

func statusOf(t *testing.T, s *Store, key agent.SessionKey) Status {
	t.Helper()
	session, err := s.Session(t.Context(), key)
	must(t, err)
	return session.Status
}

// §6 Approvals: several are open at once, each is answered by its id, in any order; the answers are in the log.
func TestATurnPausesIsAnsweredAndGoesOn(t *testing.T) {
	path := filepath.Join(t.TempDir(), "history.db")
	s := open(t, path)
	must(t, s.CreateSession(t.Context(), home, spec, ""))
	turn := waiting(t, s, home, "1", say(t, s, home, "0", "", nil), "2")
	if got := openQuestions(t, s); got != "q1 q2" || statusOf(t, s, home) != Paused {
		t.Errorf("open are %s, and the session is %s", got, statusOf(t, s, home))
	}
	list, err := s.Sessions(t.Context(), home.Project, Page{}, 10)
	if err != nil || len(list) != 1 || list[0].Status != Paused {
		t.Errorf("listed are %+v (%v)", list, err)
	}
	if _, err := s.ResumeTurn(t.Context(), home, turn); !errors.Is(err, ErrExists) {
		t.Errorf("resumed before it was answered: %v", err)
	}
	answer := approve("2")
	answer.Approved, answer.Note = false, "not today"
	record, left, err := s.AnswerQuestion(t.Context(), home, turn, answer)
	if err != nil || left != 1 || record.Seq != 11 || record.Turn != turn || !reflect.DeepEqual(record.Event, agent.Event(answer)) {
		t.Fatalf("the answer is %+v, and %d are open (%v)", record, left, err)
	}
	must(t, s.Close())

	s = open(t, path) // restarting loses neither the question nor the answer
	if got := openQuestions(t, s); got != "q1" || statusOf(t, s, home) != Paused {
		t.Errorf("open are %s, and the session is %s", got, statusOf(t, s, home))
	}
	unsettled, err := s.Unsettled(t.Context())
	if err != nil || len(unsettled) != 1 || !unsettled[0].Turn.Paused {
		t.Errorf("unsettled are %+v (%v)", unsettled, err)
	}
	q, err := s.Question(t.Context(), home.Project, "q2")
	if err != nil || q.Key != home || q.Turn != turn || q.AskedAt.IsZero() || q.Request.Call != "c2" || !reflect.DeepEqual(*q.Answer, answer) {
		t.Errorf("q2 is %+v (%v)", q, err)
	}
	if _, left, err := s.AnswerQuestion(t.Context(), home, turn, approve("1")); err != nil || left != 0 {
		t.Errorf("%d are open (%v)", left, err)
	}
	if got := statusOf(t, s, home); got != Paused {
		t.Errorf("answered, and not resumed, the session is %s", got)
	}
	if record, err := s.ResumeTurn(t.Context(), home, turn); err != nil || record.Seq != 13 || record.Event != agent.Event(agent.TurnResumed{}) {
		t.Errorf("resumed by %+v (%v)", record, err)
	}
	if _, err := s.ResumeTurn(t.Context(), home, turn); !errors.Is(err, ErrExists) {
		t.Errorf("resumed again: %v", err)
	}
	if turns, err := s.Branch(t.Context(), turn, 1); err != nil || turns[0].Paused || statusOf(t, s, home) != Running {
		t.Errorf("resumed, it is %+v (%v)", turns, err)
	}

	asks(t, s, home, turn, "3") // once more
	if _, left, err := s.AnswerQuestion(t.Context(), home, turn, approve("3")); err != nil || left != 0 {
		t.Errorf("%d are open (%v)", left, err)
	}
	if _, err := s.ResumeTurn(t.Context(), home, turn); err != nil {
		t.Errorf("resumed after a second pause: %v", err)
	}
	asked, err := s.Questions(t.Context(), turn)
	if got := questionNames(asked); err != nil || got != "q1! q2! q3!" {
		t.Errorf("asked were %s (%v)", got, err)
	}
	records, err := s.TurnLog(t.Context(), turn)
	must(t, err)
	var got []string
	for _, r := range records {
		got = append(got, strings.TrimPrefix(fmt.Sprintf("%T", r.Event), "agent."))
	}
	want := "TurnStarted ToolCall InteractionRequest ToolCall InteractionRequest TurnPaused InteractionResponse InteractionResponse TurnResumed " +
		"ToolCall InteractionRequest TurnPaused InteractionResponse TurnResumed"
	if strings.Join(got, " ") != want {
		t.Errorf("the log is %s", got)
	}
}

// §6 Approvals: each approval is consumed once, by whichever of many clients comes first.
func TestAQuestionIsAnsweredOnce(t *testing.T) {
	s := fresh(t)
	must(t, s.CreateSession(t.Context(), home, spec, ""))
	turn := waiting(t, s, home, "1", "")
	const clients = 8
	answered, resumed := make(chan error, clients), make(chan error, clients)
	for range clients {
		go func() {
			_, _, err := s.AnswerQuestion(t.Context(), home, turn, approve("1"))
			answered <- err
			_, err = s.ResumeTurn(t.Context(), home, turn)
			resumed <- err
		}()
	}
	for what, results := range map[string]chan error{"answered": answered, "resumed": resumed} {
		won := 0
		for range clients {
			if err := <-results; err == nil {
				won++
			} else if !errors.Is(err, ErrExists) {
				t.Errorf("%s: %v", what, err)
			}
		}
		if won != 1 {
			t.Errorf("%s %d times", what, won)
		}
	}
	if records, err := s.TurnLog(t.Context(), turn); err != nil || len(records) != 6 {
		t.Errorf("the log is %+v (%v)", records, err)
	}
}

func TestWhoMayNotAnswer(t *testing.T) {
	s := fresh(t)
	must(t, s.CreateSession(t.Context(), home, spec, ""))
	other := agent.SessionKey{Project: home.Project, Session: "other"}
	must(t, s.CreateSession(t.Context(), other, spec, ""))
	turn := waiting(t, s, home, "1", "")
	for what, try := range map[string]struct {
		key  agent.SessionKey
		turn agent.TurnID
		id   string
	}{
		"another session": {other, turn, "1"},
		"another project": {agent.SessionKey{Project: "p", Session: home.Session}, turn, "1"},
		"another turn":    {home, "t9", "1"},
		"never asked":     {home, turn, "9"},
	} {
		if _, _, err := s.AnswerQuestion(t.Context(), try.key, try.turn, approve(try.id)); !errors.Is(err, ErrNotFound) {
			t.Errorf("%s: %v", what, err)
		}
	}
	must(t, s.DeleteSession(t.Context(), home))
	if _, _, err := s.AnswerQuestion(t.Context(), home, turn, approve("1")); !errors.Is(err, ErrNotFound) {
		t.Errorf("in a deleted session: %v", err)
	}
	if _, err := s.Question(t.Context(), home.Project, "q1"); !errors.Is(err, ErrNotFound) || openQuestions(t, s) != "" {
		t.Errorf("a deleted session still asks %s (%v)", openQuestions(t, s), err)
	}
	must(t, s.RestoreSession(t.Context(), home))
	_, _, err := s.AnswerQuestion(t.Context(), home, turn, approve("1"))
	must(t, err)
	must(t, s.DeleteSession(t.Context(), home))
	if _, err := s.ResumeTurn(t.Context(), home, turn); !errors.Is(err, ErrNotFound) {
		t.Errorf("resumed in a deleted session: %v", err)
	}
	if records, err := s.TurnLog(t.Context(), turn); err != nil || len(records) != 5 {
		t.Errorf("what was refused is in the log: %+v (%v)", records, err)
	}
}

// TestAQuestionThatWasShownExists before its turn pauses, and after the app died in between.
func TestAQuestionThatWasShownExists(t *testing.T) {
	s := fresh(t)
	must(t, s.CreateSession(t.Context(), home, spec, ""))
	m := text("u1", agent.RoleUser, "question")
	_, err := s.StartTurn(t.Context(), home, NewTurn{Started: agent.TurnStarted{Turn: "t1", UserMessage: "u1", Message: "a1"}, User: &m})
	must(t, err)
	_, err = s.AppendEvents(t.Context(), home, "t1", []agent.Event{agent.InteractionRequest{ID: "q1", Kind: agent.UserInput}})
	must(t, err)
	if _, _, err := s.AnswerQuestion(t.Context(), home, "t1", approve("1")); !errors.Is(err, ErrNotPaused) || openQuestions(t, s) != "" {
		t.Errorf("answered while the turn runs (%v); open are %q", err, openQuestions(t, s))
	}
	unsettled, err := s.Unsettled(t.Context())
	must(t, err)
	asked, err := s.Questions(t.Context(), "t1")
	if err != nil || unsettled[0].Turn.Paused || questionNames(asked) != "q1" {
		t.Errorf("%+v asked %s (%v)", unsettled, questionNames(asked), err)
	}
	_, err = s.PauseTurn(t.Context(), home, "t1", agent.TurnPaused{})
	must(t, err)
	if _, err := s.PauseTurn(t.Context(), home, "t1", agent.TurnPaused{}); !errors.Is(err, ErrNotFound) {
		t.Errorf("paused twice: %v", err)
	}
	if got := openQuestions(t, s); got != "q1" {
		t.Errorf("open are %q", got)
	}
}

// §6 Stop is graded: a paused turn that is stopped asks nothing any more, and its session is usable at once.
func TestASettledTurnAsksNothing(t *testing.T) {
	s := fresh(t)
	must(t, s.CreateSession(t.Context(), home, spec, ""))
	turn := waiting(t, s, home, "1", "")
	_, err := s.SettleTurn(t.Context(), home, turn, agent.TurnCompleted{StopReason: agent.StopCancelled}, nil, Idle, true)
	must(t, err)
	if got := openQuestions(t, s); got != "" || statusOf(t, s, home) != Idle {
		t.Errorf("open are %s, and the session is %s", got, statusOf(t, s, home))
	}
	if _, _, err := s.AnswerQuestion(t.Context(), home, turn, approve("1")); !errors.Is(err, ErrExists) {
		t.Errorf("answered: %v", err)
	}
	if _, err := s.ResumeTurn(t.Context(), home, turn); !errors.Is(err, ErrExists) {
		t.Errorf("resumed: %v", err)
	}
	if _, err := s.PauseTurn(t.Context(), home, turn, agent.TurnPaused{}); !errors.Is(err, ErrNotFound) {
		t.Errorf("paused: %v", err)
	}
	if q, err := s.Question(t.Context(), home.Project, "q1"); err != nil || q.Answer != nil {
		t.Errorf("the question is %+v (%v)", q, err)
	}
	say(t, s, home, "2", turn, nil)
}
