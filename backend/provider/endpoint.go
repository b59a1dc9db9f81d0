// Package provider knows who serves models, and speaks their wires over HTTP: OpenAI's chat completions, which Ollama,
// llama.cpp, vLLM, LM Studio and most gateways speak too, and Anthropic's Messages. What differs between them is in
// wire.go; the answer of either is read as the same chunks.
package provider

import (
	"net/url"
	"slices"
	"strings"

	"parley/backend/agent"
)

// Ollama is the provider whose models run on this machine.
const Ollama = "ollama"

// known has a row per provider, with where it is served unless the environment says otherwise.
var known = []agent.Endpoint{
	{Provider: "openai", BaseURL: "https://api.openai.com/v1"},
	{Provider: "anthropic", BaseURL: "https://api.anthropic.com/v1", Wire: agent.WireAnthropic},
	{Provider: "google", BaseURL: "https://generativelanguage.googleapis.com", Wire: agent.WireGemini},
	{Provider: Ollama, BaseURL: "http://127.0.0.1:11434/v1"},
}

// Endpoints gives where each known provider is served. PARLEY_<PROVIDER>_BASE_URL wins over <PROVIDER>_BASE_URL, and
// that over the default. For Anthropic's wire the /v1 at its end may be left out, as is the custom there. The error names the variable that holds no usable URL.
func Endpoints(getenv func(string) string) (map[string]agent.Endpoint, error) {
	endpoints := map[string]agent.Endpoint{}
	for _, e := range known {
		if variable, value := lookUp(e.Provider, "BASE_URL", getenv); value != "" {
			if problem := checkURL(value); problem != "" {
				return nil, agent.Errorf(agent.CodeValidation, "%s does not say where %s is served: it %s.", variable, e.Provider, problem)
			}
			e.BaseURL = strings.TrimRight(value, "/")
			if e.Wire == agent.WireAnthropic && !strings.HasSuffix(e.BaseURL, "/v1") {
				e.BaseURL += "/v1"
			}
		}
		endpoints[e.Provider] = e
	}
	return endpoints, nil
}

// Key gives the API key that the environment has for a provider, or an empty one, and the variable that holds it:
// PARLEY_<PROVIDER>_API_KEY wins over <PROVIDER>_API_KEY.
func Key(provider string, getenv func(string) string) (variable, key string) {
	return lookUp(provider, "API_KEY", getenv)
}

// Keyed gives the providers that take keys, by name.
func Keyed() []string {
	var keyed []string
	for _, e := range known {
		if e.Provider != Ollama {
			keyed = append(keyed, e.Provider)
		}
	}
	slices.Sort(keyed)
	return keyed
}

// NoKey says what to do about an endpoint without a key. It is nil where there may be none: on this machine, and where the
// environment says that the provider is served elsewhere.
func NoKey(endpoint agent.Endpoint) error {
	if endpoint.Provider == Ollama || !slices.Contains(known, endpoint) {
		return nil
	}
	return agent.Errorf(agent.CodeProviderAuth, "There is no API key for %s. Add one under Secrets and keys or with parley keys set %[1]s, or set %s.",
		endpoint.Provider, variableOf(endpoint.Provider, "API_KEY"))
}

func lookUp(provider, setting string, getenv func(string) string) (variable, value string) {
	variable = variableOf(provider, setting)
	for _, v := range []string{variable, strings.TrimPrefix(variable, "PARLEY_")} {
		if value := strings.TrimSpace(getenv(v)); value != "" {
			return v, value
		}
	}
	return variable, ""
}

func variableOf(provider, setting string) string {
	return "PARLEY_" + strings.ToUpper(strings.ReplaceAll(provider, "-", "_")) + "_" + setting
}

// checkURL says why a base URL cannot be used, or nothing. The text never repeats the URL: it may hold a password.
func checkURL(base string) string {
	u, err := url.Parse(base)
	switch {
	case err != nil:
		return "is not a URL"
	case u.Scheme != "https" && u.Scheme != "http" || u.Hostname() == "":
		return "must begin with https:// or http:// and a host"
	case u.User != nil:
		return "must not hold a user name or password"
	case u.RawQuery != "" || u.ForceQuery || u.Fragment != "":
		return "must not have a ? or #"
	}
	return ""
}
