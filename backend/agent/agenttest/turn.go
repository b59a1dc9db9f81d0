package agenttest

import (
	"bytes"
	"encoding/json"
	"errors"
	"iter"
	"strings"
	"testing"

	"parley/backend/agent"
)

// Turn is what a turn was, as its reader saw it. One of Finish and Err is set, unless the reader left early.
type Turn struct {
	Events []agent.Event // without Finish
	Finish *agent.Finish
	Err    *agent.Error
}

// Collect reads a turn to its end. It fails the test if the sequence breaks what agent.Conn and agent.Event promise.
func Collect(t testing.TB, seq iter.Seq2[agent.Event, error]) Turn {
	t.Helper()
	return CollectWhile(t, seq, func(Turn) bool { return true })
}

// CollectWhile is Collect, but leaves the loop when goOn, called after each event, says so. goOn may act on the conn.
func CollectWhile(t testing.TB, seq iter.Seq2[agent.Event, error], goOn func(soFar Turn) bool) Turn {
	t.Helper()
	return collect(t, calls{}, seq, goOn)
}

// Resume is Collect for a prompt that goes on with a turn: it may begin with the results of calls that were announced
// before.
func Resume(t testing.TB, prompt agent.Prompt, seq iter.Seq2[agent.Event, error]) Turn {
	t.Helper()
	calls := calls{}
	_, run := prompt.Resumed()
	for _, c := range run {
		calls.at(c.ID).announced = true
	}
	return collect(t, calls, seq, func(Turn) bool { return true })
}

func collect(t testing.TB, calls calls, seq iter.Seq2[agent.Event, error], goOn func(soFar Turn) bool) Turn {
	t.Helper()
	var turn Turn
	for e, err := range seq {
		if turn.Finish != nil || turn.Err != nil {
			t.Errorf("after the end of the turn came %#v, %v", e, err)
		}
		if err != nil {
			turn.Err = checkError(t, e, err)
			continue
		}
		if finish, ok := e.(agent.Finish); ok {
			turn.Finish = &finish
			if !finish.StopReason.Valid() {
				t.Errorf("the turn finished with %q", finish.StopReason)
			}
			continue
		}
		if e == nil || !agent.Spoken(e) {
			t.Errorf("a harness may not say %#v", e)
		}
		calls.check(t, e)
		turn.Events = append(turn.Events, e)
		if !goOn(turn) {
			return turn
		}
	}
	if turn.Finish == nil && turn.Err == nil {
		t.Error("the turn ended with neither Finish nor an error")
	}
	return turn
}

func checkError(t testing.TB, e agent.Event, err error) *agent.Error {
	t.Helper()
	if e != nil {
		t.Errorf("an event, %#v, came with the error %v", e, err)
	}
	var told *agent.Error
	if !errors.As(err, &told) {
		t.Errorf("the error is not an *agent.Error: %v", err)
		told = agent.AsError(err)
	}
	if !told.Code.Valid() || told.Message == "" {
		t.Errorf("the error has the code %q and says %q", told.Code, told.Message)
	}
	return told
}

// calls is what has become of each tool call, by its id.
type calls map[string]*progress

type progress struct {
	pieces              string
	announced, answered bool
}

func (c calls) at(id string) *progress {
	if c[id] == nil {
		c[id] = &progress{}
	}
	return c[id]
}

func (c calls) check(t testing.TB, e agent.Event) {
	t.Helper()
	switch e := e.(type) {
	case agent.ToolCallDelta:
		c.at(e.ID).pieces += e.Text
	case agent.ToolCall:
		if e.ID == "" || e.Name == "" || !json.Valid(e.Input) {
			t.Errorf("a call with the id %q, the name %q and the input %.100q", e.ID, e.Name, e.Input)
		}
		call := c.at(e.ID)
		if pieces := compact(call.pieces); pieces != "" && pieces != compact(string(e.Input)) {
			t.Errorf("the pieces of the call %s are %.100q, its input is %.100q", e.ID, pieces, e.Input)
		}
		call.announced = true
	case agent.ToolProgress:
		if call := c.at(e.ID); !call.announced || call.answered {
			t.Errorf("progress of the call %q, which does not run", e.ID)
		}
	case agent.ToolResult:
		if call := c.at(e.ID); !call.announced || call.answered {
			t.Errorf("a result for the call %q, which does not run", e.ID)
		}
		c.at(e.ID).answered = true
		if e.Data != nil && !json.Valid(e.Data) {
			t.Errorf("the result of %s has the data %.100q", e.ID, e.Data)
		}
	}
}

// compact gives the shortest form of text if it is JSON, else nothing.
func compact(text string) string {
	var out bytes.Buffer
	if json.Compact(&out, []byte(text)) != nil {
		return ""
	}
	return out.String()
}

// Text is everything that was said, in one piece.
func (turn Turn) Text() string {
	var text strings.Builder
	for _, e := range turn.Events {
		switch e := e.(type) {
		case agent.MessageDelta:
			text.WriteString(e.Text)
		case agent.MessageWhole:
			text.WriteString(e.Text)
		}
	}
	return text.String()
}

// Thoughts is all reasoning, in one piece.
func (turn Turn) Thoughts() string {
	var text strings.Builder
	for _, e := range turn.Events {
		switch e := e.(type) {
		case agent.ThoughtDelta:
			text.WriteString(e.Text)
		case agent.ThoughtWhole:
			text.WriteString(e.Text)
		}
	}
	return text.String()
}

// Calls are the calls that were announced, in order.
func (turn Turn) Calls() []agent.ToolCall { return only[agent.ToolCall](turn.Events) }

// Results are the results of calls, in order.
func (turn Turn) Results() []agent.ToolResult { return only[agent.ToolResult](turn.Events) }

func only[E agent.Event](events []agent.Event) (some []E) {
	for _, e := range events {
		if e, ok := e.(E); ok {
			some = append(some, e)
		}
	}
	return some
}
