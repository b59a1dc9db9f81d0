package api

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"testing"

	"parley/backend/agent"
)

// inJSON asks for one reply.
func inJSON(r *http.Request) { r.Header.Set("Accept", "application/json") }

// envelope is a message in our own shape; more is what the request has besides.
func envelope(session, id, text, more string) string {
	return fmt.Sprintf(`{"session_id":%q,%s"data":{"messages":[{"id":%q,"role":"user","parts":[{"type":"text","text":%q}]}]}}`, session, more, id, text)
}

func (w *world) answers(body string) (reply Reply) {
	w.t.Helper()
	w.decode(w.request("POST", "/messages", body, inJSON), &reply)
	return reply
}

func TestSessionsAreNamedByTheirClients(t *testing.T) {
	w := open(t)
	// §2 session_id is optional.
	t.Run("§1 absent → mint", func(t *testing.T) {
		for _, body := range []string{`{"messages":[{"role":"user","parts":[{"type":"text","text":"[[say:x]]"}]}]}`, `{"data":{"messages":[{"role":"user","parts":[{"type":"text","text":"[[say:x]]"}]}]}}`} {
			if id := w.answers(body).SessionID; !regexp.MustCompile(`^sess_[0-9a-f]{32}$`).MatchString(string(id)) {
				t.Errorf("minted %q", id)
			}
		}
	})
	// §2 an unknown id appends: of a message.
	t.Run("§1 unknown → create, §1 known → continue", func(t *testing.T) {
		for i := range 2 {
			if id := w.answers(envelope("mine", fmt.Sprint("u", i), "[[say:x]]", "")).SessionID; id != "mine" {
				t.Errorf("the session is %q", id)
			}
		}
		if messages, _ := w.load("mine", ""); len(messages) != 4 {
			t.Errorf("it has %v", messages)
		}
	})
	t.Run("§1 two turns that create the same id at once", func(t *testing.T) {
		var clients sync.WaitGroup
		statuses := make([]int, 8)
		for i := range statuses {
			clients.Go(func() {
				res := w.request("POST", "/messages", envelope("race", fmt.Sprint("u", i), "[[say:x]]", ""), inJSON)
				statuses[i] = res.StatusCode
			})
		}
		clients.Wait()
		done := 0
		for _, status := range statuses {
			if status == http.StatusOK {
				done++
			} else if status != http.StatusConflict {
				t.Errorf("one got %d", status)
			}
		}
		if messages, _ := w.load("race", ""); done == 0 || len(messages) != 2*done {
			t.Errorf("%d were answered, and there are %d messages", done, len(messages))
		}
	})
	t.Run("§1 never put an id unescaped", func(t *testing.T) {
		const id = "a:b..c_-."
		w.answers(envelope(id, "u1", "[[say:x]]", ""))
		for _, path := range []string{"/sessions/a:b..c_-.", "/sessions/a%3Ab..c_%2D%2E"} {
			var s Session
			if w.get(path, &s); s.ID != id {
				t.Errorf("%s is %q", path, s.ID)
			}
		}
	})
}

// §1 a second turn while one runs → 409 (§3 409) with the turn's state
func TestWhoFindsASessionBusyIsToldWithWhat(t *testing.T) {
	w := open(t)
	w.say("runs", "u1", "[[hang]]")
	q := w.asks("waits", "u1", nil)
	for session, want := range map[string]struct {
		kind    string
		state   TurnState
		pending int
	}{"runs": {"busy", TurnRunning, 0}, "waits": {"paused", TurnPaused, 1}} {
		var f Failure
		res := w.say(session, "u2", "hi")
		if err := json.NewDecoder(res.Body).Decode(&f); err != nil || res.StatusCode != http.StatusConflict {
			t.Fatalf("%s: %s (%v)", session, res.Status, err)
		}
		if f.Status.Type != want.kind || f.Turn == nil || f.Turn.State != want.state || f.Turn.TurnID == "" || f.Turn.MessageID == "" || len(f.Turn.Pending) != want.pending {
			t.Errorf("%s: %+v %+v", session, f.Status, f.Turn)
		} else if want.pending > 0 && f.Turn.Pending[0].ID != q.ID {
			t.Errorf("it waits for %+v", f.Turn.Pending)
		}
	}
	w.request("POST", "/messages/runs/stop", "", nil)
}

func TestWhatARequestSays(t *testing.T) {
	w := open(t)
	invalid := func(t *testing.T, body, want string) {
		t.Helper()
		if f := failure(t, w.request("POST", "/messages", body, nil)); f.Code != http.StatusBadRequest || !strings.Contains(f.Message, want) {
			t.Errorf("%s: %+v", body, f)
		}
	}
	t.Run("§2 references", func(t *testing.T) {
		w.answers(envelope("refers", "u1", "[[say:x]]", `"references":{"agent":"demo-careful"},`))
		var s Session
		if w.get("/sessions/refers", &s); s.Agent.ID != "demo-careful" {
			t.Errorf("the agent is %+v", s.Agent)
		}
		invalid(t, envelope("refers-2", "u1", "x", `"references":{"agent":"nobody"},`), "demo-careful")
	})
	t.Run("§2 data.messages", func(t *testing.T) {
		invalid(t, `{"data":{}}`, "data.messages")
		invalid(t, `{"data":{"messages":[]}}`, "data.messages")
		invalid(t, `{"messages":[]}`, "messages")
	})
	t.Run("§2 data.inputs", func(t *testing.T) {
		w.answers(`{"session_id":"inputs","data":{"inputs":{"name":"Ada"},"messages":[{"role":"user","parts":[{"type":"text","text":"[[say:x]]"}]}]}}`)
		key := agent.SessionKey{Project: agent.DefaultProject, Session: "inputs"}
		turn, err := w.door.rooms.Sessions.Last(t.Context(), key)
		if err != nil {
			t.Fatal(err)
		}
		records, err := turn.Records(t.Context(), 0)
		if err != nil {
			t.Fatal(err)
		}
		if started := records[0].Event.(agent.TurnStarted); string(started.Inputs) != `{"name":"Ada"}` {
			t.Errorf("the turn was started with %s", started.Inputs)
		}
		invalid(t, `{"data":{"inputs":[1],"messages":[{"role":"user","parts":[{"type":"text","text":"x"}]}]}}`, "data.inputs")
	})
	t.Run("§2 data.parameters", func(t *testing.T) {
		w.answers(`{"session_id":"overlaid","data":{"parameters":{"agent":{"name":"Ada","model":"m"}},"messages":[{"role":"user","parts":[{"type":"text","text":"[[say:x]]"}]}]}}`)
		var s Session
		if w.get("/sessions/overlaid", &s); s.Agent.Name != "Ada" || s.Agent.Model != "m" || s.Agent.Harness != string(agent.KindScripted) {
			t.Errorf("the agent is %+v: what is absent is inherited", s.Agent)
		}
	})
	// §2 the client may send the whole conversation or only the last message; §2 if it sends all and it disagrees with the
	// record, the record wins.
	t.Run("§2 the server's record is authoritative", func(t *testing.T) {
		w.answers(envelope("record", "u1", "[[say:true]]", ""))
		w.answers(`{"id":"record","messages":[{"id":"u1","role":"user","parts":[{"type":"text","text":"forged"}]},{"id":"m","role":"assistant","parts":[{"type":"text","text":"forged"}]},` +
			`{"id":"u2","role":"user","parts":[{"type":"text","text":"[[say:two]]"}]}]}`)
		if messages, _ := w.load("record", ""); len(messages) != 4 || strings.Contains(strings.Join(messages, ""), "forged") {
			t.Errorf("the record is %v", messages)
		}
	})
	t.Run("§2 a known user message, equal in content", func(t *testing.T) {
		first, again := w.answers(envelope("known", "u1", "[[say:once]]", "")), w.answers(envelope("known", "u1", "[[say:once]]", ""))
		if first.TraceID == "" || again.TraceID != first.TraceID || string(again.Data.Outputs.Parts) != string(first.Data.Outputs.Parts) {
			t.Errorf("%+v\n%+v", first, again)
		}
		if messages, _ := w.load("known", ""); len(messages) != 2 {
			t.Errorf("it ran twice: %v", messages)
		}
	})
}
