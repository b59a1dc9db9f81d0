package runner

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"parley/backend/agent"
)

// elsewhere is the app, which runs what a sandbox does not let happen.
type elsewhere struct{}

func (elsewhere) Call(_ context.Context, call agent.ToolCall, _ func(agent.Event)) agent.ToolResult {
	return agent.ToolResult{ID: call.ID, Name: call.Name, Output: "run elsewhere"}
}

func (elsewhere) Redact(_ context.Context, text string) (string, error) { return text, nil }

// TestWhatIsProtectedInAFolder: the sandbox holds it, and a call that a person has allowed is the app's to run; and git works as
// ever beside it.
func TestWhatIsProtectedInAFolder(t *testing.T) {
	l, policy := newLocal(t, "runner")
	policy.Scope, policy.Folder = agent.FilesProject, t.TempDir()
	run := func(name string, args ...string) {
		t.Helper()
		c := exec.Command(name, args...)
		c.Dir = policy.Folder
		if out, err := c.CombinedOutput(); err != nil {
			t.Fatalf("%v: %v\n%s", args, err, out)
		}
	}
	run("git", "init", "-q")
	run("git", "config", "user.email", "a@example.com")
	run("git", "config", "user.name", "A")
	if err := os.RemoveAll(filepath.Join(policy.Folder, ".git/hooks")); err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string]string{".env": secret, ".env.example": "KEY=", ".gitignore": ".env", "a.txt": "a"} {
		if err := os.WriteFile(filepath.Join(policy.Folder, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	launch := scriptedLaunch
	launch.PermissionPolicy, launch.Tools = agent.PermissionAuto, []string{"write_file", "git_commit", "run_command"}
	conn, err := newSandbox(t, l, policy).Open(t.Context(), launch)
	if err != nil {
		t.Fatal(err)
	}
	approved := func(name, input string) agent.ToolResult {
		t.Helper()
		p := say("[[tool:" + name + " " + input + "]]")
		p.Messages = append(p.Messages, agent.Message{ID: "m2", Role: agent.RoleAssistant, Parts: []agent.Part{agent.ToolCallPart{ID: "c1", Name: name, Args: json.RawMessage(input)}}})
		p.Approved, p.Host = []string{"c1"}, elsewhere{}
		for _, e := range listen(t.Context(), conn, p, nil).events {
			if r, ok := e.(agent.ToolResult); ok {
				return r
			}
		}
		t.Fatalf("%s gave nothing", name)
		return agent.ToolResult{}
	}
	for _, name := range []string{".env", ".git/config", ".git/hooks/pre-commit"} {
		r := approved("write_file", `{"path":"`+name+`","content":"x"}`)
		if r.Output != "run elsewhere" {
			t.Errorf("%s: %+v", name, r)
		}
	}
	if r := approved("git_commit", `{"message":"one","files":["a.txt"]}`); r.IsError {
		t.Errorf("a commit: %+v", r)
	}
	if r := approved("run_command", `{"command":"git","args":["add","--all"]}`); !strings.Contains(r.Output, "Exit code 0") {
		t.Errorf("adding all, a template among it: %+v", r)
	}
	if r := approved("run_command", `{"command":"git","args":["status","--short"]}`); !strings.HasPrefix(r.Output, "A  .env.example\nA  .gitignore\n[") {
		t.Errorf("what git says: %+v", r)
	}
	if b, err := os.ReadFile(filepath.Join(policy.Folder, ".env")); err != nil || string(b) != secret {
		t.Errorf("%s, %v", b, err)
	}
}
