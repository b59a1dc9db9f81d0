package provider

import (
	"crypto/rand"
	"encoding/json"
	"io"
	"iter"
	"slices"
	"strings"

	"parley/backend/agent"
)

// maxAnswer and maxCalls bound what one answer may take of our memory.
const (
	maxAnswer = 64 << 20
	maxCalls  = 1000
)

// answer makes chunks of what a server says.
type answer struct {
	*exchange
	decode  decoder
	model   string
	finish  string
	refusal bool
	size    int
	calls   []*openCall
	taken   map[string]bool // the ids of the conversation's calls
}

// openCall is a call that is still being written.
type openCall struct {
	index   int64
	id      string // ours
	theirID string // as the server says it; some say none, some one that was there before
	name    string
	args    strings.Builder
}

func newAnswer(x *exchange, req Request) *answer {
	a := &answer{exchange: x, decode: x.wire.decoder(), model: req.Model, taken: map[string]bool{"": true}}
	for _, m := range req.Messages {
		for _, c := range m.Calls {
			a.taken[c.ID] = true
		}
	}
	return a
}

// read says the chunks of the answer, Finish last. It reports whether all was said: not if say wanted no more.
func (a *answer) read(events iter.Seq2[[]byte, error], say func(Chunk) bool) (said bool, err error) {
	for data, err := range events {
		if err != nil {
			return false, err
		}
		if string(data) == "[DONE]" {
			break
		}
		k, ok := a.decode(data, a.model)
		switch {
		case !ok:
			return false, agent.Errorf(agent.CodeProviderUnavailable, "%s sent something that is no answer: %s", a, a.quote(string(data[:min(len(data), maxQuote)])))
		case k.failed:
			return false, a.refused(0, nil, data)
		}
		if !a.take(k, say) {
			return false, nil
		}
		if a.size > maxAnswer || len(a.calls) > maxCalls {
			return false, agent.Errorf(agent.CodeProviderUnavailable, "%s did not stop talking; its answer was cut off.", a)
		}
		if k.last {
			break
		}
	}
	return a.end(say)
}

func (a *answer) take(k wireChunk, say func(Chunk) bool) bool {
	a.size += len(k.reasoning) + len(k.text) + len(k.refusal)
	a.model = k.model
	if k.finish != "" {
		a.finish = k.finish
	}
	if k.reasoning != "" && !say(Reasoning(k.reasoning)) || k.text != "" && !say(Text(k.text)) {
		return false
	}
	if k.refusal != "" {
		a.refusal = true
		if !say(Text(k.refusal)) {
			return false
		}
	}
	for _, d := range k.calls {
		call := a.callOf(d)
		if call.name == "" {
			call.name = d.name
		}
		call.args.WriteString(d.args)
		a.size += len(d.args)
		if !say(CallPiece{call.id, call.name, d.args}) {
			return false
		}
	}
	return k.usage == nil || say(Usage(*k.usage))
}

// callOf finds the call that d is a piece of, or opens it.
func (a *answer) callOf(d callDelta) *openCall {
	for _, call := range slices.Backward(a.calls) {
		if call.goesOnWith(d) {
			return call
		}
	}
	call := &openCall{index: d.index, id: d.id, theirID: d.id}
	if a.taken[call.id] {
		call.id = "call_" + rand.Text()
	}
	a.taken[call.id] = true
	a.calls = append(a.calls, call)
	return call
}

// goesOnWith tells a piece of this call from the beginning of another: by the index and the id, as far as the server
// says them, and, for one that gets them wrong, by a name that comes again once the arguments are whole.
func (c *openCall) goesOnWith(d callDelta) bool {
	if d.index >= 0 && d.index != c.index || d.id != "" && c.theirID != "" && d.id != c.theirID {
		return false
	}
	return d.name == "" || d.args == "" || !json.Valid([]byte(c.args.String()))
}

func (a *answer) end(say func(Chunk) bool) (said bool, err error) {
	reason := agent.StopEndTurn // also for the words that only one server knows
	switch {
	case a.finish == "":
		return false, io.ErrUnexpectedEOF
	case a.finish == "error":
		return false, agent.Errorf(agent.CodeProviderUnavailable, "%s gave up in the middle of its answer, and does not say why.", a)
	case a.finish == "content_filter":
		reason = agent.StopContentFilter
	case a.refusal || a.finish == "refusal":
		reason = agent.StopRefusal
	case len(a.calls) > 0: // whatever the word: arguments that were cut short are malformed, and answered as such
		reason = agent.StopToolUse
		for _, call := range a.calls {
			if !say(WholeCall{call.id, call.name, call.args.String()}) {
				return false, nil
			}
		}
	case a.finish == "length", a.finish == "max_tokens", a.finish == "model_context_window_exceeded":
		reason = agent.StopMaxTokens
	case a.finish == "stop_sequence":
		reason = agent.StopSequence
	}
	return say(Finish{Reason: reason, Model: a.model}), nil
}
