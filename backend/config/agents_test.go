package config

import (
	"strings"
	"testing"

	"parley/backend/agent"
)

func TestAModelBringsAnAssistant(t *testing.T) {
	for setting, want := range map[string][2]string{ // provider and model
		"gpt-5-mini":          {"openai", "gpt-5-mini"},
		"ollama/qwen3":        {"ollama", "qwen3"},
		"meta-llama/llama-70": {"openai", "meta-llama/llama-70"}, // nobody's prefix is part of the model's name
	} {
		agents := BuiltIn(func(string) string { return setting }, []string{"openai", "ollama"})
		assistant, err := agents.Find("")
		if err != nil || assistant.Provider != want[0] || assistant.Model != want[1] {
			t.Errorf("%s: got %s/%s, %v", setting, assistant.Provider, assistant.Model, err)
		}
		if assistant.Permissions != agent.PermissionAsk {
			t.Errorf("%s: the assistant changes things without asking", setting)
		}
		if _, err := agents.Find("demo"); err != nil {
			t.Errorf("%s: the demo agent is gone: %v", setting, err)
		}
	}
}

func TestWithoutAModelThereIsTheDemoAgent(t *testing.T) {
	agents := BuiltIn(func(string) string { return "" }, nil)
	if first, err := agents.Find(""); err != nil || first.ID != "demo" {
		t.Errorf("got %s, %v", first.ID, err)
	}
	if asks, err := agents.Find("demo-careful"); err != nil || asks.Permissions != agent.PermissionAsk {
		t.Errorf("the agent that asks has %q, %v", asks.Permissions, err)
	}
	_, err := agents.Find("assistant")
	if e := agent.AsError(err); e.Code != agent.CodeValidation || !strings.Contains(e.Message, "demo") {
		t.Errorf("asking for an agent that is not there: %v", err)
	}
}
