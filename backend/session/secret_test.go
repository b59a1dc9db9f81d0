package session

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"parley/backend/agent"
	"parley/backend/redact"
	"parley/backend/scripted"
	"parley/backend/uistream"
)

const password = "hunter22\"&more"

// credential is put together from parts, for nobody who looks for credentials in source code to find it.
const credential = "ghp_" + "q7Xk2mP9vT4wZ8bN3cR6yH1dL5sJ0fG7aE2u"

func knows(context.Context) (*redact.Known, error) {
	return redact.New([]redact.Value{{Name: "pw", Text: password}}), nil
}

// speaker is an engine that says always the same.
type speaker []agent.Event

func (speaker) Supports(agent.BackendName, agent.Kind) bool                       { return true }
func (s speaker) NewSandbox(context.Context, agent.Policy) (agent.Sandbox, error) { return s, nil }
func (s speaker) Open(context.Context, agent.Launch) (agent.Conn, error)          { return s, nil }
func (speaker) Done() <-chan struct{}                                             { return nil }
func (speaker) Close() error                                                      { return nil }

func (s speaker) Prompt(context.Context, agent.Prompt) iter.Seq2[agent.Event, error] {
	return func(yield func(agent.Event, error) bool) {
		for _, e := range append(slices.Clone(s), agent.Finish{StopReason: agent.StopEndTurn}) {
			if !yield(e, nil) {
				return
			}
		}
	}
}

func speaks(t *testing.T, known func(context.Context) (*redact.Known, error), events ...agent.Event) (*world, *Turn, []agent.Record) {
	t.Helper()
	w := openOver(t, filepath.Join(t.TempDir(), "history.db"), speaker(events))
	if known != nil {
		w.Known = known
	}
	turn := w.send(t, says("my password is "+password))
	return w, turn, all(t, turn)
}

func quoted(text string) json.RawMessage {
	b, _ := json.Marshal(map[string]any{"k": []string{text}})
	return b
}

// logged is all that is stored of what was said, and what the person did not say.
func logged(t *testing.T, w *world, turn *Turn) string {
	t.Helper()
	records, err := w.store.TurnLog(t.Context(), turn.ID)
	if err != nil {
		t.Fatal(err)
	}
	var all strings.Builder
	for _, r := range records {
		b, err := agent.EncodeEvent(r.Event)
		if err != nil {
			t.Fatal(err)
		}
		all.Write(append(b, '\n'))
	}
	for _, m := range uistream.Durable(records) {
		b, err := agent.EncodeParts(m.Parts)
		if err != nil {
			t.Fatal(err)
		}
		all.Write(append(b, '\n'))
	}
	return all.String()
}

// pieces cuts a text into events.
func pieces(text string, event func(string) agent.Event) (events []agent.Event) {
	for _, b := range strings.SplitAfter(text, "") {
		events = append(events, event(b))
	}
	return events
}

func TestNothingThatIsSaidKeepsAValue(t *testing.T) {
	message := func(text string) agent.Event { return agent.MessageDelta{Text: text} }
	thought := func(text string) agent.Event { return agent.ThoughtDelta{Text: text} }
	given := func(text string) agent.Event { return agent.ToolCallDelta{ID: "c", Name: "f", Text: text} }
	escaped := strings.Trim(string(quoted(password)), `{}[]:"k`)
	events := slices.Concat(
		pieces("I think "+password, thought), pieces("so "+password+" it is", message),
		[]agent.Event{agent.MessageEnd{}, agent.MessageWhole{Text: password}, agent.ThoughtWhole{Text: password}},
		pieces(`{"k":["`+escaped+`"]}`, given), []agent.Event{
			agent.ToolCall{ID: "c", Input: quoted(password), Render: quoted(password)},
			agent.ToolProgress{ID: "c", Output: "half: " + password + " and " + password[:10]},
			agent.ToolResult{ID: "c", Output: base64.StdEncoding.EncodeToString([]byte("x" + password)), Data: quoted(password)},
			agent.Data{Name: "note", Data: quoted(password)}, agent.Status{Text: password}, agent.File{URL: "data:," + password},
			agent.Plan{Items: []agent.PlanItem{{Text: password, Status: "pending"}}},
			agent.Source{ID: "s", URL: "https://x/" + password, Title: password, Filename: password},
		}, pieces("held back to the end: "+password, message))
	w, turn, records := speaks(t, knows, events...)
	all := logged(t, w, turn)
	for _, form := range []string{password, escaped, password[:10], "aHVudGVyMjIi", `hunter22\u0022`} {
		if strings.Contains(all, form) {
			t.Errorf("%q is kept in\n%s", form, all)
		}
	}
	if got, want := spoken(records), "so [secret:pw] it isheld back to the end: [secret:pw]"; got != want {
		t.Errorf("it said %q", got)
	}
	asked, err := w.store.Message(t.Context(), home, records[0].Event.(agent.TurnStarted).UserMessage)
	if err != nil || asked.Parts[0].(agent.TextPart).Text != "my password is "+password {
		t.Errorf("what the person said became %+v, %v", asked, err)
	}
}

// TestASecretThatIsMadeMeanwhile is hidden from then on, also in the middle of what is being said.
func TestASecretThatIsMadeMeanwhile(t *testing.T) {
	s := secrets{known: redact.New([]redact.Value{{Name: "other", Text: "hunger-strike"}}), inputs: map[string]*input{}}
	before := []agent.Event{agent.MessageDelta{Text: "so "}, agent.ToolCallDelta{ID: "c", Name: "f", Text: `{"k":"`}, agent.MessageDelta{Text: "it is "}}
	after := []agent.Event{agent.MessageDelta{Text: password}, agent.ToolCallDelta{ID: "c", Text: strings.Trim(string(quoted(password)), `{}[]:"k`)}}
	said := s.events(before)
	s.known, _ = knows(t.Context())
	for _, e := range append(append(said, s.events(after)...), s.end()...) {
		if b, err := agent.EncodeEvent(e); err != nil || strings.Contains(string(b), "hunter") {
			t.Errorf("%s, %v", b, err)
		}
	}
}

// TestWhatFailsKeepsNoValue: nor do the reason why a turn failed and what is asked.
func TestWhatFailsKeepsNoValue(t *testing.T) {
	known, _ := knows(t.Context())
	s := secrets{known: known}
	for _, e := range s.events([]agent.Event{
		agent.TurnCompleted{StopReason: agent.StopError, Failure: &agent.Failure{Code: agent.CodeInternal, Message: "with " + password}},
		agent.InteractionRequest{Kind: agent.UserApproval, Payload: quoted(password + " " + credential)},
	}) {
		b, err := agent.EncodeEvent(e)
		if err != nil || strings.Contains(string(b), "hunter") || strings.Contains(string(b), credential) {
			t.Errorf("%s, %v", b, err)
		}
	}
}

func TestWhatToolsSayKeepsNoCredential(t *testing.T) {
	given := func(text string) agent.Event { return agent.ToolCallDelta{ID: "c", Name: "f", Text: text} }
	w, turn, records := speaks(t, nil, slices.Concat(
		pieces(string(quoted(credential)), given), []agent.Event{
			agent.ToolCall{ID: "c", Name: "f", Input: quoted(credential)}, agent.ToolProgress{ID: "c", Output: credential},
			agent.ToolResult{ID: "c", Output: "is " + credential, Data: quoted(credential)}, agent.MessageDelta{Text: "the model's own " + credential[:8]},
		})...)
	if all := logged(t, w, turn); strings.Contains(all, credential) || !strings.Contains(all, "is [credential]") {
		t.Errorf("kept is\n%s", all)
	}
	if !strings.Contains(spoken(records), credential[:8]) {
		t.Error("what the model says is not a tool's")
	}
}

// TestAStreamHidesNothingElse: events keep their order and their texts.
func TestAStreamHidesNothingElse(t *testing.T) {
	events := []agent.Event{
		agent.ThoughtDelta{Text: "hunt"}, agent.MessageDelta{Text: "hunt"}, agent.UsageReport{}, agent.MessageDelta{Text: "ing hun"}, agent.MessageEnd{},
		agent.MessageDelta{Text: "hun"}, agent.ToolCallDelta{ID: "a", Name: "f", Text: `{"k":"hun`}, agent.ToolCallDelta{ID: "b", Name: "g", Text: "hun"},
		agent.ToolResult{ID: "a", Output: "hun"}, agent.MessageDelta{Text: "hun"},
	}
	_, _, records := speaks(t, knows, events...)
	var got []agent.Event
	for _, r := range records[1 : len(records)-1] {
		got = append(got, r.Event)
	}
	want := []agent.Event{
		agent.ThoughtDelta{Text: "hunt"}, agent.UsageReport{}, agent.MessageDelta{Text: "hunting "}, agent.MessageDelta{Text: "hun"}, agent.MessageEnd{},
		agent.MessageDelta{Text: "hun"}, agent.ToolCallDelta{ID: "a", Name: "f", Text: `{"k":"`}, agent.ToolCallDelta{ID: "b", Name: "g"},
		agent.ToolCallDelta{ID: "a", Text: "hun"}, agent.ToolResult{ID: "a", Name: "", Output: "hun"}, agent.MessageDelta{Text: "hun"},
		agent.ToolCallDelta{ID: "b", Text: "hun"},
	}
	if len(got) != len(want) {
		t.Fatalf("got %#v", got)
	}
	for i := range want {
		a, _ := agent.EncodeEvent(got[i])
		b, _ := agent.EncodeEvent(want[i])
		if string(a) != string(b) {
			t.Errorf("event %d is %s, not %s", i, a, b)
		}
	}
}

func TestWithoutTheSecretsWhatToolsSayIsWithheld(t *testing.T) {
	blind := func(context.Context) (*redact.Known, error) { return nil, errors.New("locked") }
	w, turn, records := speaks(t, blind,
		agent.ToolCall{ID: "c", Name: "f", Input: quoted("x")}, agent.ToolProgress{ID: "c", Output: password}, agent.Data{Name: "n", Data: quoted(password)},
		agent.ToolResult{ID: "c", Output: password, Data: quoted(password)}, agent.MessageDelta{Text: "the model goes on"})
	if all := logged(t, w, turn); strings.Contains(all, "hunter") || !strings.Contains(all, withheld) {
		t.Errorf("kept is\n%s", all)
	}
	if spoken(records) != "the model goes on" {
		t.Errorf("it said %q", spoken(records))
	}
}

// TestACallThatWaitedRunsWithWhatItWasGiven: also where that is not stored.
func TestACallThatWaitedRunsWithWhatItWasGiven(t *testing.T) {
	for _, content := range []string{password, "what stands for it: [secret:pw]"} {
		input, _ := json.Marshal(map[string]string{"path": "a.txt", "content": content})
		w := openOver(t, filepath.Join(t.TempDir(), "history.db"), scripted.NewBackend())
		w.Known = knows
		q := w.asked(t, "[[tool:write_file "+string(input)+"]] [[say:done]]")
		turn := w.answer(t, agent.InteractionResponse{ID: q.ID, Approved: true})
		if done := end(t, all(t, turn)); done.Failure != nil {
			t.Fatalf("ended with %+v", done)
		}
		wrote, err := os.ReadFile(filepath.Join(w.Scratch(home), "a.txt"))
		if err != nil || string(wrote) != content {
			t.Errorf("it wrote %q, %v", wrote, err)
		}
		if all := logged(t, w, turn); strings.Contains(all, "hunter") {
			t.Errorf("kept is\n%s", all)
		}
	}
}

// TestWhatACallWasGivenIsForgotten with its turn: when that is stopped, its session is deleted, or it could not be paused.
func TestWhatACallWasGivenIsForgotten(t *testing.T) {
	input, _ := json.Marshal(map[string]string{"path": "a.txt", "content": password})
	for name, forget := range map[string]func(*world) error{
		"stop": func(w *world) error {
			_, err := w.Stop(t.Context(), home)
			return err
		},
		"delete": func(w *world) error { return w.Delete(t.Context(), home) },
	} {
		w := fresh(t)
		w.Known = knows
		w.asked(t, "[[tool:write_file "+string(input)+"]]")
		kept := len(w.whole)
		if err := forget(w); err != nil || kept != 1 || len(w.whole) != 0 {
			t.Errorf("%s: of %d, %d are kept (%v)", name, kept, len(w.whole), err)
		}
	}
	w, turn := fresh(t), newTurn(home)
	log := newTurnLog(w.Sessions, turn)
	log.secrets.whole["c"] = input
	if err := w.settle(t.Context(), turn, log, agent.TurnPaused{}); err == nil || len(w.whole) != 0 {
		t.Errorf("a pause that was not stored keeps %d (%v)", len(w.whole), err)
	}
}

// TestACallThatNobodyKnowsAnyMoreDoesNotRun: after a restart there is only what is stored.
func TestACallThatNobodyKnowsAnyMoreDoesNotRun(t *testing.T) {
	input, _ := json.Marshal(map[string]string{"path": "a.txt", "content": password})
	path := filepath.Join(t.TempDir(), "history.db")
	w := openOver(t, path, scripted.NewBackend())
	w.Known = knows
	q := w.asked(t, "[[tool:write_file "+string(input)+"]] [[say:done]]")
	w.close()
	w = open(t, path)
	turn := w.answer(t, agent.InteractionResponse{ID: q.ID, Approved: true})
	records := all(t, turn)
	if !strings.Contains(logged(t, w, turn), lostInput) || w.wrote() {
		t.Errorf("it went on with %v", records)
	}
}

func TestWhatAClientsToolGaveKeepsNoValue(t *testing.T) {
	w := fresh(t)
	w.Known = knows
	for _, r := range []agent.InteractionResponse{{Output: quoted(password)}, {Problem: credential}} {
		if got := w.safeAnswer(t.Context(), agent.ClientTool, r); strings.Contains(string(got.Output)+got.Problem, "hunter") || got.Problem == credential {
			t.Errorf("kept is %+v", got)
		}
	}
	own := agent.InteractionResponse{Output: quoted(password), Approved: true}
	if got := w.safeAnswer(t.Context(), agent.UserInput, own); string(got.Output) != string(own.Output) {
		t.Errorf("what the person said became %s", got.Output)
	}
}
