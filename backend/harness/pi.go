package harness

import (
	_ "embed"
	"encoding/json"
	"fmt"
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
	if len(spec.Tools)+len(spec.ClientTools) > 0 {
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
	if err != nil {
		return agent.Launch{}, err
	}
	launch.Endpoint = &endpoint
	launch.Program.Args = append(launch.Program.Args, "--provider", "parley", "--model", spec.Model)
	launch.Program.Env["PI_CODING_AGENT_DIR"], launch.Program.Env["PARLEY_KEY"] = agent.MarkPrivate+"/pi", agent.MarkKey
	launch.Program.Files["pi/models.json"] = piModels(spec.Model, endpoint, level != "" && level != "off")
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

// piModels is Pi's file of models with the one that the agent has. Its key is not there: the extension knows it.
func piModels(model string, endpoint agent.Endpoint, thinks bool) string {
	type compat struct {
		SupportsDeveloperRole bool `json:"supportsDeveloperRole"` // which OpenAI alone knows
		SupportsStore         bool `json:"supportsStore"`
	}
	type entry struct {
		ID        string   `json:"id"`
		Reasoning bool     `json:"reasoning"`
		Input     []string `json:"input"`
		Compat    compat   `json:"compat"`
	}
	type served struct {
		API     string  `json:"api"`
		BaseURL string  `json:"baseUrl"`
		APIKey  string  `json:"apiKey"`
		Models  []entry `json:"models"`
	}
	s := served{"openai-completions", endpoint.BaseURL, "none", []entry{{ID: model, Reasoning: thinks, Input: []string{"text", "image"}}}}
	if endpoint.Wire == agent.WireAnthropic {
		s.API, s.BaseURL = "anthropic-messages", strings.TrimSuffix(endpoint.BaseURL, "/v1") // Pi adds it
	}
	b, err := json.MarshalIndent(map[string]map[string]served{"providers": {"parley": s}}, "", "  ")
	if err != nil {
		panic(fmt.Sprintf("strings that are no JSON: %v", err))
	}
	return string(b)
}
