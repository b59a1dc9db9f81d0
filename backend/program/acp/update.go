package acp

import (
	"encoding/json"

	"parley/backend/agent"
	"parley/backend/program"
)

// update is what the agent says of the session. Which fields it has depends on its kind; those of a call are read apart.
type update struct {
	Kind      string          `json:"sessionUpdate"`
	MessageID string          `json:"messageId"`
	Content   json.RawMessage `json:"content"`
	Entries   []entry         `json:"entries"` // plan, protocol 1
	Plan      struct {
		Entries []entry `json:"entries"`
	} `json:"plan"` // protocol 2
	Commands []program.Command `json:"availableCommands"`
	Options  []option          `json:"configOptions"`
	Mode     string            `json:"currentModeId"`
	Title    string            `json:"title"`
	Severity string            `json:"severity"` // of a notice
	Status   string            `json:"status"`   // of a compaction
	State    string            `json:"state"`    // protocol 2; idle ends a turn
	outcome
	Terminal string `json:"terminalId"` // protocol 2
	Output   *struct {
		Data []byte `json:"data"`
	} `json:"output"` // all of it so far
	Data []byte `json:"data"` // the next piece of it
}

// entry is a line of a plan.
type entry struct {
	Content string `json:"content"`
	Status  string `json:"status"`
}

// meta is what some agents say on the side, for want of a field in the protocol.
type meta struct {
	Claude struct {
		Parent string `json:"parentToolUseId"` // the call whose subagent speaks
	} `json:"claudeCode"`
	Usage *usage `json:"usage"` // of one question to the model
	Quota struct {
		Tokens *struct {
			Input  int64 `json:"input_tokens"`
			Output int64 `json:"output_tokens"`
		} `json:"token_count"`
		Models []struct {
			Model string `json:"model"`
		} `json:"model_usage"`
	} `json:"quota"`
}

// update takes what the agent says of the session; what it says of no turn is not said to anybody. What nobody knows is
// kept as it is.
func (s *Speaker) update(params json.RawMessage) {
	var p struct {
		Session string          `json:"sessionId"`
		Update  json.RawMessage `json:"update"`
	}
	if json.Unmarshal(params, &p) != nil || s.session != "" && p.Session != s.session {
		return
	}
	var u update
	readable := json.Unmarshal(p.Update, &u) == nil
	switch t := s.turn; {
	case readable && s.remember(u):
	case t == nil:
	case !readable || !t.update(u, p.Update):
		t.host.Say(agent.Data{Name: "update", Data: p.Update})
	}
}

// remember takes what holds for the session, and reports whether u is that.
func (s *Speaker) remember(u update) bool {
	switch u.Kind {
	case "available_commands_update":
		s.commands = u.Commands
	case "config_option_update":
		s.reoffer(u.Options)
	case "current_mode_update":
		s.chose("mode", u.Mode)
	default:
		return u.Kind == "session_info_update" || u.Kind == "user_message_chunk" || u.Kind == "user_message"
	}
	return true
}

// update says what the agent says, and reports whether it knows how.
func (t *turn) update(u update, raw json.RawMessage) bool {
	switch u.Kind {
	case "agent_message_chunk", "agent_thought_chunk":
		return t.chunk(u)
	case "agent_message", "agent_thought":
		return t.whole(u)
	case "tool_call", "tool_call_update":
		var c callUpdate
		if json.Unmarshal(raw, &c) != nil {
			return false
		}
		t.tool(c)
	case "tool_call_content_chunk":
		return t.more(raw)
	case "plan", "plan_update":
		items := []agent.PlanItem{}
		for _, e := range append(u.Entries, u.Plan.Entries...) {
			items = append(items, agent.PlanItem{Text: e.Content, Status: e.Status})
		}
		t.host.Say(agent.Plan{Items: items})
	case "notice":
		if u.Severity == "error" {
			return false
		}
		t.host.Say(agent.Status{Text: u.Title})
	case "compaction_update":
		if u.Status == "in_progress" {
			t.host.Say(agent.Status{Text: "Summing up the conversation"})
		}
	case "compaction_summary_chunk":
	case "usage_update":
		t.context = raw
	case "state_update":
		if u.State == "idle" {
			t.ended = &u.outcome
		}
	case "terminal_update", "terminal_output_chunk":
		if u.Output != nil {
			t.terminals.show(u.Terminal, u.Output.Data, true)
		}
		t.terminals.show(u.Terminal, u.Data, false)
		t.progress(u.Terminal)
	default:
		return false
	}
	return true
}
