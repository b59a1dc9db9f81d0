package claude

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"parley/backend/agent"
	"parley/backend/program"
)

// usage is Anthropic's, where what came out of the cache is not in Input.
type usage struct {
	Input      int64 `json:"input_tokens"`
	Output     int64 `json:"output_tokens"`
	CacheRead  int64 `json:"cache_read_input_tokens"`
	CacheWrite int64 `json:"cache_creation_input_tokens"`
}

func (u usage) count() agent.Usage {
	input := u.Input + u.CacheRead + u.CacheWrite
	return agent.Usage{Input: input, Output: u.Output, Total: input + u.Output, CacheRead: u.CacheRead, CacheWrite: u.CacheWrite}
}

// event is one of Anthropic's stream; only the fields of its type are set.
type event struct {
	Type    string
	Index   int
	Message struct {
		ID, Model string
		Usage     usage
	}
	Block struct{ Type, ID, Name string } `json:"content_block"`
	Delta struct {
		Type, Text, Thinking string
		JSON                 string `json:"partial_json"`
	}
	Usage usage
}

// stream says a piece of the model's message.
func (t *turn) stream(e *event) {
	switch e.Type {
	case "message_start":
		t.streamed, t.model, t.request = e.Message.ID, e.Message.Model, e.Message.Usage
		t.open, t.writing, t.problem = nil, map[int]string{}, ""
	case "content_block_start":
		if e.Block.Type == "tool_use" {
			name, _ := program.OwnTool(e.Block.Name)
			t.writing[e.Index] = e.Block.ID
			t.host.Say(agent.ToolCallDelta{ID: e.Block.ID, Name: name})
		}
	case "content_block_delta":
		switch e.Delta.Type {
		case "text_delta":
			t.open = agent.MessageEnd{}
			t.host.Say(agent.MessageDelta{Text: e.Delta.Text})
		case "thinking_delta":
			t.open = agent.ThoughtEnd{}
			t.host.Say(agent.ThoughtDelta{Text: e.Delta.Thinking})
		case "input_json_delta":
			if id := t.writing[e.Index]; id != "" {
				t.host.Say(agent.ToolCallDelta{ID: id, Text: e.Delta.JSON})
			}
		}
	case "content_block_stop":
		if t.open != nil {
			t.host.Say(t.open)
			t.open = nil
		}
	case "message_delta":
		t.request.Output = e.Usage.Output
		t.used = t.used.Add(t.request.count())
		t.host.Say(agent.UsageReport{Usage: t.used})
	}
}

// message says a block of the model's message, which comes once more when it is whole: of a text that was said in pieces
// nothing, of a call its arguments.
func (t *turn) message(line []byte) {
	m := readMessage(line)
	if m.Error != "" {
		t.problem = m.Error // the result tells it, too
		return
	}
	for _, b := range m.Message.Content {
		switch {
		case b.Type == "tool_use":
			t.announce(b.ID, b.Name, b.Input)
		case m.Message.ID == t.streamed:
		case b.Type == "text" && b.Text != "":
			t.host.Say(agent.MessageWhole{Text: b.Text})
		case b.Type == "thinking" && b.Thinking != "":
			t.host.Say(agent.ThoughtWhole{Text: b.Thinking})
		}
	}
}

// subagent shows what a subagent says as how far the call is that it works for.
func (t *turn) subagent(id string, line []byte) {
	for _, b := range readMessage(line).Message.Content {
		if b.Type == "text" {
			t.progress(id, b.Text)
		}
	}
}

func (t *turn) progress(id, output string) {
	if t.calls[id] != nil && output != "" {
		t.host.Say(agent.ToolProgress{ID: id, Output: output})
	}
}

type assistantMessage struct {
	Message struct {
		ID      string
		Content []block
	}
	Error string
}

// block is a part of a message; only the fields of its type are set.
type block struct {
	Type, Text, Thinking string
	ID, Name             string
	Input                json.RawMessage

	Call    string          `json:"tool_use_id"`
	Content json.RawMessage // text, or blocks
	IsError bool            `json:"is_error"`
}

func readMessage(line []byte) (m assistantMessage) {
	if json.Unmarshal(line, &m) != nil {
		return assistantMessage{}
	}
	return m
}

// announce says a call once, whoever names it first: the model, or the question about it.
func (t *turn) announce(id, name string, input json.RawMessage) *call {
	c := t.calls[id]
	if c == nil {
		c = &call{input: input}
		c.name, c.own = program.OwnTool(name)
		t.calls[id] = c
		t.host.Say(agent.ToolCall{ID: id, Name: c.name, Input: input})
	}
	return c
}

// results says the results of calls. A subagent's calls are answered only if they were announced because they had to be
// asked for.
func (t *turn) results(line []byte) {
	var r struct {
		Message struct{ Content []block }
		Result  json.RawMessage `json:"tool_use_result"`
	}
	if json.Unmarshal(line, &r) != nil {
		return // the content is a text: what Claude Code tells itself
	}
	for _, b := range r.Message.Content {
		c := t.calls[b.Call]
		if b.Type != "tool_result" || c == nil {
			continue
		}
		delete(t.calls, b.Call)
		result := agent.ToolResult{ID: b.Call, Name: c.name, Output: text(b.Content), IsError: b.IsError, Denied: c.denied}
		if !b.IsError && len(r.Message.Content) == 1 {
			result.Data = data(c, r.Result)
		}
		t.host.Say(result)
		if !b.IsError && t.plan(c.name, r.Result) {
			t.sayPlan()
		}
	}
}

// text is what the content of a result says.
func text(content json.RawMessage) string {
	var whole string
	if json.Unmarshal(content, &whole) == nil {
		whole = strings.TrimPrefix(whole, "<tool_use_error>")
		return strings.TrimSuffix(whole, "</tool_use_error>")
	}
	var blocks []block
	if json.Unmarshal(content, &blocks) != nil {
		return ""
	}
	var parts []string
	for _, b := range blocks {
		if b.Type == "text" {
			parts = append(parts, b.Text)
		} else {
			parts = append(parts, "["+b.Type+"]")
		}
	}
	return strings.Join(parts, "\n")
}

// system says what Claude Code tells about itself, as far as it is worth a person's while.
func (t *turn) system(subtype string, line []byte) error {
	var r struct {
		Content, Text, Description, Status string
		Call                               string `json:"tool_use_id"`
		Attempt                            int
		Attempts                           int `json:"max_retries"`
		Delay                              int `json:"retry_delay_ms"`
		Error                              string
		HTTP                               int `json:"error_status"`
	}
	if json.Unmarshal(line, &r) != nil {
		return nil
	}
	switch {
	case subtype == "api_retry" && r.Error == "authentication_failed" && r.Attempt > 1:
		// Once more is sensible, because it may get a new token. After that a person has to do something.
		t.locked = fmt.Sprintf("HTTP %d", r.HTTP)
		return t.interrupt()
	case subtype == "api_retry":
		delay := (time.Duration(r.Delay) * time.Millisecond).Round(time.Second)
		why := strings.ReplaceAll(r.Error, "_", " ")
		t.host.Say(agent.Status{Text: fmt.Sprintf("Claude Code has no answer from %s (%s). It tries again in %v (%d of %d).", t.provider, why, max(delay, time.Second), r.Attempt, r.Attempts)})
	case subtype == "status" && r.Status == "compacting":
		t.host.Say(agent.Status{Text: "Claude Code sums up what was said so far, to make room."})
	case subtype == "task_progress":
		t.progress(r.Call, r.Description)
	case subtype == "local_command_output" && r.Content != "":
		t.host.Say(agent.MessageWhole{Text: r.Content})
	case subtype == "informational" || subtype == "notification" || subtype == "model_refusal_fallback":
		t.host.Say(agent.Status{Text: program.Quote(r.Content + r.Text)})
	}
	return nil
}
