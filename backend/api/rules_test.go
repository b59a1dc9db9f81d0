package api

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/types"
	"io"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"parley/backend/agent"
	"parley/backend/store"
)

// §1 session_id is opaque, matches ^[A-Za-z0-9._:-]{1,128}$.
func TestEveryIDOfThePatternNamesASession(t *testing.T) {
	w := open(t)
	letters := "abcdefghijklmnopqrstuvwxyz"
	for _, id := range []string{"x", "...", "-", "con", "0", letters + strings.ToUpper(letters) + "0123456789._:-", strings.Repeat(":", 128)} {
		if got := w.answers(envelope(id, "u1", "[[say:"+id+"]]", "")); string(got.SessionID) != id || got.Data.Outputs.Content != id {
			t.Errorf("%s: %+v", id, got)
		}
		// §5 {session_id} → {session_id, messages: [UIMessage…]}
		if l := w.loaded(id); string(l.SessionID) != id || len(l.Messages) != 2 {
			t.Errorf("%s is loaded as %s with %s", id, l.SessionID, l.Messages)
		}
	}
}

// §1 on /load-session too (never mint on load).
func TestLoadingMakesNoSession(t *testing.T) {
	w := open(t)
	for body, want := range map[string]int{`{}`: 400, `{"session_id":""}`: 400, `{"session_id":"new"}`: 404} {
		if f := failure(t, w.request("POST", "/load-session", body, nil)); f.Code != want {
			t.Errorf("%s: %+v", body, f)
		}
	}
	var list SessionList
	if w.get("/sessions", &list); len(list.Sessions) != 0 {
		t.Errorf("there are %+v", list.Sessions)
	}
}

// §2 unique per session: a message id is another message in each; §2 or messageId set, is an edit, also under a new id.
func TestTheIDOfAMessage(t *testing.T) {
	w := open(t)
	for _, session := range []string{"one", "two"} {
		if got := w.answers(envelope(session, "u1", "[[say:"+session+"]]", "")); got.Data.Outputs.Content != session {
			t.Errorf("%s: %+v", session, got)
		}
	}
	w.answers(envelope("one", "u2", "[[say:edited]]", `"message_id":"u1",`))
	one := w.loaded("one")
	if len(one.Messages) != 2 || idOf(t, one.Messages[0]) != "u2" || len(one.Branches[idOf(t, one.Messages[1])]) != 2 {
		t.Errorf("after the edit: %s %v", one.Messages, one.Branches)
	}
	if two := w.loaded("two"); len(two.Messages) != 2 || len(two.Branches) != 0 {
		t.Errorf("the other session: %s %v", two.Messages, two.Branches)
	}
}

// §2 a retried request never runs twice: not of many at once, in either form, and not afterwards.
func TestARetriedRequestRunsOnce(t *testing.T) {
	w := open(t)
	body := envelope("s", "u1", "[[say:once]] [[gap:5ms]]", "")
	var clients sync.WaitGroup
	replies := make([]Reply, 4)
	for i := range replies {
		clients.Go(func() { replies[i] = w.answers(body) })
		clients.Go(func() {
			if got := text(t, frames(t, w.request("POST", "/messages", body, nil).Body)); got != "once" {
				t.Errorf("a stream says %q", got)
			}
		})
	}
	clients.Wait()
	for _, r := range append(replies, w.answers(body)) {
		if r.TraceID != replies[0].TraceID || string(r.Data.Outputs.Parts) != string(replies[0].Data.Outputs.Parts) {
			t.Errorf("%+v\nis not %+v", r, replies[0])
		}
	}
	if l := w.loaded("s"); len(l.Messages) != 2 || len(l.Branches) != 0 {
		t.Errorf("the session is %s", l.Messages)
	}
}

// §2 ids are random W3C trace ids kept with the turn.
func TestTraces(t *testing.T) {
	w := open(t)
	first, second := w.answers(envelope("s", "u1", "[[say:x]]", "")), w.answers(envelope("s", "u2", "[[say:x]]", ""))
	for _, r := range []Reply{first, second} {
		ok := regexp.MustCompile(`^[0-9a-f]{32} [0-9a-f]{16}$`).MatchString(r.TraceID + " " + r.SpanID)
		if !ok || strings.Trim(r.TraceID, "0") == "" || strings.Trim(r.SpanID, "0") == "" {
			t.Errorf("%s %s", r.TraceID, r.SpanID)
		}
	}
	again := w.answers(envelope("s", "u1", "[[say:x]]", ""))
	if first.TraceID == second.TraceID || first.SpanID == second.SpanID || again.TraceID != first.TraceID || again.SpanID != first.SpanID {
		t.Errorf("%+v\n%+v\n%+v", first, second, again)
	}
}

// §3 Each frame is id: <n>\n, then data: + compact JSON + \n\n; §3 the last is data: [DONE]\n\n. Nothing else is in a stream.
func TestTheBytesOfAStream(t *testing.T) {
	w := open(t)
	stream := regexp.MustCompile(`^(id: \d+\ndata: \{"type":"[^\n]*\}\n\n)+data: \[DONE\]\n\n$`)
	for i, said := range []string{"[[say:a\nb: c\n\ndata: d\r\n\r\n]]", "[[error:500]]", `[[tool:list_directory {"path":"."}]] [[think:2]]`} {
		b, err := io.ReadAll(w.say("s", fmt.Sprint("u", i), said).Body)
		if err != nil || !stream.Match(b) {
			t.Errorf("%q gave %q (%v)", said, b, err)
		}
	}
}

// §9 a 256-bit token compared in constant time: by construction, for what takes time cannot be told by a clock in a test.
// One function looks at the tokens that there are, and it compares in no other way.
func TestTokensAreComparedInConstantTime(t *testing.T) {
	if a, b := NewToken(), NewToken(); len(a) != 256/4 || a == b {
		t.Errorf("minted %s and %s", a, b)
	}
	var mention, compared []string
	for _, file := range sources("parley/backend/api") {
		for _, decl := range file.Decls {
			fn, ok := decl.(*ast.FuncDecl)
			if !ok {
				continue
			}
			ast.Inspect(fn, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.SelectorExpr:
					if field := types.ExprString(n); field == "d.Token" || field == "d.bound" {
						mention = append(mention, fn.Name.Name)
					}
				case *ast.BinaryExpr:
					if fn.Name.Name == "holder" {
						compared = append(compared, types.ExprString(n))
					}
				}
				return true
			})
		}
	}
	slices.Sort(mention)
	if got := slices.Compact(mention); !slices.Equal(got, []string{"Bind", "holder"}) {
		t.Errorf("the tokens are looked at by %v", got)
	}
	if want := []string{"subtle.ConstantTimeCompare([]byte(token), []byte(other)) == 1"}; !slices.Equal(compared, want) {
		t.Errorf("holder compares %v", compared)
	}
}

// §5 a session of 10,000 messages must open at its end without reading all of it: that takes what a short one takes, and
// what holds for 1,000 holds for 10,000.
func TestALongSessionOpensAtItsEnd(t *testing.T) {
	w := open(t)
	w.converse("short", 30)
	w.converse("long", 500)
	took := map[string]float64{}
	for _, session := range []string{"short", "long"} {
		took[session] = testing.AllocsPerRun(5, func() {
			r := httptest.NewRequestWithContext(t.Context(), "POST", w.url+"/load-session?limit=40", strings.NewReader(fmt.Sprintf(`{"session_id":%q}`, session)))
			r.Header.Set("Authorization", "Bearer "+testToken)
			r.Header.Set("Content-Type", "application/json")
			reply := httptest.NewRecorder()
			w.door.ServeHTTP(reply, r)
			var l LoadedSession
			if err := json.NewDecoder(reply.Body).Decode(&l); err != nil || len(l.Messages) != 40 || l.Earlier == "" {
				t.Errorf("%s: %d %d messages, earlier %q (%v)", session, reply.Code, len(l.Messages), l.Earlier, err)
			}
		})
	}
	if took["long"] > 1.5*took["short"] {
		t.Errorf("it took %v allocations", took)
	}
}

// converse stores a session of turns, of two messages each.
func (w *world) converse(session agent.SessionID, turns int) {
	w.t.Helper()
	history, key := w.door.rooms.Store, agent.SessionKey{Project: agent.DefaultProject, Session: session}
	err := history.CreateSession(w.t.Context(), key, w.door.Agents.BuiltIn[0], "")
	var last agent.TurnID
	for i := 0; i < turns && err == nil; i++ {
		started := agent.TurnStarted{Turn: agent.NewTurnID(), UserMessage: agent.NewMessageID(), Message: agent.NewMessageID()}
		said := func(id agent.MessageID, role agent.Role) agent.Message {
			return agent.Message{ID: id, Role: role, Parts: []agent.Part{agent.TextPart{Text: "x"}}}
		}
		asked := said(started.UserMessage, agent.RoleUser)
		_, err = history.StartTurn(w.t.Context(), key, store.NewTurn{Started: started, Parent: last, User: &asked})
		if err == nil {
			_, err = history.AppendEvents(w.t.Context(), key, started.Turn, []agent.Event{agent.MessageDelta{Text: "x"}})
		}
		if err == nil {
			rows := []agent.Message{said(started.Message, agent.RoleAssistant)}
			_, err = history.SettleTurn(w.t.Context(), key, started.Turn, agent.TurnCompleted{StopReason: agent.StopEndTurn}, rows, store.Idle, true)
		}
		last = started.Turn
	}
	if err != nil {
		w.t.Fatal(err)
	}
}
