package acp

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"parley/backend/agent"
)

// elicitation asks the person to fill in a form.
type elicitation struct {
	Mode    string `json:"mode"`
	Message string `json:"message"`
	Call    string `json:"toolCallId"` // that asks; it may be empty
	Schema  struct {
		Properties fields   `json:"properties"`
		Required   []string `json:"required"`
	} `json:"requestedSchema"`
}

// field is one line of a form.
type field struct {
	name  string
	Type  string   `json:"type"`
	Title string   `json:"title"`
	OneOf []named  `json:"oneOf"`
	Enum  []string `json:"enum"`
	Items struct {
		AnyOf []named  `json:"anyOf"`
		Enum  []string `json:"enum"`
	} `json:"items"` // of an array
}

// named is a value and how a person knows it.
type named struct {
	Const string `json:"const"`
	Title string `json:"title"`
}

// fields are those of a form, in their order.
type fields []field

// UnmarshalJSON keeps the order of an object.
func (f *fields) UnmarshalJSON(b []byte) error {
	d := json.NewDecoder(bytes.NewReader(b))
	if _, err := d.Token(); err != nil {
		return err
	}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return err
		}
		var one field
		if err := d.Decode(&one); err != nil {
			return err
		}
		one.name, _ = name.(string)
		*f = append(*f, one)
	}
	return nil
}

// elicit asks the person line by line. Each question is a call of its own, because the answer is a call's result.
func (s *Speaker) elicit(e elicitation) (any, *problem) {
	type filled struct {
		Action  string         `json:"action"`
		Content map[string]any `json:"content,omitempty"`
	}
	if !s.listening() || e.Mode != "form" && e.Mode != "" {
		return filled{Action: "cancel"}, nil
	}
	content := map[string]any{}
	for _, f := range e.Schema.Properties {
		if e.Schema.Properties.isCustom(f.name) {
			continue
		}
		text, stopped := s.turn.ask(e, f)
		if stopped {
			return filled{Action: "cancel"}, nil
		}
		value, ok := f.read(text)
		switch own := e.Schema.Properties.custom(f.name); {
		case ok:
			content[f.name] = value
		case own != "" && text != "":
			content[own] = text
		case slices.Contains(e.Schema.Required, f.name):
			return filled{Action: "decline"}, nil
		}
	}
	return filled{"accept", content}, nil
}

// custom names the field that takes an answer which is none of the choices of the field of that name; empty if there is none.
func (f fields) custom(name string) string {
	for _, ending := range []string{"_custom", "_note"} {
		if slices.ContainsFunc(f, func(f field) bool { return f.name == name+ending }) {
			return name + ending
		}
	}
	return ""
}

// isCustom reports whether the field of that name is for answers that are none of the choices of another.
func (f fields) isCustom(name string) bool {
	return slices.ContainsFunc(f, func(other field) bool { return f.custom(other.name) == name })
}

// ask asks the person for one field.
func (t *turn) ask(e elicitation, f field) (text string, stopped bool) {
	question := e.Message
	if f.Title != "" && f.Title != e.Message {
		question += "\n" + f.Title
	}
	var options []string
	for _, c := range f.choices() {
		options = append(options, c.Title)
	}
	t.questions++
	c := agent.ToolCall{ID: cmp.Or(e.Call, t.session) + "-question-" + strconv.Itoa(t.questions), Name: "ask_user"}
	c.Input, _ = json.Marshal(map[string]any{"question": question, "options": options}) // strings: it cannot fail
	t.host.Say(c)
	a := t.host.Input(c.ID, question, options)
	return strings.TrimSpace(a.Text), a.Stopped
}

// choices are what a field may be, if that is limited.
func (f field) choices() []named {
	all := append(f.OneOf, f.Items.AnyOf...)
	for _, value := range append(f.Enum, f.Items.Enum...) {
		all = append(all, named{value, value})
	}
	if f.Type == "boolean" {
		all = []named{{"true", "Yes"}, {"false", "No"}}
	}
	return all
}

// read makes a value of what the person said. ok is false for nothing, or for what is no value.
func (f field) read(text string) (value any, ok bool) {
	choices := f.choices()
	pick := func(text string) (string, bool) {
		i := slices.IndexFunc(choices, func(c named) bool { return c.Title == text || c.Const == text })
		if i < 0 {
			return text, len(choices) == 0
		}
		return choices[i].Const, true
	}
	switch picked, known := pick(text); {
	case text == "":
		return nil, false
	case f.Type == "boolean":
		return picked == "true", known
	case f.Type == "integer" || f.Type == "number":
		var n json.Number
		err := json.Unmarshal([]byte(text), &n)
		return n, err == nil
	case f.Type == "array":
		var all []string
		for one := range strings.SplitSeq(text, ",") {
			if picked, known := pick(strings.TrimSpace(one)); known {
				all = append(all, picked)
			}
		}
		return all, len(all) > 0
	default:
		return picked, known
	}
}
