package uistream

import (
	"slices"
	"strconv"

	"parley/backend/agent"
)

// Durable gives the rows that a finished or interrupted turn leaves for models, search and export: for each step an
// assistant row and, if a call was answered, a tool row with the answers. A call whose arguments never came to be known,
// and an answer that never came, have no part there.
//
// The first row has the id of the turn's message, the others that id and their number: the same log gives the same rows.
func Durable(records []agent.Record) []agent.Message {
	e := NewEncoder("")
	var d durable
	for event, c := range e.chunks(records) {
		d.apply(c, event)
	}
	d.endStep()
	for i := range d.rows {
		if d.rows[i].Role == agent.RoleAssistant {
			d.rows[i].Model = e.start.origin.model
		}
	}
	return d.rows
}

// durable folds chunks into rows: a chunk says where something belongs, the event behind it what models are told.
type durable struct {
	id      agent.MessageID
	rows    []agent.Message
	said    []agent.Part // in this step
	results []agent.Part
	block   kind
	text    []byte // of the open block
}

func (d *durable) apply(c Chunk, event agent.Event) {
	switch c := c.(type) {
	case startChunk:
		d.id = c.message
	case blockStartChunk:
		d.block = c.kind
	case *deltaChunk:
		if c.kind == d.block {
			d.text = append(d.text, c.text...)
		}
	case blockEndChunk:
		d.endBlock()
	case toolInputChunk:
		d.call(c, event)
	case toolOutputChunk, toolErrorChunk, toolDeniedChunk:
		if result, ok := event.(agent.ToolResult); ok { // not a call that was given up
			d.results = append(d.results, resultPart(result))
		}
	case finishStepChunk, startStepChunk: // what was said, and what was answered after a pause
		d.endStep()
	} // the rest is for pages
}

// call notes a call, or its refreshed arguments: as the harness gave them, where it did.
func (d *durable) call(c toolInputChunk, event agent.Event) {
	part := agent.ToolCallPart{ID: c.id, Name: c.name, Args: c.input}
	if given, ok := event.(agent.ToolCall); ok && len(given.Input) > 0 && c.problem == "" {
		part.Args = given.Input
	}
	i := slices.IndexFunc(d.said, func(p agent.Part) bool {
		old, ok := p.(agent.ToolCallPart)
		return ok && old.ID == c.id
	})
	if i < 0 {
		d.said = append(d.said, part)
	} else {
		d.said[i] = part
	}
}

func resultPart(r agent.ToolResult) agent.Part {
	text := r.Output
	switch {
	case text != "":
	case r.Denied:
		text = deniedText
	case r.IsError:
		text = noReason
	case len(r.Data) > 0:
		return agent.ToolResultPart{ToolCallID: r.ID, Result: r.Data}
	}
	return agent.ToolResultPart{ToolCallID: r.ID, Result: appendString(nil, text), IsError: r.IsError || r.Denied, Denied: r.Denied}
}

func (d *durable) endBlock() {
	if len(d.text) > 0 {
		if d.block == kindText {
			d.said = append(d.said, agent.TextPart{Text: string(d.text)})
		} else {
			d.said = append(d.said, agent.ReasoningPart{Text: string(d.text)})
		}
	}
	d.block, d.text = "", nil
}

func (d *durable) endStep() {
	d.endBlock()
	d.row(agent.RoleAssistant, d.said)
	d.row(agent.RoleTool, d.results)
	d.said, d.results = nil, nil
}

func (d *durable) row(role agent.Role, parts []agent.Part) {
	if len(parts) == 0 {
		return
	}
	id := d.id
	if n := len(d.rows); n > 0 {
		id += agent.MessageID("." + strconv.Itoa(n))
	}
	d.rows = append(d.rows, agent.Message{ID: id, Role: role, Parts: parts})
}
