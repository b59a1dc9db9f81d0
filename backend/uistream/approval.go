package uistream

import (
	"cmp"
	"encoding/json"
	"slices"

	"parley/backend/agent"
)

// approval is the question whether a call may run.
type approval struct {
	id       agent.InteractionID
	manifest []byte                     // what will happen
	decision *agent.InteractionResponse // nil until there is one
}

func (a *approval) denied() bool { return a != nil && a.decision != nil && !a.decision.Approved }

// ask shows a question. That of a client's tool is its arguments, and they are there.
func (e *Encoder) ask(dst []Chunk, event agent.InteractionRequest) []Chunk {
	dst, c := e.awaited(dst, event.Call)
	if c == nil {
		return dst
	}
	switch {
	case c.approval != nil:
		e.dropped++
	case event.Kind == agent.UserApproval:
		c.approval = &approval{id: event.ID, manifest: jsonValue(event.Payload)}
		return e.show(append(dst, approvalChunk{id: event.ID, call: c.id}), c.manifest())
	case event.Kind == agent.UserInput:
		return e.show(dst, dataChunk{name: inputData, id: string(event.ID), data: jsonValue(c.question(jsonValue(event.Payload)).end())})
	}
	return dst
}

// decide shows what was decided about a call. What a person or a client gave in place of a decision is shown as the
// call's result.
func (e *Encoder) decide(dst []Chunk, event agent.InteractionResponse) []Chunk {
	c := e.calls[event.Call]
	if c == nil || c.answered || c.approval == nil || c.approval.id != event.ID || c.approval.decision != nil {
		return dst
	}
	c.approval.decision = &event
	return append(dst, decisionChunk{event.ID, event.Approved, event.Note}, c.manifest())
}

// manifest is what the question about a call shows beyond the SDK's part of it.
func (c *call) manifest() dataChunk {
	o := c.question(c.approval.manifest)
	if d := c.approval.decision; d != nil {
		o = o.bool("approved", d.Approved).said("note", d.Note).said("scope", string(d.Scope))
	}
	return dataChunk{name: approvalData, id: string(c.approval.id), data: jsonValue(o.end())}
}

// question begins the data of a question: the call that waits, and what the harness says of it, which is not an answer.
func (c *call) question(payload []byte) object {
	o := newObject(nil).string("toolCallId", c.id)
	if payload[0] != '{' {
		return o.json("payload", payload)
	}
	for key, rest := nextPiece(payload[1:]); len(key) > 0; key, rest = nextPiece(rest) {
		name := string(key[1 : len(key)-1])
		var value json.RawMessage
		if value, rest = nextPiece(rest); !slices.Contains(answerKeys, name) {
			o = o.json(name, value)
		}
	}
	return o
}

var answerKeys = []string{"toolCallId", "approved", "note", "scope"}

// deny ends a call that may not run. The SDK has no denied call without a decision: where no person was asked, a rule
// decided. One that a person allowed and a rule forbade has failed.
func (e *Encoder) deny(dst []Chunk, c *call, why string) []Chunk {
	a := c.approval
	switch {
	case a == nil:
		id := agent.InteractionID(c.id)
		dst = append(dst, approvalChunk{id, c.id, true}, decisionChunk{id, false, why})
	case a.decision == nil:
		dst = e.decide(dst, agent.InteractionResponse{ID: a.id, Call: c.id, Note: why})
	case a.decision.Approved:
		return append(dst, toolErrorChunk{c.id, cmp.Or(why, deniedText)})
	}
	return append(dst, toolDeniedChunk{c.id})
}
