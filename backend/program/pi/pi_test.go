package pi_test

import (
	"flag"
	"testing"

	"parley/backend/program/pi"
	"parley/backend/program/programtest"
)

var update = flag.Bool("update", false, "rewrite the golden parts of testdata")

func TestConversations(t *testing.T) { programtest.Play(t, *update, pi.New) }
