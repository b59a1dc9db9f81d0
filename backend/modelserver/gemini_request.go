package modelserver

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
)

// generation is a request of Gemini's generateContent. What is raw may be there, and changes nothing.
type generation struct {
	Contents []geminiContent `json:"contents"`
	System   *geminiContent  `json:"systemInstruction"`
	Tools    []struct {
		Functions []geminiFunction `json:"functionDeclarations"`
	} `json:"tools"`

	ToolConfig json.RawMessage `json:"toolConfig"`
	Config     json.RawMessage `json:"generationConfig"`
	Safety     json.RawMessage `json:"safetySettings"`
	Labels     json.RawMessage `json:"labels"`
}

type geminiFunction struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Parameters  json.RawMessage `json:"parameters"`
	JSONSchema  json.RawMessage `json:"parametersJsonSchema"`
}

type geminiContent struct {
	Role  string       `json:"role,omitempty"`
	Parts []geminiPart `json:"parts"`
}

// geminiPart is one thing that is said; exactly one of its pointers is set.
type geminiPart struct {
	Text     *string         `json:"text,omitempty"`
	Call     *geminiCall     `json:"functionCall,omitempty"`
	Response *geminiResponse `json:"functionResponse,omitempty"`
	Image    *geminiBlob     `json:"inlineData,omitempty"`

	Thought   bool   `json:"thought,omitempty"`
	Signature string `json:"thoughtSignature,omitempty"`
}

type geminiCall struct {
	ID   string          `json:"id,omitempty"`
	Name string          `json:"name"`
	Args json.RawMessage `json:"args"`
}

type geminiResponse struct {
	ID       string          `json:"id"`
	Name     string          `json:"name"`
	Response json.RawMessage `json:"response"`
}

type geminiBlob struct {
	MimeType string `json:"mimeType"`
	Data     []byte `json:"data"`
}

// readGeneration reads a request, and says why Gemini would not take it, or nothing.
func readGeneration(body []byte) (g generation, why string) {
	if err := strictly(body, &g); err != nil {
		return g, "Invalid JSON payload received. " + err.Error()
	}
	if len(g.Contents) == 0 {
		return g, "* GenerateContentRequest.contents: contents is not specified"
	}
	for i, t := range g.Tools {
		for j, f := range t.Functions {
			where := fmt.Sprintf("* GenerateContentRequest.tools[%d].function_declarations[%d]", i, j)
			switch {
			case !geminiName.MatchString(f.Name):
				return g, where + ".name: Invalid function name. Must start with a letter or an underscore."
			case f.Parameters != nil && f.JSONSchema != nil:
				return g, where + ": parameters and parameters_json_schema cannot both be set."
			}
		}
	}
	return g, g.refuseContents()
}

var geminiName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_.:-]{0,63}$`)

// refuseContents checks the parts, and that calls are answered, all of them and at once.
func (g generation) refuseContents() string {
	open := 0
	previous := ""
	for i, c := range g.Contents {
		calls, responses := 0, 0
		for j, p := range c.Parts {
			if problem := p.refusal(); problem != "" {
				return fmt.Sprintf("* GenerateContentRequest.contents[%d].parts[%d]%s", i, j, problem)
			}
			if p.Call != nil {
				calls++
			}
			if p.Response != nil {
				responses++
			}
		}
		switch {
		case c.Role != "user" && c.Role != "model":
			return "Please use a valid role: user, model."
		case len(c.Parts) == 0:
			return fmt.Sprintf("* GenerateContentRequest.contents[%d].parts: contents.parts must not be empty.", i)
		case calls > 0 && (c.Role != "model" || previous != "user"):
			return "Please ensure that function call turn comes immediately after a user turn or after a function response turn."
		case responses > 0 && (c.Role != "user" || open == 0):
			return "Please ensure that function response turn comes immediately after a function call turn."
		case responses != open:
			return "Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn."
		}
		open, previous = calls, c.Role
	}
	if previous != "user" {
		return "Please ensure that single turn requests end with a user role or the role field is empty."
	}
	return ""
}

func (p geminiPart) refusal() string {
	set := 0
	for _, there := range []bool{p.Text != nil && *p.Text != "", p.Call != nil, p.Response != nil, p.Image != nil} {
		if there {
			set++
		}
	}
	switch {
	case set == 0:
		return ".data: required oneof field 'data' must have one initialized field"
	case set > 1:
		return ": Invalid value: oneof field 'data' is already set."
	case p.Call != nil && !geminiName.MatchString(p.Call.Name):
		return ".function_call.name: Name cannot be empty."
	case p.Response != nil && !geminiName.MatchString(p.Response.Name):
		return ".function_response.name: Name cannot be empty."
	case p.Response != nil && !isObject(p.Response.Response):
		return ".function_response.response: must be an object"
	case p.Image != nil && (!strings.Contains(p.Image.MimeType, "/") || len(p.Image.Data) == 0):
		return ".inline_data: must have a mime type and data"
	}
	return ""
}

func (g generation) said() (all []utterance) {
	for _, c := range g.Contents {
		text := ""
		for _, p := range c.Parts {
			if p.Response != nil {
				all = append(all, utterance{"tool", ""})
			}
			if p.Text != nil {
				text += *p.Text
			}
		}
		if text != "" {
			all = append(all, utterance{c.Role, text})
		}
	}
	return all
}

// functions is how many there are to call.
func (g generation) functions() (n int) {
	for _, t := range g.Tools {
		n += len(t.Functions)
	}
	return n
}
