package uistream

import (
	"cmp"
	"slices"

	"parley/backend/agent"
)

// Chunk is one element of a UI Message Stream. The sum is sealed: the types of this file, a subset that clients of every
// strictness accept. What is optional is left out when there is nothing to say, never null.
type Chunk interface {
	appendJSON(dst []byte) []byte
}

// kind is what a block is made of. Its values are the beginnings of the wire's types.
type kind string

const (
	kindText      kind = "text"
	kindReasoning kind = "reasoning"
	kindToolInput kind = "tool-input"
)

// block is what deltas belong to: some text, some reasoning, or the JSON text of a call's arguments.
type block struct {
	kind kind
	id   string
}

type (
	// startChunk opens a turn, and again what follows a pause; finishChunk or abortChunk ends the turn.
	startChunk struct {
		message agent.MessageID
		origin  origin
	}
	finishChunk struct {
		reason  string
		outcome *outcome // nil if it was said before
	}
	abortChunk struct{}

	// pauseChunk ends the response of a turn that waits for answers. What comes after it begins with a startChunk.
	pauseChunk struct{}

	// startStepChunk and finishStepChunk enclose one model call with its tools.
	startStepChunk  struct{}
	finishStepChunk struct{}

	// outcomeChunk says what is known of the outcome so far.
	outcomeChunk struct{ outcome outcome }

	// blockStartChunk and blockEndChunk enclose the deltas of text and reasoning.
	blockStartChunk struct{ *block }
	blockEndChunk   struct{ *block }

	// deltaChunk is the next piece of a block. It is a Chunk by pointer: the encoder makes many at once.
	deltaChunk struct {
		*block
		text string
	}

	// toolStartChunk announces a call, which the client is to run if it is its own; toolInputChunk gives its arguments.
	// Its problem, if any, is that they are not JSON; input is then a string of them.
	toolStartChunk struct {
		id, name string
		client   bool
	}
	toolInputChunk struct {
		toolStartChunk
		input   []byte
		problem string
	}

	// approvalChunk asks whether a call may run; automatic is one that a rule answers. decisionChunk is the answer.
	approvalChunk struct {
		id        agent.InteractionID
		call      string
		automatic bool
	}
	decisionChunk struct {
		id       agent.InteractionID
		approved bool
		note     string
	}

	// toolOutputChunk is what a call shows so far or, if it is not preliminary, its result. toolErrorChunk and
	// toolDeniedChunk end a call that has none.
	toolOutputChunk struct {
		id          string
		output      []byte
		preliminary bool
	}
	toolErrorChunk  struct{ id, text string }
	toolDeniedChunk struct{ id string }

	// fileChunk shows a file, sourceChunk something that the agent drew on.
	fileChunk   struct{ url, mediaType string }
	sourceChunk struct{ agent.Source }

	// dataChunk shows a named value. One with an id replaces the one before; a transient one is not kept.
	dataChunk struct {
		name, id  string
		data      []byte
		transient bool
	}

	// errorChunk fails the turn. useChat reads no further.
	errorChunk struct{ text string }
)

func (c startChunk) appendJSON(dst []byte) []byte {
	return newChunk(dst, "start").string("messageId", string(c.message)).value("messageMetadata", c.origin).end()
}

func (c finishChunk) appendJSON(dst []byte) []byte {
	o := newChunk(dst, "finish").string("finishReason", c.reason)
	if c.outcome != nil {
		o = o.value("messageMetadata", c.outcome)
	}
	return o.end()
}

func (abortChunk) appendJSON(dst []byte) []byte { return newChunk(dst, "abort").end() }

func (pauseChunk) appendJSON(dst []byte) []byte {
	return finishChunk{reason: "tool-calls"}.appendJSON(dst)
}

func (startStepChunk) appendJSON(dst []byte) []byte { return newChunk(dst, "start-step").end() }

func (finishStepChunk) appendJSON(dst []byte) []byte { return newChunk(dst, "finish-step").end() }

func (c outcomeChunk) appendJSON(dst []byte) []byte {
	return newChunk(dst, "message-metadata").value("messageMetadata", c.outcome).end()
}

func (c blockStartChunk) appendJSON(dst []byte) []byte {
	return newChunk(dst, string(c.kind)+"-start").string("id", c.id).end()
}

func (c blockEndChunk) appendJSON(dst []byte) []byte {
	return newChunk(dst, string(c.kind)+"-end").string("id", c.id).end()
}

func (c *deltaChunk) appendJSON(dst []byte) []byte { return appendMerged(dst, []Chunk{c}) }

func (c toolStartChunk) appendJSON(dst []byte) []byte {
	return c.executed(c.appendMembers(newChunk(dst, "tool-input-start"))).end()
}

func (c toolStartChunk) appendMembers(o object) object {
	return o.string("toolCallId", c.id).string("toolName", c.name)
}

// executed says who runs the call.
func (c toolStartChunk) executed(o object) object {
	if c.client {
		return o
	}
	return o.bool("providerExecuted", true)
}

func (c toolInputChunk) appendJSON(dst []byte) []byte {
	typ := "tool-input-available"
	if c.problem != "" {
		typ = "tool-input-error"
	}
	o := c.executed(c.appendMembers(newChunk(dst, typ)).json("input", c.input))
	if c.problem != "" {
		o = o.string("errorText", c.problem)
	}
	return o.end()
}

func (c approvalChunk) appendJSON(dst []byte) []byte {
	o := newChunk(dst, "tool-approval-request").string("approvalId", string(c.id)).string("toolCallId", c.call)
	if c.automatic {
		o = o.bool("isAutomatic", true)
	}
	return o.end()
}

func (c decisionChunk) appendJSON(dst []byte) []byte {
	o := newChunk(dst, "tool-approval-response").string("approvalId", string(c.id)).bool("approved", c.approved)
	return o.said("reason", c.note).end()
}

func (c toolOutputChunk) appendJSON(dst []byte) []byte {
	o := newChunk(dst, "tool-output-available").string("toolCallId", c.id).json("output", c.output)
	if c.preliminary {
		o = o.bool("preliminary", true)
	}
	return o.end()
}

func (c toolErrorChunk) appendJSON(dst []byte) []byte {
	return newChunk(dst, "tool-output-error").string("toolCallId", c.id).string("errorText", c.text).end()
}

func (c toolDeniedChunk) appendJSON(dst []byte) []byte {
	return newChunk(dst, "tool-output-denied").string("toolCallId", c.id).end()
}

func (c fileChunk) appendJSON(dst []byte) []byte {
	return newChunk(dst, "file").string("url", c.url).string("mediaType", c.mediaType).end()
}

func (c sourceChunk) appendJSON(dst []byte) []byte {
	id := cmp.Or(c.ID, c.URL, c.Title)
	if c.URL != "" {
		return newChunk(dst, "source-url").string("sourceId", id).string("url", c.URL).said("title", c.Title).end()
	}
	return newChunk(dst, "source-document").string("sourceId", id).string("mediaType", c.MediaType).string("title", c.Title).
		said("filename", c.Filename).end()
}

func (c dataChunk) appendJSON(dst []byte) []byte {
	o := newChunk(dst, "data-"+c.name).said("id", c.id).json("data", c.data)
	if c.transient {
		o = o.bool("transient", true)
	}
	return o.end()
}

func (c errorChunk) appendJSON(dst []byte) []byte {
	return newChunk(dst, "error").string("errorText", c.text).end()
}

// mergeable says how many of chunks, from the first, appendMerged takes: deltas of one block, or one chunk.
func mergeable(chunks []Chunk) int {
	first, ok := chunks[0].(*deltaChunk)
	if !ok {
		return 1
	}
	n := slices.IndexFunc(chunks, func(c Chunk) bool {
		d, ok := c.(*deltaChunk)
		return !ok || d.block != first.block
	})
	if n < 0 {
		return len(chunks)
	}
	return n
}

// appendMerged writes mergeable chunks as one.
func appendMerged(dst []byte, chunks []Chunk) []byte {
	first, ok := chunks[0].(*deltaChunk)
	if !ok {
		return chunks[0].appendJSON(dst)
	}
	id, text := "id", "delta"
	if first.kind == kindToolInput {
		id, text = "toolCallId", "inputTextDelta"
	}
	o := newChunk(dst, string(first.kind)+"-delta").string(id, first.id).key(text)
	dst = append(o, '"')
	for _, c := range chunks {
		dst = appendText(dst, c.(*deltaChunk).text)
	}
	return object(append(dst, '"')).end()
}
