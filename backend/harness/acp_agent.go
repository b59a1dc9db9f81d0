package harness

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"

	"parley/backend/agent"
)

// acpAgent is how an agent is started, and given its model.
type acpAgent struct {
	args  []string
	env   map[string]string // whoever's login it is
	wires map[agent.Wire]configure
	// instructions is the file in which it looks for the author's; empty if the protocol says them.
	instructions string
	modes        map[agent.PermissionPolicy]string // in which it asks for what it should, if it does not begin in that
	approve      func(p *agent.Program)            // lets it use our tools, which ask themselves, if nothing else does
	alone        bool                              // as agent.Program's
}

// configure gives a program a model, in a configuration of its own.
type configure func(p *agent.Program, model string, e agent.Endpoint)

// keyVariable holds the key for programs whose configuration can name a variable.
const keyVariable = "PARLEY_KEY"

// acpAgents has a row for each agent of the table of known programs. One that a person configured has none: it is given only
// what the protocol can say.
var acpAgents = map[string]acpAgent{
	"claude-agent-acp": {
		env: map[string]string{
			"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1", "DISABLE_AUTOUPDATER": "1", "DISABLE_ERROR_REPORTING": "1", "DISABLE_TELEMETRY": "1",
			"ENABLE_TOOL_SEARCH": "false", // else the model does not see our tools
		},
		wires: map[agent.Wire]configure{agent.WireAnthropic: func(p *agent.Program, model string, e agent.Endpoint) {
			set(p.Env, "CLAUDE_CONFIG_DIR", agent.MarkPrivate+"/claude", "ANTHROPIC_API_KEY", agent.MarkKey, "ANTHROPIC_BASE_URL", address(e),
				"ANTHROPIC_MODEL", model, "ANTHROPIC_DEFAULT_HAIKU_MODEL", model)
			// A mode that asks for nothing is not offered. It is also what Claude Code refuses to run with as root.
			p.Files["claude/settings.json"] = asJSON(object{"permissions": object{"disableBypassPermissionsMode": "disable"}})
		}},
	},
	"codex-acp": {
		// In the mode that it begins with a model decides what is asked.
		modes: map[agent.PermissionPolicy]string{agent.PermissionAsk: "read-only", agent.PermissionDeny: "read-only", agent.PermissionAuto: "workspace-write"},
		wires: map[agent.Wire]configure{agent.WireOpenAI: func(p *agent.Program, model string, e agent.Endpoint) {
			set(p.Env, "CODEX_HOME", agent.MarkPrivate+"/codex", keyVariable, agent.MarkKey)
			p.Files["codex/config.toml"] = lines(
				"model = "+quote(model), `model_provider = "parley"`, `check_for_update_on_startup = false`, "",
				"[analytics]", "enabled = false", "",
				"[model_providers.parley]", "name = "+quote(e.Provider), "base_url = "+quote(e.BaseURL), "env_key = "+quote(keyVariable), `wire_api = "responses"`)
		}},
		// Its own entry for the server holds instead of what the protocol says.
		approve: func(p *agent.Program) {
			p.Env["PARLEY_TOOLS_TOKEN"] = agent.MarkToolsToken
			p.Files["codex/config.toml"] += lines("", "[mcp_servers.parley]", "url = "+quote(agent.MarkToolsURL), `bearer_token_env_var = "PARLEY_TOOLS_TOKEN"`,
				`default_tools_approval_mode = "approve"`, "required = true")
		},
	},
	"gemini": {
		args: []string{"--acp"}, instructions: "home/.gemini/GEMINI.md", alone: true, // it takes a file that there is not for a failure
		wires: map[agent.Wire]configure{agent.WireGemini: func(p *agent.Program, model string, e agent.Endpoint) {
			p.Args = append(p.Args, "-m", model)
			set(p.Env, "GEMINI_API_KEY", agent.MarkKey, "GOOGLE_GEMINI_BASE_URL", e.BaseURL, "GEMINI_CLI_TRUST_WORKSPACE", "true")
			p.Files["home/.gemini/settings.json"] = asJSON(object{
				"general": object{"disableAutoUpdate": true, "enableAutoUpdate": false}, "privacy": object{"usageStatisticsEnabled": false},
				"security": object{"auth": object{"selectedType": "gemini-api-key"}}, "telemetry": object{"enabled": false},
			})
		}},
	},
	"goose": {
		args: []string{"acp"}, instructions: "home/.config/goose/.goosehints",
		env: map[string]string{"GOOSE_MODE": "approve", "GOOSE_TELEMETRY_ENABLED": "false"},
		wires: map[agent.Wire]configure{agent.WireOpenAI: func(p *agent.Program, model string, e agent.Endpoint) {
			host, path := split(e)
			set(p.Env, "GOOSE_PROVIDER", "openai", "GOOSE_MODEL", model, "GOOSE_DISABLE_KEYRING", "1",
				"OPENAI_HOST", host, "OPENAI_BASE_PATH", path+"/chat/completions", "OPENAI_API_KEY", agent.MarkKey)
		}},
	},
	"kimi": {
		args: []string{"acp"}, instructions: "home/.kimi-code/AGENTS.md",
		env: map[string]string{"KIMI_CODE_NO_AUTO_UPDATE": "1"},
		wires: map[agent.Wire]configure{
			agent.WireOpenAI:    kimi("openai"),
			agent.WireAnthropic: kimi("anthropic"),
		},
	},
	"opencode": {
		args: []string{"acp"}, instructions: "opencode/AGENTS.md",
		env: map[string]string{
			"OPENCODE_DISABLE_AUTOUPDATE": "1", "OPENCODE_DISABLE_DEFAULT_PLUGINS": "1", "OPENCODE_DISABLE_LSP_DOWNLOAD": "1",
			"OPENCODE_DISABLE_MODELS_FETCH": "1", "OPENCODE_DISABLE_SHARE": "1",
			"OPENCODE_DISABLE_PROJECT_CONFIG": "1", // which could allow itself anything
		},
		wires: map[agent.Wire]configure{
			agent.WireOpenAI:    opencode("@ai-sdk/openai-compatible"),
			agent.WireAnthropic: opencode("@ai-sdk/anthropic"),
		},
	},
	"pi-acp": {
		instructions: "pi/AGENTS.md",
		env:          map[string]string{"PI_OFFLINE": "1", "PI_SKIP_VERSION_CHECK": "1", "PI_TELEMETRY": "0"},
		wires: map[agent.Wire]configure{
			agent.WireOpenAI:    piACP,
			agent.WireAnthropic: piACP,
		},
	},
	"qwen": {
		args: []string{"--acp"}, instructions: "home/.qwen/QWEN.md",
		// In the mode that it begins with a model decides what is asked.
		modes: map[agent.PermissionPolicy]string{agent.PermissionAsk: "default", agent.PermissionDeny: "default", agent.PermissionAuto: "default"},
		wires: map[agent.Wire]configure{
			agent.WireOpenAI:    qwen("openai", "OPENAI"),
			agent.WireAnthropic: qwen("anthropic", "ANTHROPIC"),
		},
	},
}

func kimi(kind string) configure {
	return func(p *agent.Program, model string, e agent.Endpoint) {
		set(p.Env, "KIMI_MODEL_PROVIDER_TYPE", kind, "KIMI_MODEL_NAME", model, "KIMI_MODEL_API_KEY", agent.MarkKey, "KIMI_MODEL_BASE_URL", address(e),
			"KIMI_MODEL_CAPABILITIES", "image_in,thinking")
		p.Files["home/.kimi-code/config.toml"] = lines("telemetry = false")
	}
}

func opencode(library string) configure {
	return func(p *agent.Program, model string, e agent.Endpoint) {
		set(p.Env, "OPENCODE_CONFIG", agent.MarkPrivate+"/opencode/opencode.json", keyVariable, agent.MarkKey)
		p.Files["opencode/opencode.json"] = asJSON(object{
			"enabled_providers": []string{"parley"},
			"instructions":      []string{agent.MarkPrivate + "/opencode/AGENTS.md"},
			"model":             "parley/" + model,
			"small_model":       "parley/" + model,
			"permission":        object{"bash": "ask", "edit": "ask", "external_directory": "ask", "webfetch": "ask"},
			"provider": object{"parley": object{
				"name": e.Provider, "npm": library,
				"options": object{"apiKey": "{env:" + keyVariable + "}", "baseURL": e.BaseURL},
				"models": object{model: object{
					"attachment": true, "modalities": object{"input": []string{"text", "image"}, "output": []string{"text"}}, "name": model, "reasoning": true, "tool_call": true,
				}},
			}},
		})
	}
}

func piACP(p *agent.Program, model string, e agent.Endpoint) {
	set(p.Env, "PI_CODING_AGENT_DIR", agent.MarkPrivate+"/pi", keyVariable, agent.MarkKey)
	p.Files["pi/models.json"] = piModels(model, e, "$"+keyVariable, true)
	p.Files["pi/settings.json"] = asJSON(object{"defaultModel": model, "defaultProvider": "parley", "quietStartup": true})
}

func qwen(kind, variables string) configure {
	return func(p *agent.Program, model string, e agent.Endpoint) {
		p.Args = append(p.Args, "--auth-type", kind)
		set(p.Env, variables+"_API_KEY", agent.MarkKey, variables+"_BASE_URL", address(e), variables+"_MODEL", model)
		p.Files["home/.qwen/settings.json"] = asJSON(object{
			"general": object{"enableAutoUpdate": false}, "privacy": object{"usageStatisticsEnabled": false}, "telemetry": object{"enabled": false},
			"modelProviders": object{kind: []object{{ // else it shows pictures only to models that it knows
				"baseUrl": address(e), "envKey": variables + "_API_KEY", "generationConfig": object{"modalities": object{"image": true}}, "id": model, "name": model,
			}}},
		})
	}
}

type object = map[string]any

// asJSON is a configuration of strings and truths, which are always JSON.
func asJSON(v object) string {
	b, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		panic(fmt.Sprintf("a configuration that is no JSON: %v", err))
	}
	return string(b) + "\n"
}

// quote gives text as a string of TOML, which takes those of JSON.
func quote(text string) string {
	b, _ := json.Marshal(text) // a string: it cannot fail
	return string(b)
}

func lines(lines ...string) string { return strings.Join(lines, "\n") + "\n" }

func set(env map[string]string, pairs ...string) {
	for i := 0; i < len(pairs); i += 2 {
		env[pairs[i]] = pairs[i+1]
	}
}

func wireOf(e agent.Endpoint) agent.Wire { return cmp.Or(e.Wire, agent.WireOpenAI) }

// address is where an endpoint is for programs that follow its provider's own custom: Anthropic's adds the version.
func address(e agent.Endpoint) string {
	if e.Wire == agent.WireAnthropic {
		return strings.TrimSuffix(e.BaseURL, "/v1")
	}
	return e.BaseURL
}

// split takes an endpoint's address apart into its server and the path there.
func split(e agent.Endpoint) (server, path string) {
	u, err := url.Parse(e.BaseURL)
	if err != nil {
		return e.BaseURL, ""
	}
	return u.Scheme + "://" + u.Host, strings.Trim(u.Path, "/")
}
