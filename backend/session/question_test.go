package session

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"parley/backend/agent"
	"parley/backend/scripted"
	"parley/backend/store"
)

const writes = `[[tool:write_file {"path":"a.txt","content":"x"}]] [[say:written it]]`

// asked sends something that the careful agent asks about, and gives the question.
func (w *world) asked(t *testing.T, text string) agent.InteractionRequest {
	t.Helper()
	r := says(text)
	r.Agent = careful.ID
	return w.waits(t, w.send(t, r))
}

// waits reads a turn to its pause and gives the last question.
func (w *world) waits(t *testing.T, turn *Turn) (q agent.InteractionRequest) {
	t.Helper()
	records := all(t, turn)
	if _, paused := records[len(records)-1].Event.(agent.TurnPaused); !paused {
		t.Fatalf("the turn did not pause but ended with %#v", records[len(records)-1].Event)
	}
	for _, r := range records {
		if asked, ok := r.Event.(agent.InteractionRequest); ok {
			q = asked
		}
	}
	if s := w.status(t); s.Status != store.Paused {
		t.Fatalf("the session is %s", s.Status)
	}
	return q
}

func (w *world) question(t *testing.T, id agent.InteractionID) store.Question {
	t.Helper()
	q, err := w.store.Question(t.Context(), home.Project, id)
	if err != nil {
		t.Fatal(err)
	}
	return q
}

func (w *world) answer(t *testing.T, r agent.InteractionResponse) *Turn {
	t.Helper()
	turn, err := w.Answer(t.Context(), w.question(t, r.ID), r)
	if err != nil {
		t.Fatal(err)
	}
	return turn
}

// results counts the answers to calls in a log, by what they say.
func results(records []agent.Record) map[string]int {
	found := map[string]int{}
	for _, r := range records {
		if result, ok := r.Event.(agent.ToolResult); ok {
			word := "ran"
			if result.Denied {
				word = "denied"
			}
			found[word]++
		}
	}
	return found
}

func (w *world) wrote() bool {
	_, err := os.Stat(filepath.Join(w.Scratch(home), "a.txt"))
	return err == nil
}

// §6 an ask emits exactly one request; §6 the harness gets no answer until the person decides.
func TestAnApprovalLetsTheCallRunOnce(t *testing.T) {
	w := fresh(t)
	q := w.asked(t, writes)
	if w.wrote() {
		t.Fatal("the tool ran before anybody allowed it")
	}
	if _, err := w.Send(t.Context(), says("meanwhile")); !errors.Is(err, ErrBusy) {
		t.Errorf("a message while the turn waits: %v", err)
	}
	standing, err := w.Standing(t.Context(), home)
	if err != nil || !standing.Paused || len(standing.Open) != 1 || standing.Open[0].Request.ID != q.ID {
		t.Errorf("standing %+v, %v", standing, err)
	}

	turn := w.answer(t, agent.InteractionResponse{ID: q.ID, Approved: true})
	if turn.Message != standing.Message || turn.ID != standing.Turn || turn.From == 0 {
		t.Errorf("went on as %s of %s from %d, want %+v", turn.Message, turn.ID, turn.From, standing)
	}
	records := all(t, turn)
	if done := end(t, records); done.StopReason != agent.StopEndTurn || done.Failure != nil {
		t.Errorf("ended with %+v", done)
	}
	if !w.wrote() || !reflect.DeepEqual(results(records), map[string]int{"ran": 1}) || !strings.Contains(spoken(records), "written it") {
		t.Errorf("wrote %v, results %v, said %q", w.wrote(), results(records), spoken(records))
	}
	for i, r := range records[1:] {
		if r.Seq != records[i].Seq+1 {
			t.Errorf("number %d follows %d", r.Seq, records[i].Seq)
		}
	}
	// The same answer may come again; another one comes too late.
	again := w.answer(t, agent.InteractionResponse{ID: q.ID, Approved: true})
	if len(all(t, again)) != len(records) {
		t.Error("the answer, given again, did something")
	}
	if _, err := w.Answer(t.Context(), w.question(t, q.ID), agent.InteractionResponse{}); !errors.Is(err, ErrAnswered) {
		t.Errorf("another answer: %v", err)
	}
}

// counted is an engine that counts the sandboxes that it made.
type counted struct {
	agent.Backend
	made atomic.Int32
}

func (c *counted) NewSandbox(ctx context.Context, p agent.Policy) (agent.Sandbox, error) {
	c.made.Add(1)
	return c.Backend.NewSandbox(ctx, p)
}

// §6 the runner stays warm: what goes on goes on in the sandbox that asked.
func TestAPausedTurnKeepsItsSandbox(t *testing.T) {
	engine := &counted{Backend: scripted.NewBackend()}
	w := openOver(t, filepath.Join(t.TempDir(), "history.db"), engine)
	q := w.asked(t, writes)
	all(t, w.answer(t, agent.InteractionResponse{ID: q.ID, Approved: true}))
	if made := engine.made.Load(); made != 1 {
		t.Errorf("%d sandboxes were made", made)
	}
}

// §6 a deny can carry a note that goes to the model.
func TestADenialTakesItsNoteAlong(t *testing.T) {
	w := fresh(t)
	q := w.asked(t, writes)
	records := all(t, w.answer(t, agent.InteractionResponse{ID: q.ID, Note: "use b.txt"}))
	if w.wrote() || !reflect.DeepEqual(results(records), map[string]int{"denied": 1}) {
		t.Errorf("wrote %v, results %v", w.wrote(), results(records))
	}
	history, err := w.store.History(t.Context(), records[0].Turn)
	if err != nil {
		t.Fatal(err)
	}
	told := false
	for _, m := range history {
		for _, p := range m.Parts {
			if result, ok := p.(agent.ToolResultPart); ok {
				told = told || result.IsError && strings.Contains(string(result.Result), "use b.txt")
			}
		}
	}
	if !told {
		t.Errorf("the note is not in what the model reads: %+v", history)
	}
}

// §6 restarting the app in the middle loses neither the question nor the answer.
func TestAQuestionOutlivesTheApp(t *testing.T) {
	path := filepath.Join(t.TempDir(), "history.db")
	w := open(t, path)
	q := w.asked(t, writes)
	w.close()

	w = open(t, path)
	if s := w.status(t); s.Status != store.Paused {
		t.Fatalf("after the restart the session is %s", s.Status)
	}
	records := all(t, w.answer(t, agent.InteractionResponse{ID: q.ID, Approved: true}))
	if !w.wrote() || !reflect.DeepEqual(results(records), map[string]int{"ran": 1}) {
		t.Errorf("wrote %v, results %v", w.wrote(), results(records))
	}
}

// §6 record the answer durably before acting on it: what was answered and not begun is begun at the next start, once.
func TestAnAnswerOutlivesTheApp(t *testing.T) {
	path := filepath.Join(t.TempDir(), "history.db")
	w := open(t, path)
	q := w.asked(t, writes)
	turn := w.status(t).Head
	if _, open, err := w.store.AnswerQuestion(t.Context(), home, turn, agent.InteractionResponse{ID: q.ID, Call: q.Call, Approved: true, Scope: agent.ScopeOnce}); err != nil || open != 0 {
		t.Fatal(open, err)
	}
	w.close()

	w = open(t, path)
	if t, ok := w.Running(home); ok {
		<-t.settled
	}
	records, err := w.store.TurnLog(t.Context(), turn)
	if err != nil {
		t.Fatal(err)
	}
	if done := end(t, records); done.StopReason != agent.StopEndTurn || !w.wrote() {
		t.Errorf("ended with %+v, wrote %v", done, w.wrote())
	}
	w.close()
	if w = open(t, path); w.Busy() {
		t.Error("it went on a second time")
	}
}

// §6 several may be open at once, each answered by id.
func TestTwoQuestionsAnsweredInReverse(t *testing.T) {
	a := asker{make(chan agent.Prompt, 2)}
	w := openOver(t, filepath.Join(t.TempDir(), "history.db"), a)
	turn := w.send(t, says("both"))
	records := all(t, turn)
	<-a.prompts
	var ids []agent.InteractionID
	for _, r := range records {
		if q, ok := r.Event.(agent.InteractionRequest); ok {
			ids = append(ids, q.ID)
		}
	}
	if len(ids) != 2 || ids[0] == ids[1] {
		t.Fatalf("asked %v", ids)
	}
	// By the AI SDK's flow a client may send one answer only: it is shown that it was taken.
	still, err := w.Continue(t.Context(), home, turn.Message, []agent.InteractionResponse{{ID: ids[1], Approved: true}})
	if err != nil {
		t.Fatal(err)
	}
	if more := all(t, still)[still.From:]; len(more) != 1 || w.Busy() {
		t.Fatalf("with a question open, %d records follow; busy: %v", len(more), w.Busy())
	}
	records = all(t, w.answer(t, agent.InteractionResponse{ID: ids[0], Note: "not this one"}))
	p := <-a.prompts
	if !reflect.DeepEqual(p.Approved, []string{"two"}) {
		t.Errorf("approved %v", p.Approved)
	}
	if !reflect.DeepEqual(results(records), map[string]int{"ran": 1, "denied": 1}) {
		t.Errorf("results %v", results(records))
	}
	if done := end(t, records); done.Usage.Output != 3 {
		t.Errorf("the turn used %+v, want what both of its parts did", done.Usage)
	}
}

// §6 each approval is consumed once: of many who answer at once, one lets the turn go on.
func TestManyWhoAnswerAtOnce(t *testing.T) {
	w := fresh(t)
	q := w.question(t, w.asked(t, writes).ID)
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			if turn, err := w.Answer(t.Context(), q, agent.InteractionResponse{Approved: true}); err != nil {
				t.Error(err)
			} else {
				<-turn.settled
			}
		})
	}
	all.Wait()
	records, err := w.store.TurnLog(t.Context(), w.status(t).Head)
	if err != nil || !reflect.DeepEqual(results(records), map[string]int{"ran": 1}) {
		t.Errorf("results %v, %v", results(records), err)
	}
	end(t, records)
}

// §6 after a stop an answer does nothing.
func TestAStopWhileTheTurnWaits(t *testing.T) {
	w := fresh(t)
	q := w.asked(t, writes)
	for _, want := range []Stopped{Confirmed, WasIdle} {
		if stopped, err := w.Stop(t.Context(), home); stopped != want || err != nil {
			t.Fatalf("stopped %q, %v; want %q", stopped, err, want)
		}
	}
	if _, err := w.Answer(t.Context(), w.question(t, q.ID), agent.InteractionResponse{Approved: true}); !errors.Is(err, ErrAnswered) {
		t.Errorf("an answer after the stop: %v", err)
	}
	records, err := w.store.TurnLog(t.Context(), w.status(t).Head)
	if err != nil || end(t, records).StopReason != agent.StopCancelled || w.wrote() {
		t.Errorf("%v, %v, wrote %v", records, err, w.wrote())
	}
	if done := end(t, all(t, w.send(t, says("[[say:next]]")))); done.StopReason != agent.StopEndTurn {
		t.Errorf("the next turn: %+v", done)
	}
}

func TestAnApprovalForTheSession(t *testing.T) {
	w := fresh(t)
	q := w.asked(t, writes)
	all(t, w.answer(t, agent.InteractionResponse{ID: q.ID, Approved: true, Scope: agent.ScopeSession}))
	if done := end(t, all(t, w.send(t, says(writes)))); done.StopReason != agent.StopEndTurn {
		t.Errorf("asked again: %+v", done)
	}
}

// §6 client tools: the call is shown, its output answers it, the turn continues.
func TestAClientsTool(t *testing.T) {
	w := fresh(t)
	r := says(`[[tool:pick_color {"of":"two"}]] [[say:thanks]]`)
	tools := []agent.ClientToolSpec{{Name: "pick_color", Description: "Lets the person pick.", InputSchema: []byte(`{"type":"object"}`)}}
	r.Overlay.ClientTools = &tools
	q := w.waits(t, w.send(t, r))
	if q.Kind != agent.ClientTool {
		t.Fatalf("asked %+v", q)
	}
	turn := w.status(t)
	row, err := w.store.Branch(t.Context(), turn.Head, 1)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Continue(t.Context(), home, row[0].Message, nil); !errors.Is(err, ErrBusy) {
		t.Errorf("continued without the output: %v", err)
	}
	given := []agent.InteractionResponse{{Call: q.Call, Output: []byte(`{"color":"red"}`)}}
	for range 2 { // a client that did not hear of it sends it again
		went, err := w.Continue(t.Context(), home, row[0].Message, given)
		if err != nil {
			t.Fatal(err)
		}
		records := all(t, went)
		if done := end(t, records); done.StopReason != agent.StopEndTurn || len(results(records)) != 1 || !strings.Contains(spoken(records), "thanks") {
			t.Errorf("ended with %+v, said %q", done, spoken(records))
		}
	}
}

// TestAFormIsHeldToItsSchema: what does not fit is refused, and the question stays open.
func TestAFormIsHeldToItsSchema(t *testing.T) {
	w := fresh(t)
	r := says(`[[tool:ask_user {"question":"How many?","schema":{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]}}]] [[say:thanks]]`)
	r.Agent = careful.ID
	q := w.waits(t, w.send(t, r))
	for _, output := range []string{`{}`, `{"n":"4"}`} {
		_, err := w.Answer(t.Context(), w.question(t, q.ID), agent.InteractionResponse{ID: q.ID, Approved: true, Output: []byte(output)})
		if err == nil || !strings.HasPrefix(agent.AsError(err).Message, "The answer does not fit what is asked for: ") {
			t.Errorf("%s: %v", output, err)
		}
	}
	records := all(t, w.answer(t, agent.InteractionResponse{ID: q.ID, Approved: true, Output: []byte(`{"n":4}`)}))
	if done := end(t, records); done.StopReason != agent.StopEndTurn {
		t.Errorf("ended with %+v", done)
	}
	unreadable := agent.InteractionRequest{Kind: agent.UserInput, Payload: []byte(`{"question":"?","schema":{"type":"object","properties":{"a":{"$ref":"#"}}}}`)}
	for _, output := range []string{`"as much as you like"`, `{"a":{"a":1}}`} {
		if err := fits(unreadable, []byte(output)); err != nil {
			t.Errorf("%s: %v", output, err)
		}
	}
}
