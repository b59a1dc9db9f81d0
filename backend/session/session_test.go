package session

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"parley/backend/agent"
	"parley/backend/store"
)

func TestATurnFromMessageToRows(t *testing.T) {
	w := fresh(t)
	records := all(t, w.send(t, says("look around, please [[tool:list_directory {}]] [[say:done]]")))
	for i, r := range records {
		if r.Seq != int64(i)+1 { // 0 is the session's own start
			t.Fatalf("record %d has number %d", i, r.Seq)
		}
	}
	if _, ok := records[0].Event.(agent.TurnStarted); !ok {
		t.Errorf("the first record is %#v", records[0].Event)
	}
	if done := end(t, records); done.StopReason != agent.StopEndTurn || done.Failure != nil {
		t.Errorf("ended with %+v", done)
	}
	s := w.status(t)
	if s.Status != store.Idle || s.Turns != 1 || s.Title != "look around, please [[tool:list_directory {}]] [[say:done]]" {
		t.Errorf("the session is %+v", s)
	}
	history, err := w.store.History(t.Context(), s.Head)
	if err != nil {
		t.Fatal(err)
	}
	var roles []string
	for _, m := range history {
		roles = append(roles, string(m.Role))
	}
	if got := strings.Join(roles, " "); got != "user assistant tool assistant" {
		t.Errorf("rows: %s", got)
	}
	stored, err := w.store.TurnLog(t.Context(), s.Head)
	if err != nil || fmt.Sprint(stored) != fmt.Sprint(records) {
		t.Errorf("what was shown and what is stored differ (%v)\nshown  %v\nstored %v", err, records, stored)
	}
}

func TestNumbersGoOnAfterARestart(t *testing.T) {
	path := filepath.Join(t.TempDir(), "history.db")
	w := open(t, path)
	first := all(t, w.send(t, says("[[say:one]]")))
	w.close()
	w = open(t, path)
	second := all(t, w.send(t, says("[[say:two]]")))
	if last := first[len(first)-1].Seq; second[0].Seq != last+1 {
		t.Errorf("after %d came %d", last, second[0].Seq)
	}
}

func TestABusySessionTakesNoSecondTurn(t *testing.T) {
	w := fresh(t)
	turn := w.send(t, says("[[hang]]"))
	if _, err := w.Send(t.Context(), says("[[say:x]]")); !errors.Is(err, ErrBusy) {
		t.Errorf("got %v", err)
	}
	if stopped, err := w.Stop(t.Context(), home); stopped != Confirmed || err != nil {
		t.Errorf("stop: %v, %v", stopped, err)
	}
	if done := end(t, all(t, turn)); done.StopReason != agent.StopCancelled || done.Failure != nil {
		t.Errorf("ended with %+v", done)
	}
	all(t, w.send(t, says("[[say:x]]")))
}

func TestStopKeepsWhatWasSaidAndIsDoneOnce(t *testing.T) {
	w := fresh(t)
	turn := w.send(t, says("[[deltas:100000]] [[gap:1ms]]"))
	first, err := turn.Records(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() { w.Stop(t.Context(), home) })
	}
	records := all(t, turn)
	wg.Wait()
	if end(t, records).StopReason != agent.StopCancelled {
		t.Errorf("ended with %+v", end(t, records))
	}
	history, err := w.store.History(t.Context(), turn.ID)
	if err != nil {
		t.Fatal(err)
	}
	if kept := history[1].Parts[0].(agent.TextPart).Text; !strings.HasPrefix(kept, spoken(first)) {
		t.Errorf("kept %q, said %q", kept, spoken(first))
	}
	if stopped, err := w.Stop(t.Context(), home); stopped != WasIdle || err != nil {
		t.Errorf("a second stop: %v, %v", stopped, err)
	}
}

func TestAFailedTurnCanBeAnsweredAgain(t *testing.T) {
	w := fresh(t)
	first := w.send(t, says("[[error1:provider_rate_limit]] [[say:now it works]]"))
	done := end(t, all(t, first))
	if done.StopReason != agent.StopError || done.Failure.Code != agent.CodeProviderRateLimit {
		t.Fatalf("ended with %+v", done)
	}
	again := w.send(t, Request{Key: home, Regenerate: true})
	records := all(t, again)
	if got := strings.TrimSpace(spoken(records)); got != "now it works" {
		t.Errorf("said %q", got)
	}
	if again.Message == first.Message {
		t.Error("another answer has the same id")
	}
	history, err := w.store.History(t.Context(), again.ID)
	if err != nil {
		t.Fatal(err)
	}
	if len(history) != 2 || history[0].Role != agent.RoleUser {
		t.Errorf("the failed answer is still told to models: %+v", history)
	}
	if s := w.status(t); s.Head != again.ID {
		t.Errorf("the branch that is shown ends in %s", s.Head)
	}
}

func TestAnAnswerWithNothingInItIsAnError(t *testing.T) {
	w := fresh(t)
	if done := end(t, all(t, w.send(t, says("[[deltas:0]]")))); done.Failure == nil || done.Failure.Code != agent.CodeProviderUnavailable {
		t.Errorf("ended with %+v", done)
	}
}

// §2 a retried request never runs twice: of many at once, afterwards, and after a restart.
func TestAMessageThatIsSentTwiceIsAnsweredOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "history.db")
	w := open(t, path)
	r := named("u1", "[[deltas:20]] [[gap:1ms]]")
	var wg sync.WaitGroup
	turns := make([]*Turn, 8)
	for i := range turns {
		wg.Go(func() { turns[i] = w.send(t, r) })
	}
	wg.Wait()
	want := all(t, turns[0])
	late := w.send(t, r)
	for _, turn := range append(turns, late) {
		if turn.ID != turns[0].ID || len(all(t, turn)) != len(want) {
			t.Errorf("turn %s, want %s", turn.ID, turns[0].ID)
		}
	}
	w.close()
	w = open(t, path)
	if again := w.send(t, r); again.ID != turns[0].ID || len(all(t, again)) != len(want) || w.status(t).Turns != 1 {
		t.Errorf("after a restart it is answered by %s, not %s, in %+v", again.ID, turns[0].ID, w.status(t))
	}
}

func TestTwoWhoCreateASessionShareIt(t *testing.T) {
	w := fresh(t)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			turn, err := w.Send(t.Context(), says("[[hang]]"))
			if err != nil && !errors.Is(err, ErrBusy) {
				t.Errorf("got %v, %v", turn, err)
			}
		})
	}
	wg.Wait()
	if _, ok := w.Running(home); !ok {
		t.Error("nobody got through")
	}
}

func TestASlowWatcherHoldsUpNobody(t *testing.T) {
	w := fresh(t)
	turn := w.send(t, says("[[deltas:20000]]"))
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go turn.Records(ctx, 1<<40) // watches, and never gets anything
	var wg sync.WaitGroup
	counts := make([]int, 20)
	for i := range counts {
		wg.Go(func() { counts[i] = len(all(t, turn)) })
	}
	wg.Wait()
	for i, n := range counts {
		if n != counts[0] || n < 3 {
			t.Errorf("watcher %d saw %d records, the first %d", i, n, counts[0])
		}
	}
}

func TestATurnThatCannotBeStoredEndsForItsWatchers(t *testing.T) {
	w := fresh(t)
	turn := w.send(t, says("[[deltas:100000]] [[gap:1ms]]"))
	if _, err := turn.Records(t.Context(), 1); err != nil {
		t.Fatal(err)
	}
	w.store.Close()
	var err error
	for n := 1; err == nil; {
		var more []agent.Record
		more, err = turn.Records(t.Context(), n)
		n += len(more)
		if err == nil && len(more) == 0 {
			t.Fatal("the turn ended as if all were well")
		}
	}
}

func TestTheTurnLimit(t *testing.T) {
	w := fresh(t)
	all(t, w.send(t, says("[[say:one]]")))
	one := int64(1)
	if _, err := w.Change(t.Context(), home, store.Change{MaxTurns: &one}); err != nil {
		t.Fatal(err)
	}
	if done := end(t, all(t, w.send(t, says("[[say:two]]")))); done.Failure == nil || done.Failure.Code != agent.CodeTurnLimit {
		t.Errorf("ended with %+v", done)
	}
	two := int64(2)
	if _, err := w.Change(t.Context(), home, store.Change{MaxTurns: &two}); err != nil {
		t.Fatal(err)
	}
	if done := end(t, all(t, w.send(t, Request{Key: home, Regenerate: true}))); done.Failure != nil {
		t.Errorf("after raising it: %+v", done)
	}
}

func TestWhatAnEarlierLifeLeftRunningIsSettled(t *testing.T) {
	folder, left := t.TempDir(), filepath.Join(t.TempDir(), "left")
	before := open(t, filepath.Join(folder, "history.db"))
	asked := named("u1", "[[say:half]] [[hang]]")
	turn := before.send(t, asked)
	until(t, turn, "half")

	// What a crash leaves: the first life never got to settle anything.
	if err := os.CopyFS(left, os.DirFS(folder)); err != nil {
		t.Fatal(err)
	}
	after := open(t, filepath.Join(left, "history.db"))
	s := after.status(t)
	if s.Status != store.Interrupted {
		t.Errorf("the session is %s", s.Status)
	}
	records, err := after.store.TurnLog(t.Context(), turn.ID)
	if err != nil {
		t.Fatal(err)
	}
	if done := end(t, records); done.Failure == nil || !strings.Contains(spoken(records), "half") {
		t.Errorf("ended with %+v after %q", done, spoken(records))
	}
	history, err := after.store.History(t.Context(), turn.ID)
	if err != nil || len(history) != 2 {
		t.Errorf("rows: %+v (%v)", history, err)
	}
	all(t, after.send(t, says("[[say:on we go]]")))
	if s := after.status(t); s.Status != store.Idle {
		t.Errorf("after retrying the session is %s", s.Status)
	}
}

// §3 A session's `sequenceNumber` is another counter: it goes over all of its turns.
func TestEventsAreGaplessFromAnyNumberAndGoOn(t *testing.T) {
	w := fresh(t)
	all(t, w.send(t, says("[[think:2]] [[tool:list_directory {}]] [[deltas:5]] [[usage:7,8]]")))
	var first []Event
	for e, err := range w.Events(t.Context(), home, 0) {
		if err != nil {
			t.Fatal(err)
		}
		if e.SequenceNumber != int64(len(first)) || e.Type == "" || e.SessionID != home.Session {
			t.Fatalf("event %d is %+v", len(first), e)
		}
		first = append(first, e)
		if e.Type == "session:turn_completed" {
			break
		}
	}
	b, err := json.Marshal(first)
	if err != nil || strings.Contains(string(b), "null") {
		t.Errorf("absent means absent: %s (%v)", b, err)
	}
	for _, want := range []string{"session:started", "session:turn_started", "agent:reasoning", "agent:tool_call", "agent:tool_result", "agent:token", "cost:updated"} {
		if !strings.Contains(string(b), `"`+want+`"`) {
			t.Errorf("no %s in %s", want, b)
		}
	}
	go func() { w.Send(context.WithoutCancel(t.Context()), says("[[deltas:5]]")) }()
	next := int64(len(first)) - 1
	for e, err := range w.Events(t.Context(), home, next) {
		if err != nil || e.SequenceNumber != next {
			t.Fatalf("got %+v, %v, want number %d", e, err, next)
		}
		next++
		if e.Type == "session:turn_completed" && next > int64(len(first)) {
			break
		}
	}
}

func TestEveryEventHasAName(t *testing.T) {
	for _, e := range []agent.Event{
		agent.MessageStart{}, agent.MessageDelta{}, agent.MessageEnd{}, agent.MessageWhole{}, agent.ThoughtStart{}, agent.ThoughtDelta{},
		agent.ThoughtEnd{}, agent.ThoughtWhole{}, agent.ToolCallDelta{}, agent.ToolCall{}, agent.ToolProgress{}, agent.ToolResult{},
		agent.Data{}, agent.File{}, agent.Plan{}, agent.UsageReport{}, agent.Status{}, agent.SessionStarted{}, agent.SessionExported{}, agent.TurnStarted{}, agent.TurnCompleted{},
	} {
		if got := toEvent("s", "m", agent.Record{Event: e}); !strings.Contains(got.Type, ":") {
			t.Errorf("%T became %+v", e, got)
		}
	}
}

func TestDeletingASessionStopsItAndCanBeUndone(t *testing.T) {
	w := fresh(t)
	turn := w.send(t, says("[[hang]]"))
	if err := w.Delete(t.Context(), home); err != nil {
		t.Fatal(err)
	}
	if end(t, all(t, turn)).StopReason != agent.StopCancelled {
		t.Error("its turn went on")
	}
	if _, err := w.Send(t.Context(), says("hi")); agent.AsError(err).Code != agent.CodeValidation {
		t.Errorf("sending to it: %v", err)
	}
	if err := w.Restore(t.Context(), home); err != nil {
		t.Fatal(err)
	}
	all(t, w.send(t, says("[[say:back]]")))
}

func TestADraftMakesItsSession(t *testing.T) {
	w := fresh(t)
	draft := "half a thought"
	s, err := w.Change(t.Context(), home, store.Change{Draft: &draft})
	if err != nil || s.Draft != draft || s.Status != store.Created {
		t.Fatalf("got %+v, %v", s, err)
	}
	all(t, w.send(t, says("[[say:x]]")))
	if s := w.status(t); s.Draft != "" {
		t.Errorf("the draft outlived its sending: %q", s.Draft)
	}
}

func TestClosingStopsTurnsAndKeepsThem(t *testing.T) {
	w := fresh(t)
	turn := w.send(t, says("[[say:half]] [[hang]]"))
	until(t, turn, "half")
	w.Sessions.Close()
	if end(t, all(t, turn)).StopReason != agent.StopCancelled {
		t.Errorf("ended with %+v", end(t, all(t, turn)))
	}
	if _, err := w.Send(t.Context(), says("hi")); agent.AsError(err).Code != agent.CodeCancelled {
		t.Errorf("sending after closing: %v", err)
	}
}

func TestTitle(t *testing.T) {
	for text, want := range map[string]string{
		"  hello\n\nthere ":     "hello there",
		"":                      "",
		strings.Repeat("ä", 60): strings.Repeat("ä", 60),
		strings.Repeat("ä", 61): strings.Repeat("ä", 59) + "…",
	} {
		if got := title(agent.Message{Parts: []agent.Part{agent.TextPart{Text: text}}}); got != want {
			t.Errorf("%q became %q", text, got)
		}
	}
	wordless := agent.Message{Parts: []agent.Part{agent.TextPart{Text: " "}, agent.MediaPart{Name: "list.txt"}}}
	if got := title(wordless); got != "list.txt" {
		t.Errorf("a file became %q", got)
	}
}
