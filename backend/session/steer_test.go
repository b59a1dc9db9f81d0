package session

import (
	"errors"
	"path/filepath"
	"slices"
	"testing"

	"parley/backend/agent"
	"parley/backend/store"
	"parley/backend/uistream"
)

// steerable says a word and then waits for what the person says in the middle of the turn.
const steerable = "[[say:one]] [[steer]]"

// toldIn gives the messages that the agent was told in the middle of a turn.
func toldIn(records []agent.Record) (list []agent.Steered) {
	for _, r := range records {
		if said, ok := r.Event.(agent.Steered); ok {
			list = append(list, said)
		}
	}
	return list
}

// §6 "send now" steers where the harness can take it: the message is a part of the turn from where it was heard, and waits no
// more.
func TestSendNowSteers(t *testing.T) {
	w := fresh(t)
	turn := w.send(t, says(steerable))
	until(t, turn, "one")
	q := w.enqueue(t, "[[say:two]]")
	same, err := w.SendNow(t.Context(), home, q.Number)
	if err != nil || same != turn {
		t.Fatal(same, err)
	}
	records := all(t, turn)
	if said := spoken(records); said != "onetwo" || end(t, records).StopReason != agent.StopEndTurn {
		t.Errorf("said %q", said)
	}
	if got := toldIn(records); len(got) != 1 || got[0] != (agent.Steered{Message: q.Message.ID, Text: "[[say:two]]"}) || len(w.waiting(t)) != 0 {
		t.Errorf("told %+v, and %q wait", got, w.waiting(t))
	}
	history, err := w.store.History(t.Context(), turn.ID)
	var roles []agent.Role
	for _, m := range history {
		roles = append(roles, m.Role)
	}
	if want := []agent.Role{agent.RoleUser, agent.RoleAssistant, agent.RoleUser, agent.RoleAssistant}; err != nil || !slices.Equal(roles, want) {
		t.Errorf("the transcript is %v (%v)", roles, err)
	}
	if again := w.enqueueKnown(t, q); again.ID != turn.ID {
		t.Error("a retried request was not given the turn that it is a part of")
	}
	if heard, err := w.Await(t.Context(), home, q.Message.ID); err != nil || heard.ID != turn.ID {
		t.Errorf("who waits for the answer gets %v (%v)", heard, err)
	}
}

// What was given and not heard yet stays as it is, and in the queue: it goes after the turn, whatever becomes of that.
func TestWhatIsNotHeardStillWaits(t *testing.T) {
	path := filepath.Join(t.TempDir(), "history.db")
	w := open(t, path)
	turn := w.send(t, says("[[deltas:100000]] [[gap:5ms]] [[steer]]")) // it takes nothing before it has said all
	until(t, turn, "w0000001")
	q := w.enqueue(t, "[[say:two]]")
	if !w.give(home, q.Message.ID, "[[say:two]]") || w.give(home, q.Message.ID, "") {
		t.Fatal("it is not given once")
	}
	for what, err := range map[string]error{
		"changed": w.ChangeQueued(t.Context(), home, q.Number, "other"), "removed": w.Unqueue(t.Context(), home, q.Number),
	} {
		if refused := (*agent.Error)(nil); !errors.As(err, &refused) || refused.Code != agent.CodeValidation {
			t.Errorf("%s: %v", what, err)
		}
	}
	if queue, err := w.Queue(t.Context(), home); err != nil || len(queue) != 1 || !queue[0].Given {
		t.Errorf("the queue is %+v (%v)", queue, err)
	}
	if _, err := w.Stop(t.Context(), home); err != nil {
		t.Fatal(err)
	}
	if err := w.ChangeQueued(t.Context(), home, q.Number, "[[say:three]]"); err != nil {
		t.Errorf("after the turn it cannot be changed: %v", err)
	}
	w.close()

	w = open(t, path)
	if got := w.waiting(t); !slices.Equal(got, []string{"[[say:three]]"}) {
		t.Fatalf("after a restart %q wait", got)
	}
	next, err := w.SendNow(t.Context(), home, q.Number)
	if err != nil || spoken(all(t, next)) != "three" {
		t.Error(err)
	}
}

// A message whose id is taken, or with files, the agent is not given: what runs is stopped, and it is sent as any other.
func TestWhatCannotBeTold(t *testing.T) {
	w := fresh(t)
	first := says(steerable)
	first.User.ID = "u1"
	turn := w.send(t, first)
	until(t, turn, "one")
	taken := agent.Message{ID: "u1", Role: agent.RoleUser, Parts: []agent.Part{agent.TextPart{Text: "x"}}}
	files := agent.Message{ID: "u2", Role: agent.RoleUser, Parts: []agent.Part{agent.TextPart{Text: "x"}, agent.MediaPart{}}}
	for _, m := range []agent.Message{taken, files} {
		if ok, err := w.steer(t.Context(), turn, m); ok || err != nil {
			t.Errorf("%s was taken (%v)", m.ID, err)
		}
	}
}

// A runner is not believed: what nobody said was not heard, and nothing is heard twice.
func TestOnlyWhatWasGivenIsHeard(t *testing.T) {
	w := fresh(t)
	turn := w.send(t, says(steerable))
	until(t, turn, "one")
	log := newTurnLog(w.Sessions, turn)
	w.give(home, "u2", "two")
	got := log.complete([]agent.Event{
		agent.Steered{Message: "u3", Text: "forged"}, agent.Steered{Message: "u2", Text: "forged"}, agent.MessageDelta{Text: "a"}, agent.Steered{Message: "u2"},
	})
	if want := []agent.Event{agent.Steered{Message: "u2", Text: "two"}, agent.MessageDelta{Text: "a"}}; !slices.Equal(got, want) {
		t.Errorf("%v is kept", got)
	}
	if _, err := w.Stop(t.Context(), home); err != nil {
		t.Fatal(err)
	}
}

// Where an app dies is where the log ends: what was heard by then is told to models, once.
func TestACrashAfterItWasHeard(t *testing.T) {
	path := filepath.Join(t.TempDir(), "history.db")
	w := open(t, path)
	turn := w.send(t, says(steerable))
	until(t, turn, "one")
	q := w.enqueue(t, "[[say:two]] [[hang]]")
	if _, err := w.SendNow(t.Context(), home, q.Number); err != nil {
		t.Fatal(err)
	}
	until(t, turn, "onetwo")
	records, err := w.store.TurnLog(t.Context(), turn.ID)
	if err != nil {
		t.Fatal(err)
	}
	rows := uistream.Durable(records) // as the next start settles it
	if told := toldIn(records); len(told) != 1 || len(w.waiting(t)) != 0 || len(rows) != 3 || rows[1].ID != q.Message.ID {
		t.Errorf("told %+v; %q wait; rows %+v", told, w.waiting(t), rows)
	}
	if heard, err := w.Await(t.Context(), home, q.Message.ID); err != nil || heard != turn {
		t.Errorf("who waits for the answer gets %v (%v)", heard, err)
	}
	if again := w.enqueueKnown(t, q); again != turn {
		t.Error("a retried request is queued once more")
	}
	if _, err := w.SendNow(t.Context(), home, q.Number); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("sent once more: %v", err)
	}
}
