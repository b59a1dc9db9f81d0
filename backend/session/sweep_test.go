package session

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"parley/backend/agent"
	"parley/backend/redact"
	"parley/backend/store"
	"parley/backend/uistream"
)

// shown is what a page makes of a turn, and what models are told of it.
func shown(t *testing.T, records []agent.Record) string {
	t.Helper()
	view, err := uistream.View(home.Session, records)
	if err != nil {
		t.Fatal(err)
	}
	return string(view) + fmt.Sprint(uistream.Durable(records))
}

// TestASweptSession is as if the secret had been known from the beginning, in the same records: also where the person said it.
func TestASweptSession(t *testing.T) {
	message := func(text string) agent.Event { return agent.MessageDelta{Text: text} }
	given := func(text string) agent.Event { return agent.ToolCallDelta{ID: "c", Name: "f", Text: text} }
	w, turn, before := speaks(t, nil, slices.Concat(
		pieces("so "+password+" it is", message), []agent.Event{agent.Status{Text: "busy"}}, pieces(", "+password[:12], message),
		[]agent.Event{agent.UsageReport{}}, pieces(password[12:], message), pieces(string(quoted(password)), given), []agent.Event{
			agent.ToolCall{ID: "c", Name: "f", Input: quoted(password)}, agent.ToolProgress{ID: "c", Output: password},
			agent.ToolResult{ID: "c", Output: "is " + password}, agent.Source{ID: "s", URL: "https://x", Title: password},
		}, pieces("and hunter", message))...)
	w.running.Wait() // or the turn, on its way out, would send what is queued
	queued := "later: " + password
	if _, err := w.store.Enqueue(t.Context(), home, agent.Message{ID: "q", Role: agent.RoleUser, Parts: []agent.Part{agent.TextPart{Text: queued}}}, nil); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Change(t.Context(), home, store.Change{Draft: &queued}); err != nil {
		t.Fatal(err)
	}
	known, _ := knows(t.Context())
	masked, busy, err := w.Sweep(t.Context(), home.Project, known)
	if err != nil || busy != 0 || masked == 0 {
		t.Fatalf("masked %d, %d busy, %v", masked, busy, err)
	}
	if all := logged(t, w, turn); strings.Contains(all, "hunter22") {
		t.Errorf("kept is\n%s", all)
	}
	after, err := w.store.TurnLog(t.Context(), turn.ID)
	if err != nil || len(after) != len(before) {
		t.Fatalf("there are %d records, not %d: %v", len(after), len(before), err)
	}
	for i := range after {
		if after[i].Seq != before[i].Seq || fmt.Sprintf("%T", after[i].Event) != fmt.Sprintf("%T", before[i].Event) {
			t.Errorf("record %d is %d %T", before[i].Seq, after[i].Seq, after[i].Event)
		}
	}
	if got, want := spoken(after), "so [secret:pw] it is, [secret:pw]and hunter"; got != want {
		t.Errorf("it said %q", got)
	}
	// What is shown live from the log, what is loaded, and the rows are the same.
	history, err := w.store.History(t.Context(), turn.ID)
	if err != nil || fmt.Sprint(history[1:]) != fmt.Sprint(uistream.Durable(after)) {
		t.Errorf("the rows are %v, the log says %v; %v", history[1:], uistream.Durable(after), err)
	}
	if text := history[0].Parts[0].(agent.TextPart).Text; text != "my password is [secret:pw]" {
		t.Errorf("the person said %q", text)
	}
	again, err := w.replay(t.Context(), home, turn.ID)
	if err != nil || shown(t, all(t, again)) != shown(t, after) {
		t.Errorf("it is shown as %s; %v", shown(t, all(t, again)), err)
	}
	session := w.status(t)
	queue, err := w.Queue(t.Context(), home)
	if err != nil || session.Title != "my password is [secret:pw]" || session.Draft != "later: [secret:pw]" ||
		queue[0].Message.Parts[0].(agent.TextPart).Text != "later: [secret:pw]" {
		t.Errorf("the session is %+v, and %+v waits; %v", session, queue, err)
	}
	if masked, _, err := w.Sweep(t.Context(), home.Project, known); masked != 0 || err != nil {
		t.Errorf("the second sweep masked %d, %v", masked, err)
	}
}

// TestASweepLeavesOutWhatIsBusy, and what is another project's.
func TestASweepLeavesOutWhatIsBusy(t *testing.T) {
	w := fresh(t)
	known := redact.New([]redact.Value{{Name: "pw", Text: "written it"}})
	q := w.asked(t, writes)
	if masked, busy, err := w.Sweep(t.Context(), home.Project, known); masked != 0 || busy != 1 || err != nil {
		t.Errorf("of one that waits it masked %d, %d busy, %v", masked, busy, err)
	}
	all(t, w.answer(t, agent.InteractionResponse{ID: q.ID, Approved: true}))
	if masked, busy, err := w.Sweep(t.Context(), "elsewhere", known); masked != 0 || busy != 0 || err != nil {
		t.Errorf("of another project it masked %d, %d busy, %v", masked, busy, err)
	}
	if masked, busy, err := w.Sweep(t.Context(), "", known); masked == 0 || busy != 0 || err != nil {
		t.Errorf("afterwards it masked %d, %d busy, %v", masked, busy, err)
	}
}

// TestASweepReachesADeletedSession: it is there until it is purged.
func TestASweepReachesADeletedSession(t *testing.T) {
	w := open(t, filepath.Join(t.TempDir(), "history.db"))
	all(t, w.send(t, says("[[say:"+"hunter22]]")))
	if err := w.Delete(t.Context(), home); err != nil {
		t.Fatal(err)
	}
	if masked, _, err := w.Sweep(t.Context(), "", redact.New([]redact.Value{{Name: "pw", Text: "hunter22"}})); masked == 0 || err != nil {
		t.Errorf("masked %d, %v", masked, err)
	}
}

// TestASweepReachesDraftsOfWorkflows of its project, or of all.
func TestASweepReachesDraftsOfWorkflows(t *testing.T) {
	w := fresh(t)
	const path = "a.relavium.yaml"
	known := redact.New([]redact.Value{{Name: "pw", Text: "hunter22"}})
	for _, project := range []agent.ProjectID{home.Project, "elsewhere"} {
		if err := w.store.PutWorkflowDraft(t.Context(), project, "", store.WorkflowDraft{Path: path, Source: "use hunter22"}); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		swept, project agent.ProjectID
		masked         int
		has            string
	}{
		{home.Project, home.Project, 1, "use [secret:pw]"},
		{home.Project, "elsewhere", 0, "use hunter22"},
		{"", "elsewhere", 1, "use [secret:pw]"},
	} {
		masked, _, err := w.Sweep(t.Context(), c.swept, known)
		draft, lost := w.store.WorkflowDraft(t.Context(), c.project, "", path)
		if err != nil || lost != nil || masked != c.masked || draft.Source != c.has {
			t.Errorf("a sweep of %q masked %d, and %s has %q (%v, %v)", c.swept, masked, c.project, draft.Source, err, lost)
		}
	}
}
