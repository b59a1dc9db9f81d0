package app

import (
	"io"
	"net/http"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"parley/backend/agent"
	"parley/backend/api"
	"parley/backend/session"
)

// §6 Stop is graded: a runner that cannot confirm, because it does not run at all, is killed with all that it started;
// §6 if the harness has not confirmed within 2 s, and not before. §6 abort is emitted, and the next message is answered.
func TestAStopThatIsNotConfirmedKills(t *testing.T) {
	p := newPlace(t)
	s := p.serve()
	stream := s.say("u1", "[[say:half]] [[hang]]")
	readUntil(t, stream, "half")
	stuck := p.runners()
	for _, pid := range stuck {
		if err := syscall.Kill(pid, syscall.SIGSTOP); err != nil {
			t.Fatal(err)
		}
	}
	begun := time.Now()
	stop, err := ask[api.Stop](t.Context(), s.Connection, http.MethodPost, "/messages/s/stop", nil)
	if took := time.Since(begun); err != nil || stop.Stopped != session.Killed || took < agent.StopGrace || agent.StopGrace != 2*time.Second {
		t.Errorf("stopped: %+v after %s (%v)", stop, took, err)
	}
	if rest, err := io.ReadAll(stream); err != nil || !strings.Contains(string(rest), `data: {"type":"abort"}`) || !strings.HasSuffix(string(rest), "data: [DONE]\n\n") {
		t.Errorf("the turn ended with %s (%v)", rest, err)
	}
	gone(t, "the runner is", func() bool {
		return slices.ContainsFunc(p.runners(), func(pid int) bool { return slices.Contains(stuck, pid) })
	})
	if next, err := io.ReadAll(s.say("u2", "[[say:all is well]]")); err != nil || !strings.Contains(string(next), `"finishReason":"stop"`) || !strings.Contains(s.load(), "half") {
		t.Errorf("the next turn: %s (%v)", next, err)
	}
	if stop, err = ask[api.Stop](t.Context(), s.Connection, http.MethodPost, "/messages/s/stop", nil); err != nil || stop.Stopped != session.WasIdle {
		t.Errorf("with nothing to stop: %+v (%v)", stop, err)
	}
}
