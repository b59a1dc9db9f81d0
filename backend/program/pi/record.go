package pi

import (
	"bytes"
	"encoding/json"
	"strings"

	"parley/backend/agent"
)

// kind is the type of a record. Pi writes it first, so that a long record that nobody needs is not decoded.
func kind(line []byte) string {
	if rest, ok := bytes.CutPrefix(line, []byte(`{"type":"`)); ok {
		if name, _, ok := bytes.Cut(rest, []byte(`"`)); ok {
			return string(name)
		}
	}
	r, _ := read[struct{ Type string }](line)
	return r.Type
}

// read gives a record that has the shape of R.
func read[R any](line []byte) (r R, ok bool) {
	err := json.Unmarshal(line, &r)
	return r, err == nil
}

// command is what Pi is asked to do; what it answers has the same id.
type command struct {
	ID      string  `json:"id"`
	Type    string  `json:"type"`
	Message string  `json:"message,omitempty"`
	Images  []image `json:"images,omitempty"`
}

type image struct {
	Type     string `json:"type"`
	Data     []byte `json:"data"`
	MimeType string `json:"mimeType"`
}

type response struct {
	ID      string
	Command string
	Success bool
	Error   string
	Data    json.RawMessage
}

// update is a piece of the model's answer.
type update struct {
	Event struct {
		Type         string
		ContentIndex int
		Delta        string
		ID           string
		ToolName     string
		ToolCall     struct {
			ID, Name  string
			Arguments json.RawMessage
		}
	} `json:"assistantMessageEvent"`
}

// message is a whole one, of the model or another.
type message struct {
	Message struct {
		Role, Model, ResponseModel, StopReason, RawStopReason, ErrorMessage string

		Usage struct{ Input, Output, CacheRead, CacheWrite, TotalTokens int64 }
	}
}

// usage counts as Parley does, where Input holds what came from a cache.
func (m message) usage() agent.Usage {
	u := m.Message.Usage
	return agent.Usage{Input: u.Input + u.CacheRead + u.CacheWrite, Output: u.Output, Total: u.TotalTokens, CacheRead: u.CacheRead, CacheWrite: u.CacheWrite}
}

// execution is a tool at work.
type execution struct {
	ToolCallID, ToolName  string
	Args                  json.RawMessage
	PartialResult, Result result
	IsError               bool
}

type result struct {
	Content []struct{ Text string }
	Details json.RawMessage // as the tool likes
}

// text is what the model reads.
func (r result) text() string {
	if len(r.Content) == 1 {
		return r.Content[0].Text
	}
	var texts []string
	for _, part := range r.Content {
		if part.Text != "" {
			texts = append(texts, part.Text)
		}
	}
	return strings.Join(texts, "\n")
}

// change is what a person is shown of a file that was edited, or nil.
func (r result) change(path string) json.RawMessage {
	edit, _ := read[struct{ Patch string }](r.Details)
	if edit.Patch == "" {
		return nil
	}
	data, _ := json.Marshal(change{Path: path, Diff: edit.Patch}) // strings: it cannot fail
	return data
}

// change is what the page's card of a changed file shows. Pi does not say how large the file is now.
type change struct {
	Path    string `json:"path"`
	Bytes   int    `json:"bytes"`
	Created bool   `json:"created"`
	Diff    string `json:"diff"`
}

// arguments are those of Pi's tools that say most of what a call is about.
type arguments struct{ Command, Path string }

func argumentsOf(input json.RawMessage) arguments {
	a, _ := read[arguments](input)
	return a
}

// retry is a wait before the model is asked again.
type retry struct {
	Attempt, MaxAttempts int
	DelayMs              float64
	ErrorMessage         string
}

// request is what an extension asks of whoever shows Pi to a person.
type request struct {
	ID, Method, Title, Message, StatusKey, StatusText string
}

// question is what Parley's extension asks before a tool runs.
type question struct {
	Call, Tool string
	Input      json.RawMessage
}

// question reads the one in r, if it is Parley's.
func (r request) question() (q question, ok bool) {
	text, ok := strings.CutPrefix(r.Title, "parley ")
	return q, ok && r.Method == "input" && json.Unmarshal([]byte(text), &q) == nil
}

// reply answers a request.
type reply struct {
	Type      string `json:"type"`
	ID        string `json:"id"`
	Value     string `json:"value,omitempty"`
	Cancelled bool   `json:"cancelled,omitempty"`
}
