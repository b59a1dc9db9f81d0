package uistream

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"strings"

	"parley/backend/agent"
)

// Exchange is what a person said, and what was answered.
type Exchange struct {
	Asked  agent.Message
	Media  []agent.Media   // the files in it; of others that it refers to only the handle and the name are known
	Answer agent.MessageID // empty if there is none
	Model  string          // that answered; empty if that is not known
	Events []agent.Event   // that make the answer
}

// DecodeTranscript reads messages as useChat has them, a JSON object each. The error is an *agent.Error that names the path of
// what is wrong.
func DecodeTranscript(messages [][]byte) ([]Exchange, error) {
	var all []Exchange
	for i, raw := range messages {
		var r reader
		path := fmt.Sprintf("line %d", i+1)
		in := r.document(path, raw)
		id := cmp.Or(r.message(path+".id", in["id"]), agent.NewMessageID())
		switch role := r.text(path+".role", in["role"]); {
		case role == string(agent.RoleUser):
			all = append(all, Exchange{Asked: agent.Message{ID: id, Role: agent.RoleUser}})
			asked := &all[len(all)-1]
			for path, raw := range r.list(path+".parts", in["parts"], maxParts) {
				asked.Asked.Parts = append(asked.Asked.Parts, r.part(path, raw))
			}
			asked.Media = r.media
		case role == string(agent.RoleAssistant) && len(all) > 0:
			answer := &all[len(all)-1]
			answer.Answer = cmp.Or(answer.Answer, id)
			answer.Model = cmp.Or(answer.Model, r.text(path+".metadata.model", r.object(path+".metadata", in["metadata"])["model"]))
			for path, raw := range r.list(path+".parts", in["parts"], maxParts) {
				answer.Events = append(answer.Events, r.events(path, raw)...)
			}
		case role == string(agent.RoleAssistant):
			r.fail("%s is an answer that nobody asked for; the first message must be a person's", path)
		default:
			r.fail("%s.role must be user or assistant", path)
		}
		if r.err != nil {
			return nil, r.err
		}
	}
	return all, nil
}

// events gives those that make a part of an answer. What only pages show, and what Parley would say of its own, is left out.
func (r *reader) events(path string, raw json.RawMessage) []agent.Event {
	in := r.object(path, raw)
	switch typ := r.text(path+".type", in["type"]); {
	case typ == "text":
		return []agent.Event{agent.MessageWhole{Text: r.text(path+".text", in["text"])}}
	case typ == "reasoning":
		return []agent.Event{agent.ThoughtWhole{Text: r.text(path+".text", in["text"])}}
	case typ == "dynamic-tool":
		return r.called(path, r.text(path+".toolName", in["toolName"]), in)
	case strings.HasPrefix(typ, "tool-"):
		return r.called(path, strings.TrimPrefix(typ, "tool-"), in)
	}
	return nil
}

// called gives the events of a call, and of what became of it.
func (r *reader) called(path, name string, in map[string]json.RawMessage) []agent.Event {
	call := agent.ToolCall{ID: r.text(path+".toolCallId", in["toolCallId"]), Name: name, Input: bytes.Clone(in["input"])}
	if call.ID == "" || call.Name == "" {
		r.fail("%s must have a toolCallId and the name of its tool", path)
	}
	result := agent.ToolResult{ID: call.ID, Name: name}
	switch r.text(path+".state", in["state"]) {
	case "output-available":
		if json.Unmarshal(in["output"], &result.Output) != nil {
			result.Data = bytes.Clone(in["output"])
		}
	case "output-error":
		result.Output, result.IsError = r.text(path+".errorText", in["errorText"]), true
	case "output-denied":
		result.IsError, result.Denied = true, true
	default:
		return []agent.Event{call}
	}
	return []agent.Event{call, result}
}
