//go:build linux

package program

import (
	"context"
	"io"
	"testing"
	"testing/synctest"
	"time"

	"parley/backend/agent"
)

func (r *rig) steer(ctx context.Context, text string) bool {
	return r.conn.(agent.Steerer).Steer(ctx, agent.Steering{Message: "m1", Text: text})
}

// §2 the control steer: the program is told, and says where it heard it.
func TestSteers(t *testing.T) {
	r := newRig(t)
	taken := make(chan bool, 1)
	var steered []agent.Event
	s := r.sayUntil(t.Context(), "heed", func(e agent.Event) {
		switch e := e.(type) {
		case agent.MessageDelta:
			if e.Text == "heeding " {
				go func() { taken <- r.steer(t.Context(), "faster") }()
			}
		case agent.Steered:
			steered = append(steered, e)
		}
	})
	if !<-taken || len(steered) != 1 || steered[0] != (agent.Steered{Message: "m1"}) {
		t.Errorf("heard %v", steered)
	}
	r.is(s, "new", "heeding \"faster\" ")
	if r.steer(t.Context(), "too late") {
		t.Error("it took something after its turn")
	}
}

// What comes while the program is busy waits, but not longer than the turn runs.
func TestWhatIsNotHeardIsNotTaken(t *testing.T) {
	r := newRig(t)
	taken := make(chan bool, 1)
	s := r.sayUntil(t.Context(), "call make", func(e agent.Event) {
		if _, ok := e.(agent.InteractionRequest); ok { // the program waits for its answer
			go func() { taken <- r.steer(t.Context(), "faster") }()
		}
	})
	if s.finish.StopReason != agent.StopPaused || <-taken {
		t.Errorf("%+v", s.finish)
	}
}

func TestAnAnswerThatIsOwedIsOverdue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		in, out := io.Pipe()
		line := NewLine(in, io.Discard, agent.AsError)
		begun := time.Now()
		_, err := line.NextWithin(time.Minute)
		if agent.AsError(err).Code != agent.CodeRunTimeout || time.Since(begun) != time.Minute {
			t.Errorf("after %v: %v", time.Since(begun), err)
		}
		line.Close()
		out.Close()
	})
}
