package config

import (
	"encoding/json"
	"math"
	"slices"
	"strconv"

	"go.yaml.in/yaml/v4"

	"parley/backend/agent"
	"parley/backend/schema"
)

// tools reads which of Parley's tools an agent has, by their names, and which are of its own.
func (k Known) tools(v value, spec *agent.Spec) {
	var names []string
	v.list(func(entry value) {
		var name string
		if entry.Kind == yaml.MappingNode {
			t := authorTool(entry)
			spec.AuthorTools = append(spec.AuthorTools, t)
			if name = t.Name; slices.Contains(k.Tools, name) {
				entry.fail("One of Parley's tools is called %s. Give this one another name.", name)
			}
		} else {
			name = entry.oneOf(k.Tools)
			spec.Tools = append(spec.Tools, name)
		}
		if slices.Contains(names, name) && name != "" {
			entry.fail("This tool is there twice. Remove one.")
		}
		names = append(names, name)
	})
}

func authorTool(v value) (t agent.AuthorTool) {
	before := len(v.in.problems)
	v.object(
		field{"kind", into(&t.Kind)},
		field{"name", into(&t.Name)},
		field{"description", into(&t.Description)},
		field{"input_schema", func(v value) {
			t.InputSchema = v.json()
			if _, err := schema.Read(t.InputSchema); t.InputSchema != nil && err != nil {
				v.fail("The schema %v.", err)
			}
		}},
		field{"runtime", into(&t.Runtime)},
		field{"code", into(&t.Code)},
		field{"url", into(&t.URL)},
		field{"method", into(&t.Method)},
		field{"headers", func(v value) { t.Headers = v.texts() }},
		field{"secrets", func(v value) { t.Secrets = v.texts() }},
		field{"args", func(v value) { t.Args = v.json() }},
		field{"timeout_ms", func(v value) { t.TimeoutMS = v.milliseconds() }},
		field{"permission", into(&t.Permission)},
	)
	if len(v.in.problems) > before {
		return t
	}
	if t.InputSchema == nil {
		v.fail("A tool of the agent's own has an input_schema. One that takes nothing has {type: object}.")
	} else if err := t.Check(); err != nil {
		v.fail("%s", agent.AsError(err).Message)
	}
	return t
}

// milliseconds reads a whole number that is not 0.
func (v value) milliseconds() int {
	n, err := strconv.Atoi(v.Value)
	if v.Kind != yaml.ScalarNode || v.ShortTag() != "!!int" || err != nil || n == 0 {
		v.fail("This must be a whole number of milliseconds.")
	}
	return n
}

// json reads any value that JSON has; nil if it is none.
func (v value) json() json.RawMessage {
	before := len(v.in.problems)
	text, err := json.Marshal(v.plain())
	if err != nil || len(v.in.problems) > before {
		return nil
	}
	return text
}

func (v value) plain() any {
	switch v.Kind {
	case yaml.MappingNode:
		object := map[string]any{}
		var fields []field
		for i := 0; i < len(v.Content); i += 2 {
			name := v.Content[i].Value
			fields = append(fields, field{name, func(entry value) { object[name] = entry.plain() }})
		}
		v.object(fields...)
		return object
	case yaml.SequenceNode:
		list := []any{}
		v.list(func(entry value) { list = append(list, entry.plain()) })
		return list
	case yaml.ScalarNode:
		return v.scalar()
	}
	v.fail("An alias is not taken. Write out what it stands for.")
	return nil
}

func (v value) scalar() any {
	var number float64
	var truth bool
	switch v.ShortTag() {
	case "!!str":
		return v.Value
	case "!!null":
		return nil
	case "!!bool":
		if v.Decode(&truth) == nil {
			return truth
		}
	case "!!int": // as far as every reader of JSON keeps it
		if n, wrong := strconv.ParseInt(v.Value, 0, 54); wrong == nil {
			return n
		}
	case "!!float":
		if v.Decode(&number) == nil && !math.IsInf(number, 0) && !math.IsNaN(number) {
			return number
		}
	}
	v.fail("JSON has no such value. Put it in quotes, or write it in another way.")
	return nil
}

// formatTools gives tools as they are written in a file.
func formatTools(spec agent.Spec) (tools []any, err error) {
	for _, name := range spec.Tools {
		tools = append(tools, name)
	}
	for _, t := range spec.AuthorTools {
		written := authorToolFile{
			Kind: t.Kind, Name: t.Name, Description: t.Description, Runtime: t.Runtime, Code: t.Code, URL: t.URL, Method: t.Method,
			Headers: t.Headers, Secrets: t.Secrets, TimeoutMS: t.TimeoutMS, Permission: t.Permission,
		}
		if err = json.Unmarshal(t.InputSchema, &written.InputSchema); err == nil && t.Args != nil {
			err = json.Unmarshal(t.Args, &written.Args)
		}
		if err != nil {
			return nil, agent.Wrap(agent.CodeValidation, err, "The tool "+t.Name+" has an input_schema or args that are no JSON.")
		}
		tools = append(tools, written)
	}
	return tools, nil
}

type authorToolFile struct {
	Kind        agent.AuthorToolKind
	Name        string
	Description string
	InputSchema any               `yaml:"input_schema"`
	Runtime     agent.Runtime     `yaml:",omitempty"`
	Code        string            `yaml:",omitempty"`
	URL         string            `yaml:",omitempty"`
	Method      string            `yaml:",omitempty"`
	Headers     map[string]string `yaml:",omitempty"`
	Secrets     map[string]string `yaml:",omitempty"`
	Args        any               `yaml:",omitempty"`
	TimeoutMS   int               `yaml:"timeout_ms,omitempty"`
	Permission  agent.Permission  `yaml:",omitempty"`
}
