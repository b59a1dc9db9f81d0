package provider

import (
	"maps"
	"strings"
	"testing"

	"parley/backend/agent"
)

func env(pairs ...string) func(string) string {
	return func(name string) string {
		for i := 0; i < len(pairs); i += 2 {
			if pairs[i] == name {
				return pairs[i+1]
			}
		}
		return ""
	}
}

func TestEndpoints(t *testing.T) {
	const openai, anthropic, ollama = "https://api.openai.com/v1", "https://api.anthropic.com/v1", "http://127.0.0.1:11434/v1"
	for _, c := range []struct {
		getenv                    func(string) string
		openai, anthropic, ollama string
	}{
		{env(), openai, anthropic, ollama},
		{env("OPENAI_BASE_URL", "http://localhost:1234/v1/"), "http://localhost:1234/v1", anthropic, ollama},
		{env("OPENAI_BASE_URL", "http://a", "PARLEY_OPENAI_BASE_URL", " https://b/x "), "https://b/x", anthropic, ollama},
		{env("ANTHROPIC_BASE_URL", "https://gateway/anthropic/"), openai, "https://gateway/anthropic/v1", ollama},
		{env("PARLEY_ANTHROPIC_BASE_URL", "https://gateway/v1"), openai, "https://gateway/v1", ollama},
		{env("PARLEY_OLLAMA_BASE_URL", "http://[::1]:5"), openai, anthropic, "http://[::1]:5"},
	} {
		got, err := Endpoints(c.getenv)
		want := map[string]agent.Endpoint{
			"openai":    {Provider: "openai", BaseURL: c.openai},
			"anthropic": {Provider: "anthropic", BaseURL: c.anthropic, Wire: agent.WireAnthropic},
			"google":    {Provider: "google", BaseURL: "https://generativelanguage.googleapis.com", Wire: agent.WireGemini},
			"ollama":    {Provider: "ollama", BaseURL: c.ollama},
		}
		if err != nil || !maps.Equal(got, want) {
			t.Errorf("got %v, %v, want %v", got, err, want)
		}
	}
}

func TestABadAddressIsNamedByItsVariable(t *testing.T) {
	for _, value := range []string{"localhost:1234", "/v1", "ftp://a/v1", "https://", "https://:443/v1", "https://user:hunter2@a/v1", "https://a/v1?key=hunter2", "https://a/#x", "http://a b"} {
		_, err := Endpoints(env("OPENAI_BASE_URL", value))
		if e := agent.AsError(err); err == nil || e.Code != agent.CodeValidation || !strings.HasPrefix(e.Message, "OPENAI_BASE_URL ") || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: got %v", value, err)
		}
	}
}

func TestKey(t *testing.T) {
	getenv := env("OPENAI_API_KEY", "usual", "OLLAMA_API_KEY", "o\n", "PARLEY_OLLAMA_API_KEY", "ours", "PARLEY_MY_GATEWAY_API_KEY", " g ")
	for provider, want := range map[string]string{
		"openai": "OPENAI_API_KEY=usual", "ollama": "PARLEY_OLLAMA_API_KEY=ours", "my-gateway": "PARLEY_MY_GATEWAY_API_KEY=g", "other": "PARLEY_OTHER_API_KEY=",
	} {
		if variable, key := Key(provider, getenv); variable+"="+key != want {
			t.Errorf("%s: got %s=%s", provider, variable, key)
		}
	}
}

func TestWhoNeedsAKey(t *testing.T) {
	endpoints, err := Endpoints(env("PARLEY_OPENAI_BASE_URL", "http://127.0.0.1:1/v1"))
	if err != nil {
		t.Fatal(err)
	}
	for provider, want := range map[string]string{
		"openai": "", Ollama: "", "other": "",
		"anthropic": "There is no API key for anthropic. Add one under Secrets and keys or with parley keys set anthropic, or set PARLEY_ANTHROPIC_API_KEY.",
	} {
		got := ""
		if err := NoKey(endpoints[provider]); err != nil {
			got = agent.AsError(err).Message
		}
		if got != want {
			t.Errorf("%s: %q", provider, got)
		}
	}
	if got := strings.Join(Keyed(), " "); got != "anthropic google openai" {
		t.Errorf("keys are for %s", got)
	}
}
