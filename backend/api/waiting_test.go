package api

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"parley/backend/agent"
)

func (w *world) loaded(session string) (l LoadedSession) {
	w.t.Helper()
	w.decode(w.request("POST", "/load-session", fmt.Sprintf(`{"session_id":%q}`, session), nil), &l)
	return l
}

// idOf is the id of a message.
func idOf(t testing.TB, message json.RawMessage) agent.MessageID {
	t.Helper()
	var m struct{ ID agent.MessageID }
	if err := json.Unmarshal(message, &m); err != nil {
		t.Fatal(err)
	}
	return m.ID
}

// §2 POST /approvals/{id}, §6 approvals: each is answered by id, once, §6 from any client, and what was asked is in the inbox until then.
func TestAnswersByID(t *testing.T) {
	w := open(t)
	q := w.asks("s", "u1", nil)
	var inbox Inbox
	if w.get("/approvals", &inbox); len(inbox.Approvals) != 1 || inbox.Approvals[0].ID != q.ID || inbox.Approvals[0].SessionID != "s" ||
		!strings.Contains(string(inbox.Approvals[0].Manifest), `"toolName":"write_file"`) {
		t.Errorf("the inbox is %+v", inbox)
	}
	if l := w.loaded("s"); len(l.Pending) != 1 || l.Pending[0].ID != q.ID {
		t.Errorf("loaded with %+v", l.Pending)
	}
	var s Session
	if w.get("/sessions/s", &s); s.Status != "paused" {
		t.Errorf("the session is %s", s.Status)
	}
	path := "/approvals/" + string(q.ID)
	for _, body := range []string{`{}`, `{"approved":null}`, `{"approved":true,"scope":"forever"}`, `{"approved":true,"output":1}`, `{"aproved":true}`} {
		if f := failure(t, w.request("POST", path, body, nil)); f.Code != http.StatusBadRequest {
			t.Errorf("%s: %+v", body, f)
		}
	}
	var d Decided
	if w.decode(w.request("POST", path, `{"approved":true,"scope":"once"}`, nil), &d); d.SessionID != "s" || !d.Resumed {
		t.Errorf("decided: %+v", d)
	}
	frames(t, w.request("GET", "/messages/s/stream", "", header("Last-Event-ID", "0")).Body)
	if f := failure(t, w.request("POST", path, `{"approved":false}`, nil)); f.Code != http.StatusConflict || f.Type != "answered" {
		t.Errorf("another answer: %+v", f)
	}
	l := w.loaded("s")
	if len(l.Pending) != 0 || strings.Count(string(l.Messages[1]), `"output-available"`) != 1 || !strings.Contains(string(l.Messages[1]), "done") {
		t.Errorf("after it: %+v %s", l.Pending, l.Messages[1])
	}
	if w.get("/approvals", &inbox); len(inbox.Approvals) != 0 {
		t.Errorf("the inbox is %+v", inbox)
	}
}

// §2 A continuation has the assistant message last: §6 or by the AI SDK's own flow. §6 the continuation, whoever sends it, answers with a new response that
// starts with the same messageId.
func TestAnswersInTheClientsOwnWay(t *testing.T) {
	w := open(t)
	for dialect, responses := range map[string]int{"": 0, "6": 0, "7": 1, "8.1": 1} {
		session := "s" + dialect
		q := w.asks(session, "u1", nil)
		answer := w.loaded(session).Messages[1]
		body := strings.Replace(string(answer), `"state":"approval-requested"`, `"state":"approval-responded"`, 1)
		body = strings.Replace(body, fmt.Sprintf(`"approval":{"id":%q}`, q.ID), fmt.Sprintf(`"approval":{"id":%q,"approved":true}`, q.ID), 1)
		request := fmt.Sprintf(`{"id":%q,"trigger":"submit-message","messageId":%q,"messages":[{"id":"u1","role":"user","parts":[{"type":"text","text":"x"}]},%s]}`, session, idOf(t, answer), body)
		list := frames(t, w.request("POST", "/messages", request, header(dialectName, dialect)).Body)
		all := fmt.Sprint(list)
		if !strings.Contains(list[0].data, `"type":"start","messageId":"`+string(idOf(t, answer))+`"`) {
			t.Errorf("x-ai-sdk %q: the response begins with %s", dialect, list[0].data)
		}
		for what, times := range map[string]int{
			`"type":"finish"`: 1, `"type":"tool-output-available"`: 1, `"type":"tool-input-start"`: 0, `"type":"tool-approval-request"`: 0,
			`"type":"tool-approval-response"`: responses, "[DONE]": 1,
		} {
			if n := strings.Count(all, what); n != times {
				t.Errorf("x-ai-sdk %q: %d times %s in %s", dialect, n, what, all)
			}
		}
		again := frames(t, w.request("POST", "/messages", request, header(dialectName, dialect)).Body)
		if fmt.Sprint(again) != all {
			t.Errorf("x-ai-sdk %q: sent again, it gives %v\nnot %v", dialect, again, list)
		}
	}
}

// §2 A turn that pauses for approval must not look like a success, also to who sends it again: until it was answered.
func TestATurnThatPausesAsOneReply(t *testing.T) {
	w := open(t)
	q := w.asks("s", "u1", nil) // which looks at stop_reason, and that one thing is pending
	body := envelope("s", "u1", asksToWrite, "")
	again := w.answers(body)
	if again.StopReason != agent.StopPaused || len(again.Pending) != 1 || again.Pending[0].ID != q.ID || q.Call == "" || q.Kind != agent.UserApproval {
		t.Errorf("sent again: %+v", again)
	}
	if f := failure(t, w.request("POST", "/approvals/"+string(q.ID)+"x", `{"approved":true}`, nil)); f.Code != http.StatusNotFound {
		t.Errorf("a question that is not: %+v", f)
	}
	var d Decided
	w.decode(w.request("POST", "/approvals/"+string(q.ID), `{"approved":true}`, nil), &d)
	frames(t, w.request("GET", "/messages/s/stream", "", header("Last-Event-ID", "0")).Body)
	if done := w.answers(body); done.StopReason != agent.StopEndTurn || done.Pending != nil || done.TraceID != again.TraceID {
		t.Errorf("answered: %+v", done)
	}
}

func later(session, id, text string) string { return envelope(session, id, text, `"queue":true,`) }

// §2 GET | PATCH | DELETE /messages/{id}/queue[/{n}]. §1 unless the body says queue: true. §6 Queue and steer: visible, editable and removable, and sent when the turn is done.
func TestWhatWaitsInTheQueue(t *testing.T) {
	w := open(t)
	question := w.asks("s", "u1", nil)
	waits := w.request("POST", "/messages", later("s", "u2", "[[say:two]]"), nil) // a stream that begins later
	var numbers []int64
	for _, id := range []string{"u3", "u4"} {
		res := w.request("POST", "/messages", later("s", id, "[[say:x]]"), inJSON)
		var q QueuedReply
		if err := json.NewDecoder(res.Body).Decode(&q); err != nil || res.StatusCode != http.StatusAccepted || q.SessionID != "s" || string(q.Queued.MessageID) != id {
			t.Fatalf("%s %+v (%v)", res.Status, q, err)
		}
		numbers = append(numbers, q.Queued.Number)
	}
	removed := w.request("POST", "/messages", later("s", "u5", "[[say:never]]"), nil)
	var queue Queue
	if w.get("/messages/s/queue", &queue); len(queue.Queue) != 4 || len(w.loaded("s").Queue) != 4 || !strings.Contains(string(queue.Queue[0].Message), `"id":"u2"`) {
		t.Errorf("the queue is %+v", queue)
	}
	change := func(method string, n int64, body string, want int) {
		t.Helper()
		if res := w.request(method, fmt.Sprintf("/messages/s/queue/%d", n), body, nil); res.StatusCode != want {
			t.Errorf("%s %d: %s", method, n, res.Status)
		}
	}
	change("PATCH", numbers[0], `{"text":"[[say:three]]"}`, 204)
	change("DELETE", numbers[1], "", 204)
	change("DELETE", numbers[1], "", 404)
	change("PATCH", numbers[1], `{"text":"x"}`, 404)
	change("DELETE", 0, "", 400)
	change("DELETE", queue.Queue[3].Number, "", 204)
	if list := frames(t, removed.Body); len(list) != 2 || list[0].data != `{"type":"abort"}` || list[1].data != "[DONE]" {
		t.Errorf("of one that was removed: %v", list)
	}
	var d Decided
	w.decode(w.request("POST", "/approvals/"+string(question.ID), `{"approved":false}`, nil), &d)
	if got := text(t, frames(t, waits.Body)); strings.TrimSpace(got) != "two" {
		t.Errorf("the one that waited: %q", got)
	}
	// Sent again, it waits once more or, by now, is being answered.
	got := text(t, frames(t, w.request("POST", "/messages", later("s", "u3", "[[say:three]]"), nil).Body))
	if messages, _ := w.load("s", ""); len(messages) != 6 || strings.TrimSpace(got) != "three" {
		t.Errorf("%q, and the session is %v", got, messages)
	}
}

// §2 POST /messages/{id}/send-now; §6 "send now" interrupts what runs, and keeps what was said.
func TestSendNow(t *testing.T) {
	w := open(t)
	if f := failure(t, w.request("POST", "/messages/s/send-now", "", nil)); f.Code != http.StatusNotFound {
		t.Errorf("where nothing waits: %+v", f)
	}
	running := w.say("s", "u1", "[[say:half]] [[hang]]")
	w.request("POST", "/messages", later("s", "u2", "[[say:second]]"), inJSON)
	var third QueuedReply
	res := w.request("POST", "/messages", later("s", "u3", "[[say:third]]"), inJSON)
	if err := json.NewDecoder(res.Body).Decode(&third); err != nil {
		t.Fatal(err)
	}
	var sent Sent
	w.decode(w.request("POST", fmt.Sprintf("/messages/s/send-now?n=%d", third.Queued.Number), "", nil), &sent)
	if list := frames(t, running.Body); !strings.Contains(fmt.Sprint(list), `"type":"abort"`) {
		t.Errorf("what ran ends with %v", list[len(list)-1])
	}
	frames(t, w.request("GET", "/messages/s/stream", "", header("Last-Event-ID", "0")).Body)
	messages, _ := w.load("s", "")
	if all := strings.Join(messages, "\n"); !strings.Contains(messages[1], "half") || !strings.Contains(all, string(sent.MessageID)) || !strings.Contains(all, "third") {
		t.Errorf("the session is %s", all)
	}
}

// §2 POST /messages/{id}/branch; §7 export and /load-session follow the chosen branch; an edit and an answer written anew are
// branches, and a fork has one of them.
func TestBranches(t *testing.T) {
	w := open(t)
	w.answers(envelope("s", "u1", "[[say:one]]", ""))
	w.answers(envelope("s", "u2", "[[say:two]]", ""))
	first := idOf(t, w.loaded("s").Messages[3])
	edit := w.answers(`{"id":"s","trigger":"submit-message","messageId":"u2","messages":[{"id":"u2","role":"user","parts":[{"type":"text","text":"[[say:edited]]"}]}]}`)
	if strings.TrimSpace(edit.Data.Outputs.Content) != "edited" {
		t.Errorf("the edit says %q", edit.Data.Outputs.Content)
	}
	again := w.answers(`{"id":"s","trigger":"regenerate-message","messages":[{"id":"u2","role":"user","parts":[{"type":"text","text":"x"}]}]}`)
	if strings.TrimSpace(again.Data.Outputs.Content) != "edited" {
		t.Errorf("written anew: %q", again.Data.Outputs.Content)
	}
	l := w.loaded("s")
	shown := idOf(t, l.Messages[3])
	if ways := l.Branches[shown]; len(l.Messages) != 4 || len(ways) != 3 || ways[0] != first || ways[2] != shown || len(l.Branches) != 1 || idOf(t, l.Messages[2]) != "u2" {
		t.Errorf("the branches are %v in %s", l.Branches, l.Messages)
	}
	exported := func() string {
		var list MessageList
		w.get("/sessions/s/messages", &list)
		return fmt.Sprintf("%s", list.Messages)
	}
	if e := exported(); strings.Contains(e, "two") || !strings.Contains(e, "edited") {
		t.Errorf("exported: %s", e)
	}
	if res := w.request("POST", "/messages/s/branch", fmt.Sprintf(`{"messageId":%q}`, first), nil); res.StatusCode != http.StatusNoContent {
		t.Fatalf("choose: %s", res.Status)
	}
	if l = w.loaded("s"); idOf(t, l.Messages[3]) != first || len(l.Branches[first]) != 3 {
		t.Errorf("chosen: %v in %s", l.Branches, l.Messages)
	}
	if e := exported(); !strings.Contains(e, "two") || strings.Contains(e, "edited") {
		t.Errorf("exported: %s", e)
	}
	if f := failure(t, w.request("POST", "/messages/s/branch", `{"messageId":"nothing"}`, nil)); f.Code != http.StatusNotFound {
		t.Errorf("a branch that is not: %+v", f)
	}
	var fork Session
	w.decode(w.request("POST", "/sessions/s/fork", fmt.Sprintf(`{"messageId":%q}`, first), nil), &fork)
	if copied := w.loaded(string(fork.ID)); len(copied.Messages) != 4 || len(copied.Branches) != 0 || string(copied.Messages[2]) != string(l.Messages[2]) {
		t.Errorf("the fork is %+v", copied)
	}
}

// §5 the stored session is replayed as a UI Message Stream: what a person said is there too, and no number comes twice.
func TestASessionAsAStream(t *testing.T) {
	w := open(t)
	live := frames(t, w.say("s", "u1", "[[say:one]]").Body)
	frames(t, w.say("s", "u2", "[[say:two]]").Body)
	load := func(query string) []frame {
		return frames(t, w.request("POST", "/load-session"+query, `{"session_id":"s"}`, header("Accept", "text/event-stream")).Body)
	}
	list := load("")
	if !strings.Contains(list[0].data, `"type":"data-user-message"`) || !strings.Contains(list[0].data, `"transient":true`) || !strings.Contains(list[0].data, `"id":"u1"`) {
		t.Errorf("it begins with %s", list[0].data)
	}
	for i, f := range live[:len(live)-1] {
		if list[i+1].data != f.data {
			t.Errorf("%d: %s, and live it was %s", i, list[i+1].data, f.data)
		}
	}
	for i, f := range list[:len(list)-1] {
		if i > 0 && f.id <= list[i-1].id || f.data == "[DONE]" {
			t.Errorf("frame %d is %+v", i, f)
		}
	}
	if last := list[len(list)-1]; last.data != "[DONE]" || text(t, list) != "onetwo" {
		t.Errorf("it ends with %+v and says %q", last, text(t, list))
	}
	if got := text(t, load("?limit=2")); got != "two" {
		t.Errorf("the last two messages: %q", got)
	}
	// §5 404 for unknown and for not-yours alike
	if f := failure(t, w.request("POST", "/load-session", `{"session_id":"x"}`, header("Accept", "text/event-stream"))); f.Code != http.StatusNotFound {
		t.Errorf("an unknown one: %+v", f)
	}
}

// TestBeyondTheEndThereIsNothing: a number that no frame has yet is waited for; one that none will have gives the end.
func TestBeyondTheEndThereIsNothing(t *testing.T) {
	w := open(t)
	whole := frames(t, w.say("s", "u1", "[[say:x]]").Body)
	for _, id := range []int{whole[len(whole)-2].id, 1000, 1 << 52} {
		list := frames(t, w.request("GET", "/messages/s/stream", "", header("Last-Event-ID", fmt.Sprint(id))).Body)
		if len(list) != 1 || list[0].data != "[DONE]" {
			t.Errorf("after %d: %v", id, list)
		}
	}
	w.say("s", "u2", "[[hang]]")
	live := w.request("GET", "/messages/s/stream", "", header("Last-Event-ID", "1000"))
	w.request("POST", "/messages/s/stop", "", nil)
	if line, err := bufio.NewReader(live.Body).ReadString('\n'); err != nil || line != "data: [DONE]\n" {
		t.Errorf("beyond the end of a turn that runs: %q (%v)", line, err)
	}
}
