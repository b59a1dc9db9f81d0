package uistream

import (
	"encoding/base64"
	"errors"
	"os"
	"reflect"
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

// TestRecordedRequests reads what the real client sends; a vitest test holds it to that.
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
	got, err := UserMessage(said("Hi"))
	if err != nil || !strings.Contains(string(recorded(t, "native")), `"messages":[`+string(got)+`]`) {
		t.Errorf("got %s, %v", got, err)
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

func TestBadRequests(t *testing.T) {
	const message = `{"id":"u1","role":"user","parts":[{"type":"text","text":"Hi"}]}`
	for body, want := range map[string]string{
		``:     "messages must be a list that is not empty",
		`null`: "messages must be a list that is not empty",
		`[]`:   "the body must be an object",
		`{"id":"s","messages":[` + message + `]} x`: "the body must be JSON",
		`{"data":7}`:                                   "data must be an object",
		`{"data":{}}`:                                  "data.messages must be a list that is not empty",
		`{"data":{"messages":{}}}`:                     "data.messages must be a list",
		`{"data":{"messages":[1,2]}}`:                  "data.messages[1] must be an object",
		`{"data":{"messages":[{"role":"system"}]}}`:    "data.messages[0].role must be user",
		`{"data":{"messages":[{"role":"assistant"}]}}`: "data.messages[0].id must name the message that goes on",
		`{"data":{"messages":[{"role":"user"}]}}`:      "data.messages[0].parts must be a list that is not empty",
		`{"data":{"messages":[{"role":"user","parts":[{"type":"text"}]}]}}`:                                                               "data.messages[0].parts[0].text must be a string",
		`{"data":{"messages":[{"role":"user","parts":[{"type":"text","text":7}]}]}}`:                                                      "data.messages[0].parts[0].text must be a string",
		`{"data":{"messages":[{"role":"user","parts":[{"type":"hologram"}]}]}}`:                                                           `data.messages[0].parts[0].type is "hologram"`,
		`{"data":{"messages":[{"role":"user","parts":[{"type":"file","url":"https://example.org/a.png"}]}]}}`:                             "data.messages[0].parts[0].url must be a data: URL",
		`{"data":{"messages":[{"role":"user","parts":[{"type":"file","url":"data:text/plain;base64,****"}]}]}}`:                           "data.messages[0].parts[0].url must be a data: URL",
		`{"data":{"messages":[{"role":"user","parts":[{"type":"file","url":"data:text/plain"}]}]}}`:                                       "data.messages[0].parts[0].url must be a data: URL",
		`{"data":{"messages":[{"role":"user","parts":[{"type":"file","url":"data:,"}]}]}}`:                                                "The file is empty",
		`{"data":{"messages":[{"role":"user","parts":[{"type":"file","url":"/media/../vault"}]}]}}`:                                       "data.messages[0].parts[0].url is not one that POST /media gave",
		`{"data":{"messages":[{"role":"user","parts":[{"type":"file","url":"data:,x","filename":"` + strings.Repeat("x", 256) + `"}]}]}}`: "data.messages[0].parts[0].filename must be",
		`{"data":{"messages":[{"role":"user","id":7,"parts":[]}]}}`:                                                                       "data.messages[0].id must be a string",
		`{"session_id":"a/b","data":{"messages":[` + message + `]}}`:                                                                      "session_id may have",
		`{"session_id":7,"data":{"messages":[` + message + `]}}`:                                                                          "session_id must be a string",
		`{"id":"..","messages":[` + message + `]}`:                                                                                        "id may have",
		`{"id":"s","trigger":"sneeze","messages":[` + message + `]}`:                                                                      "trigger must be submit-message or regenerate-message",
		`{"id":"s","queue":"yes","messages":[` + message + `]}`:                                                                           "queue must be true or false",
		`{"id":"s","references":[],"messages":[` + message + `]}`:                                                                         "references must be an object",
		`{"id":"s","references":{"agent":1},"messages":[` + message + `]}`:                                                                "references.agent must be a string",
		`{"data":{"inputs":[],"messages":[` + message + `]}}`:                                                                             "data.inputs must be an object",
		`{"id":"s","messages":[{"id":"` + strings.Repeat("x", 129) + `","role":"user","parts":[{"type":"text","text":""}]}]}`:             "messages[0].id must have at most 128 bytes, and no ~",
	} {
		_, err := DecodeRequest([]byte(body))
		checkRefused(t, body, err, want)
	}
	for frame, want := range map[string]string{
		`7`:                                 "the frame must be an object",
		`{"type":"abort"}`:                  "requestId must be a string that is not empty",
		`{"type":"shout","requestId":"r1"}`: `type must be send, resume or abort, not "shout"`,
		`{"type":"send","requestId":"r1","messages":[` + message + `],"body":7}`: "body must be an object",
		`{"type":"resume","requestId":"r1"}`:                                     "id must name a session",
		`{"type":"resume","requestId":"r1","id":"s","lastSequence":3}`:           "lastSequence is not supported",
	} {
		id, _, err := DecodeSocketFrame([]byte(frame))
		checkRefused(t, frame, err, want)
		if strings.Contains(frame, "r1") && id != "r1" {
			t.Errorf("%s: nobody would hear of it", frame)
		}
	}
}

func checkRefused(t *testing.T, what string, err error, want string) {
	t.Helper()
	var e *agent.Error
	if !errors.As(err, &e) || e.Code != agent.CodeValidation || !strings.HasPrefix(e.Message, want) {
		t.Errorf("%s\n gave %v\nwant %s", what, err, want)
	}
}

func FuzzDecodeRequest(f *testing.F) {
	for _, name := range []string{"native", "native_files", "envelope"} {
		f.Add(recorded(f, name))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		r, err := DecodeRequest(body)
		checkDecoded(t, r, err)
	})
}

func FuzzDecodeSocketFrame(f *testing.F) {
	for _, name := range []string{"socket_send", "socket_resume", "socket_abort"} {
		f.Add(recorded(f, name))
	}
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
	case err == nil && (r.Message.ID == "" || len(r.Message.Parts) == 0 || r.Session != "" && r.Session.Validate() != nil):
		t.Errorf("accepted %+v", r)
	}
}
