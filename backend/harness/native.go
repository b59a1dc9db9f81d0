package harness

import (
	"parley/backend/agent"
	"parley/backend/provider"
)

// Native launches Parley's own loop, which needs to know a model and who serves it.
type Native struct {
	Endpoints map[string]agent.Endpoint // by provider
	Tools     []string                  // that exist
}

// Kind is agent.KindNative.
func (Native) Kind() agent.Kind { return agent.KindNative }

// Launch needs a model, and a provider with an endpoint. The loop has no login of its own and no options.
func (n Native) Launch(spec agent.Spec) (agent.Launch, error) {
	if spec.Login == agent.LoginOwn || len(spec.Options) > 0 {
		return agent.Launch{}, agent.Errorf(agent.CodeValidation, "The agent %q sets a login or options, which only a program of its own has. Remove them, or choose such a harness.", spec.ID)
	}
	endpoint, err := endpointOf(spec, n.Endpoints)
	if err != nil {
		return agent.Launch{}, err
	}
	if err := provider.Speaks(endpoint); err != nil {
		return agent.Launch{}, err
	}
	launch, err := grant(spec, n.Tools)
	if err != nil {
		return agent.Launch{}, err
	}
	launch.Backend, launch.Harness = agent.BackendInprocess, agent.KindNative
	launch.AgentsMD, launch.Model, launch.Endpoint = spec.SystemPrompt, spec.Model, &endpoint
	return launch, nil
}
