package app

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/backend/agent"
	"parley/backend/api"
)

// What is protected in the working folder is written once a person allows that very call, and by nothing else: the kernel holds
// it again for the next turn.
func TestAnExceptionIsForOneCall(t *testing.T) {
	l := newLends(t, api.AgentDetails{
		Tools: []string{"write_file", "run_command"}, Permissions: api.AgentPermissions{Mode: agent.ModeAuto},
	}, nil)
	folder := t.TempDir()
	file := filepath.Join(folder, ".env")
	if err := os.WriteFile(file, []byte("OLD=1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	do[api.Session](l, http.MethodPatch, "/sessions/s", map[string]any{"scope": agent.FilesProject, "workingDir": folder})

	const looks = `[[tool:run_command {"command":"/bin/sh","args":["-c","cat .env; echo MORE=1 >> .env; echo looked"]}]]`
	l.tell(looks + ` [[tool:write_file {"path":".env","content":"NEW=1\n"}]] [[say:written]]`)
	asked, said := l.allow(true, agent.ScopeOnce)
	if asked.ToolName != "write_file" || strings.Contains(said, `"output":"OLD=1`) || !strings.Contains(said, "Replaced .env") {
		t.Errorf("asked about %+v, then %s", asked, said)
	}
	if b, err := os.ReadFile(file); err != nil || string(b) != "NEW=1\n" {
		t.Errorf("the file holds %q, %v", b, err)
	}
	if said := l.tell(looks + " [[say:again]]"); strings.Contains(said, "NEW=1") || !strings.Contains(said, "looked") {
		t.Errorf("a command saw %s", said)
	}
	if b, err := os.ReadFile(file); err != nil || string(b) != "NEW=1\n" {
		t.Errorf("the file holds %q after a command, %v", b, err)
	}
	var answer struct{ ID string }
	loaded := do[api.LoadedSession](l, http.MethodPost, "/load-session", map[string]string{"session_id": "s"})
	if err := json.Unmarshal(loaded.Messages[1], &answer); err != nil {
		t.Fatal(err)
	}
	changes := do[api.ChangeList](l, http.MethodGet, "/sessions/s/changes/"+answer.ID, nil)
	if len(changes.Files) != 1 || changes.Files[0].Path != file || !strings.Contains(changes.Files[0].Diffs[0], "-OLD=1") {
		t.Errorf("what can be taken back: %+v", changes)
	}
}
