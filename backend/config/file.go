package config

import (
	"maps"
	"regexp"
	"slices"

	"go.yaml.in/yaml/v4"

	"parley/backend/agent"
	"parley/backend/harness"
	"parley/backend/policy"
)

// Known is what an agent may name.
type Known struct {
	Endpoints map[string]agent.Endpoint // by provider
	Tools     []string
	Programs  []harness.Known
}

// agentID is kebab case.
var agentID = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)

const maxAgentID = 64

// CheckID refuses what no agent is called.
func CheckID(id string) error {
	if len(id) > maxAgentID || !agentID.MatchString(id) {
		return agent.Errorf(agent.CodeValidation, "An id has small letters and digits, with single hyphens between them, %d at most.", maxAgentID)
	}
	return nil
}

// Parse reads an agent file. It gives all that is wrong with it; the agent is one only if that is nothing.
func (k Known) Parse(src []byte) (agent.Spec, []Problem) {
	root, in := read(src)
	spec := agent.Spec{Harness: agent.KindNative}
	if len(in.problems) > 0 {
		return spec, in.problems
	}
	fields := []field{
		{"id", func(v value) { spec.ID = id(v) }},
		{"name", into(&spec.Name)},
		{"description", into(&spec.Description)},
		{"harness", choice(&spec.Harness, k.Harnesses()...)},
		{"provider", choice(&spec.Provider, k.Providers()...)},
		{"model", into(&spec.Model)},
		{"system_prompt", into(&spec.SystemPrompt)},
		{"tools", func(v value) { k.tools(v, &spec) }},
		{"mcp_servers", func(v value) { spec.MCPServers, spec.OwnServers = mcpServers(v) }},
		{"permissions", func(v value) { spec.Permissions = permissions(v) }},
		{"login", choice(&spec.Login, string(agent.LoginKey), string(agent.LoginOwn))},
		{"options", func(v value) { spec.Options = v.texts() }},
		{"command_env", func(v value) { spec.CommandEnv = v.texts() }},
	}
	for _, name := range []string{"backend", "temperature", "max_tokens", "reasoning_effort", "input_schema", "output_schema", "skills", "memory", "retry", "fallback_chain"} {
		fields = append(fields, field{name, nil})
	}
	given := root.object(fields...)
	for _, name := range required(spec.Harness) {
		if _, ok := given[name]; !ok && root.Kind == yaml.MappingNode {
			value{root.Node, name, in}.fail("This is missing.")
		}
	}
	if len(in.problems) == 0 {
		if err := k.launches(spec); err != nil {
			value{given["id"].Node, "", in}.fail("%s", agent.AsError(err).Message)
		}
	}
	slices.SortStableFunc(in.problems, func(a, b Problem) int {
		if a.Line != b.Line {
			return a.Line - b.Line
		}
		return a.Column - b.Column
	})
	return spec, in.problems
}

// required are the keys that every agent of a harness has. A program may have a model and instructions of its own.
func required(kind agent.Kind) []string {
	if kind.IsProgram() {
		return []string{"id"}
	}
	return []string{"id", "model", "provider", "system_prompt"}
}

// launches says why the agent's harness refuses it, as it would when somebody talks to it.
func (k Known) launches(spec agent.Spec) error {
	h, err := harness.For(spec.Harness, k.Endpoints, k.Tools, k.Programs)
	if err == nil {
		_, err = h.Launch(spec)
	}
	return err
}

// Harnesses gives the kinds that an agent may have.
func (k Known) Harnesses() []string {
	list := []string{string(agent.KindNative), string(agent.KindAgenta), string(agent.KindScripted)}
	for _, p := range k.Programs {
		list = append(list, string(p.Kind))
	}
	return list
}

// Providers gives those that an agent may have its model from.
func (k Known) Providers() []string { return slices.Sorted(maps.Keys(k.Endpoints)) }

func id(v value) string {
	text := v.text()
	if err := CheckID(text); text != "" && err != nil {
		v.fail("%s", agent.AsError(err).Message)
	}
	return text
}

func permissions(v value) (p agent.Permissions) {
	modes := make([]string, len(agent.Modes()))
	for i, mode := range agent.Modes() {
		modes[i] = string(mode)
	}
	verdicts := []string{string(agent.Ask), string(agent.Allow), string(agent.Deny)}
	v.object(
		field{"mode", choice(&p.Mode, modes...)},
		field{"default", choice(&p.Default, append(slices.Clone(verdicts), string(agent.AllowReads))...)},
		field{"rules", func(v value) {
			v.list(func(entry value) {
				var rule agent.Rule
				given := entry.object(
					field{"pattern", func(v value) { rule.Pattern = pattern(v) }},
					field{"permission", choice(&rule.Permission, verdicts...)},
				)
				if entry.Kind == yaml.MappingNode && len(given) < 2 {
					entry.fail("A rule has a pattern and a permission.")
				}
				p.Rules.Rules = append(p.Rules.Rules, rule)
			})
		}},
		field{"allowed_commands", texts(&p.Commands)},
		field{"allowed_command_globs", texts(&p.CommandGlobs)},
		field{"allowed_domains", texts(&p.Domains)},
	)
	return p
}

func pattern(v value) string {
	text := v.text()
	if text != "" && !policy.Readable(text) {
		v.fail("This is no pattern. It is the name of a tool or an action, alone or as name(prefix*).")
	}
	return text
}

// Format writes an agent as Parse reads it.
func Format(spec agent.Spec) ([]byte, error) {
	type rule struct {
		Pattern    string
		Permission agent.Permission
	}
	type permissions struct {
		Mode    agent.Mode       `yaml:",omitempty"`
		Default agent.Permission `yaml:",omitempty"`
		Rules   []rule           `yaml:",omitempty"`

		Commands     []string `yaml:"allowed_commands,omitempty"`
		CommandGlobs []string `yaml:"allowed_command_globs,omitempty"`
		Domains      []string `yaml:"allowed_domains,omitempty"`
	}
	p := spec.Permissions
	tools, err := formatTools(spec)
	if err != nil {
		return nil, err
	}
	file := struct {
		ID           string
		Name         string            `yaml:",omitempty"`
		Description  string            `yaml:",omitempty"`
		Harness      agent.Kind        `yaml:",omitempty"`
		Provider     string            `yaml:",omitempty"`
		Model        string            `yaml:",omitempty"`
		Login        agent.Login       `yaml:",omitempty"`
		SystemPrompt string            `yaml:"system_prompt,omitempty"`
		Tools        []any             `yaml:",omitempty"`
		MCPServers   []serverEntry     `yaml:"mcp_servers,omitempty"`
		Permissions  permissions       `yaml:",omitempty"`
		Options      map[string]string `yaml:",omitempty"`
		CommandEnv   map[string]string `yaml:"command_env,omitempty"`
	}{
		spec.ID, spec.Name, spec.Description, spec.Harness, spec.Provider, spec.Model, spec.Login, spec.SystemPrompt, tools, formatServers(spec),
		permissions{Mode: p.Mode, Default: p.Default, Commands: p.Commands, CommandGlobs: p.CommandGlobs, Domains: p.Domains}, spec.Options, spec.CommandEnv,
	}
	for _, r := range p.Rules.Rules {
		file.Permissions.Rules = append(file.Permissions.Rules, rule(r))
	}
	return yaml.Dump(file, yaml.WithV4Defaults())
}
