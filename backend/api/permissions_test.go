package api

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"parley/backend/agent"
)

// permissions lists what is allowed, as text.
func (w *world) permissions(change func(*http.Request)) string {
	w.t.Helper()
	var list Permissions
	w.decode(w.request("GET", "/permissions", "", change), &list)
	var lines []string
	for _, a := range list.Approvals {
		lines = append(lines, strings.TrimSpace(fmt.Sprintln(a.Scope, a.Pattern, a.SessionID)))
	}
	return strings.Join(lines, ", ")
}

// The rule that an answer makes is shown before it is made; what was made is listed and taken back, by whom it concerns.
func TestWhatIsAllowedIsShownListedAndTakenBack(t *testing.T) {
	w := open(t)
	bound, other := as(w.door.Bind("p", "")), as(w.door.Bind("q", ""))
	q := w.asks("s", "u1", bound)
	if !strings.Contains(string(q.Manifest), `"rule":"write_file"`) {
		t.Errorf("the question says %s", q.Manifest)
	}
	answer := func(q Question, scope string, change func(*http.Request)) *http.Response {
		return w.request("POST", "/approvals/"+string(q.ID), fmt.Sprintf(`{"approved":true,"scope":%q}`, scope), change)
	}
	if f := failure(t, answer(q, "always", bound)); f.Code != http.StatusForbidden {
		t.Errorf("a project allows something everywhere: %+v", f)
	}
	var d Decided
	w.decode(answer(q, "project", bound), &d)
	frames(t, w.request("GET", "/messages/s/stream", "", func(r *http.Request) { bound(r); r.Header.Set("Last-Event-ID", "0") }).Body)
	body := envelope("s2", "u1", asksToWrite, `"references":{"agent":"demo-careful"},`)
	var reply Reply
	w.decode(w.request("POST", "/messages", body, func(r *http.Request) { bound(r); inJSON(r) }), &reply)
	if reply.StopReason != agent.StopEndTurn {
		t.Errorf("it is asked again in the project: %+v", reply)
	}
	w.decode(answer(w.asks("mine", "u1", nil), "always", nil), &d)
	if got := w.permissions(bound); got != "always write_file, project write_file" {
		t.Errorf("allowed are %s", got)
	}
	if got := w.permissions(other); got != "always write_file" {
		t.Errorf("allowed in another project are %s", got)
	}
	for _, step := range []struct {
		who    func(*http.Request)
		id     int64
		status int
	}{{other, 1, 404}, {other, 2, 404}, {bound, 2, 404}, {bound, 1, 204}, {bound, 1, 404}, {nil, 2, 204}} {
		if res := w.request("DELETE", fmt.Sprint("/permissions/", step.id), "", step.who); res.StatusCode != step.status {
			t.Errorf("taking back %d gives %s", step.id, res.Status)
		}
	}
	if got := w.permissions(bound); got != "" {
		t.Errorf("still allowed are %s", got)
	}
	w.asks("s3", "u1", bound)
}

// A mode holds from the next turn on, and may be chosen before the first; what is no mode changes nothing.
func TestASessionHasAMode(t *testing.T) {
	w := open(t)
	change := func(mode string) *http.Response {
		return w.request("PATCH", "/sessions/s", fmt.Sprintf(`{"mode":%q}`, mode), nil)
	}
	const twice = `[[tool:write_file {"path":"a","content":"x"}]] [[tool:write_file {"path":"b","content":"x"}]] [[say:done]]`
	send := func(id string) Reply {
		return w.answers(envelope("s", id, twice, `"references":{"agent":"demo-careful"},`))
	}
	var s Session
	w.decode(change("accept_edits"), &s)
	if r := send("u1"); r.StopReason != agent.StopEndTurn || s.Mode != agent.ModeAcceptEdits {
		t.Errorf("in %s: %+v", s.Mode, r)
	}
	w.decode(change("plan"), &s)
	if r := send("u2"); r.StopReason != agent.StopEndTurn || !strings.Contains(string(w.loaded("s").Messages[3]), `"output-denied"`) {
		t.Errorf("in %s: %+v", s.Mode, r)
	}
	if f := failure(t, change("yolo")); f.Code != http.StatusBadRequest || !strings.Contains(f.Message, "accept_edits") {
		t.Errorf("a mode that is none: %+v", f)
	}
	if w.get("/sessions/s", &s); s.Mode != agent.ModePlan {
		t.Errorf("then the mode is %s", s.Mode)
	}
	w.decode(change("ask"), &s)
	if r := send("u3"); r.StopReason != agent.StopPaused {
		t.Errorf("in %s: %+v", s.Mode, r)
	}
	// Changed while it waits: the calls that follow the answer are decided in the new mode.
	w.decode(change("auto"), &s)
	w.decode(w.request("POST", "/approvals/"+string(w.loaded("s").Pending[0].ID), `{"approved":true}`, nil), new(Decided))
	frames(t, w.request("GET", "/messages/s/stream", "", header("Last-Event-ID", "0")).Body)
	if l := w.loaded("s"); len(l.Pending) != 0 || strings.Count(string(l.Messages[5]), `"output-available"`) != 2 {
		t.Errorf("it asks again: %+v %s", l.Pending, l.Messages[5])
	}
}
