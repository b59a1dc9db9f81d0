package claude

import (
	"flag"
	"fmt"
	"testing"

	"parley/backend/program"
	"parley/backend/program/programtest"
)

var update = flag.Bool("update", false, "rewrite the golden parts of testdata")

// TestConversations plays what Claude Code 2.1.329 said to a scripted model, abridged, with a few lines that nobody knows.
func TestConversations(t *testing.T) {
	programtest.Play(t, *update, speaker)
}

// speaker names its messages predictably.
func speaker() program.Speaker {
	n := 0
	return &Speaker{newID: func() string {
		n++
		return fmt.Sprintf("message-%d", n)
	}}
}
