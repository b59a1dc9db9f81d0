package session

import (
	"testing"
	"testing/synctest"
	"time"

	"parley/backend/agent"
)

// TestBatchWaits: only deltas that follow deltas wait for more. The first one that a person sees does not, whatever the agent
// said just before it.
func TestBatchWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBatch()
		for _, c := range []struct {
			event agent.Event
			waits time.Duration
		}{
			{agent.Data{Name: "harness"}, 0},
			{agent.MessageDelta{Text: "a"}, 0},
			{agent.MessageDelta{Text: "b"}, window},
			{agent.ThoughtDelta{Text: "c"}, window},
			{agent.ToolCall{ID: "1"}, 0},
			{agent.MessageDelta{Text: "d"}, 0},
		} {
			begun := time.Now()
			b.add(c.event, nil)
			if events, _ := b.take(window); len(events) != 1 || time.Since(begun) != c.waits {
				t.Errorf("%#v: %d events after %v, not 1 after %v", c.event, len(events), time.Since(begun), c.waits)
			}
		}
	})
}
