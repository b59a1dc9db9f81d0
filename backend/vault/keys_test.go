package vault

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"parley/backend/agent"
)

func (k *keeping) putKey(provider, name, value string) {
	k.t.Helper()
	k.now = k.now.Add(time.Second)
	if err := k.PutKey(k.t.Context(), provider, name, []byte(value)); err != nil {
		k.t.Fatal(err)
	}
}

// keys lists what runs of a project may use; what they do use is marked.
func (k *keeping) keys(project agent.ProjectID) string {
	k.t.Helper()
	list, err := k.Keys(k.t.Context(), project)
	if err != nil {
		k.t.Fatal(err)
	}
	var b strings.Builder
	for _, key := range list {
		fmt.Fprintf(&b, "%s %s …%s %s%s", key.Provider, key.Name, key.Last4, key.Source, key.Variable)
		if key.Chosen {
			b.WriteString(" *")
		}
		b.WriteString("\n")
	}
	return b.String()
}

func (k *keeping) key(project agent.ProjectID, provider string) string {
	k.t.Helper()
	value, err := k.Key(k.t.Context(), project, provider)
	if err != nil {
		return "! " + agent.AsError(err).Message
	}
	return value
}

func TestWhichKeyARunUses(t *testing.T) {
	k := freshSecrets(t)
	if got := k.keys("p") + k.key("p", "openai"); got != "" {
		t.Errorf("without any there are %s", got)
	}
	k.env["openai"] = "sk-of-the-environment-1234"
	if got := k.keys("p"); got != "openai environment …1234 environmentPARLEY_OPENAI *\n" || k.key("p", "openai") != k.env["openai"] {
		t.Errorf("with the environment's there are\n%s", got)
	}
	k.putKey("openai", "own", " sk-own-0000000000000000aaaa\n")
	k.putKey("openai", "work", "sk-work-000000000000000bbbb")
	k.putKey("anthropic", "short", "tiny")
	want := "anthropic short … keychain *\nopenai own …aaaa keychain *\nopenai work …bbbb keychain\nopenai environment …1234 environmentPARLEY_OPENAI\n"
	if got := k.keys("p"); got != want || k.key("p", "openai") != "sk-own-0000000000000000aaaa" {
		t.Errorf("there are\n%s", got)
	}
	for _, step := range []struct {
		project agent.ProjectID
		name    string
		p, q    string
	}{{"p", "work", "bbbb", "aaaa"}, {"", "work", "bbbb", "bbbb"}, {"p", "own", "aaaa", "bbbb"}, {"p", "", "bbbb", "bbbb"}} {
		if err := k.ChooseKey(t.Context(), step.project, "openai", step.name); err != nil {
			t.Fatal(err)
		}
		if p, q := k.key("p", "openai"), k.key("q", "openai"); !strings.HasSuffix(p, step.p) || !strings.HasSuffix(q, step.q) {
			t.Errorf("after %+v they are %s and %s", step, p, q)
		}
	}
	k.putKey("openai", "work", "sk-work-000000000000000cccc")
	if got := k.key("p", "openai"); got != "sk-work-000000000000000cccc" || !k.hides("sk-work-000000000000000bbbb") || !k.hides(got) || !k.hides(k.env["openai"]) {
		t.Errorf("another value of the same key: %s", got)
	}
	if err := k.Ring.Delete(t.Context(), "provider:openai:work"); err != nil {
		t.Fatal(err)
	}
	if got := k.key("p", "openai"); got != "! The key work of openai is not in the keyring any more. Store it again, under Secrets and keys or with parley keys set openai work." {
		t.Errorf("one that is gone gives %q", got)
	}
	if err := k.RemoveKey(t.Context(), "openai", "work"); err != nil || k.key("p", "openai") != "sk-own-0000000000000000aaaa" {
		t.Errorf("removed: %v", err)
	}
	if got := k.list("p"); got != "" {
		t.Errorf("keys are named secrets: %s", got)
	}
}

func TestWhatIsNoKey(t *testing.T) {
	k := freshSecrets(t)
	for what, err := range map[string]error{
		"There is no provider":  k.PutKey(t.Context(), "nobody", "a", []byte("sk-hidden")),
		"cannot be called":      k.PutKey(t.Context(), "openai", "a/b", []byte("sk-hidden")),
		`called "environment"`:  k.PutKey(t.Context(), "openai", "environment", []byte("sk-hidden")),
		`called "."`:            k.PutKey(t.Context(), "openai", ".", []byte("sk-hidden")),
		"it is empty":           k.PutKey(t.Context(), "openai", "a", []byte(" \n")),
		"has characters":        k.PutKey(t.Context(), "openai", "a", []byte("sk-hidden\nsk-hidden")),
		"There is no key \"a\"": errors.Join(k.ChooseKey(t.Context(), "", "openai", "a")),
		"There is no key \"b\"": func() error { _, err := k.KeyNamed(t.Context(), "openai", "b"); return err }(),
		"There is no key \"environment\"": func() error {
			_, err := k.KeyNamed(t.Context(), "openai", "environment")
			return err
		}(),
	} {
		if err == nil || !strings.Contains(agent.AsError(err).Message, what) || strings.Contains(err.Error(), "hidden") {
			t.Errorf("%s: %v", what, err)
		}
	}
	if got := k.keys("p"); got != "" {
		t.Errorf("stored are\n%s", got)
	}
}
