// Package harness has one file per kind of agent: a pure translation of a Spec into a Launch.
package harness

import (
	"slices"
	"strings"

	"parley/backend/agent"
)

// For gives the harness of a kind. endpoints are where each provider serves its models, tools the names of all that there
// are; a Spec that asks for others is refused.
func For(kind agent.Kind, endpoints map[string]agent.Endpoint, tools []string) (agent.Harness, error) {
	switch kind {
	case agent.KindNative:
		return Native{endpoints, tools}, nil
	case agent.KindScripted:
		return Scripted{tools}, nil
	}
	return nil, agent.Errorf(agent.CodeValidation, "There is no harness %q. There are: %s, %s.", kind, agent.KindNative, agent.KindScripted)
}

// checkTools refuses a tool that does not exist, and one that is named twice.
func checkTools(spec agent.Spec, known []string) error {
	for i, name := range spec.Tools {
		if !slices.Contains(known, name) {
			return agent.Errorf(agent.CodeToolUnavailable, "The agent %q asks for the tool %q, which does not exist. There are: %s.", spec.ID, name, strings.Join(known, ", "))
		}
		if slices.Contains(spec.Tools[:i], name) {
			return agent.Errorf(agent.CodeValidation, "The agent %q asks for the tool %q twice. Name it once.", spec.ID, name)
		}
	}
	return nil
}
