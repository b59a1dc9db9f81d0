package uistream

import (
	"bytes"
	"fmt"
	"slices"

	"parley/backend/agent"
)

// message is the client's state of a turn: what the AI SDK's processUIMessageStream keeps, for the chunks of this
// package. The order of keys, here and in the parts, is the one in which the client's objects get them.
type message struct {
	id      agent.MessageID
	origin  origin
	outcome outcome
	parts   []part
	open    *blockPart
}

// part is one piece of a message.
type part interface {
	appendJSON(dst []byte) []byte
}

type (
	stepPart   struct{}
	filePart   fileChunk
	sourcePart sourceChunk
	dataPart   dataChunk

	blockPart struct {
		*block
		text bytes.Buffer // the inside of a JSON string
		done bool
	}

	// toolPart is a call and what became of it. Of its JSON values, what is nil is undefined in the client.
	toolPart struct {
		toolStartChunk
		state       string
		input       []byte
		raw         []byte // the text that came in place of input so far; no JSON
		output      []byte
		errorText   []byte
		preliminary bool
		approval    *approvalState // nil if there is none
	}

	approvalState struct {
		request  approvalChunk
		decision *decisionChunk // nil until there is one
	}
)

// apply does what the client does on a chunk.
func (m *message) apply(c Chunk) error {
	switch c := c.(type) {
	case startChunk:
		m.id, m.origin = c.message, c.origin // the same again after a pause
	case startStepChunk:
		m.parts = append(m.parts, stepPart{})
	case outcomeChunk:
		m.merge(&c.outcome)
	case finishChunk:
		m.merge(c.outcome)
	case blockStartChunk:
		m.open = &blockPart{block: c.block}
		m.parts = append(m.parts, m.open)
	case *deltaChunk:
		if c.kind == kindToolInput {
			t := m.tool(c.id)
			t.raw = append(t.raw, c.text...)
		} else {
			text := &m.open.text
			text.Write(appendText(text.AvailableBuffer(), c.text))
		}
	case blockEndChunk:
		m.open.done = true
	case toolStartChunk:
		m.parts = append(m.parts, &toolPart{toolStartChunk: c, state: "input-streaming"})
	case toolInputChunk:
		t := m.tool(c.id)
		*t = toolPart{toolStartChunk: c.toolStartChunk, state: "input-available", input: c.input}
		if c.problem != "" {
			t.state, t.errorText = "output-error", appendString(nil, c.problem)
		}
	case toolOutputChunk:
		t := m.tool(c.id)
		*t = toolPart{toolStartChunk: t.toolStartChunk, state: "output-available", input: t.input, approval: t.approval,
			output: c.output, preliminary: c.preliminary}
	case toolErrorChunk:
		t := m.tool(c.id)
		*t = toolPart{toolStartChunk: t.toolStartChunk, state: "output-error", input: t.input, approval: t.approval,
			raw: t.raw, errorText: appendString(nil, c.text)}
	case toolDeniedChunk:
		m.tool(c.id).state = "output-denied"
	case approvalChunk:
		t := m.tool(c.call)
		t.state, t.approval = "approval-requested", &approvalState{request: c}
	case decisionChunk:
		m.decide(c)
	case fileChunk:
		m.parts = append(m.parts, filePart(c))
	case sourceChunk:
		m.parts = append(m.parts, sourcePart(c))
	case dataChunk:
		m.show(dataPart(c))
	case finishStepChunk, pauseChunk, errorChunk, abortChunk: // leave the message as it is
	default:
		return fmt.Errorf("view a turn: %T has no effect", c)
	}
	return nil
}

// tool gives the part of a call that was announced.
func (m *message) tool(id string) *toolPart {
	for _, p := range slices.Backward(m.parts) {
		if t, ok := p.(*toolPart); ok && t.id == id {
			return t
		}
	}
	return &toolPart{} // never: the encoder says nothing of a call before it announced it
}

func (m *message) decide(d decisionChunk) {
	for _, p := range m.parts {
		if t, ok := p.(*toolPart); ok && t.approval != nil && t.approval.request.id == d.id {
			t.state, t.approval.decision = "approval-responded", &d
			return
		}
	}
}

func (m *message) show(d dataPart) {
	if d.transient {
		return
	}
	i := slices.IndexFunc(m.parts, func(p part) bool {
		old, ok := p.(dataPart)
		return ok && d.id != "" && old.name == d.name && old.id == d.id
	})
	if i < 0 {
		m.parts = append(m.parts, d)
	} else {
		m.parts[i] = d
	}
}

// merge takes over what is known; nil is nothing.
func (m *message) merge(o *outcome) {
	if o == nil {
		return
	}
	if o.model != "" {
		m.origin.model = o.model
	}
	if o.usage != nil {
		m.outcome.usage = o.usage
	}
	if o.reason != "" {
		m.outcome.reason, m.outcome.finished = o.reason, o.finished
	}
}

func (m *message) appendJSON(dst []byte) []byte {
	metadata := m.outcome.appendMembers(m.origin.appendMembers(newObject(nil))).end()
	dst = newObject(dst).string("id", string(m.id)).json("metadata", metadata).string("role", "assistant").key("parts")
	dst = append(dst, '[')
	for i, p := range m.parts {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = p.appendJSON(dst)
	}
	return append(dst, "]}"...)
}

func (stepPart) appendJSON(dst []byte) []byte { return newChunk(dst, "step-start").end() }

func (p filePart) appendJSON(dst []byte) []byte {
	return newChunk(dst, "file").string("mediaType", p.mediaType).string("url", p.url).end()
}

func (p sourcePart) appendJSON(dst []byte) []byte { return sourceChunk(p).appendJSON(dst) }

func (p dataPart) appendJSON(dst []byte) []byte { return dataChunk(p).appendJSON(dst) }

func (p *blockPart) appendJSON(dst []byte) []byte {
	o := newChunk(dst, string(p.kind))
	if p.kind == kindReasoning {
		o = o.string("id", p.id)
	}
	o = append(o.key("text"), '"')
	o = append(o, p.text.Bytes()...)
	o = append(o, '"')
	if p.done {
		return o.string("state", "done").end()
	}
	return o.string("state", "streaming").end()
}

func (p *toolPart) appendJSON(dst []byte) []byte {
	input, raw := p.input, []byte(nil)
	if p.raw != nil {
		input, raw = partialValue(string(p.raw)), appendString(nil, string(p.raw))
	}
	o := newChunk(dst, "tool-"+p.name).string("toolCallId", p.id).string("state", p.state)
	o = o.optional("input", input).optional("output", p.output).optional("rawInput", raw).optional("errorText", p.errorText)
	o = p.executed(o)
	if p.preliminary {
		o = o.bool("preliminary", true)
	}
	if p.approval != nil {
		o = o.value("approval", p.approval)
	}
	return o.end()
}

func (a *approvalState) appendJSON(dst []byte) []byte {
	o := newObject(dst).string("id", string(a.request.id))
	if a.request.automatic {
		o = o.bool("isAutomatic", true)
	}
	if d := a.decision; d != nil {
		o = o.bool("approved", d.approved).said("reason", d.note)
	}
	return o.end()
}
