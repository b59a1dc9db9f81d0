//go:build linux

package runner

import (
	"testing"

	"parley/backend/agent"
)

// BenchmarkDeltas: 200,000 deltas of 20 bytes, said at full speed in the runner and heard in the app.
func BenchmarkDeltas(b *testing.B) {
	conn := connTo(b, "engine")
	prompt := say("deltas 200000 20")
	for b.Loop() {
		var bytes, events int
		for e, err := range conn.Prompt(b.Context(), prompt) {
			if err != nil {
				b.Fatal(err)
			}
			if d, ok := e.(agent.MessageDelta); ok {
				bytes += len(d.Text)
				events++
			}
		}
		if bytes != 4_000_000 {
			b.Fatalf("%d bytes", bytes)
		}
		b.ReportMetric(float64(events), "events/turn")
	}
}

// BenchmarkWarmTurn: one delta, from Prompt to Finish.
func BenchmarkWarmTurn(b *testing.B) {
	conn := connTo(b, "engine")
	prompt := say("deltas 1 20")
	for b.Loop() {
		for _, err := range conn.Prompt(b.Context(), prompt) {
			if err != nil {
				b.Fatal(err)
			}
		}
	}
}

// BenchmarkStart: from nothing to a runner that said hello, and its end, as it is and confined.
func BenchmarkStart(b *testing.B) {
	for _, scope := range []agent.FileScope{agent.FilesFull, agent.FilesSandboxed} {
		b.Run(string(scope), func(b *testing.B) {
			l, p := newLocal(b, "engine")
			p.Scope = scope
			l.Enforcement() // which is found out once
			for b.Loop() {
				s, err := l.NewSandbox(b.Context(), p)
				if err != nil {
					b.Fatal(err)
				}
				s.Close()
			}
		})
	}
}
