package harness

import (
	_ "embed"
	"maps"
	"slices"

	"parley/backend/agent"
)

// agentaText is what agenta is told before anything of the author's: how it works, and who it is.
//
//go:embed agenta.md
var agentaText string

// Agenta launches the agent with opinions: a preamble and a persona before the author's instructions, and reading and running
// commands as tools in any case. It runs on Parley's own loop, or on Pi if the option engine says so.
type Agenta struct {
	Endpoints map[string]agent.Endpoint // by provider
	Tools     []string                  // that exist
}

// Kind is agent.KindAgenta.
func (Agenta) Kind() agent.Kind { return agent.KindAgenta }

// Launch refuses what the engine refuses.
func (a Agenta) Launch(spec agent.Spec) (launch agent.Launch, err error) {
	engine := spec.Options["engine"]
	spec.Options = maps.Clone(spec.Options)
	delete(spec.Options, "engine")
	if spec.SystemPrompt != "" {
		spec.SystemPrompt = "\n" + spec.SystemPrompt
	}
	spec.SystemPrompt = agentaText + spec.SystemPrompt
	switch engine {
	case "", "loop":
		forced := []string{"read_file", "run_command"} // as Pi's read and bash, which are always there
		spec.Tools = slices.Concat(slices.DeleteFunc(forced, func(name string) bool { return slices.Contains(spec.Tools, name) }), spec.Tools)
		launch, err = Native(a).Launch(spec)
	case "pi":
		launch, err = Pi(a).Launch(spec)
	default:
		err = agent.Errorf(agent.CodeValidation, "The agent %q is to run on the engine %q. There are: loop, pi.", spec.ID, engine)
	}
	launch.Harness = agent.KindAgenta
	if err != nil {
		return agent.Launch{}, err
	}
	return launch, nil
}
