package store

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"parley/backend/agent"
)

// §1 session_id is opaque, and unique per project: two projects have the same session, and neither can see or change what
// belongs to the other. Message ids, ids of calls and numbers in the queue are the same in both.
func TestTheSameSessionInTwoProjects(t *testing.T) {
	s := fresh(t)
	mine, yours := home, agent.SessionKey{Project: "elsewhere", Session: home.Session}
	live := func(key agent.SessionKey, word string, file agent.Media) {
		must(t, s.CreateSession(t.Context(), key, spec, "/"+word))
		question := agent.Message{ID: "u1", Role: agent.RoleUser, Parts: []agent.Part{agent.TextPart{Text: word}, file.Part("")}}
		turn := agent.TurnID("t-" + word)
		_, err := s.StartTurn(t.Context(), key, NewTurn{Started: agent.TurnStarted{Turn: turn, UserMessage: "u1", Message: "a1"}, User: &question, Media: []agent.Media{file}, Title: "about " + word})
		must(t, err)
		_, err = s.AppendEvents(t.Context(), key, turn, []agent.Event{agent.ToolCall{ID: "c1", Name: word},
			agent.InteractionRequest{ID: agent.InteractionID("q-" + word), Call: "c1", Kind: agent.UserApproval}})
		must(t, err)
		_, err = s.PauseTurn(t.Context(), key, turn, agent.TurnPaused{})
		must(t, err)
		_, err = s.Enqueue(t.Context(), key, text("u2", agent.RoleUser, "later "+word), nil)
		must(t, err)
	}
	live(mine, "apple", picture)
	before := everything(t, s, mine)
	live(yours, "banana", recording)
	if got := fmt.Sprintf("%+v", everything(t, s, yours)); strings.Contains(got, "apple") || strings.Count(got, "banana") < 10 {
		t.Errorf("the other project has %s", got)
	}
	if got := everything(t, s, mine); !reflect.DeepEqual(got, before) {
		t.Errorf("by what another project did it became\n%+v\nand was\n%+v", got, before)
	}

	must(t, s.ChangeQueued(t.Context(), yours, 1, []agent.Part{agent.TextPart{Text: "changed"}}))
	must(t, s.Unqueue(t.Context(), yours, 1))
	if _, _, err := s.AnswerQuestion(t.Context(), yours, "t-banana", agent.InteractionResponse{ID: "q-apple", Approved: true}); !errors.Is(err, ErrNotFound) {
		t.Errorf("answered for another project: %v", err)
	}
	if _, err := s.Question(t.Context(), yours.Project, "q-apple"); !errors.Is(err, ErrNotFound) {
		t.Errorf("the question of another project: %v", err)
	}
	_, _, err := s.AnswerQuestion(t.Context(), yours, "t-banana", agent.InteractionResponse{ID: "q-banana", Call: "c1", Approved: true, Scope: agent.ScopeSession})
	must(t, err)
	_, err = s.ResumeTurn(t.Context(), yours, "t-banana")
	must(t, err)
	if err := s.ChooseHead(t.Context(), yours, "t-apple"); !errors.Is(err, ErrNotFound) {
		t.Errorf("the branch of another project: %v", err)
	}
	if err := s.Fork(t.Context(), yours, "t-apple", "fork", spec); !errors.Is(err, ErrNotFound) {
		t.Errorf("a fork of another project: %v", err)
	}
	must(t, s.DeleteSession(t.Context(), yours))
	if got := everything(t, s, mine); !reflect.DeepEqual(got, before) {
		t.Errorf("by what another project did it became\n%+v\nand was\n%+v", got, before)
	}
	must(t, s.PurgeSession(t.Context(), yours))
	caughtUp(t, s)
	if got := everything(t, s, mine); !reflect.DeepEqual(got, before) {
		t.Errorf("by a purge of another project it became\n%+v\nand was\n%+v", got, before)
	}
}

// everything is all that there is of a session, and of its project.
func everything(t *testing.T, s *Store, key agent.SessionKey) (all []any) {
	t.Helper()
	caughtUp(t, s)
	note := func(what any, err error) {
		t.Helper()
		must(t, err)
		all = append(all, what)
	}
	session, err := s.Session(t.Context(), key)
	note(session, err)
	sessions, err := s.Sessions(t.Context(), key.Project, Page{}, 100)
	note(sessions, err)
	for _, id := range []agent.MessageID{"u1", "u2"} {
		m, err := s.Message(t.Context(), key, id)
		note(m, errNotNotFound(err))
		list, err := s.Editions(t.Context(), key, id)
		note(list, err)
		turns, err := s.TurnsFor(t.Context(), key, id)
		note(turns, err)
	}
	turn, err := s.Turn(t.Context(), key, "a1")
	note(turn, err)
	records, err := s.Log(t.Context(), key, 0, 1000)
	note(records, err)
	queue, err := s.Queue(t.Context(), key)
	note(queue, err)
	open, err := s.OpenQuestions(t.Context(), key.Project)
	note(open, err)
	tools, err := s.Allowed(t.Context(), key)
	note(tools, err)
	for _, text := range []string{"apple", "banana", "about"} {
		found, err := s.Search(t.Context(), Search{Project: key.Project, Text: text, Limit: 100})
		note(found.Hits, err)
	}
	for _, m := range []agent.Media{picture, recording} {
		content, err := s.Media(t.Context(), key.Project, m.Handle)
		note(content, errNotNotFound(err))
	}
	return all
}

func errNotNotFound(err error) error {
	if errors.Is(err, ErrNotFound) {
		return nil
	}
	return err
}

// §1 known under another project: media, named by its content, is not there either until the project was given it itself.
func TestMediaOfAnotherProjectDoesNotExist(t *testing.T) {
	s := fresh(t)
	elsewhere := agent.SessionKey{Project: "elsewhere", Session: home.Session}
	must(t, s.CreateSession(t.Context(), home, spec, ""))
	must(t, s.CreateSession(t.Context(), elsewhere, spec, ""))
	attach(t, s, home, "1", picture)
	if _, err := s.Media(t.Context(), elsewhere.Project, picture.Handle); !errors.Is(err, ErrNotFound) {
		t.Errorf("found: %v", err)
	}
	if _, err := s.MediaPart(t.Context(), elsewhere.Project, picture.Handle); !errors.Is(err, errNoMedia) {
		t.Errorf("found: %v", err)
	}
	m := agent.Message{ID: "u2", Role: agent.RoleUser, Parts: []agent.Part{picture.Part("")}}
	if _, err := s.StartTurn(t.Context(), elsewhere, NewTurn{Started: agent.TurnStarted{Turn: "t2", UserMessage: "u2", Message: "a2"}, User: &m}); !errors.Is(err, errNoMedia) {
		t.Errorf("sent by its name alone: %v", err)
	}
	if _, err := s.Enqueue(t.Context(), elsewhere, m, nil); !errors.Is(err, errNoMedia) {
		t.Errorf("queued by its name alone: %v", err)
	}
	must(t, s.PutMedia(t.Context(), elsewhere.Project, picture))
	if p, err := s.MediaPart(t.Context(), elsewhere.Project, picture.Handle); err != nil || p != picture.Part("") {
		t.Errorf("given, it is %+v (%v)", p, err)
	}
	_, err := s.Enqueue(t.Context(), elsewhere, m, nil)
	must(t, err)
	var stored int
	must(t, s.writer.QueryRowContext(t.Context(), "SELECT count(*) FROM media").Scan(&stored))
	if stored != 1 {
		t.Errorf("it is stored %d times", stored)
	}
}
