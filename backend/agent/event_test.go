package agent

import (
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"
)

var everyEvent = []Event{
	MessageStart{}, MessageDelta{"a"}, MessageDelta{""}, MessageDelta{"<é\u2028😀>"}, MessageEnd{}, MessageWhole{"whole"},
	ThoughtStart{}, ThoughtDelta{"t"}, ThoughtDelta{"u"}, ThoughtEnd{}, ThoughtWhole{"whole"},
	ToolCallDelta{"c1", "read_file", `{"pa`, false}, ToolCall{"c1", "read_file", json.RawMessage(`{"path":"x"}`), nil, false},
	ToolCall{ID: "c3", Name: "f", Render: json.RawMessage(`{"as":"chart"}`)}, ToolCallDelta{ID: "c4", Client: true}, ToolCall{ID: "c4", Client: true},
	ToolProgress{"c1", "half"}, ToolResult{"c1", "read_file", "text", json.RawMessage(`[1]`), true, true}, ToolResult{ID: "c2"},
	FileWritten{"/w/a", []byte("\xff"), []byte("a"), true},
	Data{"note", json.RawMessage(`{"k":1}`), true}, File{"media://x", "image/png"}, Plan{[]PlanItem{{"one", "pending"}}},
	UsageReport{Usage{1, 2, 3, 4, 5}}, Status{"busy"},
	SessionStarted{"demo", "m", "/w"}, SessionExported{"/w/s.md"}, TurnStarted{Turn: "t1", UserMessage: "u1", Message: "m1", Agent: "demo", Model: "m"},
	TurnStarted{"t1", "u1", "m1", "demo", "m", Trace{"a", "b"}, json.RawMessage(`{"name":"x"}`)},
	Source{"s1", "https://example.com", "A page", "", ""}, Source{"s2", "", "A paper", "application/pdf", "a.pdf"},
	InteractionRequest{"ask_1", "c1", UserApproval, json.RawMessage(`{"action":"fs_write"}`)},
	InteractionResponse{"ask_1", "c1", true, "", ScopeSession, "shell(ls *)", nil, ""},
	InteractionResponse{"ask_2", "c2", false, "not here", ScopeOnce, "", nil, ""},
	InteractionResponse{"ask_3", "c3", false, "", "", "", json.RawMessage(`{"k":1}`), "why"},
	TurnPaused{Usage{Input: 1}, "m"}, TurnResumed{}, Steered{"m2", "and quickly"},
	TurnCompleted{StopError, Usage{Input: 1}, "m", "trace", &Failure{CodeInternal, "why"}}, TurnCompleted{StopReason: StopEndTurn},
}

func TestEveryEventSurvivesTheWireAndTheLog(t *testing.T) {
	for _, e := range everyEvent {
		b, err := EncodeEvent(e)
		if err != nil {
			t.Fatal(err)
		}
		back, err := DecodeEvent(b)
		if err != nil || !reflect.DeepEqual(e, back) {
			t.Errorf("%s\n gave %#v, %v\nwant %#v", b, back, err, e)
		}
	}
	b, err := EncodeLog(everyEvent)
	if err != nil {
		t.Fatal(err)
	}
	back, err := DecodeLog(b)
	if err != nil || !reflect.DeepEqual(everyEvent, back) {
		t.Errorf("log %s\n gave %#v, %v", b, back, err)
	}
}

func TestALogHoldsARunOfDeltasInOneElement(t *testing.T) {
	b, err := EncodeLog([]Event{MessageDelta{"a"}, MessageDelta{"b"}, MessageDelta{""}, ThoughtDelta{"c"}, MessageDelta{"d"}})
	if err != nil {
		t.Fatal(err)
	}
	want := `[{"type":"message_delta","texts":["a","b",""]},{"type":"thought_delta","text":"c"},{"type":"message_delta","text":"d"}]`
	if string(b) != want {
		t.Errorf("got  %s\nwant %s", b, want)
	}
}

func TestUnknownEvents(t *testing.T) {
	if _, err := DecodeEvent([]byte(`{"type":"hologram"}`)); !errors.Is(err, ErrUnknownEvent) {
		t.Errorf("got %v", err)
	}
	if _, err := DecodeLog([]byte(`[{"type":"hologram"}]`)); err == nil {
		t.Error("a log with an unknown event was read")
	}
	if _, err := EncodeEvent(Finish{}); err == nil {
		t.Error("Finish was written")
	}
	for _, e := range everyEvent {
		_, session := map[string]bool{"SessionStarted": true, "SessionExported": true, "TurnStarted": true, "TurnPaused": true, "TurnResumed": true, "InteractionResponse": true, "TurnCompleted": true}[reflect.TypeOf(e).Name()]
		if Spoken(e) == session {
			t.Errorf("Spoken(%T) = %v", e, Spoken(e))
		}
	}
}

func TestPartsSurviveTheRow(t *testing.T) {
	parts := []Part{
		TextPart{""}, TextPart{"hi"}, ReasoningPart{"hm"},
		ToolCallPart{"c", "read_file", json.RawMessage(`{}`)}, ToolResultPart{"c", json.RawMessage(`"x"`), true, true},
		MediaPart{"image/png", "media://sha256-00", "a.png", 7},
	}
	b, err := EncodeParts(parts)
	if err != nil {
		t.Fatal(err)
	}
	back, err := DecodeParts(b)
	if err != nil || !reflect.DeepEqual(parts, back) {
		t.Errorf("%s gave %#v, %v", b, back, err)
	}
	if _, err := DecodeParts([]byte(`[{"type":"hologram"}]`)); err == nil {
		t.Error("an unknown part was dropped")
	}
}

func TestSessionIDs(t *testing.T) {
	for id, ok := range map[SessionID]bool{
		"a": true, "sess_1:2.3-4": true, SessionID(strings.Repeat("x", 128)): true, "...": true,
		"": false, ".": false, "..": false, "a/b": false, "a b": false, "é": false, "a\n": false, SessionID(strings.Repeat("x", 129)): false,
	} {
		if got := id.Validate() == nil; got != ok {
			t.Errorf("%q: valid=%v", id, got)
		}
	}
	if a, b := NewSessionID(), NewSessionID(); a.Validate() != nil || a == b {
		t.Errorf("minted %s and %s: they must be valid and differ", a, b)
	}
	// §1 in a file name what is not [A-Za-z0-9._-] becomes -
	if got := SessionID("a:b/..c").FileName(); got != "a-b-..c" {
		t.Errorf("got %q", got)
	}
}

func TestErrors(t *testing.T) {
	for code, f := range failures {
		if f.remedy == "" || !code.Valid() {
			t.Errorf("%s has no remedy", code)
		}
	}
	secret := errors.New("dial tcp: token=hunter2")
	if e := AsError(secret); strings.Contains(e.Message, "hunter2") || !errors.Is(e, secret) {
		t.Errorf("a stranger's text reached the person: %q", e.Message)
	}
	if e := AsError(Wrap(CodeProviderAuth, secret, "No.")); e.Code != CodeProviderAuth || e.Message != "No." {
		t.Errorf("got %v", e)
	}
}

func TestTheFastReaderOfDeltasAgreesWithTheOtherOne(t *testing.T) {
	for _, events := range [][]Event{
		{MessageDelta{"a"}}, {ThoughtDelta{"a"}, ThoughtDelta{"b"}, MessageDelta{""}}, {MessageDelta{"é, \", \\, \n"}}, {MessageDelta{`","`}, MessageDelta{"]}"}},
		{MessageDelta{"a"}, MessageEnd{}}, {MessageStart{}}, {}, everyEvent,
	} {
		b, err := EncodeLog(events)
		if err != nil {
			t.Fatal(err)
		}
		if fast, ok := decodeDeltas(string(b)); ok && !reflect.DeepEqual(fast, events) {
			t.Errorf("%s gave %#v", b, fast)
		}
		if got, err := DecodeLog(b); err != nil || len(got) != len(events) || len(events) > 0 && !reflect.DeepEqual(got, events) {
			t.Errorf("%s gave %#v, %v", b, got, err)
		}
	}
	if _, ok := decodeDeltas(`[{"type":"message_delta","texts":["a","b"]},{"type":"thought_delta","text":"c"}]`); !ok {
		t.Error("plain deltas took the slow way")
	}
}

func FuzzDecodeLog(f *testing.F) {
	b, _ := EncodeLog(everyEvent)
	f.Add(string(b))
	f.Add(`[{"type":"message_delta","texts":["a","b"]},{"type":"thought_delta","text":"c"}]`)
	f.Fuzz(func(t *testing.T, log string) {
		fast, ok := decodeDeltas(log)
		if !ok {
			DecodeLog([]byte(log)) // must not panic
			return
		}
		var slow []eventJSON
		if json.Unmarshal([]byte(log), &slow) != nil {
			// It holds a raw control character or the like: bytes that EncodeLog never writes.
			return
		}
		want, err := fromLog(slow)
		if err != nil {
			t.Fatal(err)
		}
		if len(want) != len(fast) {
			t.Errorf("%q: %d events, not %d", log, len(fast), len(want))
		}
	})
}

// §6 Restarting the app in the middle loses neither the question nor the answer: what is to be run is read from what was
// said, and nothing is run that has a result or that nobody allowed.
func TestAPromptSaysHowFarItsTurnIs(t *testing.T) {
	call := func(id string) Part {
		return ToolCallPart{ID: id, Name: "f", Args: json.RawMessage(`{"id":"` + id + `"}`)}
	}
	messages := []Message{
		{Role: RoleUser, Parts: []Part{TextPart{"one"}}}, {Role: RoleAssistant, Parts: []Part{call("old")}},
		{Role: RoleUser, Parts: []Part{TextPart{"two"}}},
		{Role: RoleAssistant, Parts: []Part{call("first")}}, {Role: RoleTool, Parts: []Part{ToolResultPart{ToolCallID: "first"}}},
		{Role: RoleAssistant, Parts: []Part{TextPart{"hm"}, call("a"), call("b"), call("c"), call("d")}},
		{Role: RoleTool, Parts: []Part{ToolResultPart{ToolCallID: "b"}}},
	}
	steps, run := Prompt{Messages: messages, Approved: []string{"old", "first", "d", "b", "a"}}.Resumed()
	if steps != 2 || len(run) != 2 || run[0].ID != "a" || run[1].ID != "d" || string(run[1].Input) != `{"id":"d"}` {
		t.Errorf("after %d steps %+v is run", steps, run)
	}
	if steps, run := (Prompt{Messages: append(messages, messages[2]), Approved: []string{"a"}}).Resumed(); steps != 0 || run != nil {
		t.Errorf("a new turn has %d steps and runs %+v", steps, run)
	}
}
