package tool

import (
	"context"
	"encoding/json"

	"parley/backend/agent"
	"parley/backend/policy"
)

// Foreign is a tool of somebody else's, which is granted, decided and bounded like our own. What it does nobody knows: it
// changes something, whatever it says of itself.
type Foreign struct {
	Definition
	Version    string           // of what it says of itself: an approval for longer than once is for this one
	Permission agent.Permission // that it has of itself, whatever the rules say; empty says nothing
	Secrets    []string         // as agent.HostedTool's
	Run        func(ctx context.Context, call agent.ToolCall, say func(agent.Event)) (output string, data json.RawMessage, err error)
}

// Source gives the tools of others that a launch asks for, as they are now. It waits for nothing.
type Source func(launch agent.Launch) []Foreign

// For asks a source, which may be nil: that has none.
func (s Source) For(launch agent.Launch) []Foreign {
	if s == nil {
		return nil
	}
	return s(launch)
}

// decide is Decide for a call of f.
func (f Foreign) decide(call agent.ToolCall, g agent.Grounds) agent.Event {
	if !isObject(call.Input) {
		return nil // run refuses it
	}
	return gate(g, policy.Call{ToolCall: call, Action: agent.ActionOther, Stated: []agent.Permission{f.Permission}, Version: f.Version, Secrets: f.Secrets}, nil, func() manifest {
		return manifest{Preview: f.Name + " " + string(call.Input)}
	})
}

func (f Foreign) run(ctx context.Context, call agent.ToolCall, say say) (output string, data json.RawMessage, err error) {
	if !isObject(call.Input) {
		return "", nil, refuse("The arguments of %s must be one JSON object.", f.Name)
	}
	return f.Run(ctx, call, say)
}

func isObject(arguments json.RawMessage) bool {
	var object map[string]json.RawMessage
	return json.Unmarshal(arguments, &object) == nil && object != nil
}
