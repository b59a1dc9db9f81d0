package tool

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/backend/agent"
)

// app is a host whose one secret is "hunter2". It cannot search what holds "unsearchable".
type app struct{}

func (app) Call(_ context.Context, call agent.ToolCall, say func(agent.Event)) agent.ToolResult {
	say(agent.ToolProgress{ID: call.ID, Output: "under way"})
	return agent.ToolResult{ID: call.ID, Name: call.Name, Output: "the app ran " + call.Name + string(call.Input)}
}

func (app) Redact(_ context.Context, text string) (string, error) {
	if strings.Contains(text, "unsearchable") {
		return "", agent.Errorf(agent.CodeInternal, "The keychain is locked. Unlock it.")
	}
	return strings.ReplaceAll(text, "hunter2", "[secret:password]"), nil
}

var hostedTools = []agent.HostedTool{
	{Name: "deploy", Description: "Deploys.", InputSchema: json.RawMessage(`{"type":"object"}`), Version: "v1", Secrets: []string{"token"}, Permission: agent.Allow},
	{Name: "run_command", Version: "v2", Secrets: []string{"a", "b"}},
}

func openHosting(t *testing.T, foreign ...Foreign) *Set {
	t.Helper()
	dir := t.TempDir()
	for _, text := range []string{"hunter2", "unsearchable", "plain"} {
		if err := os.WriteFile(filepath.Join(dir, text), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	set, err := Open(agent.Policy{Scratch: dir}, agent.Launch{Tools: []string{"read_file", "run_command"}, Hosted: hostedTools, Redacts: true}, func(agent.Launch) []Foreign { return foreign })
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { set.Close() })
	return set
}

func TestTheAppRunsWhatIsHosted(t *testing.T) {
	set := openHosting(t)
	if names := set.list(); names != "read_file, run_command, deploy" {
		t.Errorf("the model is told of %s", names)
	}
	for _, name := range []string{"deploy", "run_command"} {
		var said []agent.Event
		call := agent.ToolCall{ID: "c", Name: name, Input: json.RawMessage(`{"command":"true"}`)}
		for _, run := range []func(context.Context, agent.Host, agent.ToolCall, func(agent.Event)) agent.ToolResult{set.Run, set.RunApproved} {
			r := run(t.Context(), app{}, call, func(e agent.Event) { said = append(said, e) })
			if r.IsError || r.Output != "the app ran "+name+`{"command":"true"}` {
				t.Errorf("%+v", r)
			}
		}
		if len(said) != 2 {
			t.Errorf("%s said %+v", name, said)
		}
	}
}

func TestWhatIsHostedIsDecidedWithItsSecrets(t *testing.T) {
	set := openHosting(t)
	for _, c := range []struct {
		policy       agent.PermissionPolicy
		name, input  string
		allowed, has string // what Decide gives has this; "" is nothing
	}{
		{agent.PermissionAuto, "deploy", `{}`, "deploy", `"toolName":"deploy","preview":"deploy {}","rule":"deploy@v1","secrets":["token"]`},
		{agent.PermissionAuto, "deploy", `{}`, "deploy@v1", ""},
		{agent.PermissionDeny, "deploy", `{}`, "deploy@v1", "deploy was not run: it is given the secret token, and in this mode nobody is asked"},
		{agent.PermissionAuto, "run_command", `{"command":"git","args":["push"]}`, "run_command", `"rule":"run_command@v2(git push *)","secrets":["a","b"]`},
		{agent.PermissionAsk, "run_command", `{"command":"git","args":["push"]}`, "run_command@v2(git push *)", ""},
		{agent.PermissionDeny, "run_command", `{"command":"git"}`, "", "this agent may not change anything"},
		{agent.PermissionAuto, "run_command", `{"command":1}`, "", ""},
	} {
		got := ""
		if e := set.Decide(agent.ToolCall{ID: "c", Name: c.name, Input: json.RawMessage(c.input)}, agent.Grounds{Policy: c.policy, Allowed: []string{c.allowed}}); e != nil {
			b, err := agent.EncodeEvent(e)
			if err != nil {
				t.Fatal(err)
			}
			got = string(b)
		}
		if (got == "") != (c.has == "") || !strings.Contains(got, c.has) {
			t.Errorf("%s %s, %s, with %s: %s", c.name, c.input, c.policy, c.allowed, got)
		}
	}
}

func TestResultsAreRedacted(t *testing.T) {
	talks := Foreign{Definition: Definition{Name: "talks"}, Run: func(_ context.Context, call agent.ToolCall, _ func(agent.Event)) (string, json.RawMessage, error) {
		var in struct{ Text string }
		if err := json.Unmarshal(call.Input, &in); err != nil {
			return "", nil, err
		}
		return in.Text, fmt.Appendf(nil, `{"shown":%q}`, in.Text), nil
	}}
	fails := Foreign{Definition: Definition{Name: "fails"}, Run: func(_ context.Context, call agent.ToolCall, _ func(agent.Event)) (string, json.RawMessage, error) {
		return "", nil, errors.New("it failed with hunter2")
	}}
	set := openHosting(t, talks, fails)
	for _, c := range []struct{ name, input, want string }{
		{"talks", `{"text":"plain"}`, `plain {"shown":"plain"} false`},
		{"talks", `{"text":"x hunter2 y"}`, `x [secret:password] y  false`},
		{"talks", `{"text":"unsearchable"}`, "What talks gave is withheld, because it could not be searched for secrets: The keychain is locked. Unlock it.  true"},
		{"fails", `{}`, "it failed with [secret:password]  true"},
		{"read_file", `{"path":"unsearchable"}`, "What read_file gave is withheld, because it could not be searched for secrets: The keychain is locked. Unlock it.  true"},
	} {
		r := set.Run(t.Context(), app{}, agent.ToolCall{ID: "c", Name: c.name, Input: json.RawMessage(c.input)}, unheard)
		if got := fmt.Sprint(r.Output, " ", string(r.Data), " ", r.IsError); got != c.want {
			t.Errorf("%s %s gave %q", c.name, c.input, got)
		}
	}
	if r := set.Run(t.Context(), app{}, agent.ToolCall{ID: "c", Name: "read_file", Input: json.RawMessage(`{"path":"hunter2"}`)}, unheard); strings.Contains(r.Output+string(r.Data), "hunter2") || !strings.Contains(r.Output, "[secret:password]") {
		t.Errorf("%+v %s", r, r.Data)
	}
}

// TestWhatLooksLikeACredentialIsNoResult: also where the app knows of no secret.
func TestWhatLooksLikeACredentialIsNoResult(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "a.txt"), []byte("token ghp_"+strings.Repeat("a1B2", 9)), 0o600); err != nil {
		t.Fatal(err)
	}
	set, err := Open(agent.Policy{Scratch: dir}, agent.Launch{Tools: []string{"read_file"}})
	if err != nil {
		t.Fatal(err)
	}
	defer set.Close()
	r := set.Run(t.Context(), nil, agent.ToolCall{ID: "c", Name: "read_file", Input: json.RawMessage(`{"path":"a.txt"}`)}, func(agent.Event) {})
	if r.IsError || !strings.Contains(r.Output, "token [credential]") || strings.Contains(string(r.Data), "a1B2") {
		t.Errorf("read %+v", r)
	}
}

// TestProgressIsSearchedBeforeItIsCut: of half a value the rest would not be found. What cannot be searched is not shown.
func TestProgressIsSearchedBeforeItIsCut(t *testing.T) {
	long := strings.Repeat("x", maxRecent) + "hunter2" + strings.Repeat("y", maxRecent-4)
	set := openHosting(t, Foreign{Definition: Definition{Name: "long"}, Run: func(_ context.Context, call agent.ToolCall, say func(agent.Event)) (string, json.RawMessage, error) {
		for _, text := range []string{long, "unsearchable", "one\n" + strings.Repeat("z", maxRecent-1) + "\nlast"} {
			say(agent.ToolProgress{ID: call.ID, Output: text})
		}
		return "", nil, nil
	}})
	var said []string
	set.Run(t.Context(), app{}, agent.ToolCall{ID: "c", Name: "long", Input: json.RawMessage(`{}`)}, func(e agent.Event) {
		said = append(said, e.(agent.ToolProgress).Output)
	})
	if len(said) != 2 || strings.Contains(said[0], "er2") || len(said[0]) != maxRecent || said[1] != "last" {
		t.Errorf("it was said %q", said)
	}
}
