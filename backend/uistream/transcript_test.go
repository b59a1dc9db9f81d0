package uistream

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"parley/backend/agent"
)

const asked = `{"id":"u1","role":"user","parts":[{"type":"text","text":"Hi"}]}`

// answered is a conversation with one answer, which has these parts.
func answered(parts string) [][]byte {
	return [][]byte{[]byte(asked), []byte(`{"id":"a1","role":"assistant","metadata":{"model":"m"},"parts":[` + parts + `]}`)}
}

// TestTranscript: each part of an answer, as any client of the AI SDK has it, is the events that would have made it.
func TestTranscript(t *testing.T) {
	call := func(name, input string) agent.ToolCall {
		return agent.ToolCall{ID: "c", Name: name, Input: json.RawMessage(input)}
	}
	for parts, want := range map[string][]agent.Event{
		``: nil,
		`{"type":"text","text":"A","state":"done"}`: {agent.MessageWhole{Text: "A"}},
		`{"type":"text"}`: {agent.MessageWhole{}},
		`{"type":"reasoning","text":"B","providerMetadata":{"a":{"signature":"s"}}}`:                                          {agent.ThoughtWhole{Text: "B"}},
		`{"type":"step-start"},{"type":"source-url","url":"x"},{"type":"data-x","data":1},{"type":"file"},{"type":"unheard"}`: nil,
		`{"type":"tool-read","toolCallId":"c","state":"output-available","input":{"a": 1.0},"output":"text"}`: {
			call("read", `{"a": 1.0}`), agent.ToolResult{ID: "c", Name: "read", Output: "text"}},
		`{"type":"tool-read","toolCallId":"c","state":"output-available","input":{},"output":{"b":12345678901234567890}}`: {
			call("read", `{}`), agent.ToolResult{ID: "c", Name: "read", Data: json.RawMessage(`{"b":12345678901234567890}`)}},
		`{"type":"dynamic-tool","toolName":"x","toolCallId":"c","state":"output-error","input":1,"errorText":"No."}`: {
			call("x", `1`), agent.ToolResult{ID: "c", Name: "x", Output: "No.", IsError: true}},
		`{"type":"tool-read","toolCallId":"c","state":"output-denied","input":{}}`: {
			call("read", `{}`), agent.ToolResult{ID: "c", Name: "read", IsError: true, Denied: true}},
		`{"type":"tool-read","toolCallId":"c","state":"input-available","input":{}}`:    {call("read", `{}`)},
		`{"type":"tool-read","toolCallId":"c","state":"approval-requested","input":{}}`: {call("read", `{}`)},
	} {
		said, err := DecodeTranscript(answered(parts))
		if err != nil {
			t.Errorf("%s: %v", parts, err)
		} else if got := said[0]; got.Asked.ID != "u1" || got.Answer != "a1" || got.Model != "m" || !reflect.DeepEqual(got.Events, want) {
			t.Errorf("%s: got %+v", parts, got)
		}
	}
}

// TestTranscriptGroups: an answer belongs to the message before it, in several messages too; a message may be unanswered.
func TestTranscriptGroups(t *testing.T) {
	said, err := DecodeTranscript([][]byte{
		[]byte(`{"id":"u1","role":"user","parts":[]}`), []byte(`{"id":"u2","role":"user","parts":[{"type":"text","text":"Hi"}]}`),
		[]byte(`{"id":"a1","role":"assistant","metadata":{"model":"m"},"parts":[{"type":"text","text":"A"}]}`), []byte(`{"id":"a2","role":"assistant","parts":[{"type":"text","text":"B"}]}`),
		[]byte(`{"role":"user","parts":[{"type":"text","text":"Ho"}]}`), []byte(`{"role":"assistant"}`),
	})
	if err != nil || len(said) != 3 || said[2].Asked.ID == "" || said[2].Answer == "" {
		t.Fatalf("%+v %v", said, err)
	}
	if !reflect.DeepEqual(said[0], Exchange{Asked: agent.Message{ID: "u1", Role: agent.RoleUser}}) {
		t.Errorf("unanswered: %+v", said[0])
	}
	if got := said[1]; got.Answer != "a1" || got.Model != "m" || !reflect.DeepEqual(got.Events, []agent.Event{agent.MessageWhole{Text: "A"}, agent.MessageWhole{Text: "B"}}) {
		t.Errorf("answered twice: %+v", got)
	}
}

// TestTranscriptRefuses: what is wrong is said with its place, and never with what stands there.
func TestTranscriptRefuses(t *testing.T) {
	for line, want := range map[string]string{
		`{`:                            "line 1 must be JSON",
		`[]`:                           "line 1 must be an object",
		`"a"`:                          "line 1 must be an object",
		`{}`:                           "line 1.role must be user or assistant",
		`{"role":"system","parts":[]}`: "line 1.role must be user or assistant",
		`{"role":1}`:                   "line 1.role must be a string",
		`{"role":"assistant"}`:         "line 1 is an answer that nobody asked for; the first message must be a person's",
		`{"id":7,"role":"user"}`:       "line 1.id must be a string",
		`{"id":"a~b","role":"user"}`:   "line 1.id must have at most 128 bytes, and no ~",
		`{"role":"user","parts":{}}`:   "line 1.parts must be a list",
		`{"role":"user","parts":[1]}`:  "line 1.parts[0] must be an object",
		`{"role":"user","parts":[{"type":"text"}]}`:                                            "line 1.parts[0].text must be a string",
		`{"role":"user","parts":[{"type":"file","url":"https://example.org"}]}`:                "line 1.parts[0].url must be a data: URL, or one that POST /media gave",
		`{"role":"user","parts":[{"type":"file","url":"data:,"}]}`:                             "line 1.parts[0]: The file is empty, so it was not taken.",
		`{"role":"user","parts":[` + strings.Repeat(`{"type":"text","text":""},`, 2e4) + `1]}`: fmt.Sprintf("line 1.parts may have %d elements at most", maxParts),
	} {
		_, err := DecodeTranscript([][]byte{[]byte(line)})
		if e := agent.AsError(err); err == nil || e.Code != agent.CodeValidation || e.Message != want {
			t.Errorf("%.80s: %v", line, err)
		}
	}
	for parts, want := range map[string]string{
		`1`:                                 "line 2.parts[0] must be an object",
		`{"type":"text","text":1}`:          "line 2.parts[0].text must be a string",
		`{"type":"tool-","toolCallId":"c"}`: "line 2.parts[0] must have a toolCallId and the name of its tool",
		`{"type":"tool-read"}`:              "line 2.parts[0] must have a toolCallId and the name of its tool",
		`{"type":"text","text":""},{"type":"dynamic-tool","toolName":1}`:           "line 2.parts[1].toolName must be a string",
		`{"type":"tool-a","toolCallId":"c","state":"output-error","errorText":{}}`: "line 2.parts[0].errorText must be a string",
	} {
		_, err := DecodeTranscript(answered(parts))
		if e := agent.AsError(err); err == nil || e.Code != agent.CodeValidation || e.Message != want {
			t.Errorf("%s: %v", parts, err)
		}
	}
}

// FuzzTranscript: what comes from elsewhere is refused with its place, or is shown; and what is shown, read again, is shown
// the same.
func FuzzTranscript(f *testing.F) {
	for _, parts := range []string{
		`{"type":"text","text":"A"},{"type":"reasoning","text":"B"}`,
		`{"type":"tool-read","toolCallId":"c","state":"output-available","input":{"a":1},"output":{"b":[2]}}`,
		`{"type":"dynamic-tool","toolName":"x","toolCallId":"c","state":"output-error","input":{},"errorText":"No."}`,
		`{"type":"tool-read","toolCallId":"c","state":"output-denied","input":{}},{"type":"step-start"},{"type":"text"}`,
	} {
		f.Add(bytes.Join(answered(parts), []byte("\n")))
	}
	f.Add([]byte(`{"role":"user","parts":[{"type":"file","filename":"a","url":"data:text/plain,a%20b"}]}`))
	f.Fuzz(func(t *testing.T, src []byte) {
		said, err := DecodeTranscript(bytes.Split(src, []byte("\n")))
		if e := agent.AsError(err); err != nil && (e.Code != agent.CodeValidation || !strings.HasPrefix(e.Message, "line ")) {
			t.Fatal(err)
		}
		for _, e := range said {
			if e.Asked.ID.Validate() != nil || e.Asked.Role != agent.RoleUser || len(e.Events) > 0 && e.Answer.Validate() != nil {
				t.Fatalf("%+v", e)
			}
			first := shown(t, e.Events)
			again, err := DecodeTranscript([][]byte{[]byte(asked), first})
			if err != nil {
				t.Fatalf("%s: %v", first, err)
			}
			if second := shown(t, again[0].Events); !bytes.Equal(first, second) {
				t.Fatalf("got\n%s\nof\n%s", second, first)
			}
		}
	})
}

// shown is the message of an answer.
func shown(t *testing.T, answer []agent.Event) []byte {
	t.Helper()
	records := []agent.Record{{Event: agent.TurnStarted{Turn: "turn_1", UserMessage: "u1", Message: "a1"}}}
	for _, event := range slices.Concat(answer, []agent.Event{agent.TurnCompleted{StopReason: agent.StopEndTurn}}) {
		records = append(records, agent.Record{Event: event})
	}
	Durable(records)
	message, err := View("sess_1", records)
	if err != nil {
		t.Fatal(err)
	}
	return message
}
