package uistream

import (
	"slices"
	"strconv"

	"parley/backend/agent"
)

// Durable gives the rows that a finished or interrupted turn leaves for models, search and export: for each step an
// assistant row and, if a call was answered, a tool row with the answers; between two steps what the person said there. A call whose arguments never came to be known,
// and an answer that never came, have no part there.
//
// What the person said has the id that its client gave. Of the others the first has that of the turn's message, the rest that
// and their number: the same log gives the same rows.
func Durable(records []agent.Record) []agent.Message {
	e := NewEncoder("")
	var d durable
	for event, c := range e.chunks(records) {
		d.apply(c, event)
	}
	d.open = nil
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
	answers int          // rows that are the agent's
	said    []agent.Part // in this step
	results []agent.Part
	open    []string        // calls that have no answer
	steered []agent.Message // what the person said, once they have
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
			d.open = slices.DeleteFunc(d.open, func(id string) bool { return id == result.ID })
		}
	case dataChunk:
		if said, ok := event.(agent.Steered); ok {
			d.steered = append(d.steered, agent.Message{ID: said.Message, Role: agent.RoleUser, Parts: []agent.Part{agent.TextPart{Text: clean(said.Text)}}})
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
		d.open = append(d.open, c.id)
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
	if len(d.open) == 0 {
		d.rows = append(d.rows, d.steered...)
		d.steered = nil
	}
}

func (d *durable) row(role agent.Role, parts []agent.Part) {
	if len(parts) == 0 {
		return
	}
	id := d.id
	if d.answers > 0 {
		id += agent.MessageID("." + strconv.Itoa(d.answers))
	}
	d.answers++
	d.rows = append(d.rows, agent.Message{ID: id, Role: role, Parts: parts})
}
