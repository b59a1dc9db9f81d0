package runner

import (
	"context"
	"crypto/rand"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"parley/backend/agent"
)

// TestWhatASideIsGiven is in the environment of the child that it is for, and of no other process: not of its runner, nor where
// another runner's child can read it.
func TestWhatASideIsGiven(t *testing.T) {
	value := secret + rand.Text() // that no other test's processes have
	l, policy := newLocal(t, "runner")
	side := newSandbox(t, l, policy)
	conn, err := side.Open(t.Context(), agent.Launch{
		Backend: agent.BackendCalls, Harness: agent.KindNative, Tools: []string{"run_command"}, PermissionPolicy: agent.PermissionAuto,
		CommandEnv: map[string]string{"KEY": "{{secret:key}}"},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan turnSaid, 1)
	go func() {
		ended <- listen(ctx, conn, agent.Prompt{
			Secrets: map[string]string{"secret:key": value}, Approved: []string{"c"},
			Messages: []agent.Message{{Role: agent.RoleAssistant, Parts: []agent.Part{
				agent.ToolCallPart{ID: "c", Name: "run_command", Args: []byte(`{"command":"/bin/sh","args":["-c","echo $$ > new; mv new pid; exec sleep 60"]}`)},
			}}},
		}, nil)
	}()
	defer func() { stop(); <-ended }()
	pid := awaitFile(t, filepath.Join(policy.Scratch, "pid"))

	if holders := holding(t, value); fmt.Sprint(holders) != "["+pid+"]" {
		t.Errorf("the value is in the environment or the arguments of %v, and is for %s", holders, pid)
	}
	attack := []string{"read", "/proc/" + pid + "/environ"}
	if said := runAttack(t, t.TempDir(), attack); said != "done" {
		t.Errorf("the attack cannot fail: %s", said)
	}
	other, policy := newLocal(t, "engine")
	said := listen(t.Context(), newConn(t, newSandbox(t, other, policy)), say("attack "+strings.Join(attack, "\t")), nil)
	if text := said.events[0].(agent.MessageWhole).Text; !strings.HasPrefix(text, "refused: ") {
		t.Errorf("another session's process has read it: %s", text)
	}
}

// TestASideIsInTheFolderOfItsSession also far away, where each has one.
func TestASideIsInTheFolderOfItsSession(t *testing.T) {
	gate := openGate(t, "runner")
	s, err := newRemote(t, gate.url).NewSandbox(t.Context(), agent.Policy{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	conn, err := s.Open(t.Context(), agent.Launch{Backend: agent.BackendCalls, Harness: agent.KindNative, Tools: []string{"write_file"}, PermissionPolicy: agent.PermissionAuto})
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	said := listen(t.Context(), conn, agent.Prompt{
		Key: agent.SessionKey{Project: agent.DefaultProject, Session: "side"}, Beside: "s1", Turn: "t", Approved: []string{"c"},
		Messages: []agent.Message{{Role: agent.RoleAssistant, Parts: []agent.Part{agent.ToolCallPart{ID: "c", Name: "write_file", Args: []byte(`{"path":"a.txt","content":"a"}`)}}}},
	}, nil)
	if _, err := os.Stat(filepath.Join(gate.folder("s1"), "a.txt")); err != nil {
		t.Errorf("it wrote elsewhere: %v; %+v", err, said)
	}
}

// awaitFile gives what a file holds once it is there.
func awaitFile(t *testing.T, path string) string {
	t.Helper()
	for late := time.After(10 * time.Second); ; {
		if b, err := os.ReadFile(path); err == nil {
			return strings.TrimSpace(string(b))
		}
		select {
		case <-late:
			t.Fatalf("there is no %s", path)
		case <-time.After(5 * time.Millisecond):
		}
	}
}

// holding lists the processes whose environment or arguments have a text.
func holding(t *testing.T, text string) (pids []string) {
	t.Helper()
	folders, err := filepath.Glob("/proc/[0-9]*")
	if err != nil {
		t.Fatal(err)
	}
	for _, folder := range folders {
		environ, _ := os.ReadFile(folder + "/environ") // one that has ended has none
		arguments, _ := os.ReadFile(folder + "/cmdline")
		if strings.Contains(string(environ)+string(arguments), text) {
			pids = append(pids, filepath.Base(folder))
		}
	}
	return pids
}
