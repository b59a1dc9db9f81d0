package session

import (
	"errors"
	"path/filepath"
	"slices"
	"testing"

	"parley/backend/agent"
	"parley/backend/store"
)

func (w *world) enqueue(t *testing.T, text string) store.Queued {
	t.Helper()
	r := says(text)
	q, turn, err := w.Enqueue(t.Context(), r)
	if err != nil || turn != nil {
		t.Fatal(turn, err)
	}
	return q
}

// waiting lists the texts that wait.
func (w *world) waiting(t *testing.T) (texts []string) {
	t.Helper()
	queue, err := w.store.Queue(t.Context(), home)
	if err != nil {
		t.Fatal(err)
	}
	for _, q := range queue {
		texts = append(texts, q.Message.Parts[0].(agent.TextPart).Text)
	}
	return texts
}

// spokenOf gives what was said to a message that waited, once its turn is over.
func (w *world) spokenTo(t *testing.T, q store.Queued) string {
	t.Helper()
	turn, err := w.Await(t.Context(), home, q.Message.ID)
	if err != nil {
		t.Fatal(err)
	}
	return spoken(all(t, turn))
}

const endless = `[[deltas:100000]] [[gap:5ms]]`

// §6 text sent during a turn is queued, visible, editable and removable, and goes when the turn is done (§6 not while it is
// paused).
func TestWhatWaitsGoesInOrder(t *testing.T) {
	w := fresh(t)
	w.asked(t, writes) // it waits: nothing goes meanwhile
	first, second, third := w.enqueue(t, "[[say:one]]"), w.enqueue(t, "[[say:two]]"), w.enqueue(t, "[[say:three]]")
	if err := w.ChangeQueued(t.Context(), home, second.Number, "[[say:deux]]"); err != nil {
		t.Fatal(err)
	}
	if err := w.Unqueue(t.Context(), home, third.Number); err != nil {
		t.Fatal(err)
	}
	if got := w.waiting(t); !slices.Equal(got, []string{"[[say:one]]", "[[say:deux]]"}) {
		t.Fatalf("%q wait", got)
	}
	if _, err := w.Await(t.Context(), home, third.Message.ID); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("who waits for what was removed gets %v", err)
	}
	standing, err := w.Standing(t.Context(), home)
	if err != nil {
		t.Fatal(err)
	}
	w.answer(t, agent.InteractionResponse{ID: standing.Open[0].Request.ID, Approved: true})
	if a, b := w.spokenTo(t, first), w.spokenTo(t, second); a != "one" || b != "deux" {
		t.Errorf("said %q and %q", a, b)
	}
	if got := w.waiting(t); len(got) != 0 {
		t.Errorf("%q still wait", got)
	}
	if again := w.enqueueKnown(t, first); spoken(all(t, again)) != "one" {
		t.Error("a retried request was not given its answer")
	}
}

func (w *world) enqueueKnown(t *testing.T, q store.Queued) *Turn {
	t.Helper()
	r := says("")
	r.User = q.Message
	_, turn, err := w.Enqueue(t.Context(), r)
	if err != nil || turn == nil {
		t.Fatal(turn, err)
	}
	return turn
}

// §6 "send now" steers where the harness can take it and otherwise interrupts first: ours cannot. After a stop, what waits waits for the person.
func TestAStopHoldsWhatWaits(t *testing.T) {
	path := filepath.Join(t.TempDir(), "history.db")
	w := open(t, path)
	until(t, w.send(t, says(endless)), "w0000001")
	q := w.enqueue(t, "[[say:later]]")
	if stopped, err := w.Stop(t.Context(), home); stopped != Confirmed || err != nil {
		t.Fatal(stopped, err)
	}
	w.close()

	w = open(t, path)
	if got := w.waiting(t); len(got) != 1 || w.Busy() {
		t.Fatalf("after the stop and a restart %q wait; busy: %v", got, w.Busy())
	}
	until(t, w.send(t, says(endless)), "w0000001")
	turn, err := w.SendNow(t.Context(), home, q.Number)
	if err != nil {
		t.Fatal(err)
	}
	if said := spoken(all(t, turn)); said != "later" {
		t.Errorf("said %q", said)
	}
	if _, err := w.SendNow(t.Context(), home, 0); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("with nothing that waits: %v", err)
	}
}

func TestWhatNeedNotWaitGoesAtOnce(t *testing.T) {
	w := fresh(t)
	q, turn, err := w.Enqueue(t.Context(), says("[[say:now]]"))
	if err != nil || turn == nil || q.Number != 0 {
		t.Fatal(q, turn, err)
	}
	if said := spoken(all(t, turn)); said != "now" {
		t.Errorf("said %q", said)
	}
}
