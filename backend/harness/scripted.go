package harness

import (
	"slices"

	"parley/backend/agent"
)

// Scripted launches the player of scripts. It takes instructions and a model along like any agent, so that every agent
// file fits it, but its scripts do not ask for them.
type Scripted struct {
	Tools []string // that exist
}

// Kind is agent.KindScripted.
func (Scripted) Kind() agent.Kind { return agent.KindScripted }

// Launch refuses nothing but tools that do not exist.
func (s Scripted) Launch(spec agent.Spec) (agent.Launch, error) {
	if err := checkTools(spec, s.Tools); err != nil {
		return agent.Launch{}, err
	}
	return agent.Launch{
		Backend:          agent.BackendScripted,
		Harness:          agent.KindScripted,
		AgentsMD:         spec.SystemPrompt,
		Model:            spec.Model,
		Tools:            slices.Clone(spec.Tools),
		PermissionPolicy: agent.PermissionAuto,
	}, nil
}
