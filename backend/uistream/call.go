package uistream

import (
	"cmp"
	"encoding/json"
	"slices"

	"parley/backend/agent"
)

// call is a tool call of the turn.
type call struct {
	id, name string
	client   bool   // whether the caller runs it
	block    *block // of its arguments
	text     []byte // the arguments as far as they were streamed, until they are known
	sent     int    // how much of text went out
	sentAt   int64  // when, in milliseconds
	known    bool   // whether the arguments are
	answered bool
	approval *approval // nil if nobody was asked whether it may run
}

// A client parses all arguments so far again on every delta. So a delta is held back until it is worth that: not more
// than ten a second, each an eighth of the whole at least, and none beyond a size at which they tell nothing.
const (
	inputDeltaMillis = 100
	inputDeltaShare  = 8
	inputDeltaLimit  = 64 << 10
)

// What is said of a result that says nothing itself.
const (
	noReason   = "The tool failed and gave no reason."
	deniedText = "This call was denied."
)

// announce opens a call. Whatever was being said is over.
func (e *Encoder) announce(dst []Chunk, id, name string, client bool, at int64) ([]Chunk, *call) {
	c := &call{id: id, name: cmp.Or(name, "unknown"), client: client, block: &block{kindToolInput, id}, sentAt: at}
	dst = e.closeBlock(e.nextStep(dst))
	e.calls[id] = c
	e.due = append(e.due, c)
	e.called, e.content = true, true
	return append(dst, c.start()), c
}

func (c *call) start() toolStartChunk { return toolStartChunk{c.id, c.name, c.client} }

func (e *Encoder) callDelta(dst []Chunk, event agent.ToolCallDelta, at int64) []Chunk {
	c := e.calls[event.ID]
	switch {
	case c == nil:
		dst, c = e.announce(dst, event.ID, event.Name, event.Client, at)
	case c.known || c.answered:
		e.dropped++
		return dst
	case event.Name != "":
		c.name = event.Name
	}
	c.text = append(c.text, clean(event.Text)...)
	held := c.text[c.sent:]
	if len(held) == 0 || at-c.sentAt < inputDeltaMillis || len(held)*inputDeltaShare < len(c.text) || len(c.text) > inputDeltaLimit {
		return dst
	}
	c.sent, c.sentAt = len(c.text), at
	return append(dst, e.delta(c.block, string(held)))
}

// call announces a call with its arguments. One that is repeated refreshes them, until it is answered or somebody decides
// on them.
func (e *Encoder) call(dst []Chunk, event agent.ToolCall, at int64) []Chunk {
	c := e.calls[event.ID]
	switch {
	case c == nil:
		dst, c = e.announce(dst, event.ID, event.Name, event.Client, at)
	case c.answered || c.approval != nil:
		e.dropped++
		return dst
	case event.Name != "":
		c.name = event.Name
	}
	dst = e.setInput(dst, c, event.Input)
	if len(event.Render) == 0 {
		return dst
	}
	hint := newObject(nil).string("toolCallId", c.id).json("render", jsonValue(event.Render)).end()
	return e.show(dst, dataChunk{name: renderData, id: c.id, data: hint})
}

// setInput gives the arguments of a call; those that were streamed, if the harness never gave them as a whole.
func (e *Encoder) setInput(dst []Chunk, c *call, input json.RawMessage) []Chunk {
	if len(input) == 0 {
		input = c.text
	}
	c.known, c.text = true, nil
	value, ok := parseValue(input)
	problem := ""
	if !ok {
		problem = "The arguments of this call are not JSON."
	}
	return append(dst, toolInputChunk{c.start(), value, problem})
}

func (e *Encoder) progress(dst []Chunk, event agent.ToolProgress) []Chunk {
	dst, c := e.awaited(dst, event.ID)
	if c == nil {
		return dst
	}
	return append(dst, toolOutputChunk{c.id, appendString(nil, event.Output), true})
}

func (e *Encoder) result(dst []Chunk, event agent.ToolResult) []Chunk {
	dst, c := e.awaited(dst, event.ID)
	if c == nil {
		return dst
	}
	switch {
	case event.Denied:
		dst = e.deny(dst, c, event.Output)
	case event.IsError:
		dst = append(dst, toolErrorChunk{c.id, cmp.Or(event.Output, noReason)})
	case len(event.Data) > 0:
		dst = append(dst, toolOutputChunk{c.id, jsonValue(event.Data), false})
	default:
		dst = append(dst, toolOutputChunk{c.id, appendString(nil, event.Output), false})
	}
	c.answered = true
	e.due = slices.DeleteFunc(e.due, func(d *call) bool { return d == c })
	return dst
}

// awaited gives the call that an answer is for, its arguments settled, or nil if nobody waits for one.
func (e *Encoder) awaited(dst []Chunk, id string) ([]Chunk, *call) {
	c := e.calls[id]
	if c == nil || c.answered {
		e.dropped++
		return dst, nil
	}
	if !c.known {
		dst = e.setInput(dst, c, nil)
	}
	return dst, c
}

// giveUp ends every call that has no answer.
func (e *Encoder) giveUp(dst []Chunk, why string) []Chunk {
	for _, c := range e.due {
		if c.approval.denied() {
			dst = append(dst, toolDeniedChunk{c.id})
		} else {
			dst = append(dst, toolErrorChunk{c.id, why})
		}
	}
	return dst
}
