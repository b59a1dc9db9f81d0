package acp

import (
	"bytes"
	"cmp"
	"encoding/json"
	"regexp"
	"strings"

	"parley/backend/agent"
	"parley/backend/program"
)

// callUpdate is what is said of a call: all of it at first, then what has changed.
type callUpdate struct {
	ID     string          `json:"toolCallId"`
	Name   string          `json:"name"`
	Title  string          `json:"title"`
	Class  string          `json:"kind"`
	Status string          `json:"status"`
	Input  json.RawMessage `json:"rawInput"`
	Output json.RawMessage `json:"rawOutput"`
	Shown  json.RawMessage `json:"content"`
	Meta   callMeta        `json:"_meta"`
}

// callMeta is what some agents say of a call on the side, for want of a field in the protocol.
type callMeta struct {
	Tool   string `json:"toolName"`
	Claude struct {
		Tool string `json:"toolName"`
	} `json:"claudeCode"`
	Terminal struct {
		ID   string `json:"terminal_id"`
		Data string `json:"data"`
	} `json:"terminal_output"` // the next piece
}

// call is what is known of a call of this turn.
type call struct {
	agent.ToolCall
	own       bool // a tool of Parley's
	title     string
	class     string
	written   string          // of its arguments, by an agent that shows them as text while they are written
	shown     json.RawMessage // what it has to show
	changes   []change        // of files, as they were shown last
	output    json.RawMessage
	announced bool
	over      bool // it has its result
}

// tool says what has become of a call.
func (t *turn) tool(u callUpdate) {
	c := t.learn(u)
	if c == nil {
		return
	}
	over := u.Status == "completed" || u.Status == "failed"
	switch {
	case !over && t.write(c): // its arguments are still on their way
	case c.own && c.Input == nil: // parley-tools says it
	case c.own, over, u.Status == "in_progress": // parley-tools waits for a call to be announced
		t.announce(c)
	}
	if over {
		if c.announced {
			t.host.Say(t.result(c, u.Status == "failed"))
		}
		*c = call{over: true}
		return
	}
	if c.announced && (len(u.Shown) > 0 || u.Meta.Terminal.ID != "") {
		if text := t.text(c.shown); text != "" && !sameJSON([]byte(text), c.Input) {
			t.host.Say(agent.ToolProgress{ID: c.ID, Output: text})
		}
	}
}

// learn adds what is said of a call to what is known of it. It gives nil for one that has no id, or has its result.
func (t *turn) learn(u callUpdate) *call {
	c := t.calls[u.ID]
	switch {
	case u.ID == "", c != nil && c.over:
		return nil
	case c == nil:
		c = &call{}
		c.ID = u.ID
		c.Name, c.own = program.OwnTool(nameOf(u))
		t.calls[c.ID] = c
	}
	t.open = opened{}
	c.title, c.class = cmp.Or(u.Title, c.title), cmp.Or(u.Class, c.class)
	c.shown, c.output = given(u.Shown, c.shown), given(u.Output, c.output)
	if changes := t.changes(u.Shown); changes != nil {
		c.changes = changes
	}
	if input := u.arguments(); input != nil && !sameJSON(input, c.Input) {
		c.Input = input
		if c.announced {
			t.host.Say(c.ToolCall)
		}
	}
	t.terminals.adopt(c.ID, u.Shown)
	if more := u.Meta.Terminal; more.ID != "" {
		t.terminals.show(more.ID, []byte(more.Data), false)
	}
	return c
}

// more adds a piece to what a call has to show, and reports whether it could be read.
func (t *turn) more(raw json.RawMessage) bool {
	var u struct {
		ID    string          `json:"toolCallId"`
		Piece json.RawMessage `json:"content"`
	}
	var all []json.RawMessage
	if json.Unmarshal(raw, &u) != nil {
		return false
	}
	if c := t.calls[u.ID]; c != nil && !c.over {
		if c.shown != nil && json.Unmarshal(c.shown, &all) != nil {
			return false
		}
		shown, _ := json.Marshal(append(all, u.Piece)) // it was JSON before
		t.tool(callUpdate{ID: u.ID, Shown: shown, Status: "in_progress"})
	}
	return true
}

// given is a value that is said, or what it was before.
func given(now, before json.RawMessage) json.RawMessage {
	if len(now) == 0 || string(now) == "null" {
		return before
	}
	return now
}

// arguments are those that u says; nil for none, or for the {} that agents say before they have any.
func (u callUpdate) arguments() json.RawMessage {
	input := given(u.Input, nil)
	if waiting := u.Status == "" || u.Status == "pending"; waiting && string(input) == "{}" {
		return nil
	}
	var w struct { // Codex names the server and the tool beside those of an MCP tool
		Server, Tool string
		Arguments    json.RawMessage
	}
	if json.Unmarshal(input, &w) == nil && w.Server == program.ToolServer && w.Tool != "" && w.Arguments != nil {
		return w.Arguments
	}
	return input
}

func sameJSON(a, b json.RawMessage) bool {
	var x, y bytes.Buffer
	return json.Compact(&x, a) == nil && json.Compact(&y, b) == nil && bytes.Equal(x.Bytes(), y.Bytes())
}

// write passes on the arguments of a call that an agent shows as text while they are written, and reports whether it does.
func (t *turn) write(c *call) bool {
	if c.Input != nil || c.announced {
		return false
	}
	text := t.text(c.shown)
	if !strings.HasPrefix(text, "{") {
		return false
	}
	if more, ok := strings.CutPrefix(text, c.written); ok && more != "" {
		c.written = text
		t.host.Say(agent.ToolCallDelta{ID: c.ID, Name: c.Name, Text: more})
	}
	return true
}

// announce says a call with its whole arguments, once. An agent that does not say any is shown by what it calls the call.
func (t *turn) announce(c *call) {
	if c.announced {
		return
	}
	if c.Input == nil && json.Valid([]byte(c.written)) {
		c.Input = json.RawMessage(c.written)
	}
	if c.Input == nil || c.Input[0] != '{' {
		key := "title"
		if c.class == "execute" {
			key = "command"
		}
		c.Input, _ = json.Marshal(map[string]string{key: c.title}) // strings: it cannot fail
	}
	c.announced = true
	t.host.Say(c.ToolCall)
}

// result is what came of a call: what it has to show, else what it gave.
func (t *turn) result(c *call, failed bool) agent.ToolResult {
	text := t.text(c.shown)
	if text == "" && c.output != nil && json.Unmarshal(c.output, &text) != nil {
		text = string(c.output)
	}
	r := agent.ToolResult{ID: c.ID, Name: c.Name, Output: text, IsError: failed}
	switch {
	case failed || len(c.changes) == 0:
	case len(c.changes) == 1:
		r.Data, _ = json.Marshal(c.changes[0]) // strings and numbers: it cannot fail
	default:
		r.Data, _ = json.Marshal(c.changes)
	}
	return r
}

// identifier is what the name of a tool looks like; a title is a sentence.
var identifier = regexp.MustCompile(`^[A-Za-z0-9_.:/-]+$`)

// nameOf is the name of a call's tool, for which the protocol had no field for long.
func nameOf(u callUpdate) string {
	name := cmp.Or(u.Name, u.Meta.Tool, u.Meta.Claude.Tool)
	if name == "" && identifier.MatchString(u.Title) {
		name = u.Title
	}
	if before, after, ok := strings.Cut(u.ID, "__"); name == "" && ok && strings.HasPrefix(after, before) {
		name = before // Gemini CLI makes its ids of it
	}
	return cmp.Or(name, u.Class, "tool")
}
