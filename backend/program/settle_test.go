//go:build linux

package program

import (
	"context"
	"testing"
	"time"

	"parley/backend/agent"
)

// settler is a wordSpeaker that hears its program out.
type settler struct {
	wordSpeaker
	heard []string // what it passed over
}

func (s *settler) Settle(line *Line) error {
	if err := line.Send("rest"); err != nil {
		return err
	}
	for {
		in, err := line.Next()
		if err != nil || string(in.Data) == "rested" {
			return err
		}
		s.heard = append(s.heard, string(in.Data))
	}
}

func TestAProgramIsHeardOutBetweenTurns(t *testing.T) {
	settled := func(t *testing.T) *rig {
		r := newRig(t)
		r.launch.Program.Speech = "settled words"
		return r
	}
	t.Run("and says more of the turn before", func(t *testing.T) {
		r := settled(t)
		r.is(r.say("say a then"), "new", "a ")
		r.is(r.say("say b"), "warm", "b ")
		heard := r.sandbox.(*sandbox).session.speaker.(*settler).heard
		if len(heard) != 1 || heard[0] != "text late" {
			t.Errorf("heard %q", heard)
		}
	})
	t.Run("and does not come to an end", func(t *testing.T) {
		r := settled(t)
		r.sandbox.(*sandbox).backend.limits.settle = 50 * time.Millisecond
		r.is(r.say("say a restless"), "new", "a ")
		r.is(r.say("say b"), "resumed", "b ")
	})
	t.Run("and the next turn is stopped while it is", func(t *testing.T) {
		r := settled(t)
		r.sandbox.(*sandbox).backend.limits.settle = time.Hour
		r.is(r.say("say a restless"), "new", "a ")
		ctx, stop := context.WithCancel(t.Context())
		time.AfterFunc(20*time.Millisecond, stop)
		if s := r.sayUntil(ctx, "say b", nil); s.finish.StopReason != agent.StopCancelled || s.text != "" {
			t.Errorf("%+v", s)
		}
		r.prompt.After = "" // that turn was not taken
		if s := r.say("say c"); s.how != "retold" || s.text != "c " {
			t.Errorf("then %+v", s)
		}
	})
}
