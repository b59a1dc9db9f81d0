package session

import (
	"bytes"
	"context"
	"encoding/json"
	"maps"
	"slices"

	"parley/backend/agent"
	"parley/backend/redact"
)

// withheld is what is said in the place of what a tool gave, when nobody can say what is secret in it.
const withheld = "What the tool gave is withheld: the secrets could not be read, so they cannot be taken out of it. Unlock the keychain, then let the tool run again."

// lostInput is the result of a call that may run, and whose arguments nobody has any more.
const lostInput = "This call was not run: its arguments held something secret, which is not stored, and Parley was started again since. Make the call again."

// secrets takes what is secret out of what an agent says, before it is stored: known values out of everything, and what looks like
// a credential out of what tools are given and say. What the person said is theirs, and stays.
type secrets struct {
	known   *redact.Known // as they were read last
	blind   bool          // whether they could not be read now
	speech  *redact.Stream
	thought bool // whether speech is one, rather than a message
	inputs  map[string]*input
	whole   map[string]json.RawMessage // what calls were really given, where that is not stored
	early   bool                       // whether there may have been more of whole, in an earlier life of the app
}

// known gives what is secret as of now, or as of when that could be read last.
func (l *turnLog) known(ctx context.Context) *redact.Known {
	known, err := l.sessions.Known(ctx)
	if err == nil {
		l.secrets.known = known
	} else if !l.secrets.blind {
		l.sessions.Log.Warn("secrets could not be read; what tools say is withheld", "session", l.turn.Key.Session, "turn", l.turn.ID, "error", err)
	}
	l.secrets.blind = err != nil
	return l.secrets.known
}

// input is the arguments of a call while they come in pieces.
type input struct {
	known *redact.Stream
	net   redact.Net
}

func (i *input) write(piece string) string { return i.net.Write(i.known.Write(piece)) }

func (i *input) flush() string { return i.net.Write(i.known.Flush()) + i.net.Flush() }

// events gives what may be stored of events, in their order. The end of what is said in pieces may come with later ones.
func (s *secrets) events(events []agent.Event) []agent.Event {
	safe := make([]agent.Event, 0, len(events))
	for _, e := range events {
		safe = s.event(safe, e)
	}
	return safe
}

// end gives what was held back: nothing follows.
func (s *secrets) end() []agent.Event {
	safe := s.endSpeech(nil)
	for _, id := range slices.Sorted(maps.Keys(s.inputs)) {
		safe = s.endInput(safe, id)
	}
	return safe
}

func (s *secrets) event(safe []agent.Event, e agent.Event) []agent.Event {
	switch e := e.(type) {
	case agent.MessageDelta:
		return s.say(safe, e, e.Text, false)
	case agent.ThoughtDelta:
		return s.say(safe, e, e.Text, true)
	case agent.ToolProgress:
		if s.blind {
			return safe
		}
		e.Output = redact.Scrub(s.known.Stream().Write(e.Output)) // its end may be the beginning of a value
		return append(safe, e)
	case agent.Data:
		if s.blind {
			return safe
		}
	}
	if endsBlock(e) {
		safe = s.endSpeech(safe)
	}
	switch e := e.(type) {
	case agent.ToolCallDelta:
		return s.give(safe, e)
	case agent.ToolCall:
		if len(e.Input) > 0 { // all of it: nobody needs the rest of the pieces
			delete(s.inputs, e.ID)
		}
		return append(s.endInput(safe, e.ID), s.call(e))
	case agent.ToolResult:
		return append(s.endInput(safe, e.ID), s.result(e))
	case agent.InteractionRequest:
		e.Payload = redact.ScrubJSON(s.known.JSON(e.Payload))
		return append(safe, e)
	}
	return append(safe, withoutValues(s.known, e))
}

// endsBlock reports whether what is said after an event, in pieces, is not one with what was said before it.
func endsBlock(e agent.Event) bool {
	switch e.(type) {
	case agent.ToolProgress, agent.UsageReport, agent.Status, agent.Data:
		return false
	}
	return true
}

// withoutValues takes what is known to be secret out of an event that is whole, but out of nothing that a person said.
func withoutValues(known *redact.Known, e agent.Event) agent.Event {
	switch e := e.(type) {
	case agent.MessageWhole:
		return agent.MessageWhole{Text: known.Text(e.Text)}
	case agent.ThoughtWhole:
		return agent.ThoughtWhole{Text: known.Text(e.Text)}
	case agent.ToolCall:
		e.Input, e.Render = known.JSON(e.Input), known.JSON(e.Render)
		return e
	case agent.ToolProgress:
		e.Output = known.Text(e.Output)
		return e
	case agent.ToolResult:
		e.Output, e.Data = known.Text(e.Output), known.JSON(e.Data)
		return e
	case agent.Data:
		e.Data = known.JSON(e.Data)
		return e
	case agent.File:
		e.URL = known.Text(e.URL)
		return e
	case agent.Source:
		e.URL, e.Title, e.Filename = known.Text(e.URL), known.Text(e.Title), known.Text(e.Filename)
		return e
	case agent.Plan:
		items := make([]agent.PlanItem, len(e.Items))
		for i, item := range e.Items {
			items[i] = agent.PlanItem{Text: known.Text(item.Text), Status: item.Status}
		}
		return agent.Plan{Items: items}
	case agent.Status:
		return agent.Status{Text: known.Text(e.Text)}
	case agent.InteractionRequest:
		e.Payload = known.JSON(e.Payload)
		return e
	case agent.TurnCompleted:
		if e.Failure != nil {
			e.Failure = &agent.Failure{Code: e.Failure.Code, Message: known.Text(e.Failure.Message)}
		}
		return e
	}
	return e
}

func (s *secrets) call(e agent.ToolCall) agent.Event {
	given := e.Input
	e = withoutValues(s.known, e).(agent.ToolCall)
	e.Input, e.Render = redact.ScrubJSON(e.Input), redact.ScrubJSON(e.Render)
	if !bytes.Equal(e.Input, given) {
		s.whole[e.ID] = given
	}
	return e
}

func (s *secrets) result(e agent.ToolResult) agent.Event {
	if s.blind && !e.Denied {
		e.Output, e.Data, e.IsError = withheld, nil, true
		return e
	}
	e = withoutValues(s.known, e).(agent.ToolResult)
	e.Output, e.Data = redact.Scrub(e.Output), redact.ScrubJSON(e.Data)
	return e
}

// say speaks a piece of a block.
func (s *secrets) say(safe []agent.Event, e agent.Event, piece string, thought bool) []agent.Event {
	if s.known == nil && s.speech == nil {
		return append(safe, e)
	}
	if s.speech != nil && s.thought != thought {
		safe = s.endSpeech(safe)
	}
	if s.speech == nil {
		s.speech, s.thought = s.known.Stream(), thought
	}
	s.speech.Learn(s.known)
	return s.spoken(safe, s.speech.Write(piece))
}

func (s *secrets) endSpeech(safe []agent.Event) []agent.Event {
	if s.speech == nil {
		return safe
	}
	safe = s.spoken(safe, s.speech.Flush())
	s.speech = nil
	return safe
}

func (s *secrets) spoken(safe []agent.Event, text string) []agent.Event {
	switch {
	case text == "":
		return safe
	case s.thought:
		return append(safe, agent.ThoughtDelta{Text: text})
	}
	return append(safe, agent.MessageDelta{Text: text})
}

// give takes a piece of the arguments of a call.
func (s *secrets) give(safe []agent.Event, e agent.ToolCallDelta) []agent.Event {
	i, begun := s.inputs[e.ID]
	if !begun {
		i = &input{known: s.known.Stream()}
		s.inputs[e.ID] = i
	}
	i.known.Learn(s.known)
	e.Text = i.write(e.Text)
	return append(safe, e)
}

func (s *secrets) endInput(safe []agent.Event, id string) []agent.Event {
	i, begun := s.inputs[id]
	delete(s.inputs, id)
	if !begun {
		return safe
	}
	if rest := i.flush(); rest != "" {
		safe = append(safe, agent.ToolCallDelta{ID: id, Text: rest})
	}
	return safe
}

// restore gives calls in the rows of a turn what they were really given.
func (s *secrets) restore(rows []agent.Message) []agent.Message {
	for _, m := range rows {
		for i, p := range m.Parts {
			if call, ok := p.(agent.ToolCallPart); ok && s.whole[call.ID] != nil {
				call.Args = s.whole[call.ID]
				m.Parts[i] = call
			}
		}
	}
	return rows
}

// lost reports whether nobody knows any more what a call was really given.
func (s *secrets) lost(records []agent.Record, call string) bool {
	for _, r := range slices.Backward(records) {
		if e, ok := r.Event.(agent.ToolCall); ok && e.ID == call {
			return s.early && s.whole[call] == nil && redact.Masked(string(e.Input))
		}
	}
	return false
}

// safeAnswer gives what may be stored of an answer: what a client's tool gave is a tool's, the rest is the person's own.
func (s *Sessions) safeAnswer(ctx context.Context, kind agent.InteractionKind, r agent.InteractionResponse) agent.InteractionResponse {
	if kind != agent.ClientTool {
		return r
	}
	known, err := s.Known(ctx)
	if err != nil {
		s.Log.Warn("secrets could not be read; what a client's tool gave is withheld", "error", err)
		r.Output, r.Problem = nil, withheld
		return r
	}
	r.Output, r.Problem = redact.ScrubJSON(known.JSON(r.Output)), redact.Scrub(known.Text(r.Problem))
	return r
}

// keepWhole keeps what the calls of a paused turn were really given, in memory only.
func (s *Sessions) keepWhole(turn agent.TurnID, whole map[string]json.RawMessage) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.whole[turn] = whole
}

// secretsOf begins to take what is secret out of a turn, or goes on with it.
func (s *Sessions) secretsOf(turn agent.TurnID) secrets {
	s.mu.Lock()
	defer s.mu.Unlock()
	whole, kept := s.whole[turn]
	delete(s.whole, turn)
	if !kept {
		whole = map[string]json.RawMessage{}
	}
	return secrets{inputs: map[string]*input{}, whole: whole, early: !kept}
}
