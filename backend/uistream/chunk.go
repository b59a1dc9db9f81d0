package uistream

import (
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
	// startChunk opens a turn; finishChunk or abortChunk ends it.
	startChunk struct {
		message agent.MessageID
		origin  origin
	}
	finishChunk struct {
		reason  string
		outcome *outcome // nil if it was said before
	}
	abortChunk struct{}

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

	// toolStartChunk announces a call; toolInputChunk gives its arguments. Its problem, if any, is that they are not
	// JSON; input is then a string of them.
	toolStartChunk struct{ id, name string }
	toolInputChunk struct {
		id, name string
		input    []byte
		problem  string
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

	// fileChunk shows a file.
	fileChunk struct{ url, mediaType string }

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
	return newChunk(dst, "tool-input-start").string("toolCallId", c.id).string("toolName", c.name).bool("providerExecuted", true).end()
}

func (c toolInputChunk) appendJSON(dst []byte) []byte {
	if c.problem == "" {
		return c.appendMembers(newChunk(dst, "tool-input-available")).end()
	}
	return c.appendMembers(newChunk(dst, "tool-input-error")).string("errorText", c.problem).end()
}

func (c toolInputChunk) appendMembers(o object) object {
	return o.string("toolCallId", c.id).string("toolName", c.name).json("input", c.input).bool("providerExecuted", true)
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

func (c dataChunk) appendJSON(dst []byte) []byte {
	o := newChunk(dst, "data-"+c.name)
	if c.id != "" {
		o = o.string("id", c.id)
	}
	o = o.json("data", c.data)
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
