package provider

import (
	"encoding/json"
	"net/http"
	"regexp"
	"slices"
	"strings"

	"parley/backend/agent"
)

func signAnthropic(header http.Header, key string) {
	header.Set("anthropic-version", "2023-06-01")
	if key != "" {
		header.Set("x-api-key", key)
	}
}

// anthropicRequest has its messages last, so that the body of one request is, but for the breakpoints, how the body of
// the next one begins.
type anthropicRequest struct {
	Model     string             `json:"model"`
	MaxTokens int                `json:"max_tokens"`
	Stream    bool               `json:"stream"`
	Tools     []anthropicTool    `json:"tools,omitempty"`
	System    []anthropicBlock   `json:"system,omitempty"`
	Messages  []anthropicMessage `json:"messages"`
}

type anthropicTool struct {
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	InputSchema json.RawMessage `json:"input_schema"`
	Cache       *breakpoint     `json:"cache_control,omitempty"`
}

type anthropicMessage struct {
	Role    agent.Role       `json:"role"`
	Content []anthropicBlock `json:"content"`
}

type anthropicBlock struct {
	Type      string          `json:"type"`
	Text      string          `json:"text,omitempty"`
	ID        string          `json:"id,omitempty"`
	Name      string          `json:"name,omitempty"`
	Input     json.RawMessage `json:"input,omitempty"`
	ToolUseID string          `json:"tool_use_id,omitempty"`
	Content   string          `json:"content,omitempty"`
	Source    *pictureSource  `json:"source,omitempty"`
	Cache     *breakpoint     `json:"cache_control,omitempty"`
}

type pictureSource struct {
	Type      string `json:"type"`
	MediaType string `json:"media_type"`
	Data      []byte `json:"data"`
}

// breakpoint is up to where the provider keeps what it has read.
type breakpoint struct {
	Type string `json:"type"`
}

var cacheHere = &breakpoint{"ephemeral"}

// encodeAnthropic writes the request for Anthropic's Messages: the instructions are a field, results of tools are said by
// the user, and no two messages in a row are of one role.
//
// The breakpoints are after the instructions, which never change, and after the last two messages of the user: the second
// is where the request before this one had its last, however much has come since.
func (r Request) encodeAnthropic() ([]byte, error) {
	w := anthropicRequest{Model: r.Model, MaxTokens: maxTokens(r.Model), Stream: true, Messages: []anthropicMessage{}}
	ids := blockIDs{theirs: map[string]string{}, taken: map[string]bool{}}
	for _, t := range r.Tools {
		w.Tools = append(w.Tools, anthropicTool{Name: t.Name, Description: t.Description, InputSchema: t.Schema})
	}
	for _, m := range r.Messages {
		var text []anthropicBlock
		for _, p := range m.Pictures {
			text = append(text, anthropicBlock{Type: "image", Source: &pictureSource{"base64", p.MediaType, p.Content}})
		}
		if m.Text != "" {
			text = []anthropicBlock{{Type: "text", Text: m.Text}}
		}
		switch m.Role {
		case agent.RoleSystem:
			w.System = append(w.System, text...)
		case agent.RoleTool:
			w.add(agent.RoleUser, anthropicBlock{Type: "tool_result", ToolUseID: ids.theirs[m.CallID], Content: m.Text})
		case agent.RoleAssistant:
			for _, c := range m.Calls {
				if len(r.Tools) == 0 {
					w.recall(c.Name)
				}
				text = append(text, anthropicBlock{Type: "tool_use", ID: ids.mint(c.ID), Name: c.Name, Input: json.RawMessage(c.Args)})
			}
			w.add(agent.RoleAssistant, text...)
		default:
			w.add(agent.RoleUser, text...)
		}
	}
	w.markForCache()
	return encodeBody(w)
}

func (w *anthropicRequest) add(role agent.Role, blocks ...anthropicBlock) {
	if n := len(w.Messages); n > 0 && w.Messages[n-1].Role == role {
		last := &w.Messages[n-1]
		last.Content = append(last.Content, blocks...)
	} else if len(blocks) > 0 {
		w.Messages = append(w.Messages, anthropicMessage{role, blocks})
	}
}

// recall names a tool that the model had once: this provider takes no calls of a model that has none.
func (w *anthropicRequest) recall(name string) {
	if !slices.ContainsFunc(w.Tools, func(t anthropicTool) bool { return t.Name == name }) {
		w.Tools = append(w.Tools, anthropicTool{Name: name, Description: "Not available any more.", InputSchema: json.RawMessage(`{"type":"object"}`)})
	}
}

func (w *anthropicRequest) markForCache() {
	if n := len(w.System); n > 0 {
		w.System[n-1].Cache = cacheHere // the tools come before it
	} else if n := len(w.Tools); n > 0 {
		w.Tools[n-1].Cache = cacheHere
	}
	left := 2
	for i := len(w.Messages) - 1; i >= 0 && left > 0; i-- {
		if m := w.Messages[i]; m.Role == agent.RoleUser {
			m.Content[len(m.Content)-1].Cache = cacheHere
			left--
		}
	}
}

// maxTokens is how long an answer may be; the wire wants it said, and refuses more than the model can.
func maxTokens(model string) int {
	if strings.HasPrefix(model, "claude-3") {
		return 4096
	}
	return 32_000
}

var notInBlockIDs = regexp.MustCompile(`[^A-Za-z0-9_-]`)

// blockIDs makes the ids of calls that another provider gave fit for this one, which takes each once, and not every
// character.
type blockIDs struct {
	theirs map[string]string // by ours, of the newest call
	taken  map[string]bool
}

func (b blockIDs) mint(id string) string {
	theirs := notInBlockIDs.ReplaceAllString(id, "_")
	for b.taken[theirs] {
		theirs += "_"
	}
	b.taken[theirs], b.theirs[id] = true, theirs
	return theirs
}

// anthropicAnswer reads the events of one answer. What was used is said in parts: first what the request had, then,
// again and again, how long the answer has become.
type anthropicAnswer struct {
	fresh int64 // of the input, what no cache had to do with
	used  agent.Usage
}

// decode is a decoder. A whole answer, as a server gives that does not stream, reads as one big chunk.
func (a *anthropicAnswer) decode(data []byte, model string) (k wireChunk, ok bool) {
	c := cursor{text: data}
	k.model = model
	a.fields(&c, &k)
	return k, c.end()
}

// fields reads an event, or the message that the first event holds.
func (a *anthropicAnswer) fields(c *cursor, k *wireChunk) {
	index := int64(-1)
	for key := range c.fields {
		switch string(key) {
		case "type":
			kind := c.string("")
			k.failed = k.failed || kind == "error"
			k.last = k.last || kind == "message_stop"
		case "error":
			k.failed = string(c.raw()) != "null" || k.failed
		case "message":
			a.fields(c, k)
		case "model":
			k.model = c.string(k.model)
		case "index":
			index = c.count()
		case "content_block", "delta":
			k.block(c, -1)
		case "content":
			at := int64(0)
			for range c.elements {
				k.block(c, at)
				at++
			}
		case "stop_reason":
			k.finish = c.string("")
		case "usage":
			k.usage = a.readUsage(c, k.usage)
		default:
			c.skip()
		}
	}
	for i := range k.calls {
		if k.calls[i].index < 0 {
			k.calls[i].index = index
		}
	}
}

// block reads a block, or a piece of one. A call says in index which block it is, -1 if the event around it does.
func (k *wireChunk) block(c *cursor, index int64) {
	kind, call := "", callDelta{index: index}
	for key := range c.fields {
		switch string(key) {
		case "type":
			kind = c.string("")
		case "text":
			k.text += c.string("")
		case "thinking":
			k.reasoning += c.string("")
		case "id":
			call.id = c.string("")
		case "name":
			call.name = c.string("")
		case "partial_json":
			call.args = c.string("")
		case "input":
			if whole := c.raw(); string(whole) != "{}" { // which stands there while the input is still to come
				call.args = string(whole)
			}
		case "stop_reason":
			k.finish = c.string("")
		default:
			c.skip()
		}
	}
	if kind == "tool_use" || kind == "input_json_delta" {
		k.calls = append(k.calls, call)
		c.bad = c.bad || len(k.calls) > maxCalls
	}
}

// readUsage reads counters that only grow. before is what the event said already, if anything.
func (a *anthropicAnswer) readUsage(c *cursor, before *agent.Usage) *agent.Usage {
	if c.peek() != '{' {
		c.skip()
		return before
	}
	for key := range c.fields {
		switch string(key) {
		case "input_tokens":
			a.fresh = max(a.fresh, c.count())
		case "cache_creation_input_tokens":
			a.used.CacheWrite = max(a.used.CacheWrite, c.count())
		case "cache_read_input_tokens":
			a.used.CacheRead = max(a.used.CacheRead, c.count())
		case "output_tokens":
			a.used.Output = max(a.used.Output, c.count())
		default:
			c.skip()
		}
	}
	a.used.Input = a.fresh + a.used.CacheRead + a.used.CacheWrite
	a.used.Total = a.used.Input + a.used.Output
	used := a.used
	return &used
}
