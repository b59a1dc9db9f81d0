package agenttest

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"parley/backend/agent"
)

func says(s *stage) {
	const text = "Hello, wörld <&> 😀 \u2028 \"quoted\" \\ \t."
	s.finished(s.say("[[say:"+text+"]]"), text)
	s.finished(s.say("[[say:one]] and, after all, [[say:two\nlines]]"), "two\nlines")
}

func saysDeltasInOrder(s *stage) {
	const n = 20_000
	turn := s.say(fmt.Sprintf("[[deltas:%d]] [[size:20]]", n))
	s.finished(turn, turn.Text())
	if got := s.numbered(turn); got != n {
		s.Errorf("%d deltas arrived of %d", got, n)
	}
}

// numbered counts the deltas of 20 bytes, and fails the test if one is cut, missing in between, or out of place.
func (s *stage) numbered(turn Turn) int {
	s.Helper()
	pieces := slices.Collect(slices.Chunk([]byte(turn.Text()), 20))
	for i, piece := range pieces {
		if !strings.Contains(string(piece), fmt.Sprintf("%05d ", i)) || len(piece) != 20 {
			s.Fatalf("delta %d is %q", i, piece)
		}
	}
	return len(pieces)
}

func thinksFirst(s *stage) {
	turn := s.say("[[think:5]] [[say:done]]")
	s.finished(turn, "done")
	if turn.Thoughts() == "" {
		s.Error("there was no reasoning")
	}
	spoken := false
	for _, e := range turn.Events {
		switch e.(type) {
		case agent.MessageDelta, agent.MessageWhole:
			spoken = true
		case agent.ThoughtDelta, agent.ThoughtWhole:
			if spoken {
				s.Error("there was reasoning after the answer")
			}
		}
	}
}

func answersTheNewestMessage(s *stage) {
	said := message(agent.RoleAssistant, agent.ReasoningPart{Text: "hm"}, agent.TextPart{Text: "old"})
	prompt := s.prompt(user("[[say:old]]"), said, user("[[say:new]]"))
	s.finished(Collect(s, s.conn.Prompt(s.ctx, prompt)), "new")
}

// takesAnyHistory: what a failed and a stopped turn leave behind is a conversation like any other.
func takesAnyHistory(s *stage) {
	prompt := s.prompt(
		user("[[error:500]]"),
		user("[[tool:read_file {}]] [[hang]]"),
		message(agent.RoleAssistant, agent.TextPart{Text: "I will"}, agent.ToolCallPart{ID: "c1", Name: "read_file", Args: []byte(`{"path":"a"}`)},
			agent.ToolCallPart{ID: "c2", Name: "read_file", Args: []byte(`{"path":"b"}`)}),
		message(agent.RoleTool, agent.ToolResultPart{ToolCallID: "c1", Result: []byte(`"x"`)}),
		user("[[say:fine]]"),
	)
	s.finished(Collect(s, s.conn.Prompt(s.ctx, prompt)), "fine")
}

func callsTools(s *stage) {
	content := "[[say:kept]] " + strings.Repeat("✓", 100) + "\n" // wherever the arguments are cut, a rune is near
	input, err := json.Marshal(map[string]string{"path": "notes.txt", "content": content})
	if err != nil {
		s.Fatal(err)
	}
	turn := s.say(fmt.Sprintf(`[[tool:write_file %s]] [[tool:list_directory {"path":"."}]] [[tool:read_file {"path":"notes.txt"}]] [[say:done]]`, input))
	s.finished(turn, "done")
	calls, results := s.answered(turn, "write_file", "list_directory", "read_file")
	for _, r := range results {
		if r.IsError || r.Denied {
			s.Errorf("the call %s failed: %s", r.ID, r.Output)
		}
	}
	if got := compact(string(calls[2].Input)); got != `{"path":"notes.txt"}` {
		s.Errorf("the input of the last call is %s", got)
	}
	if got := results[2].Output; got != content {
		s.Errorf("the last call read %q", got)
	}
	if b, err := os.ReadFile(filepath.Join(s.policy.Scratch, "notes.txt")); err != nil || string(b) != content {
		s.Errorf("in the folder there is %q (%v)", b, err)
	}
}

func survivesWrongCalls(s *stage) {
	turn := s.say(`[[tool:read_file {"path":1}]] [[tool:no_such_tool {}]] [[tool:read_file {"path":]] [[say:survived]]`)
	s.finished(turn, "survived")
	_, results := s.answered(turn, "read_file", "no_such_tool", "read_file")
	for _, r := range results {
		if !r.IsError || r.Output == "" {
			s.Errorf("a wrong call gave %+v", r)
		}
	}
}

// answered gives the calls and their results, which must be these, one after the other.
func (s *stage) answered(turn Turn, names ...string) ([]agent.ToolCall, []agent.ToolResult) {
	s.Helper()
	calls, results := turn.Calls(), turn.Results()
	if len(calls) != len(names) || len(results) != len(names) {
		s.Fatalf("%d calls and %d results, want %d of each", len(calls), len(results), len(names))
	}
	for i, name := range names {
		if calls[i].Name != name || results[i].ID != calls[i].ID {
			s.Errorf("call %d is %s %s, its result is for %s", i, calls[i].Name, calls[i].ID, results[i].ID)
		}
	}
	return calls, results
}

func passesFiveMegabytes(s *stage) {
	text := strings.Repeat("x", 5<<20)
	s.finished(s.say("[[say:"+text+"]]"), text)

	turn := s.say(`[[tool:write_file {"path":"large.txt","content":"` + text + `"}]] [[say:done]]`)
	s.finished(turn, "done")
	calls, results := s.answered(turn, "write_file")
	if len(calls[0].Input) < len(text) || len(results[0].Data) < len(text) { // the data holds the diff
		s.Errorf("the call has %d bytes, the result %d", len(calls[0].Input), len(results[0].Data))
	}
}

func reportsUsage(s *stage) {
	turn := s.say("[[usage:100,20]] [[say:counted]]")
	s.finished(turn, "counted")
	if u := turn.Finish.Usage; u.Input != 100 || u.Output != 20 {
		s.Errorf("the usage is %+v", u)
	}
	if turn.Finish.Model == "" {
		s.Error("nobody says what answered")
	}
}
