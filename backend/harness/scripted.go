package harness

import "parley/backend/agent"

// Scripted launches the player of scripts. It takes instructions and a model along like any agent, so that every agent
// file fits it, but its scripts do not ask for them.
type Scripted struct {
	Tools []string // that exist
}

// Kind is agent.KindScripted.
func (Scripted) Kind() agent.Kind { return agent.KindScripted }

// Launch refuses nothing but tools and permissions that cannot be.
func (s Scripted) Launch(spec agent.Spec) (agent.Launch, error) {
	launch, err := grant(spec, s.Tools)
	if err != nil {
		return agent.Launch{}, err
	}
	launch.Backend, launch.Harness = agent.BackendScripted, agent.KindScripted
	launch.AgentsMD, launch.Model = spec.SystemPrompt, spec.Model
	return launch, nil
}
