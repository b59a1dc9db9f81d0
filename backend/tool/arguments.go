package tool

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// define makes a tool, one that only reads, of a function that takes its arguments as a struct A of bool, int and string fields. The struct is
// both the schema that a model is told and the check of what it sends. Of a field's tags, json is the argument's name
// (with omitempty it may be left out, and is zero then), about says what it is for, min and max bound an int.
func define[A any](d Definition, run func(ctx context.Context, files *Files, in A) (output string, data any, err error)) tool {
	wanted := argumentsOf(reflect.TypeFor[A]())
	d.Description = strings.TrimSpace(d.Description)
	d.Schema = wanted.schema()
	d.ReadOnly = true
	return tool{Definition: d, run: func(ctx context.Context, files *Files, input json.RawMessage) (string, json.RawMessage, error) {
		var in A
		if problems := wanted.decode(input, reflect.ValueOf(&in).Elem()); problems != nil {
			return "", nil, refuse("The arguments of %s do not fit: %s.", d.Name, strings.Join(problems, "; "))
		}
		output, data, err := run(ctx, files, in)
		if err != nil {
			return "", nil, err
		}
		encoded, err := json.Marshal(data)
		return output, encoded, err
	}}
}

// defineChange makes a tool that changes something, which its arguments can tell a person.
func defineChange[A change](d Definition, run func(ctx context.Context, files *Files, in A) (output string, data any, err error)) tool {
	t := define(d, run)
	t.ReadOnly = false
	wanted := argumentsOf(reflect.TypeFor[A]())
	t.change = func(input json.RawMessage) (change, bool) {
		var in A
		problems := wanted.decode(input, reflect.ValueOf(&in).Elem())
		return in, problems == nil
	}
	return t
}

// arguments are the fields of a struct, in order.
type arguments []argument

// argument is one of them; the exported part is its JSON Schema.
type argument struct {
	Type        string `json:"type"`
	Description string `json:"description"`
	Minimum     *int64 `json:"minimum,omitempty"`
	Maximum     *int64 `json:"maximum,omitempty"`

	name     string
	plain    string // what a person calls the type
	required bool
}

func argumentsOf(t reflect.Type) (list arguments) {
	for f := range t.Fields() {
		name, option, _ := strings.Cut(f.Tag.Get("json"), ",")
		a := argument{Description: f.Tag.Get("about"), name: name, required: option != "omitempty"}
		switch f.Type.Kind() {
		case reflect.Bool:
			a.Type, a.plain = "boolean", "true or false"
		case reflect.Int:
			a.Type, a.plain = "integer", "a whole number"
			a.Minimum, a.Maximum = limit(f.Tag.Get("min")), limit(f.Tag.Get("max"))
		case reflect.String:
			a.Type, a.plain = "string", "a string"
		default:
			panic("tool: no schema for " + f.Type.String())
		}
		list = append(list, a)
	}
	return list
}

func limit(tag string) *int64 {
	n, err := strconv.ParseInt(tag, 10, 64)
	if err != nil {
		return nil
	}
	return &n
}

// schema writes the properties in the order of the fields.
func (list arguments) schema() json.RawMessage {
	var properties bytes.Buffer
	required := []string{}
	for i, a := range list {
		if i > 0 {
			properties.WriteByte(',')
		}
		property, _ := json.Marshal(a) // strings and numbers only
		fmt.Fprintf(&properties, "%q:%s", a.name, property)
		if a.required {
			required = append(required, a.name)
		}
	}
	names, _ := json.Marshal(required)
	return fmt.Appendf(nil, `{"type":"object","properties":{%s},"required":%s,"additionalProperties":false}`, &properties, names)
}

// decode fills the struct from a JSON object, and gives everything that is wrong with that. null is as good as absent;
// a value of another type is wrong, also where it could be converted: "false" is not false.
func (list arguments) decode(input json.RawMessage, in reflect.Value) (problems []string) {
	var given map[string]json.RawMessage
	if !json.Valid(input) {
		return []string{"they are not valid JSON"}
	}
	if json.Unmarshal(input, &given) != nil || given == nil {
		return []string{"they must be one JSON object"}
	}
	for i, a := range list {
		value, found := given[a.name]
		delete(given, a.name)
		target := in.Field(i)
		switch {
		case !found || string(value) == "null":
			if a.required {
				problems = append(problems, a.name+" is missing")
			}
		case json.Unmarshal(value, target.Addr().Interface()) != nil:
			problems = append(problems, a.name+" must be "+a.plain)
		case a.Minimum != nil && target.Int() < *a.Minimum:
			problems = append(problems, fmt.Sprintf("%s must be at least %d", a.name, *a.Minimum))
		case a.Maximum != nil && target.Int() > *a.Maximum:
			problems = append(problems, fmt.Sprintf("%s must be at most %d", a.name, *a.Maximum))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		problems = append(problems, fmt.Sprintf("%q is not known", name))
	}
	return problems
}
