package api

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
)

// face is a way in: it gives the chunks of the response to a request, or what is said of one that is refused. A body that is
// empty asks for what runs in the session. Once there is a reply it calls begun.
type face func(w *world, session, body string, begun func()) []string

func anyTime() {}

var faces = map[string]face{"SSE": bySSE, "socket": bySocket}

func bySSE(w *world, session, body string, begun func()) []string {
	method, path := "POST", "/messages"
	if body == "" {
		method, path = "GET", "/messages/"+session+"/stream"
	}
	res := w.request(method, path, body, header(dialectName, "7"))
	begun()
	switch res.StatusCode {
	case http.StatusOK:
		list := frames(w.t, res.Body)
		return merged(w.t, list[:len(list)-1]) // all but [DONE]
	case http.StatusNoContent:
		return []string{"no-active"}
	}
	return []string{failure(w.t, res).Message}
}

func bySocket(w *world, session, body string, begun func()) []string {
	p := w.dial()
	ask := fmt.Sprintf(`{"type":"resume","requestId":"r","id":%q,"headers":{},"body":{}}`, session)
	if body != "" { // what is not the transport's own is looked for in its member body
		ask = `{"type":"send","requestId":"r","headers":{},"body":` + body + "," + body[1:]
	}
	p.send(ask)
	var list []frame
	for first := ""; ; {
		_, b, err := p.conn.Read(w.t.Context())
		var f struct {
			Type, RequestID, ErrorText string
			Sequence                   int
			Chunk                      json.RawMessage
		}
		if err != nil || json.Unmarshal(b, &f) != nil {
			w.t.Fatalf("%s (%v)", b, err)
		}
		if f.RequestID != "" && first == "" {
			first = f.Type
			begun()
		}
		switch f.Type {
		case "error":
			return []string{f.ErrorText}
		case "no-active":
			return []string{f.Type}
		case "chunk":
			if first != "start" || f.Sequence != len(list) {
				w.t.Errorf("%s comes as number %d, after %s", b, len(list), first)
			}
			list = append(list, frame{data: string(f.Chunk)})
		case "end":
			return merged(w.t, list)
		}
	}
}

// §8 both pass the same conformance tests: a turn says on each face what it says on the other, to who starts it and to who
// sends the same again.
func TestBothFacesSayTheSame(t *testing.T) {
	for name, c := range map[string]struct{ said, ends string }{
		"a text":                {"[[say:hello]]", `"finishReason":"stop"`},
		"many deltas":           {"[[deltas:300]]", `"finishReason":"stop"`},
		"thoughts and calls":    {`[[think:3]] [[tool:list_directory {"path":"."}]] [[tool:read_file {"path":"none"}]] [[say:done]]`, `"finishReason":"stop"`},
		"a failure":             {"[[say:half]] [[error:429]]", `"finishReason":"error"`},
		"nothing but a failure": {"[[error:500]]", `"finishReason":"error"`},
		"an empty answer":       {"[[deltas:0]]", `"finishReason":"error"`},
		"a question":            {asksToWrite, `"finishReason":"tool-calls"`},
	} {
		t.Run(name, func(t *testing.T) {
			w := open(t)
			for first, face := range faces {
				session := "by-" + first
				body := `{"references":{"agent":"demo-careful"},` + message(session, "u1", c.said)[1:]
				w.faceEach(session, body, face(w, session, body, anyTime), c.ends)
				if name == "a question" {
					body = w.continued(session)
					w.faceEach(session, body, face(w, session, body, anyTime), `"finishReason":"stop"`)
				}
			}
		})
	}
}

// faceEach has every face answer a request that was answered before.
func (w *world) faceEach(session, body string, want []string, ends string) {
	w.t.Helper()
	if last := want[len(want)-1]; !strings.Contains(last, ends) {
		w.t.Errorf("it ends with %s, not %s", last, ends)
	}
	for name, face := range faces {
		if got := face(w, session, body, anyTime); !slices.Equal(got, want) {
			w.t.Errorf("%s: %q\nwant %q", name, got, want)
		}
	}
}

// continued is the request of a client that allows what the session waits for, in the AI SDK's own way.
func (w *world) continued(session string) string {
	w.t.Helper()
	l := w.loaded(session)
	asked := fmt.Sprintf(`"approval":{"id":%q}`, l.Pending[0].ID)
	answer := strings.NewReplacer(`"approval-requested"`, `"approval-responded"`, asked, asked[:len(asked)-1]+`,"approved":true}`).Replace(string(l.Messages[1]))
	return fmt.Sprintf(`{"id":%q,"trigger":"submit-message","messageId":%q,"messages":[%s,%s]}`, session, idOf(w.t, l.Messages[1]), l.Messages[0], answer)
}

// §6 abort is emitted, on each face, to who watches the turn; and after it each says that nothing runs.
func TestBothFacesSayThatItWasStopped(t *testing.T) {
	w := open(t)
	readTo(t, w.say("s", "u1", "[[say:half]] [[hang]]"), 3) // start, start-step, text-start, text-delta
	watched, begun := make(chan []string), make(chan bool)
	for _, face := range faces {
		go func() { watched <- face(w, "s", "", func() { begun <- true }) }()
		<-begun
	}
	w.request("POST", "/messages/s/stop", "", nil)
	for range faces {
		got := <-watched
		if all := strings.Join(got, "\n"); got[len(got)-1] != `{"type":"abort"}` || !strings.Contains(all, "half") || strings.Contains(all, `"type":"finish"`) {
			t.Errorf("it says %s", all)
		}
	}
	for name, face := range faces {
		if got := face(w, "s", "", anyTime); !slices.Equal(got, []string{"no-active"}) {
			t.Errorf("%s, when nothing runs: %q", name, got)
		}
	}
}

// §1 known under another project: whatever asks for a turn, on each face, ends as it does for what nobody has.
func TestAnotherProjectsTurnIsUnknown(t *testing.T) {
	w := open(t)
	other := w.door.Bind("other", t.TempDir())
	known := w.furnish(other)
	unknown := theirs{session: "unknown-session", question: "ask_" + strings.Repeat("0", 32), message: "none-message", answer: "msg_" + strings.Repeat("0", 32)}
	before := w.seen(other)
	for name, body := range map[string]string{
		"resume":     "",
		"regenerate": `{"id":"{session}","trigger":"regenerate-message","messageId":"{answer}","messages":[{"id":"{message}","role":"user","parts":[{"type":"text","text":"x"}]}]}`,
		"edit":       `{"id":"{session}","messageId":"{message}","messages":[{"id":"{message}","role":"user","parts":[{"type":"text","text":"x"}]}]}`,
		"go on": `{"id":"{session}","messageId":"{answer}","messages":[{"id":"{answer}","role":"assistant","parts":[{"type":"tool-write_file","toolCallId":"call_1",` +
			`"state":"approval-responded","approval":{"id":"{question}","approved":true}}]}]}`,
	} {
		for on, face := range faces {
			ask := func(of theirs) string {
				ids := []string{"{session}", of.session, "{question}", of.question, "{message}", of.message, "{answer}", of.answer}
				var back []string // the ids out of the reply again
				for i := 0; i < len(ids); i += 2 {
					back = append(back, ids[i+1], ids[i])
				}
				got := face(w, of.session, strings.NewReplacer(ids...).Replace(body), anyTime)
				return strings.NewReplacer(back...).Replace(strings.Join(got, "\n"))
			}
			if foreign, none := ask(known), ask(unknown); foreign != none || strings.Contains(foreign, "start") {
				t.Errorf("%s, by %s\nof another project: %s\nof nobody:         %s", name, on, foreign, none)
			}
		}
	}
	if after := w.seen(other); after != before {
		t.Errorf("the other project was\n%s\nand is\n%s", before, after)
	}
}

// TestBothFacesRefuseAlike: with the same sentence.
func TestBothFacesRefuseAlike(t *testing.T) {
	w := open(t)
	w.say("busy", "u1", "[[hang]]")
	w.asks("waits", "u1", nil)
	for _, body := range []string{message("../x", "u", "x"), message("s", "u~2", "x"), message("busy", "u2", "x"), message("waits", "u2", "x"), `{"id":"s","messages":[]}`, sent("u", "/media/"+strings.Repeat("0", 64))} {
		if a, b := faces["SSE"](w, "", body, anyTime), faces["socket"](w, "", body, anyTime); !slices.Equal(a, b) || len(a) != 1 || strings.HasPrefix(a[0], "{") {
			t.Errorf("%s\nSSE:    %q\nsocket: %q", body, a, b)
		}
	}
	w.request("POST", "/messages/busy/stop", "", nil)
}
