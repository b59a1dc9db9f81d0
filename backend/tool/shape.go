package tool

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// shape is what a value has to be. Its exported part is its JSON Schema.
type shape struct {
	Type        string     `json:"type"`
	Description string     `json:"description,omitempty"`
	Minimum     *int64     `json:"minimum,omitempty"`
	Maximum     *int64     `json:"maximum,omitempty"`
	Enum        []string   `json:"enum,omitempty"`
	MinItems    *int64     `json:"minItems,omitempty"`
	MaxItems    *int64     `json:"maxItems,omitempty"`
	Items       *shape     `json:"items,omitempty"`
	Properties  properties `json:"properties,omitzero"`
	Required    []string   `json:"required,omitempty"`
	Additional  any        `json:"additionalProperties,omitempty"`

	plain string // what a person calls it
}

// properties are the members of an object, in the order of the struct's fields.
type properties []property

type property struct {
	name  string
	shape *shape
}

// MarshalJSON writes an object.
func (list properties) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	for i, p := range list {
		if i > 0 {
			b.WriteByte(',')
		}
		schema, err := json.Marshal(p.shape)
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(&b, "%q:%s", p.name, schema)
	}
	return fmt.Appendf(nil, "{%s}", &b), nil
}

// shapeOf reads a type: bool, int, string, json.RawMessage for an object of any kind, and slices, maps of strings and
// structs of these. Of a field's tags, json is the member's name (with omitempty it may be left out, and is zero then),
// about says what it is for, min and max bound an int or the length of a slice, and enum lists what a string may be.
func shapeOf(t reflect.Type) *shape {
	switch {
	case t == reflect.TypeFor[json.RawMessage]():
		return &shape{Type: "object", plain: "an object"}
	case t.Kind() == reflect.Bool:
		return &shape{Type: "boolean", plain: "true or false"}
	case t.Kind() == reflect.Int:
		return &shape{Type: "integer", plain: "a whole number"}
	case t.Kind() == reflect.String:
		return &shape{Type: "string", plain: "a string"}
	case t.Kind() == reflect.Slice:
		return &shape{Type: "array", Items: shapeOf(t.Elem()), plain: "a list"}
	case t.Kind() == reflect.Map:
		return &shape{Type: "object", Additional: shapeOf(t.Elem()), plain: "an object of strings"}
	case t.Kind() != reflect.Struct:
		panic("tool: no schema for " + t.String())
	}
	s := &shape{Type: "object", Properties: properties{}, Additional: false, plain: "an object"}
	for f := range t.Fields() {
		name, option, _ := strings.Cut(f.Tag.Get("json"), ",")
		member := shapeOf(f.Type)
		member.Description = f.Tag.Get("about")
		if member.Type == "array" {
			member.MinItems, member.MaxItems = limit(f.Tag.Get("min")), limit(f.Tag.Get("max"))
		} else {
			member.Minimum, member.Maximum = limit(f.Tag.Get("min")), limit(f.Tag.Get("max"))
		}
		if list := f.Tag.Get("enum"); list != "" {
			member.Enum = strings.Split(list, ",")
			member.plain = "one of " + strings.Join(member.Enum, ", ")
		}
		s.Properties = append(s.Properties, property{name, member})
		if option != "omitempty" {
			s.Required = append(s.Required, name)
		}
	}
	return s
}

func limit(tag string) *int64 {
	n, err := strconv.ParseInt(tag, 10, 64)
	if err != nil {
		return nil
	}
	return &n
}

// decodeAll fills what in points to from a JSON object, and gives everything that is wrong with that.
func (s *shape) decodeAll(input json.RawMessage, in any) (problems []string) {
	if !json.Valid(input) {
		return []string{"they are not valid JSON"}
	}
	given, ok := members(input)
	if !ok {
		return []string{"they must be one JSON object"}
	}
	return s.decodeMembers(given, reflect.ValueOf(in).Elem(), "")
}

func members(input json.RawMessage) (given map[string]json.RawMessage, ok bool) {
	err := json.Unmarshal(input, &given)
	return given, err == nil && given != nil
}

// decode fills a value. at is where it is. A value of another type is wrong, also where it could be converted: "false" is
// not false.
func (s *shape) decode(input json.RawMessage, value reflect.Value, at string) (problems []string) {
	wrong := []string{at + " must be " + s.plain}
	switch {
	case s.Properties != nil:
		given, ok := members(input)
		if !ok {
			return wrong
		}
		return s.decodeMembers(given, value, at+".")
	case s.Items != nil:
		var items []json.RawMessage
		if json.Unmarshal(input, &items) != nil || items == nil {
			return wrong
		}
		value.Set(reflect.MakeSlice(value.Type(), len(items), len(items)))
		for i, item := range items {
			problems = append(problems, s.Items.decode(item, value.Index(i), fmt.Sprintf("%s[%d]", at, i))...)
		}
		return append(problems, bounded(int64(len(items)), s.MinItems, s.MaxItems, at, " long")...)
	case s.Type == "object":
		if _, ok := members(input); !ok {
			return wrong
		}
	}
	if string(input) == "null" || json.Unmarshal(input, value.Addr().Interface()) != nil {
		return wrong
	}
	if s.Enum != nil && !slices.Contains(s.Enum, value.String()) {
		return wrong
	}
	if s.Type == "integer" {
		return bounded(value.Int(), s.Minimum, s.Maximum, at, "")
	}
	return nil
}

// decodeMembers fills a struct. null is as good as absent.
func (s *shape) decodeMembers(given map[string]json.RawMessage, value reflect.Value, at string) (problems []string) {
	for i, p := range s.Properties {
		member, found := given[p.name]
		delete(given, p.name)
		switch {
		case found && string(member) != "null":
			problems = append(problems, p.shape.decode(member, value.Field(i), at+p.name)...)
		case slices.Contains(s.Required, p.name):
			problems = append(problems, at+p.name+" is missing")
		}
	}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		problems = append(problems, fmt.Sprintf("%q is not known", at+name))
	}
	return problems
}

func bounded(n int64, least, most *int64, at, unit string) []string {
	switch {
	case least != nil && n < *least:
		return []string{fmt.Sprintf("%s must be at least %d%s", at, *least, unit)}
	case most != nil && n > *most:
		return []string{fmt.Sprintf("%s must be at most %d%s", at, *most, unit)}
	}
	return nil
}
