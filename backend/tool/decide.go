package tool

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"parley/backend/agent"
	"parley/backend/policy"
)

// manifest is what a person decides on. The arguments themselves are in the call.
type manifest struct {
	Action   agent.Action `json:"action"`
	ToolName string       `json:"toolName"`
	Preview  string       `json:"preview"`           // one line, at most maxPreview characters
	Rule     string       `json:"rule,omitempty"`    // the pattern of the calls that may be allowed along with this one
	Secrets  []string     `json:"secrets,omitempty"` // slugs of those that the tool is given
	Diff     string       `json:"diff,omitempty"`    // of a file that is there; none if it is long, or no text
}

const (
	maxPreview = 500
	maxDiff    = 64 << 10
)

// change is what the arguments of a tool say that changes something: which kind of change, and what it is about to do, in one
// line for a person.
type change interface {
	action() string
	preview() string
}

// Decide says what becomes of a call before it is run. Nil: it may be run. A ToolResult: it is denied. An
// InteractionRequest: it waits, for a person or for the caller whose tool it is.
//
// A call that Run refuses by itself, because its arguments do not fit or there is no such tool, asks nobody.
func (s *Set) Decide(call agent.ToolCall, g agent.Grounds) agent.Event {
	if s.ForClient(call) {
		return agent.InteractionRequest{Call: call.ID, Kind: agent.ClientTool}
	}
	if f, ok := s.findForeign(call.Name); ok {
		return f.decide(call, g)
	}
	t, granted := find(s.granted, call.Name)
	switch {
	case !granted:
		return nil
	case t.asks != nil && t.asks(call.Input):
		return agent.InteractionRequest{Call: call.ID, Kind: agent.UserInput, Payload: call.Input}
	case t.ReadOnly:
		return Gate(g, call, "", call.Name)
	}
	change, fits := t.change(call.Input)
	if !fits {
		return nil
	}
	hosted, _ := s.findHosted(call.Name)
	return gate(g, policy.Call{ToolCall: call, Action: t.action, Stated: t.stated, Version: hosted.Version, Secrets: hosted.Secrets}, s.files.Protected, func() manifest {
		return manifest{Preview: change.preview(), Diff: s.foresee(change)}
	})
}

// foresee gives the diff that a change will make, if it is one of a file, and as far as that is known now.
func (s *Set) foresee(c change) string {
	of, isFile := c.(interface {
		plan(files *Files) (planned, error)
	})
	if !isFile {
		return ""
	}
	p, err := of.plan(s.files)
	if err != nil {
		return ""
	}
	defer p.close()
	if d := p.diff(); len(d) <= maxDiff {
		return d
	}
	return ""
}

// Gate is Decide for a call of any tool, also of one that is not ours: action says what kind of change it makes, and preview
// what it is about to do, in one line for a person.
func Gate(g agent.Grounds, call agent.ToolCall, action agent.Action, preview string) agent.Event {
	return gate(g, policy.Call{ToolCall: call, Action: action}, func(path string) bool { return protect(path, path, writing) != nil }, func() manifest {
		return manifest{Preview: preview}
	})
}

// gate completes what told gives, if a person has to be told.
func gate(g agent.Grounds, c policy.Call, protected func(path string) bool, told func() manifest) agent.Event {
	call, action := c.ToolCall, c.Action
	if about, ok := policy.About(c); ok && action == agent.ActionWrite {
		c.Protected = protected(about)
	}
	switch policy.Decide(c, g) {
	case agent.Allow:
		return nil
	case agent.Deny:
		why := "the person's rules forbid it"
		without := c
		without.Secrets = nil
		switch {
		case policy.Decide(without, g) == agent.Allow:
			why = fmt.Sprintf("it is given the secret %s, and in this mode nobody is asked whether it may use that. The person can choose the mode ask, or auto", strings.Join(c.Secrets, ", "))
		case action != "" && g.Policy == agent.PermissionDeny:
			why = "this agent may not change anything"
		}
		return agent.ToolResult{ID: call.ID, Name: call.Name, Denied: true, Output: fmt.Sprintf("%s was not run: %s. Do without it.", call.Name, why)}
	}
	m := told()
	m.Action, m.ToolName, m.Preview, m.Rule = action, call.Name, oneLine(m.Preview), policy.Suggest(c)
	m.Secrets = c.Secrets
	payload, _ := json.Marshal(m) // strings: it cannot fail
	return agent.InteractionRequest{Call: call.ID, Kind: agent.UserApproval, Payload: payload}
}

// IsClient reports whether the caller runs the tool of this name.
func (s *Set) IsClient(name string) bool {
	return slices.ContainsFunc(s.launch.ClientTools, func(c agent.ClientToolSpec) bool { return c.Name == name })
}

// ForClient reports whether the caller is to run this call. What is no object is not for anybody.
func (s *Set) ForClient(call agent.ToolCall) bool {
	var arguments map[string]json.RawMessage
	return s.IsClient(call.Name) && json.Unmarshal(call.Input, &arguments) == nil && arguments != nil
}
