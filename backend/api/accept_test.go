package api

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
)

// forms is what is chosen where */* is streamed: of POST /messages.
var forms = map[string]form{
	// §2 Accept: absent or application/json → one JSON reply; §2 text/event-stream → SSE; §2 */* → SSE as well
	"":                  asJSON,
	" , ":               asJSON,
	"application/json":  asJSON,
	"text/event-stream": asStream,
	"*/*":               asStream,
	"text/*":            asStream,
	"application/*":     asJSON,
	"Text/Event-Stream": asStream,
	// §2 Parse quality values properly
	"application/json;q=0.5, text/event-stream":                   asStream,
	"application/json, text/event-stream;q=0.999":                 asJSON,
	"application/json;q=0.9,text/event-stream;q=0.91":             asStream,
	"text/event-stream;q=0, */*":                                  asJSON,
	"text/event-stream;q=0.000 , application/json ; q=1.000":      asJSON,
	"application/json;q=0, */*;q=0.1":                             asStream,
	"text/html, */*;q=0.1":                                        asStream,
	"application/json, text/plain, */*":                           asJSON, // axios: it names JSON
	"text/*, application/json":                                    asJSON, // more exactly
	"application/json, text/event-stream":                         asStream,
	"text/event-stream, application/json":                         asStream,
	`text/html;x="a,application/json;q=1\",", text/event-stream`:  asStream,
	"application/json;charset=utf-8":                              asJSON,
	"application/json;Q=0.3, text/event-stream;q=0.2":             asJSON,
	"application/json;q=0.3;q=0.9, text/event-stream;q=0.5":       asStream,
	"application/json;q=2, text/event-stream;q=0.1":               asStream, // 2 is no quality
	"application/json;q=0.1234, text/event-stream;q=0.1":          asStream,
	"application/json;q=, text/event-stream;q=1.001, text/*;q=.1": "",
	// §2 anything else → 406
	"image/png":                        "",
	"text/html, application/xml":       "",
	"*/*;q=0":                          "",
	"application/json;q=0":             "",
	"text/event-stream;q=0, text/*":    "",
	"*":                                "",
	"application/json text/html":       "",
	"*/json":                           "",
	"/":                                "",
	`"application/json"`:               "",
	"application/jsonp, text/*;q=0.00": "",
}

func TestAcceptIsReadByTheRules(t *testing.T) {
	for accept, want := range forms {
		r := &http.Request{Header: http.Header{"Accept": {accept}}}
		if got, err := chooseForm(r, asStream); got != want || (err != nil) != (want == "") {
			t.Errorf("%q: %q, want %q", accept, got, want)
		}
	}
	lines := &http.Request{Header: http.Header{"Accept": {"application/json;q=0.1", "text/event-stream;q=0.2"}}}
	if got, _ := chooseForm(lines, asJSON); got != asStream {
		t.Errorf("two lines: %q", got)
	}
	if got, _ := chooseForm(&http.Request{Header: http.Header{"Accept": {"*/*"}}}, asJSON); got != asJSON {
		t.Errorf("where JSON is preferred: %q", got)
	}
}

// TestTheFormOfATurn: what the client accepts is what it gets, and what it does not accept starts nothing: §3 406.
func TestTheFormOfATurn(t *testing.T) {
	w := open(t)
	sessionFor := map[string]string{"": "whole", "*/*": "streamed", "image/png": "refused"}
	for accept, want := range map[string]string{"": "application/json", "*/*": "text/event-stream", "image/png": ""} {
		res := w.request("POST", "/messages", message(sessionFor[accept], "", "[[say:x]]"), func(r *http.Request) {
			r.Header.Set("Accept", accept)
			if accept == "" {
				r.Header["Accept"] = nil // else Go's client would not leave it out
			}
		})
		if want == "" {
			if f := failure(t, res); f.Code != http.StatusNotAcceptable {
				t.Errorf("%q: %+v", accept, f)
			}
			if res := w.request("GET", "/sessions/refused", "", nil); res.StatusCode != http.StatusNotFound {
				t.Errorf("%q made a session: %s", accept, res.Status)
			}
		} else if got := res.Header.Get("Content-Type"); res.StatusCode != 200 || got != want {
			t.Errorf("%q: %s %s", accept, res.Status, got)
		}
	}
}

// §2 JSON reply
func TestATurnAsOneReply(t *testing.T) {
	w := open(t)
	ask := func(session, text string) (*http.Response, Reply) {
		res := w.request("POST", "/messages", message(session, "", text), header("Accept", "application/json"))
		var reply Reply
		if err := json.NewDecoder(res.Body).Decode(&reply); err != nil {
			t.Fatal(err)
		}
		return res, reply
	}
	res, reply := ask("", `[[tool:list_directory {"path":"."}]] [[say:one]]`)
	if res.StatusCode != 200 || reply.Status.Code != 200 || reply.StopReason != "end_turn" || reply.Pending != nil ||
		reply.Data.Outputs.Role != "assistant" || strings.TrimSpace(reply.Data.Outputs.Content) != "one" {
		t.Errorf("%s %+v", res.Status, reply)
	}
	messages, _ := w.load(string(reply.SessionID), "")
	if len(messages) != 2 || !strings.Contains(messages[1], `"parts":`+string(reply.Data.Outputs.Parts)) {
		t.Errorf("parts %s\nof %v", reply.Data.Outputs.Parts, messages)
	}
	// §3 429: a turn that failed is no success, also for who looks at the status alone.
	res, reply = ask("bad", "[[say:half]] [[error1:429]]")
	if res.StatusCode != http.StatusTooManyRequests || reply.Status.Code != res.StatusCode || reply.Status.Type != "provider_rate_limit" ||
		reply.Status.Message == "" || reply.StopReason != "error" {
		t.Errorf("%s %+v", res.Status, reply)
	}
}

// FuzzAccept: whatever comes is answered in a form that was named, or in none.
func FuzzAccept(f *testing.F) {
	for accept := range forms {
		f.Add(accept)
	}
	f.Fuzz(func(t *testing.T, accept string) {
		r := &http.Request{Header: http.Header{"Accept": {accept}}}
		got, err := chooseForm(r, asStream)
		lower := strings.ToLower(accept)
		switch {
		case (got == "") != (err != nil):
			t.Fatalf("%q: %q and %v", accept, got, err)
		case got == asStream && !strings.Contains(lower, "text/") && !strings.Contains(lower, "*/*"):
			t.Fatalf("%q: a stream that nobody asked for", accept)
		case got == asJSON && strings.Trim(accept, ", \t") != "" && !strings.Contains(lower, "application/") && !strings.Contains(lower, "*/*"):
			t.Fatalf("%q: JSON that nobody asked for", accept)
		}
		for _, m := range parseAccept(accept) {
			if m.quality < 0 || m.quality > 1000 {
				t.Fatalf("%q: quality %d", accept, m.quality)
			}
		}
	})
}
