package modelserver

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
)

// conversation is the part of a request that decides the answer.
type conversation struct {
	Model         string    `json:"model"`
	Messages      []message `json:"messages"`
	Tools         []tool    `json:"tools"`
	Stream        bool      `json:"stream"`
	StreamOptions *struct {
		IncludeUsage bool `json:"include_usage"`
	} `json:"stream_options"`
}

type message struct {
	Role       string          `json:"role"`
	Content    json.RawMessage `json:"content"` // a string, a list of parts, or null
	ToolCalls  []call          `json:"tool_calls"`
	ToolCallID string          `json:"tool_call_id"`
}

// call is a whole call in a conversation, and a piece of one in a stream, which says its place in Index.
type call struct {
	Index    *int     `json:"index,omitempty"`
	ID       string   `json:"id,omitempty"`
	Type     string   `json:"type,omitempty"`
	Function function `json:"function"`
}

type function struct {
	Name      string `json:"name,omitempty"`
	Arguments string `json:"arguments"`
}

type tool struct {
	Type     string `json:"type"`
	Function struct {
		Name       string          `json:"name"`
		Parameters json.RawMessage `json:"parameters"`
	} `json:"function"`
}

// text gives the words of a message, whichever form its content has.
func (m message) text() string {
	var text string
	if json.Unmarshal(m.Content, &text) == nil {
		return text
	}
	var parts []struct{ Text string }
	_ = json.Unmarshal(m.Content, &parts) // other content has no words
	for _, p := range parts {
		text += p.Text
	}
	return text
}

func (c conversation) said() (said []utterance) {
	for _, m := range c.Messages {
		said = append(said, utterance{m.Role, m.text()})
	}
	return said
}

var toolName = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)

// refusal says why OpenAI would not take the conversation, or nothing.
func (c conversation) refusal() string {
	switch {
	case c.Model == "":
		return "you must provide a model parameter"
	case len(c.Messages) == 0:
		return "[] is too short - 'messages'"
	case c.Tools != nil && len(c.Tools) == 0:
		return "[] is too short - 'tools'"
	case c.StreamOptions != nil && !c.Stream:
		return "The 'stream_options' parameter is only allowed when 'stream' is enabled."
	}
	for i, t := range c.Tools {
		if t.Type != "function" || !toolName.MatchString(t.Function.Name) {
			return fmt.Sprintf("Invalid 'tools[%d]'", i)
		}
	}
	open := map[string]bool{}
	for i, m := range c.Messages {
		if problem := m.refusal(open); problem != "" {
			return fmt.Sprintf("Invalid 'messages[%d]': %s", i, problem)
		}
	}
	if len(open) > 0 {
		return "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'."
	}
	return ""
}

// refusal checks one message. open holds the calls that are still to be answered.
func (m message) refusal(open map[string]bool) string {
	if m.Role == "tool" {
		if !open[m.ToolCallID] {
			return fmt.Sprintf("messages with role 'tool' must be a response to a preceding message with 'tool_calls': %q", m.ToolCallID)
		}
		delete(open, m.ToolCallID)
	} else if len(open) > 0 {
		return "an assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'"
	}
	if problem := m.refuseParts(); problem != "" {
		return problem
	}
	switch m.Role {
	case "assistant":
		return m.refuseCalls(open)
	case "system", "developer", "user", "tool":
		if m.null() {
			return "content must be a string or an array of parts"
		}
	default:
		return fmt.Sprintf("invalid role %q", m.Role)
	}
	return ""
}

// null reports whether a message has no content, which is less than an empty one.
func (m message) null() bool {
	return len(m.Content) == 0 || bytes.Equal(m.Content, []byte("null"))
}

// narrow says why another server of this wire would not take a conversation that OpenAI takes, or nothing. Each rule is
// one that some of them enforce; most are those that a stopped or failed turn breaks.
func (c conversation) narrow() string {
	for i, t := range c.Tools {
		if !isObject(t.Function.Parameters) {
			return fmt.Sprintf("Invalid 'tools[%d]'", i)
		}
	}
	previous := ""
	for i, m := range c.Messages {
		if problem := m.narrow(previous, i == 0); problem != "" {
			return fmt.Sprintf("Invalid 'messages[%d]': %s", i, problem)
		}
		previous = m.Role
	}
	if previous != "user" && previous != "tool" {
		return "Expected last role User or Tool for serving"
	}
	return ""
}

func (m message) narrow(previous string, first bool) string {
	empty := strings.TrimSpace(m.text()) == "" && !bytes.HasPrefix(m.Content, []byte("[")) // parts are not empty, and may be pictures
	switch m.Role {
	case "developer":
		return "invalid role \"developer\""
	case "system":
		if !first {
			return "the system message must be at the beginning"
		}
	case "user":
		if previous == "user" {
			return "conversation roles must alternate user/assistant"
		}
	case "assistant":
		if previous != "user" && previous != "tool" {
			return "conversation roles must alternate user/assistant, and begin with user"
		}
		empty = empty && !m.null()
	case "tool":
		empty = false // an empty result is one
	}
	if empty {
		return "content must be non-empty"
	}
	return ""
}

// refuseParts checks the form of the content.
func (m message) refuseParts() string {
	if len(m.Content) == 0 || m.Content[0] != '[' {
		if len(m.Content) > 0 && m.Content[0] != '"' && string(m.Content) != "null" {
			return "content must be a string or an array of parts"
		}
		return ""
	}
	var parts []struct {
		Type string
		Text *string
	}
	if json.Unmarshal(m.Content, &parts) != nil || len(parts) == 0 {
		return "content must be a string or an array of parts"
	}
	for i, p := range parts {
		if p.Type != "text" && p.Type != "image_url" {
			return fmt.Sprintf("content[%d]: invalid type %q", i, p.Type)
		}
		if p.Type == "text" && (p.Text == nil || strings.TrimSpace(*p.Text) == "") {
			return fmt.Sprintf("content[%d]: text must be non-empty", i)
		}
	}
	return ""
}

func (m message) refuseCalls(open map[string]bool) string {
	if m.ToolCalls != nil && len(m.ToolCalls) == 0 {
		return "[] is too short - 'tool_calls'"
	}
	if m.null() && len(m.ToolCalls) == 0 {
		return "an assistant message needs content or tool_calls"
	}
	for _, c := range m.ToolCalls {
		switch {
		case c.ID == "" || c.Type != "function" || open[c.ID]:
			return fmt.Sprintf("tool call %q is incomplete or repeated", c.ID)
		case !toolName.MatchString(c.Function.Name):
			return fmt.Sprintf("function name %q does not match %s", c.Function.Name, toolName)
		case !isObject([]byte(c.Function.Arguments)):
			return "invalid tool call arguments"
		}
		open[c.ID] = true
	}
	return ""
}

func isObject(text []byte) bool {
	var object map[string]any
	return json.Unmarshal(text, &object) == nil && object != nil
}
