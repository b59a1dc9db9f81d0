//go:build linux

package program

import (
	"context"
	"testing"

	"parley/backend/agent"
)

func TestStops(t *testing.T) {
	for word, killed := range map[string]bool{"hang": false, "deaf": true} {
		t.Run(word, func(t *testing.T) {
			r := newRig(t)
			ctx, stop := context.WithCancel(t.Context())
			s := r.sayUntil(ctx, word, func(e agent.Event) {
				if _, ok := e.(agent.MessageDelta); ok {
					stop()
				}
			})
			if s.err != nil || s.finish.StopReason != agent.StopCancelled || s.finish.Killed != killed {
				t.Fatalf("%+v", s)
			}
			if s := r.say("say on"); s.text != "on " || (s.how == "warm") == killed {
				t.Errorf("then %+v", s)
			}
		})
	}
	t.Run("while it waits", func(t *testing.T) {
		r := newRig(t)
		r.say("call make hang")
		r.prompt.After = r.prompt.Turn // the session has ended the turn on its own
		r.is(r.say("say on"), "warm", "on ")
	})
	t.Run("in the middle of a call", func(t *testing.T) {
		r := newRig(t)
		ctx, stop := context.WithCancel(t.Context())
		s := r.sayUntil(ctx, "begin make hang", func(e agent.Event) {
			if _, ok := e.(agent.MessageDelta); ok {
				stop()
			}
		})
		if s.err != nil || s.finish.StopReason != agent.StopCancelled {
			t.Fatalf("%+v, %v", s, s.err)
		}
		if s := r.say("say on"); s.how != "retold" || s.text != "on " {
			t.Errorf("then %+v", s)
		}
	})
	t.Run("by leaving", func(t *testing.T) {
		r := newRig(t)
		conn, err := r.sandbox.Open(t.Context(), r.launch)
		if err != nil {
			t.Fatal(err)
		}
		r.prompt.Turn = "t"
		r.prompt.Messages = []agent.Message{{Role: agent.RoleUser, Parts: []agent.Part{agent.TextPart{Text: "hang"}}}}
		for e := range conn.Prompt(t.Context(), r.prompt) {
			if _, ok := e.(agent.MessageDelta); ok {
				break
			}
		}
		conn.Close()
		r.prompt.After = "t"
		r.is(r.say("say on"), "warm", "on ")
	})
	t.Run("by closing", func(t *testing.T) {
		r := newRig(t)
		s := r.sayUntil(t.Context(), "hang", func(e agent.Event) {
			if _, ok := e.(agent.MessageDelta); ok {
				go r.sandbox.Close()
			}
		})
		if s.err == nil || s.err.Code != agent.CodeSandbox {
			t.Errorf("%+v", s)
		}
	})
}
