package tool

import (
	"cmp"
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
	Action     agent.Action     // what kind of change it makes; empty is agent.ActionOther
	Permission agent.Permission // that it has of itself, whatever the rules say; empty says nothing
	Secrets    []string         // as agent.HostedTool's
	About      string           // what its calls do, for who is asked about one; empty is its name
	// Fit gives the arguments that it is run with, of those that a model gave, which are an object; an error says why they do not
	// fit. nil takes all as they are.
	Fit func(arguments json.RawMessage) (json.RawMessage, error)
	Run func(ctx context.Context, call agent.ToolCall, say func(agent.Event)) (output string, data json.RawMessage, err error)
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
	fitting, err := f.fit(call)
	if err != nil {
		return nil // run refuses it
	}
	c := policy.Call{ToolCall: fitting, Action: f.action(), Stated: []agent.Permission{f.Permission}, Version: f.Version, Secrets: f.Secrets, Foreign: true}
	return gate(g, c, nil, func() manifest {
		return manifest{Preview: cmp.Or(f.About, f.Name) + " " + string(fitting.Input)}
	})
}

func (f Foreign) action() agent.Action { return cmp.Or(f.Action, agent.ActionOther) }

func (f Foreign) run(ctx context.Context, call agent.ToolCall, say say) (output string, data json.RawMessage, err error) {
	call, err = f.fit(call)
	if err != nil {
		return "", nil, err
	}
	return f.Run(ctx, call, say)
}

// fit gives a call with the arguments that it is run with.
func (f Foreign) fit(call agent.ToolCall) (agent.ToolCall, error) {
	if !isObject(call.Input) {
		return call, refuse("The arguments of %s must be one JSON object.", f.Name)
	}
	if f.Fit == nil {
		return call, nil
	}
	arguments, err := f.Fit(call.Input)
	if err != nil {
		return call, refuse("The arguments of %s do not fit: %v.", f.Name, err)
	}
	call.Input = arguments
	return call, nil
}

func isObject(arguments json.RawMessage) bool {
	var object map[string]json.RawMessage
	return json.Unmarshal(arguments, &object) == nil && object != nil
}
