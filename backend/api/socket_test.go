package api

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"

	"parley/backend/agent"
	"parley/backend/store"
	"parley/backend/vault"
)

// page is a page's end of the socket.
type page struct {
	t    testing.TB
	conn *websocket.Conn
	next map[string]int // of each request, the number of its next chunk
	kept []socketFrame  // what until read of other requests than its own
}

type socketFrame struct {
	Type, RequestID, ErrorText, SessionID string
	Sequence                              int
	Chunk                                 struct{ Type, Delta string }
	Event                                 *struct{ Type string }
	State                                 vault.State
}

func (w *world) dial() *page {
	w.t.Helper()
	return w.dialAs(testToken)
}

// dialAs is dial with another token, and more subprotocols.
func (w *world) dialAs(token string, protocols ...string) *page {
	w.t.Helper()
	conn, _, err := websocket.Dial(w.t.Context(), w.url+"/socket", &websocket.DialOptions{Subprotocols: append([]string{socketProtocol, tokenProtocol + token}, protocols...)})
	if err != nil {
		w.t.Fatal(err)
	}
	conn.SetReadLimit(maxBody)
	w.t.Cleanup(func() { conn.CloseNow() })
	if conn.Subprotocol() != socketProtocol {
		w.t.Errorf("the subprotocol is %q: a token must not come back", conn.Subprotocol())
	}
	p := &page{t: w.t, conn: conn, next: map[string]int{}}
	if f := p.read(); f.Type != "vault" {
		w.t.Fatalf("the first notice is %+v", f)
	}
	return p
}

func (p *page) send(frame string) {
	p.t.Helper()
	if err := p.conn.Write(p.t.Context(), websocket.MessageText, []byte(frame)); err != nil {
		p.t.Fatal(err)
	}
}

func (p *page) ask(request, session, text string) {
	p.t.Helper()
	p.send(fmt.Sprintf(`{"type":"send","requestId":%q,"headers":{},"body":{},%s`, request, message(session, "u-"+request, text)[1:]))
}

func (p *page) read() socketFrame {
	p.t.Helper()
	_, b, err := p.conn.Read(p.t.Context())
	if err != nil {
		p.t.Fatal(err)
	}
	var f socketFrame
	if err := json.Unmarshal(b, &f); err != nil {
		p.t.Fatalf("%s: %v", b, err)
	}
	return f
}

// of gives the next frame of a request. Those of others, which come as their turns go on, are kept for who asks for them.
func (p *page) of(request string) socketFrame {
	p.t.Helper()
	if i := slices.IndexFunc(p.kept, func(f socketFrame) bool { return f.RequestID == request }); i >= 0 {
		f := p.kept[i]
		p.kept = slices.Delete(p.kept, i, i+1)
		return f
	}
	for {
		f := p.read()
		if f.RequestID == request {
			return f
		}
		p.kept = append(p.kept, f)
	}
}

// until reads until a frame of the given type for the request, and gives the text that its chunks said on the way.
func (p *page) until(request, kind string) (string, socketFrame) {
	p.t.Helper()
	var text strings.Builder
	for {
		f := p.of(request)
		if f.Type == "chunk" {
			if f.Sequence != p.next[request] {
				p.t.Fatalf("chunk %d came as number %d", p.next[request], f.Sequence)
			}
			p.next[request]++
			text.WriteString(f.Chunk.Delta)
		}
		if f.Type == kind || f.Chunk.Type == kind {
			return text.String(), f
		}
		if f.Type == "error" {
			p.t.Fatalf("waiting for %s: %s", kind, f.ErrorText)
		}
	}
}

// §8 one WebSocket at /socket: §8 send, resume, abort → start, chunk with gapless sequence, end, error, no-active.
func TestTheSocketStreamsATurn(t *testing.T) {
	w := open(t)
	p := w.dial()
	p.ask("r1", "s", "[[say:hello]]")
	if got, _ := p.until("r1", "end"); !strings.Contains(got, "hello") {
		t.Errorf("said %q", got)
	}
	p.send(`{"type":"resume","requestId":"r2","id":"s","headers":{},"body":{}}`)
	p.until("r2", "no-active")
}

// TestAMessageWaitsOnTheSocket: it is streamed once it is sent. Who gives up waiting stops nothing.
func TestAMessageWaitsOnTheSocket(t *testing.T) {
	w := open(t)
	p := w.dial()
	p.ask("r1", "s", "[[say:half]] [[hang]]")
	p.until("r1", "text-delta")
	wait := func(id string) {
		t.Helper()
		p.send(fmt.Sprintf(`{"type":"send","requestId":%q,"headers":{},"body":{"queue":true},%s`, id, message("s", "u-"+id, "[[say:later]]")[1:]))
		p.until(id, "start")
	}
	wait("r2")
	wait("r3")
	p.send(`{"type":"abort","requestId":"r3"}`)
	var queue Queue
	for w.get("/messages/s/queue", &queue); len(queue.Queue) != 2; w.get("/messages/s/queue", &queue) {
	}
	if res := w.request("DELETE", fmt.Sprintf("/messages/s/queue/%d", queue.Queue[1].Number), "", nil); res.StatusCode != 204 {
		t.Errorf("remove: %s", res.Status)
	}
	if _, running := w.door.rooms.Sessions.Running(agent.SessionKey{Project: agent.DefaultProject, Session: "s"}); !running {
		t.Error("what ran was stopped")
	}
	var sent Sent
	w.decode(w.request("POST", "/messages/s/send-now", "", nil), &sent)
	p.until("r1", "abort")
	if got, _ := p.until("r2", "end"); got != "later" {
		t.Errorf("said %q", got)
	}
}

// TestWhatWaitedIsStopped: once it is sent, a message that waited is like any other.
func TestWhatWaitedIsStopped(t *testing.T) {
	w := open(t)
	p := w.dial()
	p.ask("r1", "s", "[[hang]]")
	p.until("r1", "start")
	p.send(`{"type":"send","requestId":"r2","headers":{},"body":{"queue":true},` + message("s", "u2", "[[say:half]] [[hang]]")[1:])
	p.until("r2", "start")
	w.decode(w.request("POST", "/messages/s/send-now", "", nil), new(Sent))
	p.until("r2", "text-delta")
	p.send(`{"type":"abort","requestId":"r2"}`)
	for stopped := ""; stopped != string(store.Idle); {
		var s Session
		w.get("/sessions/s", &s)
		stopped = string(s.Status)
	}
}

// §8 Webviews allow six connections per host; the seventh chat, and even Stop, would wait: here many run at once.
func TestManyTurnsOnOneSocket(t *testing.T) {
	w := open(t)
	p := w.dial()
	const n = 10
	begun, ended := map[string]bool{}, map[string]bool{}
	for i := range n {
		p.ask(fmt.Sprint("r", i), fmt.Sprint("s", i), "[[say:x]] [[hang]]")
	}
	for len(begun) < n {
		if f := p.read(); f.Chunk.Type == "text-delta" {
			begun[f.RequestID] = true
		}
	}
	for id := range begun {
		p.send(fmt.Sprintf(`{"type":"abort","requestId":%q}`, id))
		p.ask(id+"-next", "next-"+id, "[[say:x]]")
	}
	for len(ended) < n {
		if f := p.read(); f.Type == "end" && strings.HasSuffix(f.RequestID, "-next") {
			ended[f.RequestID] = true
		}
	}
	for w.door.rooms.Sessions.Busy() {
		p.read() // of a session that was stopped
	}
}

func TestASecondPageResumesAndTheFirstStops(t *testing.T) {
	w := open(t)
	first, second := w.dial(), w.dial()
	first.ask("r1", "s", "[[deltas:3]] [[hang]]")
	first.until("r1", "text-delta")
	second.send(`{"type":"resume","requestId":"r2","id":"s","headers":{},"body":{}}`)
	second.until("r2", "text-delta")
	first.send(`{"type":"abort","requestId":"r1"}`)
	second.until("r2", "abort")
	second.until("r2", "end")
}

// The AI SDK's client aborts what it has read enough of, which may be while its chunks are still being written.
func TestAnAbortedTurnLeavesTheOthers(t *testing.T) {
	w := open(t)
	news := w.door.rooms.Sessions.Watch(agent.DefaultProject)
	defer news.Close()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	ended := func(session agent.SessionID) {
		for {
			changes, err := news.Next(ctx)
			if err != nil {
				t.Fatal(err)
			}
			for _, c := range changes {
				if e := c.Event(); c.Key.Session == session && e != nil && e.Type == "session:turn_completed" {
					return
				}
			}
		}
	}
	p := w.dial()
	p.ask("r1", "s1", "[[deltas:200000]]") // more than a connection holds that nobody reads
	ended("s1")
	p.send(`{"type":"abort","requestId":"r1"}`)
	p.ask("r2", "s2", "[[say:still here]]")
	ended("s2")
	if got, _ := p.until("r2", "end"); !strings.Contains(got, "still here") {
		t.Errorf("said %q", got)
	}
}

// §8 the same socket for session events.
func TestTheSocketTellsWhatChanges(t *testing.T) {
	w := open(t)
	p := w.dial()
	frames(t, w.say("s", "u", "[[say:x]]").Body)
	var events []string
	for {
		f := p.read()
		if f.Type != "session" || f.RequestID != "" || f.SessionID != "s" {
			t.Errorf("got %+v", f)
		}
		if f.Event != nil {
			events = append(events, f.Event.Type)
		}
		if f.Event != nil && f.Event.Type == "session:turn_completed" {
			break
		}
	}
	if strings.Join(events, " ") != "session:turn_started session:turn_completed" {
		t.Errorf("got %v", events)
	}
}

func TestABadFrameHarmsOnlyItself(t *testing.T) {
	w := open(t)
	p := w.dial()
	p.ask("good", "s", "[[deltas:3]] [[hang]]")
	p.until("good", "text-delta")
	p.send(`{"type":"send","requestId":"bad","id":"../x","messages":[]}`)
	if _, f := p.until("bad", "error"); f.ErrorText == "" {
		t.Errorf("got %+v", f)
	}
	p.ask("busy", "s", "hi")
	if _, f := p.until("busy", "error"); !strings.Contains(f.ErrorText, "still answering") {
		t.Errorf("got %+v", f)
	}
	p.send(`{"type":"abort","requestId":"nobody"}`)
	p.send(`{"type":"resume","requestId":"r2","id":"s","headers":{},"body":{}}`)
	p.until("r2", "text-delta")
}

func TestWhatIsNoFrameClosesTheSocket(t *testing.T) {
	w := open(t)
	for name, send := range map[string]func(*page){
		"no id":    func(p *page) { p.send(`{"type":"send"}`) },
		"not JSON": func(p *page) { p.send(`{`) },
		"bytes":    func(p *page) { p.conn.Write(t.Context(), websocket.MessageBinary, []byte("{}")) },
	} {
		p := w.dial()
		send(p)
		if _, _, err := p.conn.Read(t.Context()); websocket.CloseStatus(err) != websocket.StatusPolicyViolation {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// §8 token in the subprotocol.
func TestAPageOfAnotherOriginGetsNoSocket(t *testing.T) {
	w := open(t)
	for name, options := range map[string]*websocket.DialOptions{
		"another origin": {Subprotocols: []string{socketProtocol, tokenProtocol + testToken}, HTTPHeader: map[string][]string{"Origin": {"http://evil.example"}}},
		"no token":       {Subprotocols: []string{socketProtocol}},
		"a wrong token":  {Subprotocols: []string{socketProtocol, tokenProtocol + "x"}},
	} {
		conn, _, err := websocket.Dial(t.Context(), w.url+"/socket", options)
		if err == nil {
			conn.CloseNow()
			t.Errorf("%s: let in", name)
		}
	}
}

func TestClosingTheServerClosesTheSockets(t *testing.T) {
	w := open(t)
	p := w.dial()
	w.door.close()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	if _, _, err := p.conn.Read(ctx); err == nil {
		t.Error("the socket is still open")
	}
	<-w.door.Empty()
}
