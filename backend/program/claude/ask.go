package claude

import (
	"cmp"
	"encoding/json"
	"fmt"

	"parley/backend/agent"
	"parley/backend/program"
)

// asked answers a question of Claude Code. It waits until there is an answer.
func (t *turn) asked(line []byte) error {
	var r struct {
		ID      string `json:"request_id"`
		Request struct {
			Subtype string
			Tool    string `json:"tool_name"`
			Call    string `json:"tool_use_id"`
			Input   json.RawMessage
		}
	}
	if json.Unmarshal(line, &r) != nil {
		return nil
	}
	q := r.Request
	if q.Subtype != "can_use_tool" {
		return t.reply(reply{Subtype: "error", Request: r.ID, Error: "Parley does not answer this."})
	}
	allowed := &verdict{Behavior: "allow", Input: q.Input}
	if _, own := program.OwnTool(q.Tool); own {
		return t.reply(reply{Subtype: "success", Request: r.ID, Response: allowed}) // parley-tools asks itself
	}
	c := t.announce(q.Call, q.Tool, q.Input)
	var answer program.Answer
	if q.Tool == "AskUserQuestion" {
		answer, allowed.Input = t.interview(q.Call, q.Input)
	} else {
		action, preview := describe(q.Tool, q.Input)
		answer = t.host.Approve(agent.ToolCall{ID: q.Call, Name: c.name, Input: c.input}, action, preview)
	}
	switch {
	case answer.Stopped:
		return nil // the question goes with the turn
	case answer.Allowed:
		return t.reply(reply{Subtype: "success", Request: r.ID, Response: allowed})
	}
	c.denied = true
	note := cmp.Or(answer.Note, "The person does not allow this.")
	return t.reply(reply{Subtype: "success", Request: r.ID, Response: &verdict{Behavior: "deny", Message: note}})
}

// reply answers a control_request.
type reply struct {
	Subtype  string   `json:"subtype"`
	Request  string   `json:"request_id"`
	Response *verdict `json:"response,omitempty"`
	Error    string   `json:"error,omitempty"`
}

type verdict struct {
	Behavior string          `json:"behavior"`
	Input    json.RawMessage `json:"updatedInput,omitempty"` // of what is allowed: the arguments once more
	Message  string          `json:"message,omitempty"`
}

func (t *turn) reply(r reply) error {
	return t.line.Send(struct {
		Type     string `json:"type"`
		Response reply  `json:"response"`
	}{"control_response", r})
}

// interview puts the questions of a call to the person, and gives its arguments with the answers. A call waits for one
// answer, so that each question but the first becomes a call of its own.
func (t *turn) interview(id string, input json.RawMessage) (program.Answer, json.RawMessage) {
	unreadable := program.Answer{Note: "The questions cannot be read."}
	arguments := map[string]json.RawMessage{}
	var questions []json.RawMessage
	if json.Unmarshal(input, &arguments) != nil || json.Unmarshal(arguments["questions"], &questions) != nil {
		return unreadable, nil
	}
	answers := map[string]string{}
	for i, one := range questions {
		var q struct {
			Question string
			Options  []struct{ Label string }
		}
		if json.Unmarshal(one, &q) != nil {
			return unreadable, nil
		}
		labels := make([]string, len(q.Options))
		for i, o := range q.Options {
			labels[i] = o.Label
		}
		call := id
		if i > 0 {
			call = fmt.Sprintf("%s-%d", id, i+1)
			t.host.Say(agent.ToolCall{ID: call, Name: "AskUserQuestion", Input: one})
		}
		answer := t.host.Input(call, q.Question, labels)
		if answer.Stopped || answer.Text == "" {
			return answer, nil
		}
		answers[q.Question] = answer.Text
	}
	arguments["answers"], _ = json.Marshal(answers) // strings: it cannot fail
	answered, err := json.Marshal(arguments)
	if err != nil {
		return unreadable, nil
	}
	return program.Answer{Allowed: true}, answered
}

// describe says what a call will do.
func describe(tool string, input json.RawMessage) (agent.Action, string) {
	var in struct {
		Command, URL, Query string
		File                string `json:"file_path"`
		Notebook            string `json:"notebook_path"`
	}
	_ = json.Unmarshal(input, &in) // what does not fit is not shown
	switch tool {
	case "Bash":
		return agent.ActionProcess, in.Command
	case "Write", "Edit", "NotebookEdit":
		return agent.ActionWrite, tool + " " + in.File + in.Notebook
	case "WebFetch":
		return agent.ActionEgress, "Fetch " + in.URL
	case "WebSearch":
		return agent.ActionEgress, "Search for " + in.Query
	case "ExitPlanMode":
		return agent.ActionOther, "Carry out the plan"
	}
	return agent.ActionOther, tool + " " + string(input)
}
