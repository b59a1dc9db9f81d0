package tool

import (
	"context"
	"encoding/json"
	"reflect"
	"strings"

	"parley/backend/agent"
)

// say passes on what a call has to say before its result. It is called only by the goroutine that runs the tool.
type say = func(agent.Event)

// define makes a tool, one that only reads, of a function that takes its arguments as a struct A. The struct is both the
// schema that a model is told and the check of what it sends, see shapeOf.
func define[A any](d Definition, run func(ctx context.Context, files *Files, in A) (output string, data any, err error)) tool {
	return defineSpeaking(d, func(ctx context.Context, files *Files, _ string, _ say, in A) (string, any, error) {
		return run(ctx, files, in)
	})
}

// defineSpeaking is define for a tool whose calls, of which it is given the id, have something to say while they run.
func defineSpeaking[A any](d Definition, run func(ctx context.Context, files *Files, id string, say say, in A) (output string, data any, err error)) tool {
	wanted := shapeOf(reflect.TypeFor[A]())
	d.Description = strings.TrimSpace(d.Description)
	d.Schema, _ = json.Marshal(wanted) // strings, numbers and shapes: it cannot fail
	d.ReadOnly = true
	return tool{Definition: d, run: func(ctx context.Context, files *Files, call agent.ToolCall, say say) (string, json.RawMessage, error) {
		var in A
		if problems := wanted.decodeAll(call.Input, &in); problems != nil {
			return "", nil, refuse("The arguments of %s do not fit: %s.", d.Name, strings.Join(problems, "; "))
		}
		output, data, err := run(ctx, files, call.ID, say, in)
		if err != nil {
			return "", nil, err
		}
		encoded, err := json.Marshal(data)
		return output, encoded, err
	}}
}

// changing makes a tool one that changes something, which its arguments can tell a person.
func changing[A change](t tool) tool {
	t.ReadOnly = false
	t.action = agent.Action((*new(A)).action())
	wanted := shapeOf(reflect.TypeFor[A]())
	t.change = func(input json.RawMessage) (change, bool) {
		var in A
		problems := wanted.decodeAll(input, &in)
		return in, problems == nil
	}
	return t
}

// alwaysAsked makes a tool one of which each call is allowed by itself.
func alwaysAsked(t tool) tool {
	t.stated = []agent.Permission{agent.Ask}
	return t
}

// asking makes a tool one that is not run: its arguments are a question to the person, and what they say is its result.
func asking[A any](t tool) tool {
	wanted := shapeOf(reflect.TypeFor[A]())
	t.asks = func(input json.RawMessage) bool { return wanted.decodeAll(input, new(A)) == nil }
	return t
}
