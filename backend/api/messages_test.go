package api

import (
	"bufio"
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
)

// §3 Headers; §2 useChat must work with no glue: the body is the one that it sends by default.
func TestATurnIsStreamedAndLoadedAlike(t *testing.T) {
	w := open(t)
	res := w.say("s", "u1", `look [[tool:list_directory {"path":"."}]] [[say:done]]`)
	if got := res.Header; res.StatusCode != 200 || got.Get("Content-Type") != "text/event-stream" || got.Get("X-Vercel-Ai-Ui-Message-Stream") != "v1" ||
		got.Get("Cache-Control") != "no-cache" || got.Get("Connection") != "keep-alive" || got.Get("X-Accel-Buffering") != "no" || got.Get(versionName) != "1" {
		t.Errorf("%s %v", res.Status, got)
	}
	stream := frames(t, res.Body)
	if stream[len(stream)-1].data != "[DONE]" || stream[len(stream)-1].id != -1 {
		t.Errorf("the stream ends with %+v", stream[len(stream)-1])
	}
	if !strings.Contains(stream[0].data, `"type":"start"`) || stream[0].id != 0 {
		t.Errorf("the stream begins with %+v", stream[0])
	}
	messages, _ := w.load("s", "")
	if len(messages) != 2 || !strings.Contains(messages[0], `"id":"u1"`) || !strings.Contains(messages[1], "done") || !strings.Contains(messages[1], "output-available") {
		t.Errorf("loaded %v", messages)
	}
}

// §2 POST /messages/{id}/stop: §6 The reply says which happened.
func TestASecondTurnHasToWait(t *testing.T) {
	w := open(t)
	w.say("s", "u1", "[[hang]]")
	if res := w.say("s", "u2", "hi"); failure(t, res).Type != "busy" || res.StatusCode != http.StatusConflict {
		t.Errorf("%s", res.Status)
	}
	var stop Stop
	w.decode(w.request("POST", "/messages/s/stop", "", nil), &stop)
	if stop.Stopped != "confirmed" {
		t.Errorf("stopped: %s", stop.Stopped)
	}
	w.decode(w.request("POST", "/messages/s/stop", "", nil), &stop)
	if stop.Stopped != "idle" {
		t.Errorf("stopped again: %s", stop.Stopped)
	}
	if stream := frames(t, w.say("s", "u2", "[[say:hi]]").Body); !strings.Contains(text(t, stream), "hi") {
		t.Errorf("after the stop: %v", stream)
	}
}

// §6 client gone ≠ turn cancelled; §8 204 when nothing runs; §8 without Last-Event-ID a full replay from start, deltas merged .
func TestAClientThatLeavesStopsNothingAndResumesAnywhere(t *testing.T) {
	w := open(t)
	ctx, leave := context.WithCancel(t.Context())
	first := w.request("POST", "/messages", message("s", "u1", "[[deltas:60]] [[gap:2ms]]"), func(r *http.Request) { *r = *r.WithContext(ctx) })
	if _, err := bufio.NewReader(first.Body).ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	leave()
	whole := frames(t, w.request("GET", "/messages/s/stream", "", header(coalesceName, "0")).Body)
	for cut := range whole[:len(whole)-1] {
		// The turn is over by now: who has seen a part of it still gets the rest.
		rest := frames(t, w.request("GET", "/messages/s/stream", "", func(r *http.Request) {
			r.Header.Set("Last-Event-ID", fmt.Sprint(cut))
			if cut%2 == 0 {
				r.Header.Set(coalesceName, "0")
			}
		}).Body)
		if got, want := text(t, append(whole[:cut+1:cut+1], rest...)), text(t, whole); got != want {
			t.Fatalf("cut after frame %d: %q, want %q", cut, got, want)
		}
		if len(rest) == 0 || rest[len(rest)-1].data != "[DONE]" {
			t.Fatalf("cut after frame %d: the rest is %v", cut, rest)
		}
	}
	if res := w.request("GET", "/messages/s/stream", "", nil); res.StatusCode != http.StatusNoContent {
		t.Errorf("nothing runs: %s", res.Status)
	}
	for _, id := range []string{"x", "-1", "+1", "1.5", "1 2", "0x1", "99999999999999999999", "٣"} {
		if res := w.request("GET", "/messages/s/stream", "", header("Last-Event-ID", id)); res.StatusCode != http.StatusBadRequest {
			t.Errorf("Last-Event-ID %q: %s", id, res.Status)
		}
	}
	if res := w.request("GET", "/messages/unknown/stream", "", header("Last-Event-ID", "3")); res.StatusCode != http.StatusNoContent {
		t.Errorf("an unknown session: %s", res.Status)
	}
}

// §6 Any number of clients watch one turn; §6 each gets a snapshot first, then deltas.
func TestManyWatchersSeeTheSame(t *testing.T) {
	w := open(t)
	first := w.say("s", "u1", "[[deltas:300]] [[gap:1ms]]")
	streams := []*http.Response{first}
	for range 5 {
		streams = append(streams, w.request("GET", "/messages/s/stream", "", nil))
	}
	want := text(t, frames(t, first.Body))
	for i, res := range streams[1:] {
		if got := text(t, frames(t, res.Body)); got != want {
			t.Errorf("watcher %d: %d bytes, want %d", i, len(got), len(want))
		}
	}
}

// §4 The same failure is never reported twice. §2 trigger: "regenerate-message" regenerates.
func TestAFailureIsInTheStreamAndCanBeTriedAgain(t *testing.T) {
	w := open(t)
	stream := frames(t, w.say("s", "u1", "[[error1:401]] [[say:fine]]").Body)
	all := fmt.Sprint(stream)
	for _, want := range []string{`"type":"data-agent-error"`, `"code":"provider_auth"`, `"type":"error"`, "[DONE]"} {
		if strings.Count(all, want) != 1 {
			t.Errorf("%d times %s in %s", strings.Count(all, want), want, all)
		}
	}
	again := w.request("POST", "/messages", `{"id":"s","trigger":"regenerate-message","messages":[{"id":"u1","role":"user","parts":[{"type":"text","text":"x"}]}]}`, nil)
	if got := text(t, frames(t, again.Body)); strings.TrimSpace(got) != "fine" {
		t.Errorf("again: %q", got)
	}
	if messages, _ := w.load("s", ""); len(messages) != 2 {
		t.Errorf("loaded %v", messages)
	}
}

// §5 ?before=<message id>&limit= pages backwards.
func TestLoadingBackwards(t *testing.T) {
	w := open(t)
	for i := range 5 {
		frames(t, w.say("s", fmt.Sprint("u", i), fmt.Sprintf("[[say:answer %d]]", i)).Body)
	}
	whole, earlier := w.load("s", "")
	if len(whole) != 10 || earlier != "" {
		t.Fatalf("the whole: %d messages, earlier %q", len(whole), earlier)
	}
	var pieces []string
	for query := "?limit=4"; ; {
		page, earlier := w.load("s", query)
		pieces = append(page, pieces...)
		if earlier == "" {
			break
		}
		query = "?limit=4&before=" + earlier
	}
	if strings.Join(pieces, "\n") != strings.Join(whole, "\n") {
		t.Errorf("page by page:\n%s\nat once:\n%s", strings.Join(pieces, "\n"), strings.Join(whole, "\n"))
	}
	answer := strings.Split(whole[5], `"`)[3]
	if before, _ := w.load("s", "?before="+answer); strings.Join(before, "\n") != strings.Join(whole[:5], "\n") {
		t.Errorf("before the answer %s: %v", answer, before)
	}
	for _, query := range []string{"?before=nothing", "?limit=0", "?limit=x"} {
		res := w.request("POST", "/load-session"+query, `{"session_id":"s"}`, nil)
		if res.StatusCode != http.StatusNotFound && res.StatusCode != http.StatusBadRequest {
			t.Errorf("%s: %s", query, res.Status)
		}
	}
}

func TestSessionsCanBeListedChangedDeletedAndRestored(t *testing.T) {
	w := open(t)
	frames(t, w.say("one", "u", "[[say:x]]").Body)
	frames(t, w.say("two", "u", "hello there [[say:x]]").Body)
	var list SessionList
	w.get("/sessions?limit=1", &list)
	if len(list.Sessions) != 1 || list.Sessions[0].ID != "two" || list.Sessions[0].Agent.ID != "demo" || list.Next == "" {
		t.Fatalf("first page: %+v", list)
	}
	next := list.Next
	list = SessionList{}
	w.get("/sessions?limit=1&after="+next, &list)
	if len(list.Sessions) != 1 || list.Sessions[0].ID != "one" {
		t.Fatalf("second page: %+v", list)
	}
	var s Session
	w.decode(w.request("PATCH", "/sessions/one", `{"title":"renamed","draft":"to be said"}`, nil), &s)
	if s.Title != "renamed" || s.Draft != "to be said" || s.MaxTurns != 50 {
		t.Errorf("changed: %+v", s)
	}
	if res := w.request("PATCH", "/sessions/one", `{"maxTurns":0}`, nil); res.StatusCode != http.StatusBadRequest {
		t.Errorf("no turns at all: %s", res.Status)
	}
	if res := w.request("PATCH", "/sessions/unknown", `{"title":"x"}`, nil); res.StatusCode != http.StatusNotFound {
		t.Errorf("renaming nothing: %s", res.Status)
	}
	if res := w.request("DELETE", "/sessions/one", "", nil); res.StatusCode != http.StatusNoContent {
		t.Errorf("delete: %s", res.Status)
	}
	if res := w.request("GET", "/sessions/one", "", nil); res.StatusCode != http.StatusNotFound {
		t.Errorf("deleted: %s", res.Status)
	}
	if res := w.request("POST", "/sessions/one/restore", "", nil); res.StatusCode != http.StatusNoContent {
		t.Errorf("restore: %s", res.Status)
	}
	w.get("/sessions/one", &s)
	for _, query := range []string{"limit=0", "limit=501", "limit=x", "after=x", "after=1.2.3"} {
		if res := w.request("GET", "/sessions?"+query, "", nil); res.StatusCode != http.StatusBadRequest {
			t.Errorf("%s: %s", query, res.Status)
		}
	}
}

func TestEventsAndMessagesOfASession(t *testing.T) {
	w := open(t)
	frames(t, w.say("s", "u", "[[say:x]]").Body)
	events := bufio.NewReader(w.request("GET", "/sessions/s/events?from=1", "", nil).Body)
	line, err := events.ReadString('\n')
	if err != nil || !strings.HasPrefix(line, `{"type":"session:turn_started","sessionId":"s"`) || !strings.Contains(line, `"sequenceNumber":1`) {
		t.Errorf("got %s (%v)", line, err)
	}
	if res := w.request("GET", "/sessions/unknown/events", "", nil); res.StatusCode != http.StatusNotFound {
		t.Errorf("an unknown session: %s", res.Status)
	}
	var list MessageList
	w.get("/sessions/s/messages", &list)
	if len(list.Messages) != 2 || list.Messages[0].Role != "user" || list.Messages[1].Role != "assistant" {
		t.Errorf("got %+v", list)
	}
}

func TestWhoIsInsideIsCounted(t *testing.T) {
	w := open(t)
	res := w.say("s", "u", "[[hang]]")
	if _, err := bufio.NewReader(res.Body).ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	empty := w.door.Empty()
	select {
	case <-empty:
		t.Error("nobody is inside, although a turn is watched")
	default:
	}
	res.Body.Close()
	<-empty
}
