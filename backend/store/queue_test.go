package store

import (
	"errors"
	"fmt"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"parley/backend/agent"
)

// inQueue gives what waits in home, as numbers and ids.
func inQueue(t *testing.T, s *Store) string {
	t.Helper()
	queue, err := s.Queue(t.Context(), home)
	must(t, err)
	var list []string
	for _, q := range queue {
		list = append(list, fmt.Sprintf("%d:%s", q.Number, q.Message.ID))
	}
	return strings.Join(list, " ")
}

// §6 Queue and steer: text sent during a turn is queued, visible, editable and removable.
func TestMessagesWaitInOrder(t *testing.T) {
	path := filepath.Join(t.TempDir(), "history.db")
	s := open(t, path)
	must(t, s.CreateSession(t.Context(), home, spec, ""))
	for i := range 3 {
		q, err := s.Enqueue(t.Context(), home, text(agent.MessageID(fmt.Sprint("u", i)), agent.RoleUser, "first"), nil)
		if err != nil || q.Number != int64(i+1) || q.At.IsZero() {
			t.Errorf("queued is %+v (%v)", q, err)
		}
	}
	changed := text("u1", agent.RoleUser, "second")
	must(t, s.ChangeQueued(t.Context(), home, 2, changed.Parts))
	again, err := s.Enqueue(t.Context(), home, text("u1", agent.RoleUser, "third"), nil)
	if err != nil || again.Number != 2 || !reflect.DeepEqual(again.Message, changed) {
		t.Errorf("queued again it is %+v (%v)", again, err)
	}
	must(t, s.Unqueue(t.Context(), home, 3))
	if err := s.Unqueue(t.Context(), home, 3); !errors.Is(err, ErrNotFound) {
		t.Errorf("removed twice: %v", err)
	}
	if err := s.ChangeQueued(t.Context(), home, 3, nil); !errors.Is(err, ErrNotFound) {
		t.Errorf("changed after it was removed: %v", err)
	}
	must(t, s.Close())
	s = open(t, path)
	if q, err := s.Enqueue(t.Context(), home, text("u9", agent.RoleUser, "last"), nil); err != nil || q.Number != 4 {
		t.Errorf("a number was given out again: %+v (%v)", q, err)
	}
	if got := inQueue(t, s); got != "1:u0 2:u1 4:u9" {
		t.Errorf("the queue is %s", got)
	}
	if _, err := s.Message(t.Context(), home, "u0"); !errors.Is(err, ErrNotFound) {
		t.Errorf("what waits is a message already (%v)", err)
	}
	must(t, s.DeleteSession(t.Context(), home))
	if _, err := s.Enqueue(t.Context(), home, text("u10", agent.RoleUser, "last"), nil); !errors.Is(err, ErrNotFound) || inQueue(t, s) != "" {
		t.Errorf("a deleted session queues %s (%v)", inQueue(t, s), err)
	}
}

// §6 Queue and steer: what waited is either in the queue or sent, never both and never neither.
func TestAQueuedMessageIsSentOnce(t *testing.T) {
	s := fresh(t)
	must(t, s.CreateSession(t.Context(), home, spec, ""))
	draft, file := "typed before", []agent.Part{media("milk").Part("list.txt")}
	must(t, s.ChangeSession(t.Context(), home, Change{Draft: &draft, DraftFiles: file}))
	m := text("u1", agent.RoleUser, "later")
	q, err := s.Enqueue(t.Context(), home, m, nil)
	must(t, err)
	if session, err := s.Session(t.Context(), home); err != nil || session.Draft != "" || len(session.DraftFiles) > 0 {
		t.Errorf("the draft of what was queued is %q with %v (%v)", session.Draft, session.DraftFiles, err)
	}
	draft = "typed meanwhile"
	must(t, s.ChangeSession(t.Context(), home, Change{Draft: &draft, DraftFiles: file}))
	start := func(turn agent.TurnID, user agent.Message) error {
		started := agent.TurnStarted{Turn: turn, UserMessage: user.ID, Message: agent.MessageID("a" + turn)}
		_, err := s.StartTurn(t.Context(), home, NewTurn{Started: started, User: &user, Queued: q.Number})
		return err
	}
	must(t, start("t1", m))
	if session, err := s.Session(t.Context(), home); err != nil || session.Draft != draft || len(session.DraftFiles) != 1 || session.Head != "t1" || inQueue(t, s) != "" {
		t.Errorf("sent, it left %q waiting and %+v (%v)", inQueue(t, s), session, err)
	}
	if err := start("t2", text("u2", agent.RoleUser, "later")); !errors.Is(err, ErrNotFound) {
		t.Errorf("sent a second time: %v", err)
	}
	if _, err := s.Message(t.Context(), home, "u2"); !errors.Is(err, ErrNotFound) {
		t.Errorf("what was refused is stored (%v)", err)
	}
	if session, err := s.Session(t.Context(), home); err != nil || session.Head != "t1" || session.NextSeq != 2 {
		t.Errorf("what was refused left %+v (%v)", session, err)
	}
}

// §6 Queue and steer: what was told in the middle of a turn waits no more, and stands where it was heard, for models, search and
// forks.
func TestAQueuedMessageIsToldInTheMiddleOfATurn(t *testing.T) {
	s := fresh(t)
	must(t, s.CreateSession(t.Context(), home, spec, ""))
	user := text("u1", agent.RoleUser, "go")
	_, err := s.StartTurn(t.Context(), home, NewTurn{Started: agent.TurnStarted{Turn: "t1", UserMessage: "u1", Message: "a1"}, User: &user})
	must(t, err)
	said, other := text("u2", agent.RoleUser, "pomegranate"), text("u3", agent.RoleUser, "later")
	for _, m := range []agent.Message{said, other} {
		_, err = s.Enqueue(t.Context(), home, m, nil)
		must(t, err)
	}
	_, err = s.AppendEvents(t.Context(), home, "t1", []agent.Event{agent.MessageDelta{Text: "one"}, agent.Steered{Message: "u2", Text: "pomegranate"}})
	must(t, err)
	if got := inQueue(t, s); got != "2:u3" {
		t.Errorf("%q waits", got)
	}
	rows := []agent.Message{text("a1", agent.RoleAssistant, "one"), said, text("a1.1", agent.RoleAssistant, "two")}
	_, err = s.SettleTurn(t.Context(), home, "t1", agent.TurnCompleted{StopReason: agent.StopEndTurn}, rows, Idle, true)
	must(t, err)
	must(t, s.Fork(t.Context(), home, "t1", forked.Session, spec))
	for _, key := range []agent.SessionKey{home, forked} {
		session, err := s.Session(t.Context(), key)
		must(t, err)
		history, err := s.History(t.Context(), session.Head)
		if want := append([]agent.Message{user}, rows...); err != nil || !reflect.DeepEqual(history, want) {
			t.Errorf("%s is %+v (%v)", key.Session, history, err)
		}
		turns, err := s.TurnsFor(t.Context(), key, "u2")
		if err != nil || len(turns) != 1 || turns[0].ID != session.Head {
			t.Errorf("it was told to %+v (%v)", turns, err)
		}
	}
	caughtUp(t, s)
	if found := search(t, s, Search{Text: "pomegranate"}); !strings.HasPrefix(found, "a1: ") {
		t.Errorf("found as %s", found)
	}
}

func TestMediaStaysWhileAMessageThatRefersToItWaits(t *testing.T) {
	s := fresh(t)
	s.stopCollect()
	s.collecting.Wait()
	day := time.Unix(0, 0)
	s.now = func() time.Time { return day }
	never := day.Add(1000 * keepUnused)
	must(t, s.CreateSession(t.Context(), home, spec, ""))
	m := agent.Message{ID: "u1", Role: agent.RoleUser, Parts: []agent.Part{picture.Part(""), recording.Part("")}}
	if _, err := s.Enqueue(t.Context(), home, m, []agent.Media{picture}); !errors.Is(err, errNoMedia) || inQueue(t, s) != "" || stored(t, s) != "" {
		t.Errorf("without its media %q waits (%v)", inQueue(t, s), err)
	}
	q, err := s.Enqueue(t.Context(), home, m, []agent.Media{picture, recording})
	must(t, err)
	must(t, s.PutMedia(t.Context(), home.Project, picture)) // once more
	collected(t, s, never, "pr")
	must(t, s.ChangeQueued(t.Context(), home, q.Number, []agent.Part{picture.Part("")}))
	collected(t, s, day.Add(keepUnused-time.Millisecond), "pr")
	collected(t, s, never, "p")
	if err := s.ChangeQueued(t.Context(), home, q.Number, m.Parts); !errors.Is(err, errNoMedia) {
		t.Errorf("changed to what was collected: %v", err)
	}
	m.Parts = m.Parts[:1]
	_, err = s.StartTurn(t.Context(), home, NewTurn{Started: agent.TurnStarted{Turn: "t1", UserMessage: "u1", Message: "a1"}, User: &m, Queued: q.Number})
	must(t, err)
	collected(t, s, never, "p")

	q, err = s.Enqueue(t.Context(), home, agent.Message{ID: "u2", Role: agent.RoleUser, Parts: []agent.Part{recording.Part("")}}, []agent.Media{recording})
	must(t, err)
	must(t, s.Unqueue(t.Context(), home, q.Number))
	collected(t, s, day.Add(keepUnused), "p")
	_, err = s.Enqueue(t.Context(), home, agent.Message{ID: "u3", Role: agent.RoleUser, Parts: []agent.Part{recording.Part("")}}, []agent.Media{recording})
	must(t, err)
	must(t, s.DeleteSession(t.Context(), home))
	must(t, s.PurgeSession(t.Context(), home))
	collected(t, s, day.Add(keepUnused), "")
}
