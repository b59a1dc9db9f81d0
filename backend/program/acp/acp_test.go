package acp

import (
	"flag"
	"testing"
	"time"

	"parley/backend/program"
	"parley/backend/program/programtest"
)

var golden = flag.Bool("update", false, "rewrite what the speaker writes and says in testdata")

// TestRecorded plays conversations with real agents, and such as no agent should have. Time stands still, so that of what
// a terminal shows only the first is said before the result.
func TestRecorded(t *testing.T) {
	programtest.Play(t, *golden, func() program.Speaker {
		s := New().(*Speaker)
		s.terminals.now = func() time.Time { return time.Unix(1, 0) }
		return s
	})
}
