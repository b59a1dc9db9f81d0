// Package harness has one file per kind of agent: a pure translation of a Spec into a Launch.
package harness

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"parley/backend/agent"
	"parley/backend/schema"
)

// For gives the harness of a kind. endpoints are where each provider serves its models, tools the names of all that there
// are; a Spec that asks for others is refused. programs are those of Programs.
func For(kind agent.Kind, endpoints map[string]agent.Endpoint, tools []string, programs []Known) (agent.Harness, error) {
	if _, ok := kind.ACP(); ok {
		if i := slices.IndexFunc(programs, func(k Known) bool { return k.Kind == kind }); i >= 0 {
			return ACP{programs[i], endpoints, tools}, nil
		}
	}
	switch kind {
	case agent.KindAgenta:
		return Agenta{endpoints, tools}, nil
	case agent.KindNative:
		return Native{endpoints, tools}, nil
	case agent.KindPi:
		return Pi{endpoints, tools}, nil
	case agent.KindScripted:
		return Scripted{tools}, nil
	case agent.KindClaude:
		return Claude{endpoints, tools}, nil
	}
	return nil, agent.Errorf(agent.CodeValidation, "There is no harness %q. There are: %s, %s, %s, %s, %s, and acp: with the id of an agent.", kind, agent.KindAgenta, agent.KindClaude, agent.KindNative, agent.KindPi, agent.KindScripted)
}

// grant gives the part of a launch that says what the agent may do. It refuses a tool that does not exist, one that no
// model can be told about, and two of one name.
func grant(spec agent.Spec, known []string) (agent.Launch, error) {
	launch := agent.Launch{
		Tools:            slices.Clone(spec.Tools),
		AuthorTools:      slices.Clone(spec.AuthorTools),
		ClientTools:      slices.Clone(spec.ClientTools),
		PermissionPolicy: spec.Permissions.Mode.Policy(),
		Rules:            spec.Permissions.Rules,
		CommandEnv:       spec.CommandEnv,
	}
	if err := spec.CheckSecrets(); err != nil {
		return launch, err
	}
	if mode := cmp.Or(spec.Permissions.Mode, agent.ModeAsk); !slices.Contains(agent.Modes(), mode) {
		return launch, agent.Errorf(agent.CodeValidation, "The agent %q has the mode %q. There are: ask, accept_edits, plan, auto, deny.", spec.ID, mode)
	}
	for _, name := range spec.Tools {
		if !slices.Contains(known, name) {
			return launch, agent.Errorf(agent.CodeToolUnavailable, "The agent %q asks for the tool %q, which does not exist. There are: %s.", spec.ID, name, strings.Join(known, ", "))
		}
	}
	for _, t := range spec.AuthorTools {
		if err := checkAuthorTool(t, known); err != nil {
			return launch, err
		}
	}
	names := spec.ToolNames()
	for _, c := range spec.ClientTools {
		var schema struct{ Type string }
		if !agent.ToolName.MatchString(c.Name) {
			return launch, agent.Errorf(agent.CodeValidation, "The agent %q has a client tool %q. Its name must match %s.", spec.ID, c.Name, agent.ToolName)
		}
		if json.Unmarshal(c.InputSchema, &schema) != nil || schema.Type != "object" {
			return launch, agent.Errorf(agent.CodeValidation, "The client tool %q of the agent %q has no inputSchema of the type object. Give it one.", c.Name, spec.ID)
		}
		names = append(names, c.Name)
	}
	for i, name := range names {
		if slices.Contains(names[:i], name) {
			return launch, agent.Errorf(agent.CodeValidation, "The agent %q asks for the tool %q twice. Name it once.", spec.ID, name)
		}
	}
	return launch, nil
}

// checkAuthorTool refuses a tool of an author's that cannot be run, or that has the name of one of ours.
func checkAuthorTool(t agent.AuthorTool, known []string) error {
	if err := t.Check(); err != nil {
		return err
	}
	if slices.Contains(known, t.Name) {
		return agent.Errorf(agent.CodeValidation, "A tool of the agent's own is called %s, as one of Parley's is. Give it another name.", t.Name)
	}
	if _, err := schema.Read(t.InputSchema); err != nil {
		return agent.Errorf(agent.CodeValidation, "The input_schema of the tool %s %v.", t.Name, err)
	}
	return nil
}

// checkLogin refuses a login that there is not, and a provider beside the person's own.
func checkLogin(spec agent.Spec) error {
	switch {
	case !spec.Login.Valid():
		return agent.Errorf(agent.CodeValidation, "The agent %q has the login %q. There are: %s, %s.", spec.ID, spec.Login, agent.LoginKey, agent.LoginOwn)
	case spec.Login == agent.LoginOwn && spec.Provider != "":
		return agent.Errorf(agent.CodeValidation, "The agent %q has both your own login and the provider %q. Leave one out.", spec.ID, spec.Provider)
	}
	return nil
}

// endpointOf gives where an agent's model is served. It refuses an agent without a model, and an unknown provider.
func endpointOf(spec agent.Spec, endpoints map[string]agent.Endpoint) (agent.Endpoint, error) {
	endpoint, known := endpoints[spec.Provider]
	switch {
	case spec.Model == "":
		return endpoint, agent.Errorf(agent.CodeValidation, "The agent %q has no model. Give it one.", spec.ID)
	case !known:
		providers := strings.Join(slices.Sorted(maps.Keys(endpoints)), ", ")
		return endpoint, agent.Errorf(agent.CodeValidation, "The agent %q has its model from %q, which is no provider. There are: %s.", spec.ID, spec.Provider, providers)
	}
	return endpoint, nil
}
