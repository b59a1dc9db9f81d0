package modelserver

import (
	"encoding/json"
	"fmt"
	"slices"
)

// exchange is a request of OpenAI's Responses. What is raw may be there, and changes nothing.
type exchange struct {
	Model   string          `json:"model"`
	Input   input           `json:"input"`
	Tools   []responsesTool `json:"tools"`
	Stream  bool            `json:"stream"`
	Store   *bool           `json:"store"`
	Include []string        `json:"include"`

	Instructions json.RawMessage `json:"instructions"`
	ToolChoice   json.RawMessage `json:"tool_choice"`
	Parallel     json.RawMessage `json:"parallel_tool_calls"`
	Reasoning    json.RawMessage `json:"reasoning"`
	Text         json.RawMessage `json:"text"`
	MaxTokens    json.RawMessage `json:"max_output_tokens"`
	Temperature  json.RawMessage `json:"temperature"`
	ServiceTier  json.RawMessage `json:"service_tier"`
	CacheKey     json.RawMessage `json:"prompt_cache_key"`
	Metadata     json.RawMessage `json:"metadata"`
	ClientData   json.RawMessage `json:"client_metadata"`
}

// responsesTool is a function, a namespace of functions, or a tool that the provider runs itself.
type responsesTool struct {
	Type       string          `json:"type"`
	Name       string          `json:"name"`
	Parameters json.RawMessage `json:"parameters"`
	Tools      []responsesTool `json:"tools"`

	Description json.RawMessage `json:"description"`
	Strict      json.RawMessage `json:"strict"`
	Format      json.RawMessage `json:"format"`
	WebAccess   json.RawMessage `json:"external_web_access"`
}

// input is a list of items; a string is one message of the user.
type input []inputItem

// inputItem is a message if it has no type.
type inputItem struct {
	Type      string          `json:"type"`
	ID        string          `json:"id"`
	Role      string          `json:"role"`
	Content   inputParts      `json:"content"`
	CallID    string          `json:"call_id"`
	Name      string          `json:"name"`
	Arguments string          `json:"arguments"`
	Output    json.RawMessage `json:"output"`
	Encrypted string          `json:"encrypted_content"`
}

// inputParts is what a message consists of; a string is one of text.
type inputParts []inputPart

type inputPart struct {
	Type     string `json:"type"`
	Text     string `json:"text"`
	ImageURL string `json:"image_url"`
}

func (in *input) UnmarshalJSON(b []byte) error {
	var text string
	if json.Unmarshal(b, &text) == nil {
		*in = input{{Role: "user", Content: inputParts{{Type: "input_text", Text: text}}}}
		return nil
	}
	return json.Unmarshal(b, (*[]inputItem)(in))
}

func (ps *inputParts) UnmarshalJSON(b []byte) error {
	var text string
	if json.Unmarshal(b, &text) == nil {
		*ps = inputParts{{Text: text}}
		return nil
	}
	return json.Unmarshal(b, (*[]inputPart)(ps))
}

// readExchange reads a request, and says why OpenAI would not take it, or nothing.
func readExchange(body []byte) (e exchange, why string) {
	if err := strictly(body, &e); err != nil {
		return e, "The request body is not valid: " + err.Error()
	}
	switch {
	case e.Model == "":
		return e, "Missing required parameter: 'model'."
	case len(e.Input) == 0:
		return e, "Missing required parameter: 'input'."
	}
	for i, t := range e.Tools {
		if !t.valid() {
			return e, fmt.Sprintf("Invalid value: 'tools[%d]'.", i)
		}
	}
	return e, e.refuseItems()
}

func (t responsesTool) valid() bool {
	switch t.Type {
	case "function":
		return toolName.MatchString(t.Name) && isObject(t.Parameters)
	case "namespace":
		return toolName.MatchString(t.Name) && len(t.Tools) > 0 && !slices.ContainsFunc(t.Tools, func(t responsesTool) bool { return t.Type != "function" || !t.valid() })
	}
	return t.Type == "custom" || t.Type == "web_search"
}

// refuseItems checks that each item is one, and that each call is answered once, somewhere after it.
func (e exchange) refuseItems() string {
	open, known := map[string]bool{}, map[string]bool{}
	for i, item := range e.Input {
		where := fmt.Sprintf("input[%d]", i)
		switch item.Type {
		case "", "message":
			if problem := item.refuseMessage(); problem != "" {
				return fmt.Sprintf("Invalid '%s': %s", where, problem)
			}
		case "reasoning":
			if e.Store != nil && !*e.Store && item.Encrypted == "" {
				return fmt.Sprintf("Item with id '%s' not found. Items are not persisted when `store` is set to false. Try again with `store` set to true, or remove this item from your input.", item.ID)
			}
			if item.Encrypted != "" && item.Encrypted != signature {
				return fmt.Sprintf("The encrypted content for item %s could not be verified.", item.ID)
			}
		case "function_call", "custom_tool_call":
			switch {
			case item.CallID == "" || known[item.CallID]:
				return fmt.Sprintf("Invalid '%s.call_id': missing or repeated.", where)
			case !toolName.MatchString(item.Name):
				return fmt.Sprintf("Invalid '%s.name': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.", where)
			}
			open[item.CallID], known[item.CallID] = true, true
		case "function_call_output", "custom_tool_call_output":
			switch {
			case !open[item.CallID]:
				return fmt.Sprintf("No tool call found for function call output with call_id %s.", item.CallID)
			case item.Output == nil:
				return fmt.Sprintf("Missing required parameter: '%s.output'.", where)
			}
			delete(open, item.CallID)
		case "additional_tools", "web_search_call":
		default:
			return fmt.Sprintf("Invalid value: '%s' of '%s.type'.", item.Type, where)
		}
	}
	for _, item := range e.Input {
		if open[item.CallID] {
			return fmt.Sprintf("No tool output found for function call %s.", item.CallID)
		}
	}
	return ""
}

func (m inputItem) refuseMessage() string {
	types := []string{"", "input_text", "input_image"}
	switch m.Role {
	case "user", "system", "developer":
	case "assistant":
		types = []string{"", "output_text"}
	default:
		return fmt.Sprintf("invalid role '%s'", m.Role)
	}
	if m.Content == nil {
		return "content is required"
	}
	for j, p := range m.Content {
		switch {
		case !slices.Contains(types, p.Type):
			return fmt.Sprintf("content[%d].type: invalid value '%s'", j, p.Type)
		case p.Type == "input_image" && p.ImageURL == "":
			return fmt.Sprintf("content[%d]: image_url is required", j)
		}
	}
	return ""
}

func (e exchange) said() (all []utterance) {
	for _, item := range e.Input {
		switch item.Type {
		case "", "message":
			text := ""
			for _, p := range item.Content {
				text += p.Text
			}
			all = append(all, utterance{item.Role, text})
		case "function_call_output", "custom_tool_call_output":
			all = append(all, utterance{"tool", ""})
		}
	}
	return all
}
