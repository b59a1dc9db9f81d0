package native

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strings"

	"parley/backend/agent"
	"parley/backend/provider"
	"parley/backend/tool"
)

const (
	begunBefore = "[the conversation began before this]"
	unanswered  = "[the turn ended before this call was answered]"
)

// project translates a transcript for a provider. It takes every transcript and gives one that every server
// takes: the instructions first, then a person first, no two messages in a row of a person or of the assistant, none that is empty, each
// call answered right after the message that makes it, by what the transcript says or by the fact that the turn ended.
// Reasoning is left out, and so are results that answer nothing.
//
// It is pure, and what it makes of a message depends on its neighbours only: the beginning of a longer transcript gives
// the same bytes as before, whether its parts come from the loop or back from the store.
func project(instructions string, tools bool, transcript []agent.Message, media map[agent.MediaHandle][]byte) []provider.Message {
	if tools {
		instructions = strings.TrimSpace(instructions + "\n\n" + tool.AboutResults)
	}
	var p projection
	p.add(provider.Message{Role: agent.RoleSystem, Text: instructions})
	for i, m := range transcript {
		switch m.Role {
		case agent.RoleAssistant:
			calls := callsOf(m)
			p.add(provider.Message{Role: agent.RoleAssistant, Text: textOf(m, ""), Calls: calls})
			p.answer(calls, transcript[i+1:])
		case agent.RoleTool: // read by answer
		default: // a system message further down too: many servers take one only at the beginning
			p.add(provider.Message{Role: agent.RoleUser, Text: textOf(m, "\n\n"), Pictures: picturesOf(m, media)})
		}
	}
	return p
}

// projection is the conversation so far.
type projection []provider.Message

// add appends a message, or joins it to its neighbour of the same role.
func (p *projection) add(m provider.Message) {
	blank := strings.TrimSpace(m.Text) == ""
	if blank {
		m.Text = ""
	}
	if blank && len(m.Calls)+len(m.Pictures) == 0 {
		return
	}
	n := len(*p)
	if m.Role == agent.RoleAssistant && (n == 0 || (*p)[n-1].Role == agent.RoleSystem) {
		*p = append(*p, provider.Message{Role: agent.RoleUser, Text: begunBefore})
	} else if n > 0 && (*p)[n-1].Role == m.Role {
		last := &(*p)[n-1]
		if last.Text != "" && m.Text != "" {
			last.Text += "\n\n"
		}
		last.Text += m.Text
		last.Pictures = append(last.Pictures, m.Pictures...)
		last.Calls = m.Calls
		return
	}
	*p = append(*p, m)
}

// answer appends the results of calls, in their order. rest is what follows the message that makes them.
func (p *projection) answer(calls []provider.Call, rest []agent.Message) {
	results := map[string]string{}
	for _, m := range rest {
		if m.Role != agent.RoleTool {
			break
		}
		for _, part := range m.Parts {
			if r, ok := part.(agent.ToolResultPart); ok {
				results[r.ToolCallID] = resultText(r)
			}
		}
	}
	for _, c := range calls {
		text, ok := results[c.ID]
		if !ok {
			text = unanswered
		}
		*p = append(*p, provider.Message{Role: agent.RoleTool, CallID: c.ID, Text: text})
	}
}

func textOf(m agent.Message, between string) string {
	var texts []string
	for _, part := range m.Parts {
		if text, ok := part.(agent.TextPart); ok {
			texts = append(texts, text.Text)
		}
	}
	return strings.Join(texts, between)
}

// picturesOf gives the pictures of a message that are there.
func picturesOf(m agent.Message, media map[agent.MediaHandle][]byte) []provider.Picture {
	var pictures []provider.Picture
	for _, part := range m.Parts {
		if p, ok := part.(agent.MediaPart); ok && media[p.Handle] != nil {
			pictures = append(pictures, provider.Picture{MediaType: p.MimeType, Content: media[p.Handle]})
		}
	}
	return pictures
}

func callsOf(m agent.Message) []provider.Call {
	var calls []provider.Call
	seen := map[string]bool{"": true}
	for _, part := range m.Parts {
		if c, ok := part.(agent.ToolCallPart); ok && !seen[c.ID] {
			seen[c.ID] = true
			calls = append(calls, provider.Call{ID: c.ID, Name: callName(c.Name), Args: callArgs(c.Args)})
		}
	}
	return calls
}

var notInNames = regexp.MustCompile(`[^A-Za-z0-9_-]`)

// callName is a name that every server takes back, also of a tool that the model made up.
func callName(name string) string {
	name = notInNames.ReplaceAllString(name, "_")
	if name == "" {
		return "unknown"
	}
	return name[:min(len(name), 64)]
}

// unescaped undoes what encoding/json does to JSON that it writes inside other JSON, as the store and the wire do.
var unescaped = strings.NewReplacer(`\\`, `\\`, `\u003c`, "<", `\u003e`, ">", `\u0026`, "&", `\u2028`, "\u2028", `\u2029`, "\u2029")

// compact is JSON as one line of text, the same whichever way it has come.
func compact(raw json.RawMessage) string {
	var b bytes.Buffer
	if json.Compact(&b, raw) != nil {
		return ""
	}
	return unescaped.Replace(b.String())
}

// callArgs is the text of an object: servers take nothing else back.
func callArgs(raw json.RawMessage) string {
	if args := compact(raw); strings.HasPrefix(args, "{") {
		return args
	}
	return "{}"
}

// resultText is what the model reads of a result.
func resultText(r agent.ToolResultPart) string {
	var text string
	if json.Unmarshal(r.Result, &text) != nil {
		text = compact(r.Result)
	}
	return tool.Mark(text, r.IsError, r.Denied)
}
