package modelserver

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// dialogue is a request of Anthropic's Messages. What is raw may be there, and changes nothing.
type dialogue struct {
	Model     string          `json:"model"`
	MaxTokens *int            `json:"max_tokens"`
	System    content         `json:"system"`
	Messages  []statement     `json:"messages"`
	Tools     []anthropicTool `json:"tools"`
	Stream    bool            `json:"stream"`

	ToolChoice   json.RawMessage `json:"tool_choice"`
	Thinking     json.RawMessage `json:"thinking"`
	Metadata     json.RawMessage `json:"metadata"`
	OutputConfig json.RawMessage `json:"output_config"`
	Temperature  json.RawMessage `json:"temperature"`
	Context      json.RawMessage `json:"context_management"` // a beta
}

type statement struct {
	Role    string  `json:"role"`
	Content content `json:"content"`
}

type anthropicTool struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	InputSchema json.RawMessage `json:"input_schema"`
	Cache       json.RawMessage `json:"cache_control"`
	Defer       bool            `json:"defer_loading"` // a beta
	Eager       bool            `json:"eager_input_streaming"`
}

// content is a list of blocks; a string is one of text.
type content []part

type part struct {
	Type      string          `json:"type"`
	Text      string          `json:"text"`
	ID        string          `json:"id"`
	Name      string          `json:"name"`
	Input     json.RawMessage `json:"input"`
	ToolUseID string          `json:"tool_use_id"`
	Content   content         `json:"content"`
	IsError   bool            `json:"is_error"`
	Cache     json.RawMessage `json:"cache_control"`
	Thinking  string          `json:"thinking"`
	Signature string          `json:"signature"`
	Source    *source         `json:"source"`
}

// source is where an image comes from.
type source struct {
	Type      string `json:"type"`
	MediaType string `json:"media_type"`
	Data      []byte `json:"data"`
}

func (c *content) UnmarshalJSON(b []byte) error {
	var text string
	if json.Unmarshal(b, &text) == nil {
		*c = content{}
		if text != "" {
			*c = content{{Type: "text", Text: text}}
		}
		return nil
	}
	return strictly(b, (*[]part)(c))
}

// strictly refuses fields that it does not know, as Anthropic does.
func strictly(b []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(b))
	d.DisallowUnknownFields()
	return d.Decode(into)
}

// readDialogue reads a request with these betas, and says why Anthropic would not take it, or nothing.
func readDialogue(body []byte, betas string) (d dialogue, why string) {
	if err := strictly(body, &d); err != nil {
		return d, "The request body is not valid: " + err.Error()
	}
	switch {
	case d.Model == "":
		return d, "model: Field required"
	case len(d.Messages) == 0:
		return d, "messages: at least one message is required"
	case d.Context != nil && !strings.Contains(betas, "context-management-"):
		return d, "context_management: Extra inputs are not permitted"
	}
	if strings.Contains(betas, "mid-conversation-") {
		d.Messages = slices.DeleteFunc(d.Messages, func(m statement) bool { return m.Role == "system" })
	}
	checks := []func() string{d.refuseTools, d.refuseSystem, d.refuseRoles, d.refuseBlocks, d.refuseCalls, d.refuseBreakpoints}
	for _, check := range checks {
		if why := check(); why != "" {
			return d, why
		}
	}
	return d, ""
}

func (d dialogue) refuseTokens() string {
	switch {
	case d.MaxTokens == nil:
		return "max_tokens: Field required"
	case *d.MaxTokens < 1:
		return "max_tokens: must be greater than or equal to 1"
	}
	return ""
}

func (d dialogue) refuseTools() string {
	names := map[string]bool{}
	for i, t := range d.Tools {
		var schema struct{ Type string }
		_ = json.Unmarshal(t.InputSchema, &schema) // what is no schema has no type
		switch {
		case !toolName.MatchString(t.Name):
			return fmt.Sprintf("tools.%d.custom.name: String should match pattern '%s'", i, toolName)
		case names[t.Name]:
			return "tools: Tool names must be unique."
		case schema.Type != "object":
			return fmt.Sprintf("tools.%d.custom.input_schema.type: Input should be 'object'", i)
		}
		names[t.Name] = true
	}
	return ""
}

func (d dialogue) refuseSystem() string {
	for i, p := range d.System {
		if p.Type != "text" {
			return fmt.Sprintf("system.%d.type: Input should be 'text'", i)
		}
		if strings.TrimSpace(p.Text) == "" {
			return "system: text content blocks must be non-empty"
		}
	}
	return ""
}

func (d dialogue) refuseRoles() string {
	previous := ""
	for i, m := range d.Messages {
		switch {
		case m.Role == "system":
			return `messages: Unexpected role "system". The Messages API accepts a top-level 'system' parameter, not "system" as an input message role.`
		case m.Role != "user" && m.Role != "assistant":
			return fmt.Sprintf("messages.%d.role: Input should be 'user' or 'assistant'", i)
		case i == 0 && m.Role != "user":
			return `messages: first message must use the "user" role`
		case m.Role == previous:
			return fmt.Sprintf(`messages: roles must alternate between "user" and "assistant", but found multiple %q roles in a row`, m.Role)
		case len(m.Content) == 0 && (m.Role == "user" || i < len(d.Messages)-1):
			return fmt.Sprintf("messages.%d: all messages must have non-empty content except for the optional final assistant message", i)
		}
		previous = m.Role
	}
	return ""
}

var blockTypes = []string{"text", "image", "thinking", "tool_use", "tool_result"}

func (d dialogue) refuseBlocks() string {
	for i, m := range d.Messages {
		for j, p := range m.Content {
			where := fmt.Sprintf("messages.%d.content.%d", i, j)
			switch {
			case p.Type == "text" && strings.TrimSpace(p.Text) == "":
				return "messages: text content blocks must contain non-whitespace text"
			case p.Type == "tool_use" && m.Role != "assistant":
				return fmt.Sprintf("messages.%d: `tool_use` blocks can only be in `assistant` messages", i)
			case p.Type == "tool_use" && !toolName.MatchString(p.ID):
				return where + ".tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'"
			case p.Type == "tool_use" && !toolName.MatchString(p.Name):
				return fmt.Sprintf("%s.tool_use.name: String should match pattern '%s'", where, toolName)
			case p.Type == "tool_use" && !isObject(p.Input):
				return where + ".tool_use.input: Input should be a valid dictionary"
			case p.Type == "tool_result" && m.Role != "user":
				return fmt.Sprintf("messages.%d: `tool_result` blocks can only be in `user` messages", i)
			case p.Type == "thinking" && m.Role != "assistant":
				return fmt.Sprintf("messages.%d: `thinking` blocks can only be in `assistant` messages", i)
			case p.Type == "thinking" && p.Signature != signature:
				return where + ": Invalid `signature` in `thinking` block"
			case p.Type == "image" && (p.Source == nil || p.Source.Type != "base64" || !strings.HasPrefix(p.Source.MediaType, "image/") || len(p.Source.Data) == 0):
				return where + ".image.source: Input should be a valid image"
			case !slices.Contains(blockTypes, p.Type):
				return fmt.Sprintf("%s: Input tag %q found using 'type' does not match any of the expected tags", where, p.Type)
			}
		}
	}
	last := d.Messages[len(d.Messages)-1]
	if n := len(last.Content); last.Role == "assistant" && n > 0 {
		if p := last.Content[n-1]; p.Type == "text" && strings.TrimSpace(p.Text[len(p.Text)-1:]) == "" {
			return "messages: final assistant content cannot end with trailing whitespace"
		}
	}
	return ""
}

// refuseCalls checks that each call is answered, once, at the beginning of the next message.
func (d dialogue) refuseCalls() string {
	ids := map[string]bool{}
	var open []string
	for i, m := range d.Messages {
		due := map[string]bool{}
		for _, id := range open {
			due[id] = true
		}
		answered := 0
		for j, p := range m.Content {
			switch {
			case p.Type == "tool_result" && !due[p.ToolUseID] && ids[p.ToolUseID] && answered > 0:
				return fmt.Sprintf("messages.%d.content.%d: each tool_use must have a single result. Found multiple `tool_result` blocks with id: %s", i, j, p.ToolUseID)
			case p.Type == "tool_result" && !due[p.ToolUseID]:
				return fmt.Sprintf("messages.%d.content.%d: unexpected `tool_use_id` found in `tool_result` blocks: %s. Each `tool_result` block must have a corresponding `tool_use` block in the previous message.", i, j, p.ToolUseID)
			case p.Type == "tool_result" && j == answered:
				delete(due, p.ToolUseID)
				answered++
			}
		}
		if len(due) > 0 {
			return fmt.Sprintf("messages.%d: `tool_use` ids were found without `tool_result` blocks immediately after: %s. Each `tool_use` block must have a corresponding `tool_result` block in the next message.", i-1, strings.Join(open, ", "))
		}
		open = nil
		for _, p := range m.Content {
			if p.Type != "tool_use" {
				continue
			}
			if ids[p.ID] {
				return "messages: `tool_use` ids must be unique"
			}
			ids[p.ID] = true
			open = append(open, p.ID)
		}
	}
	switch {
	case len(open) > 0:
		return fmt.Sprintf("messages.%d: `tool_use` ids were found without `tool_result` blocks immediately after: %s.", len(d.Messages)-1, strings.Join(open, ", "))
	case len(ids) > 0 && len(d.Tools) == 0:
		return "Requests which include `tool_use` or `tool_result` blocks must define tools"
	}
	return ""
}

func (d dialogue) refuseBreakpoints() string {
	n := 0
	count := func(c content) {
		for _, p := range c {
			if p.Cache != nil {
				n++
			}
		}
	}
	for _, t := range d.Tools {
		if t.Cache != nil {
			n++
		}
	}
	count(d.System)
	for _, m := range d.Messages {
		count(m.Content)
	}
	if n > 4 {
		return fmt.Sprintf("A maximum of 4 blocks with cache_control may be provided. Found %d.", n)
	}
	return ""
}

func (d dialogue) said() (all []utterance) {
	for _, m := range d.Messages {
		text := ""
		for _, p := range m.Content {
			if p.Type == "tool_result" {
				all = append(all, utterance{"tool", ""})
			}
			text += p.Text
		}
		if text != "" {
			all = append(all, utterance{m.Role, text})
		}
	}
	return all
}
