package modelserver

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"time"
	"unicode/utf8"

	"parley/backend/scripted"
)

// answer is one that is being given: in pieces as a stream, or gathered until the end.
type answer struct {
	conversation
	server      *Server
	w           http.ResponseWriter
	r           *http.Request
	id          int64
	text        string // of the message that holds script
	script      scripted.Script
	inputTokens int64

	begun  bool // the stream has
	whole  delta
	tokens int64 // said
}

// chunk is one event of a stream, and, with a Message, a whole answer.
type chunk struct {
	ID          string   `json:"id"`
	Object      string   `json:"object"`
	Created     int64    `json:"created"`
	Model       string   `json:"model"`
	Fingerprint string   `json:"system_fingerprint"`
	Choices     []choice `json:"choices"`
	Usage       *usage   `json:"usage,omitempty"`
}

type choice struct {
	Index        int     `json:"index"`
	Delta        *delta  `json:"delta,omitempty"`
	Message      *delta  `json:"message,omitempty"`
	FinishReason *string `json:"finish_reason"`
}

type delta struct {
	Role             string  `json:"role,omitempty"`
	Content          *string `json:"content,omitempty"`
	ReasoningContent string  `json:"reasoning_content,omitempty"`
	Reasoning        string  `json:"reasoning,omitempty"` // Ollama's name for it
	ToolCalls        []call  `json:"tool_calls,omitempty"`
}

type usage struct {
	Prompt     int64 `json:"prompt_tokens"`
	Completion int64 `json:"completion_tokens"`
	Total      int64 `json:"total_tokens"`
	Details    struct {
		Cached int64 `json:"cached_tokens"`
	} `json:"prompt_tokens_details"`
}

// play says what the script says.
func (a *answer) play(results int) {
	if !a.pause(a.script.TTFT) {
		return
	}
	for beat := range a.script.Play(results) {
		switch beat.Kind {
		case scripted.BeatThought:
			a.think(beat.Text)
		case scripted.BeatText:
			a.say(delta{Content: &beat.Text})
		case scripted.BeatCall:
			a.callTool(*beat.Call)
		case scripted.BeatFailure:
			a.fail(*a.script.Failure)
			return
		case scripted.BeatCrash:
			a.flush()
			panic(http.ErrAbortHandler) // breaks the connection
		case scripted.BeatHang:
			a.flush()
			<-a.r.Context().Done()
			return
		default:
			panic(fmt.Sprintf("a beat of kind %d", beat.Kind))
		}
		a.tokens++
		if !a.pause(a.script.Gap) {
			return
		}
	}
	a.finish()
}

// pause waits as long as the script asks, and reports whether the caller is still there. Before it waits it sends what
// was said; a script without pauses is sent as fast as it can be.
func (a *answer) pause(d time.Duration) bool {
	if d == 0 {
		return a.r.Context().Err() == nil
	}
	a.flush()
	select {
	case <-time.After(d):
		return true
	case <-a.r.Context().Done():
		return false
	}
}

func (a *answer) think(text string) {
	if a.server.options.Ollama {
		a.say(delta{Reasoning: text})
	} else {
		a.say(delta{ReasoningContent: text})
	}
}

// callTool calls as the two do: Ollama all at once, OpenAI with the name first and then the arguments in pieces.
func (a *answer) callTool(step scripted.ToolStep) {
	index := 0
	args := string(step.Input)
	whole := call{&index, fmt.Sprintf("call_%d", a.id), "function", function{step.Name, args}}
	if a.server.options.Ollama || !a.Stream {
		a.say(delta{ToolCalls: []call{whole}})
		return
	}
	whole.Function.Arguments = ""
	a.say(delta{ToolCalls: []call{whole}})
	half := len(args) / 2
	for half > 0 && !utf8.RuneStart(args[half]) {
		half--
	}
	for _, piece := range []string{args[:half], args[half:]} {
		a.say(delta{ToolCalls: []call{{Index: &index, Function: function{Arguments: piece}}}})
	}
}

// fail fails as servers do: with a status as long as nothing was said, else in the stream.
func (a *answer) fail(f scripted.Failure) {
	a.server.failed.Store(a.text, true)
	kind, code := "server_error", ""
	switch {
	case f.Code == "content_filter":
		kind, code = "invalid_request_error", "content_filter"
	case f.Status == http.StatusTooManyRequests:
		kind, code = "requests", "rate_limit_exceeded"
		a.w.Header().Set("Retry-After", "1")
	case f.Status == http.StatusUnauthorized:
		kind, code = "invalid_request_error", "invalid_api_key"
	case f.Status < 500:
		kind = "invalid_request_error"
	}
	message := fmt.Sprintf("The script asks for this failure (%s).", f.Code)
	if a.begun {
		a.event(errorBody(kind, code, message))
		return
	}
	writeError(a.w, f.Status, kind, code, message)
}

func (a *answer) finish() {
	reason := "stop"
	if a.whole.ToolCalls != nil {
		reason = "tool_calls"
	}
	used := &usage{Prompt: a.inputTokens, Completion: a.tokens}
	if u := a.script.Usage; u != nil {
		used.Prompt, used.Completion = u.Input, u.Output
	}
	used.Total = used.Prompt + used.Completion
	if !a.Stream {
		a.whole.Role = "assistant"
		whole := a.chunk(choice{Message: &a.whole, FinishReason: &reason})
		whole.Object, whole.Usage = "chat.completion", used
		writeJSON(a.w, http.StatusOK, whole)
		return
	}
	last := delta{}
	if a.server.options.Ollama {
		last = delta{Role: "assistant", Content: new("")}
	}
	a.event(a.chunk(choice{Delta: &last, FinishReason: &reason}))
	if a.StreamOptions.IncludeUsage {
		tally := a.chunk()
		tally.Usage = used
		a.event(tally)
	}
	_, _ = io.WriteString(a.w, "data: [DONE]\n\n") // the caller may be gone
}

// say sends a piece of the answer, or gathers it.
func (a *answer) say(d delta) {
	if d.ToolCalls != nil {
		a.whole.ToolCalls = d.ToolCalls
	}
	if !a.Stream {
		a.gather(d)
		return
	}
	switch {
	case a.server.options.Ollama:
		d.Role = "assistant"
		if d.Content == nil {
			d.Content = new("")
		}
	case !a.begun:
		a.event(a.chunk(choice{Delta: &delta{Role: "assistant", Content: new("")}}))
	}
	a.event(a.chunk(choice{Delta: &d}))
}

func (a *answer) gather(d delta) {
	if d.Content != nil {
		*a.whole.Content += *d.Content
	}
	a.whole.Reasoning += d.Reasoning
	a.whole.ReasoningContent += d.ReasoningContent
}

func (a *answer) chunk(choices ...choice) chunk {
	fingerprint := "fp_scripted"
	if a.server.options.Ollama {
		fingerprint = "fp_ollama"
	}
	if choices == nil {
		choices = []choice{}
	}
	return chunk{fmt.Sprintf("chatcmpl-%d", a.id), "chat.completion.chunk", created, a.Model, fingerprint, choices, nil}
}

func (a *answer) event(value any) {
	if !a.begun {
		a.begun = true
		a.w.Header().Set("Content-Type", "text/event-stream")
		a.w.Header().Set("Cache-Control", "no-cache")
	}
	b, err := json.Marshal(value)
	if err != nil {
		panic(err) // a value of ours that is no JSON
	}
	_, _ = fmt.Fprintf(a.w, "data: %s\n\n", b)
}

// flush sends what was said. Before that it sends nothing: a failure may still need the status.
func (a *answer) flush() {
	if a.begun {
		_ = http.NewResponseController(a.w).Flush() // the caller may be gone
	}
}
