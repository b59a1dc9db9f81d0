package modelserver

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"

	"parley/backend/scripted"
)

// messages answers Anthropic's Messages.
func (s *Server) messages(w http.ResponseWriter, r *http.Request) {
	c, size, ok := s.dialogue(w, r, false)
	if !ok {
		return
	}
	a, results := s.newAnswer(w, r, c.said(), len(c.Tools))
	v := &messagesAnswer{answer: a, model: c.Model, stream: c.Stream, content: []block{}}
	v.usage.Input, v.usage.Output = size/4, 1
	if u := a.script.Usage; u != nil {
		v.usage.Input = u.Input
	}
	a.play(v, results)
}

// countTokens says how long a request of Messages would be.
func (s *Server) countTokens(w http.ResponseWriter, r *http.Request) {
	if _, size, ok := s.dialogue(w, r, true); ok {
		writeJSON(w, http.StatusOK, object{"input_tokens": size / 4})
	}
}

// dialogue reads a request, which is to be answered or only to be counted, and gives its size in bytes. One that is
// refused it answers itself.
func (s *Server) dialogue(w http.ResponseWriter, r *http.Request, counting bool) (c dialogue, size int64, ok bool) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return c, 0, false
	}
	c, why := readDialogue(body, r.Header.Get("anthropic-beta"))
	switch {
	case r.Header.Get("anthropic-version") == "":
		why = "anthropic-version: header is required"
	case why == "" && !counting:
		why = c.refuseTokens()
	}
	if why != "" && !s.options.Lenient {
		writeJSON(w, http.StatusBadRequest, anthropicError("invalid_request_error", why))
		return c, 0, false
	}
	return c, int64(len(body)), true
}

// messagesAnswer speaks as Anthropic does. content is what was said, of a
// stream its blocks only.
type messagesAnswer struct {
	*answer
	model   string
	stream  bool
	content []block
	usage   anthropicUsage
}

// block is what an answer consists of; only the fields of its type are set.
type block struct {
	Type      string          `json:"type"`
	Text      *string         `json:"text,omitempty"`
	Thinking  *string         `json:"thinking,omitempty"`
	Signature *string         `json:"signature,omitempty"`
	ID        string          `json:"id,omitempty"`
	Name      string          `json:"name,omitempty"`
	Input     json.RawMessage `json:"input,omitempty"`
}

type anthropicUsage struct {
	Input      int64 `json:"input_tokens"`
	CacheWrite int64 `json:"cache_creation_input_tokens"`
	CacheRead  int64 `json:"cache_read_input_tokens"`
	Output     int64 `json:"output_tokens"`
}

// piece is the event of which an answer has many.
type piece struct {
	Type  string `json:"type"`
	Index int    `json:"index"`
	Delta growth `json:"delta"`
}

// growth is what a block has more; only the field of its type is set.
type growth struct {
	Type        string  `json:"type"`
	Text        *string `json:"text,omitempty"`
	Thinking    *string `json:"thinking,omitempty"`
	Signature   *string `json:"signature,omitempty"`
	PartialJSON *string `json:"partial_json,omitempty"`
}

type object map[string]any

func (a *messagesAnswer) speak(beat scripted.Beat) {
	switch beat.Kind {
	case scripted.BeatThought:
		a.block(block{Type: "thinking", Thinking: new(""), Signature: new("")})
		a.grow(growth{Type: "thinking_delta", Thinking: &beat.Text})
	case scripted.BeatText:
		a.block(block{Type: "text", Text: new("")})
		a.grow(growth{Type: "text_delta", Text: &beat.Text})
	case scripted.BeatCall:
		a.callTool(*beat.Call)
	}
}

// callTool calls, in a stream with the input in pieces. A whole answer cannot hold input that is no JSON.
func (a *messagesAnswer) callTool(step scripted.ToolStep) {
	call := block{Type: "tool_use", ID: fmt.Sprintf("toolu_%d", a.id), Name: step.Name, Input: json.RawMessage(`{}`)}
	if !a.stream {
		if json.Valid(step.Input) {
			call.Input = step.Input
		}
		a.block(call)
		return
	}
	a.block(call)
	for _, half := range halves(string(step.Input)) {
		a.grow(growth{Type: "input_json_delta", PartialJSON: &half})
	}
}

// block opens next, unless the open block goes on with it.
func (a *messagesAnswer) block(next block) {
	if n := len(a.content); n == 0 || a.content[n-1].Type != next.Type {
		if n == 0 {
			a.event("message_start", object{"message": a.message(nil)})
			a.event("ping", object{})
		}
		a.endBlock()
		a.content = append(a.content, next)
		a.event("content_block_start", object{"index": n, "content_block": next})
	}
}

func (a *messagesAnswer) endBlock() {
	n := len(a.content)
	if n == 0 {
		return
	}
	if b := &a.content[n-1]; b.Type == "thinking" {
		a.grow(growth{Type: "signature_delta", Signature: new(signature)})
	}
	a.event("content_block_stop", object{"index": n - 1})
}

// signature is what a model signs its thoughts with: they are taken back only with it.
const signature = "c2NyaXB0ZWQ="

// grow sends what the open block has more, or gathers its text.
func (a *messagesAnswer) grow(g growth) {
	last := len(a.content) - 1
	if a.stream {
		a.send("content_block_delta", piece{"content_block_delta", last, g})
		return
	}
	switch b := &a.content[last]; {
	case g.Text != nil:
		*b.Text += *g.Text
	case g.Thinking != nil:
		*b.Thinking += *g.Thinking
	case g.Signature != nil:
		b.Signature = g.Signature
	}
}

// event sends an event, which carries its name twice.
func (a *messagesAnswer) event(name string, fields object) {
	if a.stream {
		fields["type"] = name
		a.send(name, fields)
	}
}

func (a *messagesAnswer) finish() {
	if len(a.content) == 0 {
		a.block(block{Type: "text", Text: new("")})
	}
	reason := "end_turn"
	if a.content[len(a.content)-1].Type == "tool_use" {
		reason = "tool_use"
	}
	a.endBlock()
	a.usage.Output = a.tokens
	if u := a.script.Usage; u != nil {
		a.usage.Output = u.Output
	}
	if !a.stream {
		whole := a.message(&reason)
		whole["content"] = a.content
		writeJSON(a.w, http.StatusOK, whole)
		return
	}
	a.event("message_delta", object{"delta": object{"stop_reason": reason, "stop_sequence": nil}, "usage": a.usage})
	a.event("message_stop", object{})
}

// message is the answer around its content.
func (a *messagesAnswer) message(reason *string) object {
	return object{
		"id": fmt.Sprintf("msg_%d", a.id), "type": "message", "role": "assistant", "model": a.model,
		"content": []block{}, "stop_reason": reason, "stop_sequence": nil, "usage": a.usage,
	}
}

func (a *messagesAnswer) complaint(f scripted.Failure) (event string, body any) {
	message := asked(f)
	if f.Code == "content_filter" {
		message = "Output blocked by content filtering policy"
	}
	kind, known := anthropicErrors[f.Status]
	if !known {
		kind = "api_error"
		if f.Status < 500 {
			kind = "invalid_request_error"
		}
	}
	return "error", anthropicError(kind, message)
}

var anthropicErrors = map[int]string{
	401: "authentication_error", 403: "permission_error", 404: "not_found_error", 413: "request_too_large",
	429: "rate_limit_error", 529: "overloaded_error",
}

func anthropicError(kind, message string) any {
	return object{"type": "error", "error": object{"type": kind, "message": message}}
}
