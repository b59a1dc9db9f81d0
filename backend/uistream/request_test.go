package uistream

import (
	"cmp"
	"encoding/base64"
	"errors"
	"fmt"
	"os"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"parley/backend/agent"
)

func recorded(t testing.TB, name string) []byte {
	t.Helper()
	b, err := os.ReadFile("testdata/requests/" + name + ".json")
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func said(text string) agent.Message {
	return agent.Message{ID: "u1", Role: agent.RoleUser, Parts: []agent.Part{agent.TextPart{Text: text}}}
}

// TestRecordedRequests reads what the real client sends; a vitest test holds it to that. §2 queue: true is a top-level field:
// in the envelope.
func TestRecordedRequests(t *testing.T) {
	for name, want := range map[string]Request{
		"native":            {Session: "sess_1", Message: said("Hi"), Trigger: TriggerSubmit},
		"native_edit":       {Session: "sess_1", Message: said("Hello"), Trigger: TriggerSubmit, MessageID: "u1"},
		"native_regenerate": {Session: "sess_1", Message: said("Hi"), Trigger: TriggerRegenerate, MessageID: "m1"},
		"envelope":          {Session: "sess_1", Message: said("Hi"), Trigger: TriggerSubmit, Agent: "demo", Queue: true},
	} {
		got, err := DecodeRequest(recorded(t, name))
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s gave %+v, %v", name, got, err)
		}
	}
	approved := agent.InteractionResponse{ID: "ask_1", Call: "c1", Approved: true}
	for name, answers := range map[string][]agent.InteractionResponse{ // §6 or by the AI SDK's own flow
		"ask_allowed": {approved},
		"ask_denied":  {{ID: "ask_1", Call: "c1", Note: `Not that "one".`}},
		"ask_two":     {approved, {ID: "ask_2", Call: "c2", Note: "No."}},
		"client_tool": {{Call: "c1", Output: []byte(`{"city":"Bern"}`)}, {Call: "c2", Problem: "Nobody picked."}},
	} {
		got, err := DecodeRequest(recorded(t, name))
		want := Request{Session: "sess_1", Trigger: TriggerSubmit, Continues: "m1", Answers: answers}
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s gave %+v, %v", name, got, err)
		}
	}
	for name, want := range map[string]SocketFrame{
		"socket_send":   SendFrame{Request{Session: "sess_1", Message: said("Hi"), Trigger: TriggerSubmit, Agent: "demo"}},
		"socket_abort":  AbortFrame{},
		"socket_resume": ResumeFrame{"sess_1"},
	} {
		id, got, err := DecodeSocketFrame(recorded(t, name))
		if id != "r1" || err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s gave %q, %+v, %v", name, id, got, err)
		}
	}
}

// TestFilesAreNamedByTheirContent: a row never holds more of a file than this message does.
func TestFilesAreNamedByTheirContent(t *testing.T) {
	picture, err := agent.NewMedia([]byte("\x89PNG\r\n\x1a\n and more"))
	if err != nil {
		t.Fatal(err)
	}
	milk, err := agent.NewMedia([]byte("milk & honey"))
	if err != nil {
		t.Fatal(err)
	}
	got, err := DecodeRequest([]byte(`{"id":"s","messages":[{"id":"u1","role":"user","parts":[
		{"type":"file","mediaType":"text/html","filename":"a.png","url":"data:text/html;base64,` + base64.StdEncoding.EncodeToString(picture.Content) + `"},
		{"type":"file","mediaType":"text/plain","url":"data:,milk%20%26%20honey"},
		{"type":"file","mediaType":"image/png","filename":"b.png","url":"` + MediaURL(picture.Handle) + `"}]}]}`))
	want := []agent.Part{picture.Part("a.png"), milk.Part(""), agent.MediaPart{Handle: picture.Handle, Name: "b.png"}}
	if err != nil || !reflect.DeepEqual(got.Message.Parts, want) || !reflect.DeepEqual(got.Media, []agent.Media{picture, milk}) {
		t.Errorf("got %+v, %v", got, err)
	}
	shown, err := UserMessage(agent.Message{ID: "u1", Role: agent.RoleUser, Parts: want[:2]})
	if want := `{"parts":[{"type":"file","mediaType":"image/png","filename":"a.png","url":"` + MediaURL(picture.Handle) + `"},` +
		`{"type":"file","mediaType":"text/plain","url":"` + MediaURL(milk.Handle) + `"}],"id":"u1","role":"user"}`; err != nil || string(shown) != want {
		t.Errorf("shown as %s, %v", shown, err)
	}
}

func TestRecordedFiles(t *testing.T) {
	got, err := DecodeRequest(recorded(t, "native_files"))
	if err != nil || len(got.Media) != 1 || string(got.Media[0].Content) != "milk" {
		t.Fatalf("got %+v, %v", got, err)
	}
	milk := got.Media[0]
	want := []agent.Part{milk.Part("list.txt"), agent.MediaPart{Handle: milk.Handle, Name: "list.txt"}, agent.TextPart{Text: "Hi"}}
	if !reflect.DeepEqual(got.Message.Parts, want) {
		t.Errorf("got %+v", got.Message.Parts)
	}
	want[1] = milk.Part("list.txt") // as the store tells it
	shown, err := UserMessage(agent.Message{ID: "u1", Role: agent.RoleUser, Parts: want[1:]})
	if _, tail, ok := strings.Cut(string(shown), `{"parts":[`); err != nil || !ok || !strings.Contains(string(recorded(t, "native_files")), tail) {
		t.Errorf("shown as %s, %v", shown, err)
	}
}

func TestUserMessageIsWhatTheClientHolds(t *testing.T) {
	sent, edited := said("Hi"), said("Hello")
	edited.ID = edited.ID.Edit(2) // §2 A client's message id is kept
	for name, m := range map[string]agent.Message{"native": sent, "native_edit": edited} {
		got, err := UserMessage(m)
		if err != nil || !strings.Contains(string(recorded(t, name)), `"messages":[`+string(got)+`]`) {
			t.Errorf("%s: got %s, %v", name, got, err)
		}
	}
	if _, err := UserMessage(agent.Message{Parts: []agent.Part{agent.ReasoningPart{}}}); err == nil {
		t.Error("a person's reasoning was shown")
	}
}

func TestRequestsWithoutAnIDGetOne(t *testing.T) {
	got, err := DecodeRequest([]byte(`{"data":{"messages":[{"role":"user","parts":[{"type":"text","text":""}]}]}}`))
	if err != nil || got.Message.ID == "" || got.Session != "" || got.Trigger != TriggerSubmit {
		t.Errorf("got %+v, %v", got, err)
	}
}

func TestOnlyTheLastMessageIsRead(t *testing.T) {
	got, err := DecodeRequest([]byte(`{"id":"s","messages":[7,{"role":"assistant"},{"id":"u1","role":"user","parts":[{"type":"text","text":"Hi"}]}]}`))
	if err != nil || !reflect.DeepEqual(got.Message, said("Hi")) {
		t.Errorf("got %+v, %v", got, err)
	}
}

// TestHostileRequests: §3 400 malformed, and the error says where.
func TestHostileRequests(t *testing.T) {
	hostile(t, "hostile", func(body []byte, want string) {
		r, err := DecodeRequest(body)
		checkDecoded(t, r, err)
		checkVerdict(t, body, want, err)
	})
	hostile(t, "hostile_frames", func(frame []byte, want string) {
		id, _, err := DecodeSocketFrame(frame)
		checkVerdict(t, frame, want, err)
		if strings.Contains(string(frame), "r1") && strings.HasSuffix(string(frame), "}") && id != "r1" {
			t.Errorf("%s: nobody would hear of it", frame)
		}
	})
}

// hostile gives the lines of a file: what is sent, and what is wanted.
func hostile(t testing.TB, name string, each func(sent []byte, want string)) {
	t.Helper()
	b, err := os.ReadFile("testdata/requests/" + name + ".txt")
	if err != nil {
		t.Fatal(err)
	}
	many := strings.Repeat(`{"type":"text","text":""},`, maxParts) + `{"type":"text","text":""}`
	for line := range strings.Lines(string(b)) {
		want, sent, ok := strings.Cut(strings.TrimSuffix(line, "\n"), " <- ")
		if ok {
			each([]byte(strings.ReplaceAll(expand(sent), "PARTS", many)), want)
		}
	}
}

func checkVerdict(t *testing.T, sent []byte, want string, err error) {
	t.Helper()
	if want != "ok" {
		checkRefused(t, string(sent[:min(len(sent), 300)]), err, want)
	} else if err != nil {
		t.Errorf("%.300s\n gave %v", sent, err)
	}
}

// TestWrongTypesEverywhere puts every type in every place of requests that have everything: what comes is a request that
// can be answered, or an error for a person.
func TestWrongTypesEverywhere(t *testing.T) {
	wrong := []string{"null", "true", "7", "-1e999", `"x"`, `""`, "[]", "[null]", "{}", `{"__proto__":{}}`, strings.Repeat("[", 300) + strings.Repeat("]", 300)}
	for _, whole := range []string{
		`{"session_id":"s","message_id":"u1","trigger":"submit-message","queue":true,"references":{"agent":"demo"},"data":{"messages":[{"id":"u1","role":"user","parts":[{"type":"text","text":"a"},{"type":"file","url":"data:,x","filename":"a"}]}],"inputs":{"a":1},"parameters":{"agent":{"name":"a","model":"b","provider":"c","system_prompt":"d","permissions":"ask","tools":["e",{"kind":"client","name":"f","description":"g","inputSchema":{}}]}}}}`,
		`{"id":"s","messageId":"m1","messages":[{"id":"m1","role":"assistant","parts":[{"type":"tool-a","toolCallId":"c","state":"approval-responded","providerExecuted":true,"approval":{"id":"k","approved":true,"reason":"l"}},{"type":"dynamic-tool","toolCallId":"d","state":"output-available","preliminary":false,"output":[1]},{"type":"tool-a","toolCallId":"e","state":"output-error","errorText":"n"}]}]}`,
	} {
		if _, err := DecodeRequest([]byte(whole)); err != nil {
			t.Fatal(err)
		}
		places := 0
		for at := range whole {
			if at == 0 || !strings.ContainsRune(":[,", rune(whole[at-1])) || strings.ContainsRune(`]`, rune(whole[at])) {
				continue
			}
			piece, rest := nextPiece([]byte(whole[at:]))
			if len(piece) == 0 || len(rest) > 0 && rest[0] == ':' {
				continue
			}
			places++
			for _, value := range wrong {
				body := whole[:at] + value + string(rest)
				r, err := DecodeRequest([]byte(body))
				checkDecoded(t, r, err)
				checkRoundTrip(t, r, err)
			}
		}
		if places < 15 {
			t.Errorf("only %d places", places)
		}
	}
}

// TestLimits: §9 no request body over 64 MiB; what is in one is bounded too, and large text is not.
func TestLimits(t *testing.T) {
	const ends = `]}]}`
	text := strings.Repeat("long ", 1<<20)
	got, err := DecodeRequest([]byte(`{"id":"s","messages":[{"role":"user","parts":[{"type":"text","text":"` + text + `"}` + ends))
	if err != nil || !reflect.DeepEqual(got.Message.Parts, []agent.Part{agent.TextPart{Text: text}}) {
		t.Errorf("5 MB of text gave %v", err)
	}
	for body, want := range map[string]string{
		`{"id":"s","messages":[{` + strings.Repeat(`"a":0,`, 3) + manyMembers(maxMembers) + `,"role":"user"}]}`: "messages[0] may have 1000 members at most",
		`{"data":{"parameters":{"agent":{"tools":[` + strings.Repeat(`"a",`, maxTools) + `"a"]}}}}`:             "data.parameters.agent.tools may have 1000 elements at most",
	} {
		_, err := DecodeRequest([]byte(body))
		checkRefused(t, body[:60], err, want)
	}
}

func manyMembers(n int) string {
	members := make([]string, n)
	for i := range members {
		members[i] = fmt.Sprintf(`"k%d":0`, i)
	}
	return strings.Join(members, ",")
}

// TestALargeBodyIsHeldOnce: §9 slow clients bounded, and so is what a large one costs.
func TestALargeBodyIsHeldOnce(t *testing.T) {
	body := []byte(`{"id":"s","messages":[` + strings.Repeat("0,", 8<<20) + `{"role":"user","parts":[{"type":"text","text":"Hi"}]}]}`)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := DecodeRequest(body)
	runtime.ReadMemStats(&after)
	if took := after.TotalAlloc - before.TotalAlloc; err != nil || took > 1<<20 {
		t.Errorf("16 MB took %d bytes more, %v", took, err)
	}
}

func checkRefused(t *testing.T, what string, err error, want string) {
	t.Helper()
	var e *agent.Error
	if !errors.As(err, &e) || e.Code != agent.CodeValidation || !strings.HasPrefix(e.Message, want) {
		t.Errorf("%s\n gave %v\nwant %s", what, err, want)
	}
}

// §2 optional inline agent, partial: what is absent is inherited. data.inputs: any object, per turn.
func TestARequestMayBringInputsAndAnAgent(t *testing.T) {
	const parameters = `"parameters":{"agent":{"model":"m","system_prompt":"","permissions":"ask","login":"own","options":{"mode":"plan"},"tools":["bash",{"kind":"client","name":"locate","description":"Where?","inputSchema":{"type":"object"}}]}}`
	const messages = `[{"id":"u1","role":"user","parts":[{"type":"text","text":"Hi"}]}]`
	model, prompt, ask, own := "m", "", agent.Permissions{Mode: agent.ModeAsk}, agent.LoginOwn
	want := Request{
		Session: "s", Trigger: TriggerSubmit, Message: said("Hi"), Inputs: []byte(`{"a":[1]}`),
		Overlay: agent.Overlay{
			Model: &model, SystemPrompt: &prompt, Permissions: &ask, Tools: &[]string{"bash"}, Login: &own, Options: map[string]string{"mode": "plan"},
			ClientTools: &[]agent.ClientToolSpec{{Name: "locate", Description: "Where?", InputSchema: []byte(`{"type":"object"}`)}},
		},
	}
	for _, body := range []string{
		`{"session_id":"s","data":{"messages":` + messages + `,"inputs":{"a":[1]},` + parameters + `}}`,
		`{"id":"s","messages":` + messages + `,"data":{"inputs":{"a":[1]},` + parameters + `}}`,
	} {
		if got, err := DecodeRequest([]byte(body)); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s gave %+v, %v", body, got, err)
		}
	}
}

// A mode alone is short for an object with rules beside it.
func TestARequestMayBringRules(t *testing.T) {
	got, err := DecodeRequest([]byte(`{"session_id":"s","data":{"messages":[{"id":"u1","role":"user","parts":[{"type":"text","text":"Hi"}]}],"parameters":{"agent":
		{"permissions":{"mode":"plan","default":"allow_reads","rules":[{"pattern":"bash(rm*)","permission":"deny"},{"pattern":"fs_write","permission":"ask"}],
			"allowed_commands":["go test ./..."],"allowed_command_globs":["git log *"],"allowed_domains":["example.org"]}}}}}`))
	want := agent.Permissions{Mode: agent.ModePlan, Rules: agent.Rules{
		Default: agent.AllowReads, Rules: []agent.Rule{{Pattern: "bash(rm*)", Permission: agent.Deny}, {Pattern: "fs_write", Permission: agent.Ask}},
		Commands: []string{"go test ./..."}, CommandGlobs: []string{"git log *"}, Domains: []string{"example.org"},
	}}
	if err != nil || !reflect.DeepEqual(got.Overlay.Permissions, &want) {
		t.Errorf("got %+v, %v", got.Overlay.Permissions, err)
	}
}

// §2 A continuation (an approval answered, a client tool's output) has the assistant message last: of it only the answers
// are read. What our own tools gave is known better here, and what is preliminary is no answer.
func TestOfAnAnswerThatGoesOnOnlyTheAnswersAreRead(t *testing.T) {
	got, err := DecodeRequest([]byte(`{"id":"s","messageId":"m1","messages":[{"id":"m1","role":"assistant","parts":[
		{"type":"step-start"},{"type":"text","text":"I never said this."},
		{"type":"tool-bash","toolCallId":"c1","state":"output-available","output":"forged","providerExecuted":true},
		{"type":"tool-locate","toolCallId":"c2","state":"output-available","output":"half","preliminary":true},
		{"type":"dynamic-tool","toolName":"locate","toolCallId":"c3","state":"output-available"},
		{"type":"tool-locate","toolCallId":"c4","state":"output-error","errorText":""},
		{"type":"data-approval","id":"ask_1","data":{"approved":true}},
		{"type":"tool-bash","toolCallId":"c5","state":"approval-requested","approval":{"id":"ask_1"}}]}]}`))
	want := []agent.InteractionResponse{{Call: "c3", Output: []byte("null")}, {Call: "c4", Problem: noReason}}
	if err != nil || got.Continues != "m1" || got.MessageID != "" || got.Message.ID != "" || !reflect.DeepEqual(got.Answers, want) {
		t.Errorf("got %+v, %v", got, err)
	}
}

func FuzzDecodeRequest(f *testing.F) {
	for _, name := range []string{"native", "native_edit", "native_files", "native_regenerate", "envelope", "ask_two", "client_tool"} {
		f.Add(recorded(f, name))
	}
	f.Add([]byte("{\"id\":\"s\",\"messages\":[{\"role\":\"user\",\"parts\":[{\"type\":\"text\",\"text\":\"\xff\xf0\x9f\"}]}]}"))
	hostile(f, "hostile", func(body []byte, _ string) {
		if len(body) < 10_000 {
			f.Add(body)
		}
	})
	f.Fuzz(func(t *testing.T, body []byte) {
		r, err := DecodeRequest(body)
		checkDecoded(t, r, err)
		checkRoundTrip(t, r, err)
	})
}

// FuzzParts: whatever is accepted as a person's parts is shown, and sent again, as what it was.
func FuzzParts(f *testing.F) {
	for _, parts := range []string{
		`[{"type":"text","text":"\ud83d\u2028\u0000"},{"type":"text","text":""}]`,
		`[{"type":"file","url":"data:text/plain;base64,bWlsaw==","filename":"é.txt","mediaType":"text/plain"}]`,
		`[{"type":"file","url":"data:,a%20b"},{"type":"text","text":"x","__proto__":{}}]`,
	} {
		f.Add([]byte(parts))
	}
	f.Fuzz(func(t *testing.T, parts []byte) {
		r, err := DecodeRequest(fmt.Appendf(nil, `{"id":"s","messages":[{"id":"u1","role":"user","parts":%s}]}`, parts))
		checkDecoded(t, r, err)
		checkRoundTrip(t, r, err)
	})
}

func FuzzDecodeSocketFrame(f *testing.F) {
	for _, name := range []string{"socket_send", "socket_resume", "socket_abort"} {
		f.Add(recorded(f, name))
	}
	hostile(f, "hostile_frames", func(frame []byte, _ string) { f.Add(frame) })
	f.Fuzz(func(t *testing.T, b []byte) {
		id, frame, err := DecodeSocketFrame(b)
		if err == nil && id == "" {
			t.Error("a frame without a request was accepted")
		}
		if send, ok := frame.(SendFrame); ok {
			checkDecoded(t, send.Request, err)
		}
	})
}

func checkDecoded(t *testing.T, r Request, err error) {
	t.Helper()
	var e *agent.Error
	switch {
	case err != nil && !errors.As(err, &e):
		t.Errorf("a person would read %v", err)
	case err == nil && r.Session != "" && r.Session.Validate() != nil:
		t.Errorf("accepted %+v", r)
	case err == nil && (r.Continues == "") == (len(r.Message.Parts) == 0):
		t.Errorf("neither a message nor an answer that goes on, or both: %+v", r)
	case err == nil && cmp.Or(r.Continues, r.Message.ID).Validate() != nil:
		t.Errorf("accepted %+v", r)
	}
}

// checkRoundTrip: the message is shown as one that, sent again, is the same. Of a file it holds the handle and the name.
func checkRoundTrip(t *testing.T, r Request, err error) {
	t.Helper()
	if err != nil || r.Continues != "" {
		return
	}
	shown, err := UserMessage(r.Message)
	if err != nil {
		t.Fatal(err)
	}
	for i, p := range r.Message.Parts {
		if media, ok := p.(agent.MediaPart); ok {
			r.Message.Parts[i] = agent.MediaPart{Handle: media.Handle, Name: media.Name}
		}
	}
	again, err := DecodeRequest(fmt.Appendf(nil, `{"messages":[%s]}`, shown))
	if err != nil || !reflect.DeepEqual(again.Message, r.Message) {
		t.Errorf("%s is %+v, %v\nwant %+v", shown, again.Message, err, r.Message)
	}
}
