package acp

import (
	"flag"
	"testing"

	"parley/backend/program/programtest"
)

var golden = flag.Bool("update", false, "rewrite what the speaker writes and says in testdata")

// TestRecorded plays conversations with real agents, and such as no agent should have.
func TestRecorded(t *testing.T) { programtest.Play(t, *golden, New) }
