package uistream

import (
	"bytes"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"unicode/utf8"

	"parley/backend/agent"
)

// Encoder folds the records of one turn into its chunks. The chunks are a function of the records alone: whoever encodes
// the same log, live or later, gets the same sequence.
type Encoder struct {
	start   startChunk // with the model that answered last
	phase   phase
	parked  bool // whether the last chunk was that of a pause
	step    bool // whether a step is open
	called  bool // whether anything was called in it
	steered bool // whether the person said anything in it
	content bool // whether the message has anything to show
	cached  bool // whether cache counters were ever reported
	dropped int
	err     error
	failed  *agent.Failure // why the turn did

	blocks    int    // opened so far; a block is named after its number
	open      *block // nil if none is
	text      speech
	reasoning speech
	spare     []deltaChunk // made at once, handed out one by one

	calls map[string]*call
	due   []*call // those that have no answer yet, as they were announced
}

// The data that only Parley shows: a harness has no say in what looks like its errors or its questions.
const (
	errorData    = "agent-error"
	planData     = "plan"
	statusData   = "status"
	renderData   = "render"
	approvalData = "approval"
	inputData    = "input-request"
	steeredData  = "steered"
	userData     = "user-message" // of a replay
)

var ownData = []string{errorData, planData, statusData, renderData, approvalData, inputData, steeredData, userData}

type phase int

const (
	waiting phase = iota // for TurnStarted
	running
	paused // until TurnResumed
	ended
)

// NewEncoder makes an Encoder for one turn of a session.
func NewEncoder(session agent.SessionID) *Encoder {
	return &Encoder{start: startChunk{origin: origin{session: session}}, calls: map[string]*call{}}
}

// Ended reports whether the turn's last chunk was given. Whatever is encoded after it has no chunks.
func (e *Encoder) Ended() bool { return e.phase == ended }

// Paused reports whether the turn waits for answers: a response that has all chunks so far ends with them.
func (e *Encoder) Paused() bool { return e.phase == paused }

// Dropped counts what a harness may not say: something of a call that it never announced or that is answered, data under
// a name that is Parley's own, or anything while its turn is paused.
func (e *Encoder) Dropped() int { return e.dropped }

// Err is not nil once a record of an unknown type was met: the chunks are not the whole turn.
func (e *Encoder) Err() error { return e.err }

// Encode appends the chunks of the turn's next record to dst.
func (e *Encoder) Encode(dst []Chunk, rec agent.Record) []Chunk {
	_, starts := rec.Event.(agent.TurnStarted)
	if e.phase == ended || starts != (e.phase == waiting) {
		return dst
	}
	from := len(dst)
	if e.parked {
		dst = append(dst, e.start)
	}
	before := len(dst)
	if dst = e.encode(dst, rec); len(dst) == before {
		return dst[:from]
	}
	if e.parked = e.phase == paused; e.parked {
		dst = append(dst, pauseChunk{})
	}
	return dst
}

// chunks gives the chunks of the turn's next records, each with the event that it is of.
func (e *Encoder) chunks(records []agent.Record) iter.Seq2[agent.Event, Chunk] {
	return func(yield func(agent.Event, Chunk) bool) {
		var chunks []Chunk
		for _, rec := range records {
			chunks = e.Encode(chunks[:0], rec)
			for _, c := range chunks {
				if !yield(rec.Event, c) {
					return
				}
			}
		}
	}
}

func (e *Encoder) encode(dst []Chunk, rec agent.Record) []Chunk {
	if e.phase == paused && agent.Spoken(rec.Event) {
		e.dropped++
		return dst
	}
	at := rec.At.UnixMilli()
	switch event := rec.Event.(type) {
	case agent.SessionStarted, agent.SessionExported:
		return dst
	case agent.TurnStarted:
		e.phase, e.step = running, true
		e.start = startChunk{event.Message, origin{e.start.origin.session, at, event.Model, event.Agent}}
		return append(dst, e.start, startStepChunk{})
	case agent.MessageStart, agent.ThoughtStart:
		return e.closeBlock(dst)
	case agent.MessageEnd:
		return e.closeKind(dst, kindText)
	case agent.ThoughtEnd:
		return e.closeKind(dst, kindReasoning)
	case agent.MessageDelta:
		return e.say(dst, kindText, event.Text)
	case agent.ThoughtDelta:
		return e.say(dst, kindReasoning, event.Text)
	case agent.MessageWhole:
		return e.sayWhole(dst, kindText, event.Text)
	case agent.ThoughtWhole:
		return e.sayWhole(dst, kindReasoning, event.Text)
	case agent.ToolCallDelta:
		return e.callDelta(dst, event, at)
	case agent.ToolCall:
		return e.call(dst, event, at)
	case agent.ToolProgress:
		return e.progress(dst, event)
	case agent.ToolResult:
		return e.result(dst, event)
	case agent.Data:
		if slices.Contains(ownData, event.Name) {
			e.dropped++
			return dst
		}
		return e.show(dst, dataChunk{name: event.Name, data: jsonValue(event.Data), transient: event.Transient})
	case agent.Plan:
		return e.show(dst, dataChunk{name: planData, id: planData, data: planJSON(event)})
	case agent.Status:
		return e.show(dst, dataChunk{name: statusData, data: newObject(nil).string("text", event.Text).end(), transient: true})
	case agent.File:
		e.content = true
		return append(dst, fileChunk{event.URL, event.MediaType})
	case agent.Source:
		e.content = true
		return append(dst, sourceChunk{event})
	case agent.UsageReport:
		return append(dst, outcomeChunk{outcome{usage: e.usage(event.Usage)}})
	case agent.InteractionRequest:
		return e.ask(dst, event)
	case agent.InteractionResponse:
		return e.decide(dst, event)
	case agent.Steered:
		return e.steer(dst, event)
	case agent.TurnPaused:
		e.phase = paused
		dst = append(e.closeBlock(dst), outcomeChunk{e.outcome(event.Usage, event.Model)})
		return e.closeStep(dst)
	case agent.TurnResumed:
		e.phase = running
		return dst
	case agent.TurnCompleted:
		return e.complete(dst, event, at)
	}
	e.err = fmt.Errorf("encode a turn: %T has no chunks", rec.Event)
	return dst
}

// steer shows what the person said in the middle of the turn, at the end of a step.
func (e *Encoder) steer(dst []Chunk, said agent.Steered) []Chunk {
	dst = e.closeBlock(dst)
	if !e.step {
		dst = e.nextStep(dst)
	}
	e.steered = true
	return e.show(dst, dataChunk{name: steeredData, data: newObject(nil).string("messageId", string(said.Message)).string("text", said.Text).end()})
}

// speech is what deltas of one kind have said in the turn.
type speech struct {
	said        bytes.Buffer
	step, block int // where in said the last step and the last block begin
}

// rest reports whether whole is a snapshot of what deltas have said, and what it adds. Some harnesses send both: the
// snapshot may be of a block, of a step or of the turn.
func (s *speech) rest(whole string) (string, bool) {
	for _, from := range []int{s.block, s.step, 0} {
		said := s.said.Bytes()[from:]
		if n := len(said); n > 0 && n <= len(whole) && whole[:n] == string(said) {
			return whole[n:], true
		}
	}
	return "", false
}

func (e *Encoder) speech(k kind) *speech {
	if k == kindText {
		return &e.text
	}
	return &e.reasoning
}

// say speaks a delta.
func (e *Encoder) say(dst []Chunk, k kind, text string) []Chunk {
	text = clean(text)
	dst = e.speak(dst, k, text)
	e.speech(k).said.WriteString(text)
	return dst
}

// sayWhole speaks a block, or what it adds to the deltas that it repeats.
func (e *Encoder) sayWhole(dst []Chunk, k kind, text string) []Chunk {
	text = clean(text)
	if rest, ok := e.speech(k).rest(text); ok {
		return e.closeKind(e.say(dst, k, rest), k)
	}
	return e.closeKind(e.speak(e.closeBlock(dst), k, text), k)
}

// clean replaces what is not UTF-8 byte by byte, as writing the log does: a live turn and its log say the same.
func clean(text string) string {
	if utf8.ValidString(text) {
		return text
	}
	return string([]rune(text))
}

// speak appends text to the block of kind k that is open, or opens one. A block without text never comes to be.
func (e *Encoder) speak(dst []Chunk, k kind, text string) []Chunk {
	if text == "" {
		return dst
	}
	dst = e.nextStep(dst)
	if e.open == nil || e.open.kind != k {
		dst = e.closeBlock(dst)
		e.open = &block{k, string(k[0]) + strconv.Itoa(e.blocks)}
		e.blocks++
		e.content = true
		s := e.speech(k)
		s.block = s.said.Len()
		dst = append(dst, blockStartChunk{e.open})
	}
	return append(dst, e.delta(e.open, text))
}

// delta makes a deltaChunk, at a hundredth of an allocation.
func (e *Encoder) delta(b *block, text string) *deltaChunk {
	if len(e.spare) == 0 {
		e.spare = make([]deltaChunk, 128)
	}
	d := &e.spare[0]
	e.spare = e.spare[1:]
	*d = deltaChunk{b, text}
	return d
}

func (e *Encoder) closeKind(dst []Chunk, k kind) []Chunk {
	if e.open == nil || e.open.kind != k {
		return dst
	}
	return e.closeBlock(dst)
}

func (e *Encoder) closeBlock(dst []Chunk) []Chunk {
	if e.open == nil {
		return dst
	}
	closed := e.open
	e.open = nil
	return append(dst, blockEndChunk{closed})
}

// nextStep begins a step if none is open, or if every call of the one that is was answered, or the person said something:
// whoever speaks or calls now has seen that.
func (e *Encoder) nextStep(dst []Chunk) []Chunk {
	if e.step && (!e.called && !e.steered || len(e.due) > 0) {
		return dst
	}
	dst = e.closeStep(dst)
	e.step, e.called, e.steered = true, false, false
	e.text.step, e.reasoning.step = e.text.said.Len(), e.reasoning.said.Len()
	return append(dst, startStepChunk{})
}

func (e *Encoder) closeStep(dst []Chunk) []Chunk {
	dst = e.closeBlock(dst)
	if !e.step {
		return dst
	}
	e.step = false
	return append(dst, finishStepChunk{})
}

func (e *Encoder) show(dst []Chunk, c dataChunk) []Chunk {
	e.content = e.content || !c.transient
	return append(dst, c)
}

func planJSON(plan agent.Plan) []byte {
	items := []byte{'['}
	for i, item := range plan.Items {
		if i > 0 {
			items = append(items, ',')
		}
		items = newObject(items).string("text", item.Text).string("status", item.Status).end()
	}
	return newObject(nil).json("items", append(items, ']')).end()
}

// outcome is what is known when the turn pauses or ends.
func (e *Encoder) outcome(u agent.Usage, model string) outcome {
	o := outcome{usage: e.usage(u)}
	if model != e.start.origin.model {
		o.model = model
	}
	if model != "" {
		e.start.origin.model = model
	}
	return o
}

func (e *Encoder) usage(u agent.Usage) *usage {
	e.cached = e.cached || u.CacheRead != 0 || u.CacheWrite != 0
	return &usage{u, e.cached}
}
