package harness

import (
	"maps"
	"slices"
	"strings"

	"parley/backend/agent"
)

// Claude launches the person's own Claude Code, which its licence forbids to bundle.
type Claude struct {
	Endpoints map[string]agent.Endpoint // by provider
	Tools     []string                  // that exist
}

// Kind is agent.KindClaude.
func (Claude) Kind() agent.Kind { return agent.KindClaude }

// Launch needs a model and a provider that speaks Anthropic's wire, or the person's own login.
func (c Claude) Launch(spec agent.Spec) (agent.Launch, error) {
	launch, err := grant(spec, c.Tools)
	if err != nil {
		return agent.Launch{}, err
	}
	p := &agent.Program{
		Command: "claude",
		Args: []string{
			"-p", "--input-format", "stream-json", "--output-format", "stream-json", "--verbose", "--include-partial-messages",
			"--permission-prompt-tool", "stdio", "--strict-mcp-config",
			// Of the folder only its CLAUDE.md is read: its settings could allow calls, and run hooks.
			"--setting-sources", "user", "--add-dir", ".",
			// It asks: neither a mode nor a model of its own decides what may run.
			"--permission-mode", "default", "--settings", agent.MarkPrivate + "/settings.json",
			// A turn of ours is over when it ends.
			"--disallowedTools", "ScheduleWakeup,Monitor",
		},
		New: []string{"--session-id", agent.MarkSession},
		Env: map[string]string{
			"CLAUDE_CODE_ADDITIONAL_DIRECTORIES_CLAUDE_MD": "1",
			"CLAUDE_CODE_DISABLE_BACKGROUND_TASKS":         "1",
			"CLAUDE_CODE_DISABLE_CRON":                     "1",
			"CLAUDE_CODE_DISABLE_MODEL_ACCESS_FALLBACK":    "1", // to another model than was asked for
			"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC":     "1",
			"CLAUDE_CODE_DISABLE_REFUSAL_FALLBACK":         "1",
			"CLAUDE_CODE_ENABLE_TODO_TOOLS":                "1",
			"DISABLE_AUTOUPDATER":                          "1",
			"DISABLE_ERROR_REPORTING":                      "1",
			"DISABLE_TELEMETRY":                            "1",
			"ENABLE_TOOL_SEARCH":                           "false", // ours are in every request
		},
		Files:   map[string]string{"settings.json": `{"disableAutoMode": "disable", "useAutoModeDuringPlan": false}` + "\n"},
		Speech:  agent.SpeechClaude,
		Options: maps.Clone(spec.Options),
		Login:   spec.Login,
	}
	for id := range spec.Options {
		if !slices.Contains([]string{"effort", "mode", "model"}, id) {
			return agent.Launch{}, agent.Errorf(agent.CodeValidation, "The agent %q sets the option %q, which Claude Code does not have. There are: effort, mode, model.", spec.ID, id)
		}
	}
	if mode := spec.Options["mode"]; !slices.Contains([]string{"", "default", "plan"}, mode) {
		return agent.Launch{}, agent.Errorf(agent.CodeValidation, "The agent %q asks for Claude Code's mode %q, in which it decides by itself what may run. There are: default, plan. What may run without asking is said by the agent's permissions.", spec.ID, mode)
	}
	launch.Endpoint, err = c.account(spec, p)
	if err != nil {
		return agent.Launch{}, err
	}
	if spec.Model != "" {
		p.Args = append(p.Args, "--model", spec.Model)
	}
	if spec.SystemPrompt != "" {
		p.Files["instructions.md"] = spec.SystemPrompt
		p.Args = append(p.Args, "--append-system-prompt-file", agent.MarkPrivate+"/instructions.md")
	}
	if spec.HasTools() {
		p.Files["mcp.json"] = claudeTools
		p.Args = append(p.Args, "--mcp-config", agent.MarkPrivate+"/mcp.json")
	}
	launch.Backend, launch.Harness, launch.Program = agent.BackendLocal, agent.KindClaude, p
	launch.AgentsMD, launch.Model = spec.SystemPrompt, spec.Model
	return launch, nil
}

// account lets the program work with a provider's key, in a configuration of its own, or with the person's own login. Their
// configuration is not the place for a transcript of ours, so that such a session cannot be resumed.
func (c Claude) account(spec agent.Spec, p *agent.Program) (*agent.Endpoint, error) {
	if err := checkLogin(spec); err != nil {
		return nil, err
	}
	if spec.Login == agent.LoginOwn {
		p.Args = append(p.Args, "--no-session-persistence")
		return nil, nil
	}
	if spec.Model == "" {
		return nil, agent.Errorf(agent.CodeValidation, "The agent %q has no model. Give it one.", spec.ID)
	}
	endpoint := c.Endpoints[spec.Provider]
	if endpoint.Wire != agent.WireAnthropic {
		var fit []string
		for name, e := range c.Endpoints {
			if e.Wire == agent.WireAnthropic {
				fit = append(fit, name)
			}
		}
		slices.Sort(fit)
		return nil, agent.Errorf(agent.CodeValidation, "The agent %q has its model from %q, which does not speak as Claude Code does. There are: %s; or your own login.", spec.ID, spec.Provider, strings.Join(fit, ", "))
	}
	p.Resume = []string{"--resume", agent.MarkSession}
	p.Env["CLAUDE_CONFIG_DIR"] = agent.MarkPrivate + "/claude"
	p.Env["CLAUDE_CODE_SUBAGENT_MODEL"] = spec.Model // else theirs are Anthropic's
	p.Env["ANTHROPIC_BASE_URL"] = strings.TrimSuffix(strings.TrimSuffix(endpoint.BaseURL, "/"), "/v1")
	p.Env["ANTHROPIC_API_KEY"] = agent.MarkKey
	return &endpoint, nil
}

// claudeTools lets Claude Code find parley-tools.
const claudeTools = `{"mcpServers": {"parley": {
  "type": "http",
  "url": "` + agent.MarkToolsURL + `",
  "headers": {"Authorization": "Bearer ` + agent.MarkToolsToken + `"}
}}}
`
