package tool

import (
	"context"
	"encoding/json"
	"os"
	"reflect"
	"strings"

	"parley/backend/agent"
)

// define makes a tool, one that only reads, of a function that takes its arguments as a struct A. The struct is both the
// schema that a model is told and the check of what it sends, see shapeOf.
func define[A any](d Definition, run func(ctx context.Context, root *os.Root, in A) (output string, data any, err error)) tool {
	wanted := shapeOf(reflect.TypeFor[A]())
	d.Description = strings.TrimSpace(d.Description)
	d.Schema, _ = json.Marshal(wanted) // strings, numbers and shapes: it cannot fail
	d.ReadOnly = true
	return tool{Definition: d, run: func(ctx context.Context, root *os.Root, input json.RawMessage) (string, json.RawMessage, error) {
		var in A
		if problems := wanted.decodeAll(input, &in); problems != nil {
			return "", nil, refuse("The arguments of %s do not fit: %s.", d.Name, strings.Join(problems, "; "))
		}
		output, data, err := run(ctx, root, in)
		if err != nil {
			return "", nil, err
		}
		encoded, err := json.Marshal(data)
		return output, encoded, err
	}}
}

// defineChange makes a tool that changes something, which its arguments can tell a person.
func defineChange[A change](d Definition, run func(ctx context.Context, root *os.Root, in A) (output string, data any, err error)) tool {
	t := define(d, run)
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
