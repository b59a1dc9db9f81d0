package policy

import (
	"encoding/json"
	"strings"
	"testing"

	"parley/backend/agent"
)

// §3 The subject is command and arguments joined by one space: it equals an entry or matches a glob, otherwise it is an
// approval; with approvals off it is refused.
func TestWhichCommandsNeedNoApproval(t *testing.T) {
	r := agent.Rules{
		Commands:     []string{"git", "go test ./...", "ls -l", "a.b", "cat a | sort"},
		CommandGlobs: []string{"make *", "npm run ?", "[a]+", `x\*`, "*.sh", "gr?p a*b*c"},
	}
	for command, want := range map[string]bool{
		"git": true, "git push": false, "GIT": false, "gi": false, "go test ./...": true, "go test ./... -race": false, "go test": false,
		"ls -l": true, "ls  -l": false, "a.b": true, "axb": false, "make all": true, "make": false, "remake all": false, "make *": true,
		"npm run a": true, "npm run é": true, "npm run ab": false, "[a]+": true, "aa": false, `x\*`: true, `x\y`: true, "x*": false,
		"./run.sh": true, ".sh": true, "./run.sh -c": false, "grep abc": true, "grep a b c": true, "grep ac": false, "grep abcd": false, "rm": false,
		"make a; rm b": false, "make a\nrm b": false, "make $(rm b)": false, "cat a | sort": true, "rm a; x.sh": false,
	} {
		words := strings.Split(command, " ")
		input, _ := json.Marshal(map[string]any{"command": words[0], "args": words[1:]})
		c := call("run_command", agent.ActionProcess, string(input))
		for policy, otherwise := range map[agent.PermissionPolicy]agent.Permission{agent.PermissionAsk: agent.Ask, agent.PermissionDeny: agent.Deny} {
			expected := otherwise
			if want {
				expected = agent.Allow
			}
			if got := Decide(c, agent.Grounds{Policy: policy, Rules: r}); got != expected {
				t.Errorf("%q, where others %s: %s", command, policy, got)
			}
		}
	}
	// A rule is stricter, and so is the mode plan.
	git := call("run_command", agent.ActionProcess, `{"command":"git"}`)
	plan := For(agent.Permissions{Mode: agent.ModePlan, Rules: r})
	for _, rules := range []agent.Rules{plan, {Commands: r.Commands, Rules: []agent.Rule{{Pattern: "run_command", Permission: agent.Ask}}}} {
		if got := Decide(git, agent.Grounds{Policy: agent.PermissionAsk, Rules: rules}); got == agent.Allow {
			t.Errorf("allowed against %+v", rules.Rules)
		}
	}
	// One that is slow to match where a matcher goes back: it would not come to its end.
	hard := agent.Rules{CommandGlobs: []string{strings.Repeat("a*", 50) + "b"}}
	if runs(strings.Repeat("a", 20000), hard) {
		t.Error("what does not end in b does")
	}
}
