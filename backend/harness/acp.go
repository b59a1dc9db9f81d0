package harness

import (
	"maps"
	"slices"

	"parley/backend/agent"
)

// ACP launches an agent that speaks the Agent Client Protocol.
type ACP struct {
	Known     Known
	Endpoints map[string]agent.Endpoint // by provider
	Tools     []string                  // that exist
}

// Kind is that of its program.
func (a ACP) Kind() agent.Kind { return a.Known.Kind }

// Launch refuses what the agent cannot do. With the person's own login it gets no configuration of ours, so that only what
// the protocol can say reaches it.
func (a ACP) Launch(spec agent.Spec) (agent.Launch, error) {
	known := acpAgents[a.Known.Agent()]
	if a.Known.Configured {
		known.args = a.Known.Args
	}
	launch, err := grant(spec, a.Tools)
	if err != nil {
		return agent.Launch{}, err
	}
	if err := checkLogin(spec); err != nil {
		return agent.Launch{}, err
	}
	own := spec.Login == agent.LoginOwn
	switch {
	case !a.Known.May(CanUseTools) && spec.HasTools():
		return agent.Launch{}, agent.Errorf(agent.CodeToolUnavailable, "%s cannot be given tools, and the agent %q has some. Take them from it, or choose another harness.", a.Known.Command, spec.ID)
	case !a.Known.May(CanAsk) && launch.PermissionPolicy != agent.PermissionAuto:
		return agent.Launch{}, agent.Errorf(agent.CodeValidation, "%s never asks before it changes something. Give the agent %q the permissions auto, or choose another harness.", a.Known.Command, spec.ID)
	case own && spec.SystemPrompt != "" && known.instructions != "":
		return agent.Launch{}, agent.Errorf(agent.CodeValidation, "%s takes no instructions beside a login of its own. Take the system prompt from the agent %q, or let it use a key.", a.Known.Command, spec.ID)
	}
	p := &agent.Program{
		Command: a.Known.Command, Args: slices.Clone(known.args), Env: map[string]string{}, Files: map[string]string{},
		Speech: agent.SpeechACP, Options: map[string]string{}, Login: spec.Login, Alone: known.alone,
	}
	launch.Backend, launch.Harness, launch.Model, launch.Program = agent.BackendACP, a.Kind(), spec.Model, p
	maps.Copy(p.Env, known.env)
	if mode := known.modes[launch.PermissionPolicy]; mode != "" {
		p.Options["mode"] = mode
	}
	if known.instructions == "" {
		launch.AgentsMD = spec.SystemPrompt
	} else if spec.SystemPrompt != "" {
		p.Files[known.instructions] = spec.SystemPrompt
	}
	if own && spec.Model != "" {
		p.Options["model"] = spec.Model
	}
	maps.Copy(p.Options, spec.Options)
	if own {
		return launch, nil
	}
	endpoint, err := endpointOf(spec, a.Endpoints)
	if err != nil {
		return agent.Launch{}, err
	}
	configure := known.wires[wireOf(endpoint)]
	if configure == nil {
		return agent.Launch{}, agent.Errorf(agent.CodeValidation, "%s cannot speak to %s. Give the agent %q a model of another provider.", a.Known.Command, spec.Provider, spec.ID)
	}
	launch.Endpoint = &endpoint
	configure(p, spec.Model, endpoint)
	if known.approve != nil && spec.HasTools() {
		known.approve(p)
	}
	return launch, nil
}
