package tool

import (
	"encoding/json"
	"fmt"
	"slices"

	"parley/backend/agent"
)

// manifest is what a person decides on. The arguments themselves are in the call.
type manifest struct {
	Action   string `json:"action"`
	ToolName string `json:"toolName"`
	Preview  string `json:"preview"` // one line, at most maxPreview characters
}

const maxPreview = 500

// change is what the arguments of a tool say that changes something: which kind of change, what it is about to do, in one line
// for a person, and which file it writes, if it does.
type change interface {
	action() string
	preview() string
	writes() (path string)
}

// Decide says what becomes of a call before it is run. Nil: it may be run. A ToolResult: it is denied. An
// InteractionRequest: it waits, for a person or for the caller whose tool it is. allowed names the tools that the person
// need not be asked about.
//
// A call that Run refuses by itself, because its arguments do not fit or there is no such tool, asks nobody.
func (s *Set) Decide(call agent.ToolCall, allowed []string) agent.Event {
	if s.ForClient(call) {
		return agent.InteractionRequest{Call: call.ID, Kind: agent.ClientTool}
	}
	t, granted := find(s.granted, call.Name)
	if !granted || t.ReadOnly {
		return nil
	}
	change, fits := t.change(call.Input)
	if !fits {
		return nil
	}
	policy := s.policy
	if path := change.writes(); path != "" && policy != agent.PermissionDeny && s.files.Protected(path) {
		policy, allowed = agent.PermissionAsk, nil // a protected file is a person's to give, each time
	}
	return Gate(policy, allowed, call, change.action(), change.preview())
}

// Gate is Decide for a call that is known to change something: action says what kind of change, and preview what it is
// about to do, in one line for a person. Calls of tools that are not ours pass it too.
func Gate(policy agent.PermissionPolicy, allowed []string, call agent.ToolCall, action, preview string) agent.Event {
	switch {
	case policy == agent.PermissionAuto:
		return nil
	case policy == agent.PermissionDeny:
		return agent.ToolResult{ID: call.ID, Name: call.Name, Denied: true, Output: fmt.Sprintf("%s was not run: this agent may not change anything. Do without it.", call.Name)}
	case slices.Contains(allowed, call.Name):
		return nil
	}
	payload, _ := json.Marshal(manifest{action, call.Name, oneLine(preview)}) // strings: it cannot fail
	return agent.InteractionRequest{Call: call.ID, Kind: agent.UserApproval, Payload: payload}
}

// IsClient reports whether the caller runs the tool of this name.
func (s *Set) IsClient(name string) bool {
	return slices.ContainsFunc(s.client, func(c agent.ClientToolSpec) bool { return c.Name == name })
}

// ForClient reports whether the caller is to run this call. What is no object is not for anybody.
func (s *Set) ForClient(call agent.ToolCall) bool {
	var arguments map[string]json.RawMessage
	return s.IsClient(call.Name) && json.Unmarshal(call.Input, &arguments) == nil && arguments != nil
}
