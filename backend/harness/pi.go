package harness

import (
	_ "embed"
	"maps"
	"slices"
	"strings"

	"parley/backend/agent"
)

//go:embed pi_extension.js
var piExtension string

// Pi launches Pi, 0.84.4 or newer, in its RPC mode.
type Pi struct {
	Endpoints map[string]agent.Endpoint // by provider
	Tools     []string                  // that exist
}

// Kind is agent.KindPi.
func (Pi) Kind() agent.Kind { return agent.KindPi }

// Launch refuses options that Pi has not, and without the person's own login a model that is not served anywhere.
func (p Pi) Launch(spec agent.Spec) (agent.Launch, error) {
	launch, err := grant(spec, p.Tools)
	if err != nil {
		return agent.Launch{}, err
	}
	if err := checkLogin(spec); err != nil {
		return agent.Launch{}, err
	}
	launch.Backend, launch.Harness = agent.BackendLocal, agent.KindPi
	launch.AgentsMD, launch.Model = spec.SystemPrompt, spec.Model
	launch.Program = &agent.Program{
		Command: "pi",
		// Of the folder it works in it trusts the instructions, and no code.
		Args:   []string{"--mode", "rpc", "--session-dir", agent.MarkPrivate + "/sessions", "--no-extensions", "--no-approve", "--extension", agent.MarkPrivate + "/parley.js"},
		New:    []string{"--session-id", agent.MarkSession},
		Resume: []string{"--session-id", agent.MarkSession},
		Env:    map[string]string{"PI_OFFLINE": "1", "PI_SKIP_VERSION_CHECK": "1", "PI_TELEMETRY": "0"},
		Files:  map[string]string{"parley.js": piExtension},
		Speech: agent.SpeechPi,
		Login:  spec.Login,
	}
	if spec.SystemPrompt != "" {
		launch.Program.Files["instructions.md"] = spec.SystemPrompt
		launch.Program.Args = append(launch.Program.Args, "--append-system-prompt", agent.MarkPrivate+"/instructions.md")
	}
	if spec.HasTools() {
		launch.Program.Env["PARLEY_TOOLS_URL"], launch.Program.Env["PARLEY_TOOLS_TOKEN"] = agent.MarkToolsURL, agent.MarkToolsToken
	}
	level, err := thinking(spec)
	if err != nil {
		return agent.Launch{}, err
	}
	if level != "" {
		launch.Program.Args = append(launch.Program.Args, "--thinking", level)
	}
	if spec.Login == agent.LoginOwn {
		if spec.Model != "" {
			launch.Program.Args = append(launch.Program.Args, "--model", spec.Model)
		}
		return launch, nil
	}
	endpoint, err := endpointOf(spec, p.Endpoints)
	switch {
	case err != nil:
		return agent.Launch{}, err
	case piAPIs[wireOf(endpoint)] == "":
		return agent.Launch{}, agent.Errorf(agent.CodeValidation, "Pi cannot speak to %s. Give the agent %q a model of another provider.", spec.Provider, spec.ID)
	}
	launch.Endpoint = &endpoint
	launch.Program.Args = append(launch.Program.Args, "--provider", "parley", "--model", spec.Model)
	set(launch.Program.Env, "PI_CODING_AGENT_DIR", agent.MarkPrivate+"/pi", keyVariable, agent.MarkKey)
	// The key is not in the file: the extension takes it out of the environment.
	launch.Program.Files["pi/models.json"] = piModels(spec.Model, endpoint, "none", level != "" && level != "off")
	return launch, nil
}

// thinking gives how much the model is to think; empty is as much as it does by itself.
func thinking(spec agent.Spec) (string, error) {
	levels := []string{"off", "minimal", "low", "medium", "high", "xhigh", "max"}
	for _, option := range slices.Sorted(maps.Keys(spec.Options)) {
		if option != "thinking" {
			return "", agent.Errorf(agent.CodeValidation, "The agent %q sets the option %q, which Pi has not. There is: thinking.", spec.ID, option)
		}
	}
	level, set := spec.Options["thinking"]
	if set && !slices.Contains(levels, level) {
		return "", agent.Errorf(agent.CodeValidation, "The agent %q sets thinking to %q. There are: %s.", spec.ID, level, strings.Join(levels, ", "))
	}
	return level, nil
}

// piAPIs is what Pi calls the ways in which models are served.
var piAPIs = map[agent.Wire]string{agent.WireOpenAI: "openai-completions", agent.WireAnthropic: "anthropic-messages"}

// piModels is Pi's file of models, with the one that the agent has.
func piModels(model string, e agent.Endpoint, key string, thinks bool) string {
	return asJSON(object{"providers": object{"parley": object{
		"api": piAPIs[wireOf(e)], "apiKey": key, "baseUrl": address(e),
		"models": []object{{
			"compat": object{"supportsDeveloperRole": false, "supportsStore": false}, // only OpenAI itself knows these
			"id":     model, "input": []string{"text", "image"}, "reasoning": thinks,
		}},
	}}})
}
