package modelserver

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"

	"parley/backend/scripted"
)

// chat answers OpenAI's chat completions.
func (s *Server) chat(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	var c conversation
	if err := json.Unmarshal(body, &c); err != nil {
		writeError(w, http.StatusBadRequest, "invalid_request_error", "", "We could not parse the JSON body of your request: "+err.Error())
		return
	}
	why := c.refusal()
	if why == "" && !s.options.Foreign {
		why = c.narrow()
	}
	if why != "" && !s.options.Lenient {
		writeError(w, http.StatusBadRequest, "invalid_request_error", "", why)
		return
	}
	a, results := s.newAnswer(w, r, c.said(), len(c.Tools))
	v := &chatAnswer{answer: a, conversation: c, inputTokens: int64(len(body) / 4)}
	v.whole.Content = new("")
	a.play(v, results)
}

// chatAnswer speaks as OpenAI does, or as Ollama does.
type chatAnswer struct {
	*answer
	conversation
	inputTokens int64
	whole       delta
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

func (a *chatAnswer) speak(beat scripted.Beat) {
	switch {
	case beat.Kind == scripted.BeatCall:
		a.callTool(*beat.Call)
	case beat.Kind == scripted.BeatText:
		a.say(delta{Content: &beat.Text})
	case a.server.options.Ollama:
		a.say(delta{Reasoning: beat.Text})
	default:
		a.say(delta{ReasoningContent: beat.Text})
	}
}

// callTool calls as the two do: Ollama all at once, OpenAI with the name first and then the arguments in pieces.
func (a *chatAnswer) callTool(step scripted.ToolStep) {
	index := 0
	args := string(step.Input)
	whole := call{&index, fmt.Sprintf("call_%d", a.id), "function", function{step.Name, args}}
	if a.server.options.Ollama || !a.Stream {
		a.say(delta{ToolCalls: []call{whole}})
		return
	}
	whole.Function.Arguments = ""
	a.say(delta{ToolCalls: []call{whole}})
	for _, piece := range halves(args) {
		a.say(delta{ToolCalls: []call{{Index: &index, Function: function{Arguments: piece}}}})
	}
}

func (a *chatAnswer) complaint(f scripted.Failure) (event string, body any) {
	kind, code := openaiError(f)
	return "", errorBody(kind, code, asked(f))
}

// openaiError gives the words that OpenAI has for a failure, on both of its wires.
func openaiError(f scripted.Failure) (kind, code string) {
	switch {
	case f.Code == "content_filter":
		return "invalid_request_error", "content_filter"
	case f.Status == http.StatusTooManyRequests:
		return "requests", "rate_limit_exceeded"
	case f.Status == http.StatusUnauthorized:
		return "invalid_request_error", "invalid_api_key"
	case f.Status < 500:
		return "invalid_request_error", ""
	}
	return "server_error", ""
}

func (a *chatAnswer) finish() {
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
	a.send("", a.chunk(choice{Delta: &last, FinishReason: &reason}))
	if a.StreamOptions != nil && a.StreamOptions.IncludeUsage {
		tally := a.chunk()
		tally.Usage = used
		a.send("", tally)
	}
	_, _ = io.WriteString(a.w, "data: [DONE]\n\n") // the caller may be gone
}

// say sends a piece of the answer, or gathers it.
func (a *chatAnswer) say(d delta) {
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
		a.send("", a.chunk(choice{Delta: &delta{Role: "assistant", Content: new("")}}))
	}
	a.send("", a.chunk(choice{Delta: &d}))
}

func (a *chatAnswer) gather(d delta) {
	if d.Content != nil {
		*a.whole.Content += *d.Content
	}
	a.whole.Reasoning += d.Reasoning
	a.whole.ReasoningContent += d.ReasoningContent
}

func (a *chatAnswer) chunk(choices ...choice) chunk {
	fingerprint := "fp_scripted"
	if a.server.options.Ollama {
		fingerprint = "fp_ollama"
	}
	if choices == nil {
		choices = []choice{}
	}
	return chunk{fmt.Sprintf("chatcmpl-%d", a.id), "chat.completion.chunk", created, a.Model, fingerprint, choices, nil}
}
