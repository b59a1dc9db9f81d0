// Package config says which agents there are and what the person has set.
package config

import (
	"slices"
	"strings"

	"parley/backend/agent"
	"parley/backend/harness"
	"parley/backend/provider"
)

// Agents are the agents a person can talk to, the default one first.
type Agents []agent.Spec

// safeTools reach no further than files and the person; tools are all that need nothing configured.
var (
	safeTools = []string{"list_directory", "read_file", "search_files", "write_file", "edit_file", "todo_write", "ask_user", "notify"}
	tools     = slices.Concat(safeTools, []string{"run_command", "git_status", "git_diff", "git_log", "git_commit", "http_request"})
)

// demo needs no key, no account and no model. Nobody is asked, so what it does reaches no further than files.
var demo = agent.Spec{
	ID:          "demo",
	Name:        "Demo agent",
	Description: "Plays scripts through the whole of Parley. No model, no key.",
	Harness:     agent.KindScripted,
	Tools:       safeTools,
	Permissions: agent.Permissions{Mode: agent.ModeAuto},
}

// careful is the demo agent with approvals, so that those can be tried without a key.
var careful = agent.Spec{
	ID:          "demo-careful",
	Name:        "Demo agent that asks",
	Description: "Plays scripts, and asks before it changes something. No model, no key.",
	Harness:     agent.KindScripted,
	Tools:       tools,
	Permissions: agent.Permissions{Mode: agent.ModeAsk},
}

// BuiltIn gives the agents that need no file: the two demo agents always; an assistant, and one with opinions, when
// PARLEY_MODEL names a model that the loop can ask, as "id" or "provider/id" with one of the providers that have an endpoint;
// and one for each program, installed or not. A program works with that model if it can be given its provider, and that has
// a key or needs none; else as the person has set it up.
func BuiltIn(getenv func(string) string, endpoints map[string]agent.Endpoint, programs []harness.Known) Agents {
	agents := Agents{demo, careful}
	name := getenv("PARLEY_MODEL")
	endpoint, model := endpoints["openai"], name
	if prefix, id, ok := strings.Cut(name, "/"); ok && endpoints[prefix].Provider != "" {
		endpoint, model = endpoints[prefix], id
	}
	if model != "" && endpoint.Wire != agent.WireGemini { // which the loop does not speak
		agents = slices.Insert(agents, 0, agent.Spec{
			ID:           "assistant",
			Name:         "Assistant",
			Description:  "Answers with " + model + ".",
			Harness:      agent.KindNative,
			Provider:     endpoint.Provider,
			Model:        model,
			SystemPrompt: "You are a helpful assistant. Your tools work in a scratch folder that belongs to this session.",
			Tools:        tools,
			Permissions:  agent.Permissions{Mode: agent.ModeAsk},
		}, agent.Spec{
			ID:          "agenta",
			Name:        "Agenta",
			Description: "Has opinions on how to work, with " + model + ".",
			Harness:     agent.KindAgenta,
			Provider:    endpoint.Provider,
			Model:       model,
			Tools:       tools,
			Permissions: agent.Permissions{Mode: agent.ModeAsk},
		})
	}
	_, key := provider.Key(endpoint.Provider, getenv)
	isUsable := model != "" && (key != "" || endpoint.Provider == provider.Ollama)
	for _, p := range programs {
		spec := agent.Spec{ID: p.Agent(), Name: p.Name, Description: p.Description, Harness: p.Kind, Permissions: agent.Permissions{Mode: agent.ModeAsk}, Login: agent.LoginOwn}
		if !p.May(harness.CanAsk) {
			spec.Permissions.Mode = agent.ModeAuto
		}
		if isUsable && p.Takes(endpoint.Wire) {
			spec.Login, spec.Provider, spec.Model = agent.LoginKey, endpoint.Provider, model
		}
		agents = append(agents, spec)
	}
	return agents
}

// Find gives the agent with this id; an empty id is the default one.
func (a Agents) Find(id string) (agent.Spec, error) {
	if id == "" {
		return a[0], nil
	}
	for _, spec := range a {
		if spec.ID == id {
			return spec, nil
		}
	}
	names := make([]string, len(a))
	for i, spec := range a {
		names[i] = spec.ID
	}
	return agent.Spec{}, agent.Errorf(agent.CodeValidation, "There is no agent %q. There are: %s.", id, strings.Join(names, ", "))
}
