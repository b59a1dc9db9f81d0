package provider

import (
	"bytes"
	"encoding/base64"
	"encoding/json"

	"parley/backend/agent"
)

// Request asks a model for its next answer.
type Request struct {
	Model    string
	Messages []Message
	Tools    []Tool
}

// Message is one message as the model reads it.
type Message struct {
	Role     agent.Role
	Text     string
	Pictures []Picture // of a user
	Calls    []Call    // made by an assistant
	CallID   string    // the call that a tool's Text answers
}

// Picture is one that a person sent.
type Picture struct {
	MediaType string
	Content   []byte
}

// Call is a call of a tool. Args is the JSON text as the model wrote it.
type Call struct{ ID, Name, Args string }

// Tool is what a model is told about a tool. Schema is the JSON Schema of its arguments.
type Tool struct {
	Name, Description string
	Schema            json.RawMessage
}

// wireRequest has its messages last, so that the body of one request is how the body of the next one begins.
type wireRequest struct {
	Model         string `json:"model"`
	Stream        bool   `json:"stream"`
	StreamOptions struct {
		IncludeUsage bool `json:"include_usage"`
	} `json:"stream_options"`
	Tools    []wireTool    `json:"tools,omitempty"`
	Messages []wireMessage `json:"messages"`
}

type wireMessage struct {
	Role      agent.Role  `json:"role"`
	Content   wireContent `json:"content"`
	ToolCalls []wireCall  `json:"tool_calls,omitempty"`
	CallID    string      `json:"tool_call_id,omitempty"`
}

// wireContent is a text, as every server takes it, or pictures and a text.
type wireContent struct {
	text     *string // null beside calls: some servers refuse an empty text
	pictures []Picture
}

type wireBlock struct {
	Type  string       `json:"type"`
	Text  string       `json:"text,omitempty"`
	Image *wirePicture `json:"image_url,omitempty"`
}

type wirePicture struct {
	URL string `json:"url"`
}

func (c wireContent) MarshalJSON() ([]byte, error) {
	if len(c.pictures) == 0 {
		return json.Marshal(c.text)
	}
	var blocks []wireBlock
	for _, p := range c.pictures {
		url := "data:" + p.MediaType + ";base64," + base64.StdEncoding.EncodeToString(p.Content)
		blocks = append(blocks, wireBlock{Type: "image_url", Image: &wirePicture{url}})
	}
	if c.text != nil && *c.text != "" {
		blocks = append(blocks, wireBlock{Type: "text", Text: *c.text})
	}
	return json.Marshal(blocks)
}

type wireCall struct {
	ID       string `json:"id"`
	Type     string `json:"type"`
	Function struct {
		Name      string `json:"name"`
		Arguments string `json:"arguments"`
	} `json:"function"`
}

type wireTool struct {
	Type     string `json:"type"`
	Function struct {
		Name        string          `json:"name"`
		Description string          `json:"description"`
		Parameters  json.RawMessage `json:"parameters"`
	} `json:"function"`
}

func (r Request) encode() ([]byte, error) {
	w := wireRequest{Model: r.Model, Messages: make([]wireMessage, len(r.Messages)), Stream: true}
	w.StreamOptions.IncludeUsage = true
	for i, m := range r.Messages {
		out := wireMessage{Role: m.Role, CallID: m.CallID}
		if m.Text != "" || len(m.Calls) == 0 {
			out.Content = wireContent{&m.Text, m.Pictures}
		}
		for _, c := range m.Calls {
			call := wireCall{ID: c.ID, Type: "function"}
			call.Function.Name, call.Function.Arguments = c.Name, c.Args
			out.ToolCalls = append(out.ToolCalls, call)
		}
		w.Messages[i] = out
	}
	for _, t := range r.Tools {
		tool := wireTool{Type: "function"}
		tool.Function.Name, tool.Function.Description, tool.Function.Parameters = t.Name, t.Description, t.Schema
		w.Tools = append(w.Tools, tool)
	}
	return encodeBody(w)
}

// encodeBody writes text as it is, without the escapes that are for HTML.
func encodeBody(w any) ([]byte, error) {
	var body bytes.Buffer
	enc := json.NewEncoder(&body)
	enc.SetEscapeHTML(false)
	err := enc.Encode(w)
	return body.Bytes(), err
}
