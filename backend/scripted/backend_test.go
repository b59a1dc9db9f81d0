package scripted

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"parley/backend/agent"
	"parley/backend/agent/agenttest"
	"parley/backend/tool"
)

var launch = agent.Launch{Backend: agent.BackendScripted, Harness: agent.KindScripted, Tools: tool.Names(), PermissionPolicy: agent.PermissionAuto}

func TestConformance(t *testing.T) {
	agenttest.Run(t, agenttest.Suite{
		New:    func(*testing.T) agent.Backend { return NewBackend() },
		Launch: launch,
		Steers: true,
	})
}

// open gives a conn to b in a new folder, and the means to take a turn on it.
func open(t testing.TB, b *Backend, tools ...string) agent.Conn {
	t.Helper()
	s, err := b.NewSandbox(t.Context(), agent.Policy{Scratch: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	c, err := s.Open(t.Context(), agent.Launch{Backend: agent.BackendScripted, Harness: agent.KindScripted, Tools: tools, PermissionPolicy: agent.PermissionAuto})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func ask(text string) agent.Prompt {
	return agent.Prompt{Messages: []agent.Message{user(text)}}
}

func user(text string) agent.Message {
	return agent.Message{Role: agent.RoleUser, Parts: []agent.Part{agent.TextPart{Text: text}}}
}

func TestPauses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := open(t, NewBackend(), "list_directory")
		start := time.Now()
		var at []time.Duration
		turn := agenttest.CollectWhile(t, c.Prompt(t.Context(), ask(`[[ttft:1m]] [[gap:1s]] [[think:2]] [[tool:list_directory {"path":"."}]] [[deltas:3]]`)), func(agenttest.Turn) bool {
			at = append(at, time.Since(start).Round(time.Second))
			return true
		})
		want := "[1m0s 1m1s 1m2s 1m3s 1m3s 2m3s 2m4s 2m5s]" // t t piece call result, then d d d
		if fmt.Sprint(at) != want || turn.Finish == nil {
			t.Errorf("the events came at %v, want %s (%v)", at, want, turn.Err)
		}
	})
}

func TestCrash(t *testing.T) {
	b := NewBackend()
	c := open(t, b)
	said := ""
	crashed := false
	b.Crash = func() { crashed = true }
	turn := agenttest.CollectWhile(t, c.Prompt(t.Context(), ask("[[deltas:20]] [[crash]]")), func(soFar agenttest.Turn) bool {
		said = soFar.Text()
		return !crashed
	})
	if len(said) != 20*20 || !crashed || turn.Err == nil || turn.Err.Code != agent.CodeSandbox {
		t.Errorf("crashed %v after %q: %v", crashed, said, turn.Err)
	}
	b.Crash = nil
	if turn := agenttest.Collect(t, c.Prompt(t.Context(), ask("[[crash]]"))); turn.Err == nil || turn.Text() != "" {
		t.Errorf("a crash without a process gave %+v", turn)
	}
}

// A turn may be taken up where another left off: tool results since the message say how far it was played.
func TestGoesOnAfterToolResults(t *testing.T) {
	c := open(t, NewBackend())
	prompt := ask("[[tool:one]] [[tool:two]] [[say:done]]")
	prompt.Messages = append(prompt.Messages,
		agent.Message{Role: agent.RoleAssistant, Parts: []agent.Part{agent.ToolCallPart{ID: "call_1", Name: "one"}}},
		agent.Message{Role: agent.RoleTool, Parts: []agent.Part{agent.ToolResultPart{ToolCallID: "call_1", Result: []byte(`""`)}}})
	turn := agenttest.Collect(t, c.Prompt(t.Context(), prompt))
	if calls := turn.Calls(); len(calls) != 1 || calls[0].ID != "call_2" || calls[0].Name != "two" || turn.Text() != "done" {
		t.Errorf("it called %v and said %q", calls, turn.Text())
	}
}

func TestOnceIsPerSessionAndMessage(t *testing.T) {
	c := open(t, NewBackend())
	for _, step := range []struct {
		session agent.SessionID
		text    string
		fails   bool
	}{
		{"a", "[[error1:500]]", true}, {"a", "[[error1:500]]", false}, {"a", "again [[error1:500]]", true}, {"b", "[[error1:500]]", true}, {"a", "[[error1:500]]", false},
	} {
		prompt := ask(step.text)
		prompt.Key.Session = step.session
		if turn := agenttest.Collect(t, c.Prompt(t.Context(), prompt)); (turn.Err != nil) != step.fails {
			t.Errorf("%+v: %v", step, turn.Err)
		}
	}
}

func TestArgumentsAreCutBetweenRunes(t *testing.T) {
	for _, text := range []string{"", "{}", strings.Repeat("é", 999), strings.Repeat("x日😀", 50), "\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80"} {
		got, n := "", 0
		for piece := range pieces(text) {
			if strings.ToValidUTF8(text, "") == text && strings.ToValidUTF8(piece, "") != piece {
				t.Errorf("%q is half a rune", piece)
			}
			got += piece
			n++
		}
		if got != text || n > 17 {
			t.Errorf("%d pieces of %q are %q", n, text, got)
		}
	}
}

// BenchmarkDeltas is the pace of an agent that never pauses: at least 2 million deltas a second, with one allocation for
// the text of each and one for the event.
func BenchmarkDeltas(b *testing.B) {
	c := open(b, NewBackend())
	b.ReportAllocs()
	for left := b.N; left > 0; left -= maxDeltas {
		for _, err := range c.Prompt(b.Context(), ask(fmt.Sprintf("[[deltas:%d]]", min(left, maxDeltas)))) {
			if err != nil {
				b.Fatal(err)
			}
		}
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "deltas/s")
}
