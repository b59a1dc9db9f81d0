package uistream

import (
	"cmp"

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
	payload := jsonValue(event.Payload)
	switch {
	case c.approval != nil:
		e.dropped++
	case event.Kind == agent.UserApproval:
		c.approval = &approval{id: event.ID, manifest: payload}
		return e.show(append(dst, approvalChunk{id: event.ID, call: c.id}), c.manifest())
	case event.Kind == agent.UserInput:
		request := newObject(nil).string("toolCallId", c.id).json("request", payload).end()
		return e.show(dst, dataChunk{name: inputData, id: string(event.ID), data: request})
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
	o := newObject(nil).string("toolCallId", c.id).json("manifest", c.approval.manifest)
	if d := c.approval.decision; d != nil {
		decision := newObject(nil).bool("approved", d.Approved).said("note", d.Note).said("scope", string(d.Scope)).end()
		o = o.json("decision", decision)
	}
	return dataChunk{name: approvalData, id: string(c.approval.id), data: o.end()}
}

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
