package native

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"parley/backend/agent"
	"parley/backend/agent/agenttest"
	"parley/backend/modelserver"
	"parley/backend/provider"
	"parley/backend/tool"
)

// TestATurnOverBothWires runs a turn with a real tool, over OpenAI's shape and over Ollama's.
func TestATurnOverBothWires(t *testing.T) {
	for name, options := range map[string]modelserver.Options{"openai": {Key: "sk-test"}, "ollama": {Ollama: true}} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, options, "read_file", "list_directory")
			turn := r.finished(`[[think:2]] [[tool:read_file {"path":"note.txt"}]] [[say:Buy milk.]] [[usage:100,7]]`)
			if turn.Text() != "Buy milk." || turn.Thoughts() == "" {
				t.Errorf("said %q, thought %q", turn.Text(), turn.Thoughts())
			}
			results := turn.Results()
			if len(results) != 1 || results[0].IsError || !strings.Contains(results[0].Output, "milk") {
				t.Fatalf("results %v", results)
			}
			reports := of[agent.UsageReport](turn.Events)
			want := agent.Finish{StopReason: agent.StopEndTurn, Usage: agent.Usage{Input: 200, Output: 14, Total: 214}, Model: "scripted-1"}
			if *turn.Finish != want || len(reports) != 2 || reports[1].Usage != want.Usage {
				t.Errorf("finish %+v, reports %v", turn.Finish, reports)
			}
			sent := r.sent()
			if m := sent.Messages[3]; m.Role != "tool" || m.ToolCallID != results[0].ID || !strings.HasPrefix(m.Content, "[untrusted tool output]\n") {
				t.Errorf("the model read %+v", m)
			}
			if m := sent.Messages[0]; m.Role != "system" || !strings.HasPrefix(m.Content, "Be brief.\n\n") || len(sent.Tools) != 2 {
				t.Errorf("the model was told %+v, with %d tools", m, len(sent.Tools))
			}
		})
	}
}

// TestThePrefixStaysWarm holds what a provider's cache needs: each request begins with the bytes of the one before,
// within a turn and from turn to turn, also when the transcript has been through the encoder of the store.
func TestThePrefixStaysWarm(t *testing.T) {
	r := newRig(t, modelserver.Options{}, "write_file", "read_file")
	first := `[[tool:write_file {"path": "a.html", "content": "<b>\u003c & \\u003c</b>"}]] [[tool:read_file {"path":"none"}]] [[think:1]] [[say:Done & dusted.]]`
	transcript := append([]any{first}, reload(t, stepsOf(r.finished(first).Events))...)
	r.finished(append(transcript, "[[say:second]]")...)
	var before []byte
	for i, request := range r.model.Requests() {
		prefix := bytes.TrimSuffix(before, []byte("]}\n"))
		if !bytes.HasPrefix(request.Body, prefix) {
			t.Errorf("request %d\n%s\ndoes not begin with\n%s", i, request.Body, prefix)
		}
		before = request.Body
	}
	if n := len(r.model.Requests()); n != 4 {
		t.Errorf("%d requests", n)
	}
}

// stepsOf folds events into the messages that the store keeps of them.
func stepsOf(events []agent.Event) (messages []agent.Message) {
	step, results := agent.Message{Role: agent.RoleAssistant}, agent.Message{Role: agent.RoleTool}
	end := func() {
		for _, m := range []agent.Message{step, results} {
			if m.Parts != nil {
				messages = append(messages, m)
			}
		}
		step.Parts, results.Parts = nil, nil
	}
	for _, e := range events {
		switch e := e.(type) {
		case agent.ThoughtDelta:
			step.Parts = append(step.Parts, agent.ReasoningPart(e))
		case agent.MessageDelta:
			step.Parts = append(step.Parts, agent.TextPart(e))
		case agent.ToolCall:
			step.Parts = append(step.Parts, agent.ToolCallPart{ID: e.ID, Name: e.Name, Args: e.Input})
		case agent.ToolResult:
			output, _ := json.Marshal(e.Output)
			results.Parts = append(results.Parts, agent.ToolResultPart{ToolCallID: e.ID, Result: output, IsError: e.IsError})
			end()
		}
	}
	end()
	return messages
}

// reload sends messages through the encoder of the store.
func reload(t *testing.T, messages []agent.Message) (out []any) {
	for _, m := range messages {
		b, err := agent.EncodeParts(m.Parts)
		if err != nil {
			t.Fatal(err)
		}
		if m.Parts, err = agent.DecodeParts(b); err != nil {
			t.Fatal(err)
		}
		out = append(out, m)
	}
	return out
}

func TestAnUnknownToolIsAnError(t *testing.T) {
	r := newRig(t, modelserver.Options{}, "read_file")
	turn := r.finished(`[[tool:teleport {}]] [[say:Never mind.]]`)
	if result := turn.Results()[0]; turn.Text() != "Never mind." || !result.IsError || !strings.Contains(result.Output, "read_file") {
		t.Errorf("said %q after %+v", turn.Text(), result)
	}
}

func TestMalformedArgumentsGoBackToTheModel(t *testing.T) {
	r := newRig(t, modelserver.Options{}, "read_file")
	turn := r.finished(`[[tool:read_file {"path": ]] [[tool:read_file {"path":"note.txt"}]] [[say:Done.]]`)
	calls, results := turn.Calls(), turn.Results()
	if string(calls[0].Input) != "{}" || !results[0].IsError || !strings.Contains(results[0].Output, `{\"path\":`) {
		t.Errorf("input %s, result %+v", calls[0].Input, results[0])
	}
	if results[1].IsError || turn.Text() != "Done." {
		t.Errorf("said %q after %+v", turn.Text(), results[1])
	}
}

func TestCorrectionsComeToAnEnd(t *testing.T) {
	r := newRig(t, modelserver.Options{}, "read_file")
	wrong, right := `[[tool:read_file nonsense]]`, `[[tool:read_file {"path":"note.txt"}]]`
	r.finished(strings.Repeat(wrong+wrong+wrong+right, 3) + "[[say:ok]]")
	if turn := r.failed(agent.CodeToolFailed, strings.Repeat(wrong, 4)); len(turn.Results()) != 3 {
		t.Errorf("failed after %d corrections", len(turn.Results()))
	}
}

func TestRoundsComeToAnEnd(t *testing.T) {
	r := newRig(t, modelserver.Options{}, "read_file")
	call := `[[tool:read_file {"path":"note.txt"}]]`
	r.finished(strings.Repeat(call, 16) + "[[say:Done.]]")
	if turn := r.failed(agent.CodeTurnLimit, strings.Repeat(call, 17)+"[[say:Done.]]"); len(turn.Results()) != 16 {
		t.Errorf("failed after %d rounds", len(turn.Results()))
	}
}

// turnWith is a turn whose tools are f: what they do, and when, is up to the test.
func turnWith(f func(ctx context.Context, host agent.Host, call agent.ToolCall, say func(agent.Event)) agent.ToolResult, yield func(agent.Event, error) bool) *turn {
	definitions := []tool.Definition{{Name: "read", ReadOnly: true}, {Name: "write"}}
	t := &turn{conn: &conn{definitions: definitions, run: f}, yield: yield}
	t.ctx, t.cancel = context.WithCancel(context.Background())
	return t
}

func callsNamed(names ...string) (calls []call) {
	for i, name := range names {
		calls = append(calls, call{ToolCall: agent.ToolCall{ID: fmt.Sprint(i), Name: name}})
	}
	return calls
}

// TestOnlyNeighboursThatReadRunTogether runs on a clock of its own: each call takes its time, and notes it.
func TestOnlyNeighboursThatReadRunTogether(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		spans := make([]string, 5)
		f := func(_ context.Context, _ agent.Host, call agent.ToolCall, say func(agent.Event)) agent.ToolResult {
			i, _ := strconv.Atoi(call.ID)
			start := time.Since(began)
			if <-time.After(time.Second); i == 0 {
				say(agent.ToolProgress{ID: call.ID, Output: "half"})
				<-time.After(time.Second)
			}
			spans[i] = fmt.Sprintf("%v to %v", start, time.Since(began))
			return agent.ToolResult{ID: call.ID, Output: "done " + call.ID}
		}
		var said []string
		turn := turnWith(f, func(e agent.Event, _ error) bool {
			said = append(said, fmt.Sprintf("%T", e)[len("agent."):])
			return true
		})
		m := turn.runTools(callsNamed("read", "read", "write", "read", "write"))
		if want := []string{"0s to 2s", "0s to 1s", "2s to 3s", "3s to 4s", "4s to 5s"}; !slices.Equal(spans, want) {
			t.Errorf("the calls ran from %q", spans)
		}
		if want := []string{"ToolProgress", "ToolResult", "ToolResult", "ToolResult", "ToolResult", "ToolResult"}; !slices.Equal(said, want) {
			t.Errorf("said %v", said)
		}
		for i, part := range m.Parts {
			if r := part.(agent.ToolResultPart); r.ToolCallID != strconv.Itoa(i) || string(r.Result) != fmt.Sprintf("%q", "done "+r.ToolCallID) {
				t.Errorf("result %d is %+v", i, r)
			}
		}
	})
}

func TestAToolThatPanicsIsAnError(t *testing.T) {
	before := slog.Default()
	slog.SetDefault(slog.New(slog.DiscardHandler))
	defer slog.SetDefault(before)
	turn := turnWith(func(context.Context, agent.Host, agent.ToolCall, func(agent.Event)) agent.ToolResult { panic("boom") }, func(agent.Event, error) bool { return true })
	if r := turn.runTools(callsNamed("write")).Parts[0].(agent.ToolResultPart); !r.IsError || strings.Contains(string(r.Result), "boom") {
		t.Errorf("got %+v", r)
	}
}

func TestToolsEndWhenNobodyListens(t *testing.T) {
	f := func(ctx context.Context, _ agent.Host, call agent.ToolCall, say func(agent.Event)) agent.ToolResult {
		say(agent.ToolProgress{ID: call.ID, Output: "one"})
		<-ctx.Done()
		return agent.ToolResult{ID: call.ID}
	}
	turn := turnWith(f, func(agent.Event, error) bool { return false })
	if m := turn.runTools(callsNamed("read", "read", "write")); !turn.left || len(m.Parts) != 2 {
		t.Errorf("left %v after %d results", turn.left, len(m.Parts))
	}
}

// TestToolsEndWhileTheListenerIsBusy: who closes the conn from within the loop waits for its tools right there.
func TestToolsEndWhileTheListenerIsBusy(t *testing.T) {
	ended := make(chan struct{})
	f := func(_ context.Context, _ agent.Host, call agent.ToolCall, say func(agent.Event)) agent.ToolResult {
		defer close(ended)
		say(agent.ToolProgress{ID: call.ID, Output: "one"})
		say(agent.ToolProgress{ID: call.ID, Output: "two"})
		return agent.ToolResult{ID: call.ID}
	}
	var turn *turn
	turn = turnWith(f, func(e agent.Event, _ error) bool {
		if _, ok := e.(agent.ToolProgress); ok {
			turn.cancel()
			<-ended
		}
		return true
	})
	turn.runTools(callsNamed("write"))
}

func TestReadCall(t *testing.T) {
	for args, want := range map[string]string{
		"": "{}", " null ": "{}", `{}`: "{}", ` {"a": 1} `: `{"a": 1}`,
		`{"a":`: "", `{}{}`: "", `[1]`: "", `"x"`: "", `nonsense`: "", `{"a":1,}`: "",
	} {
		c := readCall(provider.WholeCall{ID: "c", Name: "n", Args: args})
		if !json.Valid(c.Input) || (want == "") != (c.problem != "") || want != "" && string(c.Input) != want {
			t.Errorf("%q: %s, %q", args, c.Input, c.problem)
		}
	}
}

// TestPermissionsOfATurnThatRuns: what was decided stays, and what comes is decided by what holds then.
func TestPermissionsOfATurnThatRuns(t *testing.T) {
	r := newRig(t, modelserver.Options{}, "write_file")
	turn := agenttest.CollectWhile(t, r.conn.Prompt(t.Context(), prompt(`[[tool:write_file {"path":"a","content":"x"}]] [[tool:write_file {"path":"b","content":"y"}]]`)), func(soFar agenttest.Turn) bool {
		if len(soFar.Results()) == 1 {
			r.conn.Permit(t.Context(), agent.PermissionDeny, agent.Rules{})
		}
		return true
	})
	if results := turn.Results(); len(results) != 2 || results[0].Denied || !results[1].Denied {
		t.Errorf("%+v, %v", results, turn.Err)
	}
}
