package acp

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"
	"unicode/utf8"

	"parley/backend/agent"
	"parley/backend/program"
)

// permissionRequest asks whether a call may run.
type permissionRequest struct {
	Call    callUpdate `json:"toolCall"`
	Title   string     `json:"title"` // protocol 2
	Subject struct {
		Call       callUpdate `json:"toolCall"`
		ToolCallID string     `json:"toolCallId"` // of a command
		Command    string     `json:"command"`
	} `json:"subject"` // protocol 2
	Options []struct {
		ID   string `json:"optionId"`
		Kind string `json:"kind"`
	} `json:"options"`
}

// selected is the answer to a permissionRequest.
type selected struct {
	Outcome struct {
		Outcome  string `json:"outcome"`
		OptionID string `json:"optionId,omitempty"`
	} `json:"outcome"`
}

// permission asks the person, unless the call is of a tool of Parley's: parley-tools asks itself. What is answered is good
// for this call only; if the agent does not offer that, nothing is selected.
func (s *Speaker) permission(p permissionRequest) (any, *problem) {
	var answer selected
	answer.Outcome.Outcome = "cancelled"
	if !s.listening() {
		return answer, nil
	}
	u := p.Call
	if u.ID == "" {
		u = p.Subject.Call
	}
	if u.ID == "" {
		u = callUpdate{ID: p.Subject.ToolCallID, Title: p.Title, Class: "execute"}
		u.Input, _ = json.Marshal(map[string]string{"command": p.Subject.Command}) // strings: it cannot fail
	}
	a := s.turn.approve(u)
	if a.Stopped {
		return answer, nil
	}
	kind := "reject_once"
	if a.Allowed {
		kind = "allow_once"
	}
	for _, o := range p.Options {
		if o.Kind == kind {
			answer.Outcome.Outcome, answer.Outcome.OptionID = "selected", o.ID
			break
		}
	}
	return answer, nil
}

// approve asks the person whether a call may run.
func (t *turn) approve(u callUpdate) program.Answer {
	var shown json.RawMessage
	if known := t.calls[u.ID]; known != nil {
		shown = known.shown
		if known.Input != nil {
			u.Input = nil // what it is asked with may be another view of it
		}
	}
	c := t.learn(u)
	if c == nil {
		return program.Answer{}
	}
	c.shown = shown // what it is asked with is not what comes of it
	if !c.own || c.Input != nil {
		t.announce(c)
	}
	if c.own {
		return program.Answer{Allowed: true}
	}
	preview := c.title
	if preview == c.Name { // which says nothing
		preview = cmp.Or(t.text(u.Shown), preview)
	}
	a := t.host.Approve(c.ToolCall, cmp.Or(actions[c.class], agent.ActionOther), firstLine(preview))
	if !a.Allowed && !a.Stopped && t.launch.PermissionPolicy != agent.PermissionDeny {
		t.object(c.Name, a.Note)
	}
	return a
}

// object lets the agent be told what the person said of a call that they did not allow, for which the protocol has no words:
// it is the next prompt. It is said once, so that an agent that tries again and again comes to an end.
func (t *turn) object(tool, note string) {
	denial := "I have not allowed your call of " + tool + ": " + note
	if note != "" && !slices.Contains(t.denials, denial) {
		t.denials = append(t.denials, denial)
	}
}

// actions are what the kinds of calls do.
var actions = map[string]agent.Action{
	"edit": agent.ActionWrite, "delete": agent.ActionWrite, "move": agent.ActionWrite,
	"execute": agent.ActionProcess, "fetch": agent.ActionEgress,
}

// maxPreview bounds what a person is told in one line, in bytes.
const maxPreview = 300

func firstLine(text string) string {
	line, _, more := strings.Cut(strings.TrimSpace(text), "\n")
	if len(line) > maxPreview {
		line, more = line[:maxPreview], true
		for !utf8.ValidString(line) {
			line = line[:len(line)-1]
		}
	}
	if more {
		line += " …"
	}
	return line
}
