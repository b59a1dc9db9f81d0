package session

import (
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"

	"parley/backend/agent"
	"parley/backend/store"
)

func named(id agent.MessageID, text string) Request {
	r := says(text)
	r.User.ID = id
	return r
}

// shown lists the text of the branch that is shown: what was said and what was answered.
func (w *world) shown(t *testing.T, key agent.SessionKey) (texts []string) {
	t.Helper()
	s, err := w.store.Session(t.Context(), key)
	if err != nil {
		t.Fatal(err)
	}
	history, err := w.store.History(t.Context(), s.Head)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range history {
		texts = append(texts, string(m.ID)+":"+m.Parts[0].(agent.TextPart).Text)
	}
	return texts
}

func (w *world) wantShown(t *testing.T, key agent.SessionKey, want ...string) {
	t.Helper()
	got := w.shown(t, key)
	for i, text := range got {
		if strings.HasPrefix(text, "msg_") {
			_, got[i], _ = strings.Cut(text, ":")
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("shown %q\nwant  %q", got, want)
	}
}

// §7 editing a sent message makes a branch; §7 both stay; the person switches between them; §7 messages stay append-only. §2 a
// known id with other content is an edit.
func TestAnEditIsABranch(t *testing.T) {
	w := fresh(t)
	first := w.send(t, named("u1", "[[say:a]]"))
	all(t, first)
	all(t, w.send(t, named("u2", "[[say:b]]")))
	for _, r := range []Request{named("u1", "[[say:A]]"), func() Request { r := named("u1", "[[say:AA]]"); r.Edits = "u1"; return r }()} {
		all(t, w.send(t, r))
	}
	w.wantShown(t, home, "u1~3:[[say:AA]]", "AA")
	all(t, w.send(t, named("u3", "[[say:c]]")))
	w.wantShown(t, home, "u1~3:[[say:AA]]", "AA", "u3:[[say:c]]", "c")

	if err := w.Choose(t.Context(), home, first.Message); err != nil {
		t.Fatal(err)
	}
	w.wantShown(t, home, "u1:[[say:a]]", "a", "u2:[[say:b]]", "b")
	// The same edit sent again is no other one: its branch is shown again.
	all(t, w.send(t, named("u1", "[[say:AA]]")))
	w.wantShown(t, home, "u1~3:[[say:AA]]", "AA", "u3:[[say:c]]", "c")

	r := says("[[say:x]]")
	r.Edits = "nobody"
	if _, err := w.Send(t.Context(), r); err == nil {
		t.Error("what is not there was edited")
	}
	r = named(first.Message, "[[say:x]]")
	if _, err := w.Send(t.Context(), r); err == nil {
		t.Error("an answer was edited")
	}
	if err := w.Choose(t.Context(), home, "nobody"); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("chose what is not there: %v", err)
	}
}

// §7 regenerating an answer makes a branch (§4 `messageId` is unique per turn), in the middle of the conversation too.
func TestAnAnswerWrittenAnew(t *testing.T) {
	w := fresh(t)
	first := w.send(t, named("u1", "[[say:a]]"))
	all(t, first)
	all(t, w.send(t, named("u2", "[[say:b]]")))
	second := w.send(t, Request{Key: home, Regenerate: true, Answer: first.Message})
	all(t, second)
	w.wantShown(t, home, "u1:[[say:a]]", "a")
	if second.Message == first.Message {
		t.Error("both answers have one id")
	}
	if err := w.Choose(t.Context(), home, first.Message); err != nil {
		t.Fatal(err)
	}
	w.wantShown(t, home, "u1:[[say:a]]", "a", "u2:[[say:b]]", "b")
	all(t, w.send(t, Request{Key: home, Regenerate: true}))
	w.wantShown(t, home, "u1:[[say:a]]", "a", "u2:[[say:b]]", "b")
	if _, err := w.Send(t.Context(), Request{Key: home, Regenerate: true, Answer: "nobody"}); err == nil {
		t.Error("what is not there was answered again")
	}
}

// §7 forking copies a branch into a new session.
func TestAForkGoesItsOwnWay(t *testing.T) {
	w := fresh(t)
	first := w.send(t, named("u1", "[[say:a]]"))
	all(t, first)
	all(t, w.send(t, named("u2", "[[say:b]]")))
	fork, err := w.Fork(t.Context(), home, first.Message, "", agent.Overlay{})
	if err != nil {
		t.Fatal(err)
	}
	r := named("u2", "[[say:other]]")
	r.Key = fork
	all(t, w.send(t, r))
	w.wantShown(t, fork, "u1:[[say:a]]", "a", "u2:[[say:other]]", "other")
	w.wantShown(t, home, "u1:[[say:a]]", "a", "u2:[[say:b]]", "b")
	r = named("u1", "[[say:edited]]")
	r.Key = fork
	all(t, w.send(t, r))
	if fork, err = w.Fork(t.Context(), fork, "", "", agent.Overlay{}); err != nil { // of the branch of the edit only
		t.Fatal(err)
	}
	r = named("u1", "[[say:once more]]")
	r.Key = fork
	all(t, w.send(t, r))
	w.wantShown(t, fork, "u1~3:[[say:once more]]", "once more")
	if _, err := w.Fork(t.Context(), agent.SessionKey{Project: home.Project, Session: "none"}, "", "", agent.Overlay{}); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("forked what is not there: %v", err)
	}
}

// A fork may go on with another agent; the session it comes from keeps its own. Nobody goes on in a program that is gone.
func TestAForkGoesOnWithAnotherAgent(t *testing.T) {
	w := fresh(t)
	all(t, w.send(t, named("u1", "[[say:a]]")))
	own := agent.LoginOwn
	fork, err := w.Fork(t.Context(), home, "", careful.ID, agent.Overlay{Login: &own})
	if err != nil {
		t.Fatal(err)
	}
	s, err := w.store.Session(t.Context(), fork)
	if err != nil || s.Agent.ID != careful.ID || s.Agent.Login != own || w.status(t).Agent.ID != player.ID {
		t.Errorf("%+v goes on, from %s (%v)", s.Agent, w.status(t).Agent.ID, err)
	}
	r := says(`[[tool:write_file {"path":"a","content":"x"}]]`)
	r.Key = fork
	records := all(t, w.send(t, r))
	if _, asks := records[len(records)-1].Event.(agent.TurnPaused); !asks || records[0].Event.(agent.TurnStarted).Agent != careful.ID {
		t.Errorf("the other agent says %+v", records)
	}
	w.wantShown(t, fork, "u1:[[say:a]]", "a", r.User.Parts[0].(agent.TextPart).Text)
	if _, err := w.Fork(t.Context(), home, "", "nobody", agent.Overlay{}); err == nil {
		t.Error("forked to nobody")
	}
}

// Whose harness cannot be had is refused before anything of it is stored.
func TestWhatCannotRunIsNotSent(t *testing.T) {
	w := fresh(t)
	all(t, w.send(t, named("u1", "[[say:a]]")))
	w.Harness = func(agent.Kind) (agent.Harness, error) { return nil, agent.Errorf(agent.CodeValidation, "It is gone.") }
	_, err := w.Send(t.Context(), named("u2", "[[say:b]]"))
	if err == nil || agent.AsError(err).Message != "It is gone." {
		t.Errorf("sent: %v", err)
	}
	if _, err := w.Fork(t.Context(), home, "", careful.ID, agent.Overlay{}); err == nil {
		t.Error("forked to who cannot go on")
	}
	w.wantShown(t, home, "u1:[[say:a]]", "a")
}

// §2 inputs per turn; parameters: what is absent is inherited from the stored agent.
func TestTheAgentOfARequest(t *testing.T) {
	w := fresh(t)
	r := says("[[say:hi]]")
	prompt, model := "You help {{inputs.name}} with {{ inputs.what }}.", "other"
	r.Overlay = agent.Overlay{SystemPrompt: &prompt, Model: &model}
	if _, err := w.Send(t.Context(), r); err == nil || !strings.Contains(err.Error(), `"name"`) {
		t.Errorf("without its inputs: %v", err)
	}
	r.Inputs = []byte(`{"name":"Ada","what":[1]}`)
	started := all(t, w.send(t, r))[0].Event.(agent.TurnStarted)
	if started.Model != model || string(started.Inputs) != string(r.Inputs) || len(started.Trace.ID) != 32 || len(started.Trace.Span) != 16 {
		t.Errorf("started %+v", started)
	}
	if s := w.status(t); s.Agent.Model != model || !slices.Equal(s.Agent.Tools, player.Tools) {
		t.Errorf("frozen %+v", s.Agent)
	}
	if filled, err := fill(prompt, r.Inputs); filled != "You help Ada with [1]." || err != nil {
		t.Errorf("filled %q, %v", filled, err)
	}
	all(t, w.send(t, r)) // the same again changes nothing
	if _, err := w.Change(t.Context(), home, store.Change{Options: map[string]string{"mode": "plan", "model": "x"}}); err != nil {
		t.Fatal(err)
	}
	if s, err := w.Change(t.Context(), home, store.Change{Options: map[string]string{"mode": "code"}}); err != nil || !maps.Equal(s.Agent.Options, map[string]string{"mode": "code", "model": "x"}) || s.Agent.Model != model {
		t.Errorf("chose %+v, %v", s.Agent, err)
	}
	all(t, w.send(t, r)) // what it does not name stays
	model = "third"
	if _, err := w.Send(t.Context(), r); err == nil {
		t.Error("the agent of a session was changed")
	}
}
