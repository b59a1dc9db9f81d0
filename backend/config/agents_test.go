package config

import (
	"strings"
	"testing"

	"parley/backend/agent"
	"parley/backend/harness"
)

var endpoints = map[string]agent.Endpoint{
	"openai":    {Provider: "openai"},
	"ollama":    {Provider: "ollama"},
	"anthropic": {Provider: "anthropic", Wire: agent.WireAnthropic},
	"google":    {Provider: "google", Wire: agent.WireGemini},
}

func TestAModelBringsAnAssistant(t *testing.T) {
	for setting, want := range map[string][2]string{ // provider and model
		"gpt-5-mini":          {"openai", "gpt-5-mini"},
		"ollama/qwen3":        {"ollama", "qwen3"},
		"meta-llama/llama-70": {"openai", "meta-llama/llama-70"}, // nobody's prefix is part of the model's name
	} {
		agents := BuiltIn(func(string) string { return setting }, endpoints, nil)
		assistant, err := agents.Find("")
		if err != nil || assistant.Provider != want[0] || assistant.Model != want[1] {
			t.Errorf("%s: got %s/%s, %v", setting, assistant.Provider, assistant.Model, err)
		}
		if assistant.Permissions.Mode != agent.ModeAsk {
			t.Errorf("%s: the assistant changes things without asking", setting)
		}
		if agenta, err := agents.Find("agenta"); err != nil || agenta.Model != want[1] || agenta.Permissions.Mode != agent.ModeAsk {
			t.Errorf("%s: agenta is %+v, %v", setting, agenta, err)
		}
		if _, err := agents.Find("demo"); err != nil {
			t.Errorf("%s: the demo agent is gone: %v", setting, err)
		}
	}
}

func TestWithoutAModelThereIsTheDemoAgent(t *testing.T) {
	agents := BuiltIn(func(string) string { return "" }, nil, nil)
	if first, err := agents.Find(""); err != nil || first.ID != "demo" {
		t.Errorf("got %s, %v", first.ID, err)
	}
	if asks, err := agents.Find("demo-careful"); err != nil || asks.Permissions.Mode != agent.ModeAsk {
		t.Errorf("the agent that asks has %q, %v", asks.Permissions.Mode, err)
	}
	_, err := agents.Find("assistant")
	if e := agent.AsError(err); e.Code != agent.CodeValidation || !strings.Contains(e.Message, "demo") {
		t.Errorf("asking for an agent that is not there: %v", err)
	}
}

func TestThereIsAnAgentForEachProgram(t *testing.T) {
	programs, err := harness.Programs([]string{"PARLEY_ACP_MINE=mine"})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ model, key, id, want string }{
		{"", "", "pi", "own /"},
		{"gpt", "PARLEY_OPENAI_API_KEY", "pi", "key openai/gpt"},
		{"gpt", "OPENAI_API_KEY", "codex-acp", "key openai/gpt"},
		{"gpt", "", "pi", "own /"},
		{"gpt", "OPENAI_API_KEY", "claude", "own /"},
		{"anthropic/opus", "ANTHROPIC_API_KEY", "claude", "key anthropic/opus"},
		{"anthropic/opus", "OPENAI_API_KEY", "claude", "own /"},
		{"ollama/qwen3", "", "opencode", "key ollama/qwen3"},
		{"gpt", "OPENAI_API_KEY", "mine", "own /"},
		{"gpt", "OPENAI_API_KEY", "pi-acp", "key openai/gpt"},
		{"google/gem", "GOOGLE_API_KEY", "gemini", "key google/gem"},
	} {
		agents := BuiltIn(func(name string) string { return map[string]string{"PARLEY_MODEL": c.model, c.key: "secret"}[name] }, endpoints, programs)
		spec, err := agents.Find(c.id)
		if got := string(spec.Login) + " " + spec.Provider + "/" + spec.Model; err != nil || got != c.want {
			t.Errorf("%+v: %s, %v", c, got, err)
		}
		if (spec.Permissions.Mode == agent.ModeAsk) != (c.id != "pi-acp") || len(spec.Tools) > 0 || spec.Harness == "" {
			t.Errorf("%s: %+v", c.id, spec)
		}
		if first, _ := agents.Find(""); first.Harness != agent.KindScripted && (first.Harness != agent.KindNative || first.Provider == "google") {
			t.Errorf("the default is %s", first.ID)
		}
	}
}
