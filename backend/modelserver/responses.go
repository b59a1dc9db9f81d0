package modelserver

import (
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"

	"parley/backend/scripted"
)

// responses answers OpenAI's Responses.
func (s *Server) responses(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	e, why := readExchange(body)
	if why != "" && !s.options.Lenient {
		writeError(w, http.StatusBadRequest, "invalid_request_error", "", why)
		return
	}
	a, results := s.newAnswer(w, r, e.said(), len(e.Tools))
	v := &responsesAnswer{answer: a, exchange: e, inputTokens: int64(len(body) / 4)}
	a.play(v, results)
}

// responsesAnswer speaks as OpenAI's Responses do: items, each with its place, and at the end all of them again.
type responsesAnswer struct {
	*answer
	exchange
	inputTokens int64
	items       []object
	said        string // of the item that is open
	sequence    int
}

func (a *responsesAnswer) speak(beat scripted.Beat) {
	switch beat.Kind {
	case scripted.BeatThought:
		a.item("reasoning", func() object {
			thought := object{"type": "reasoning", "id": a.name("rs"), "summary": []object{}}
			if slices.Contains(a.Include, "reasoning.encrypted_content") {
				thought["encrypted_content"] = signature
			}
			return thought
		})
		a.grow("response.reasoning_summary_text.delta", beat.Text)
	case scripted.BeatText:
		a.item("message", func() object {
			return object{"type": "message", "id": a.name("msg"), "status": "in_progress", "role": "assistant", "content": []object{}}
		})
		a.grow("response.output_text.delta", beat.Text)
	case scripted.BeatCall:
		a.item("function_call", func() object {
			call := object{"type": "function_call", "id": a.name("fc"), "status": "in_progress", "call_id": a.name("call"), "name": beat.Call.Name, "arguments": ""}
			if space, name, found := strings.Cut(beat.Call.Name, "::"); found {
				call["namespace"], call["name"] = space, name
			}
			return call
		})
		for _, half := range halves(string(beat.Call.Input)) {
			a.grow("response.function_call_arguments.delta", half)
		}
	}
}

// name names the item that is being opened.
func (a *responsesAnswer) name(kind string) string {
	return fmt.Sprintf("%s_%d_%d", kind, a.id, len(a.items))
}

// item opens an item, unless the open one is of this type.
func (a *responsesAnswer) item(kind string, open func() object) {
	n := len(a.items)
	if n > 0 && a.items[n-1]["type"] == kind {
		return
	}
	if n == 0 {
		a.event("response.created", object{"response": a.response("in_progress")})
		a.event("response.in_progress", object{"response": a.response("in_progress")})
	}
	a.endItem()
	item := open()
	a.event("response.output_item.added", object{"output_index": n, "item": item})
	a.items = append(a.items, item)
	switch kind {
	case "reasoning":
		a.event("response.reasoning_summary_part.added", a.within(object{"part": object{"type": "summary_text", "text": ""}}))
	case "message":
		a.event("response.content_part.added", a.within(object{"part": outputText("")}))
	}
}

// within says of which part of the open item an event is.
func (a *responsesAnswer) within(fields object) object {
	n := len(a.items) - 1
	fields["item_id"], fields["output_index"] = a.items[n]["id"], n
	switch a.items[n]["type"] {
	case "reasoning":
		fields["summary_index"] = 0
	case "message":
		fields["content_index"] = 0
	}
	return fields
}

func outputText(text string) object {
	return object{"type": "output_text", "text": text, "annotations": []object{}}
}

// grow sends what the open item has more.
func (a *responsesAnswer) grow(event, delta string) {
	a.said += delta
	a.event(event, a.within(object{"delta": delta}))
}

// endItem closes the open item, which then is whole.
func (a *responsesAnswer) endItem() {
	if len(a.items) == 0 {
		return
	}
	n, text := len(a.items)-1, a.said
	item := a.items[n]
	a.said = ""
	switch item["type"] {
	case "reasoning":
		part := object{"type": "summary_text", "text": text}
		a.event("response.reasoning_summary_text.done", a.within(object{"text": text}))
		a.event("response.reasoning_summary_part.done", a.within(object{"part": part}))
		item["summary"] = []object{part}
	case "message":
		part := outputText(text)
		a.event("response.output_text.done", a.within(object{"text": text}))
		a.event("response.content_part.done", a.within(object{"part": part}))
		item["status"], item["content"] = "completed", []object{part}
	case "function_call":
		a.event("response.function_call_arguments.done", a.within(object{"arguments": text}))
		item["status"], item["arguments"] = "completed", text
	}
	a.event("response.output_item.done", object{"output_index": n, "item": item})
}

// event sends an event, which carries its name twice, and its number.
func (a *responsesAnswer) event(name string, fields object) {
	if a.Stream {
		fields["type"], fields["sequence_number"] = name, a.sequence
		a.sequence++
		a.send(name, fields)
	}
}

func (a *responsesAnswer) finish() {
	if len(a.items) == 0 {
		a.speak(scripted.Beat{Kind: scripted.BeatText})
	}
	a.endItem()
	whole := a.response("completed")
	in, out := a.inputTokens, a.tokens
	if u := a.script.Usage; u != nil {
		in, out = u.Input, u.Output
	}
	whole["output"] = a.items
	whole["usage"] = object{
		"input_tokens": in, "input_tokens_details": object{"cached_tokens": 0},
		"output_tokens": out, "output_tokens_details": object{"reasoning_tokens": 0},
		"total_tokens": in + out,
	}
	if !a.Stream {
		writeJSON(a.w, http.StatusOK, whole)
		return
	}
	a.event("response.completed", object{"response": whole})
}

// response is the answer around its items.
func (a *responsesAnswer) response(status string) object {
	return object{
		"id": fmt.Sprintf("resp_%d", a.id), "object": "response", "created_at": created, "status": status, "model": a.Model,
		"output": []object{}, "error": nil, "usage": nil,
	}
}

// complaint is an error body as long as nothing was said, then a response that failed.
func (a *responsesAnswer) complaint(f scripted.Failure) (event string, body any) {
	kind, code := openaiError(f)
	if !a.begun {
		return "", errorBody(kind, code, asked(f))
	}
	if code == "" {
		code = "server_error"
	}
	failed := a.response("failed")
	failed["error"] = object{"code": code, "message": asked(f)}
	return "response.failed", object{"type": "response.failed", "sequence_number": a.sequence, "response": failed}
}
