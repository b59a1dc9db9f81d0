package api

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// answered gives the id of a session's last answer.
func (w *world) answered(session string) string {
	w.t.Helper()
	var loaded LoadedSession
	w.decode(w.request("POST", "/load-session", fmt.Sprintf(`{"session_id":%q}`, session), nil), &loaded)
	var answer struct{ ID string }
	if err := json.Unmarshal(loaded.Messages[len(loaded.Messages)-1], &answer); err != nil {
		w.t.Fatal(err)
	}
	return answer.ID
}

// TestWhatARunWroteIsTakenBack: it is kept as it happens, and is told, taken back and given back over the door.
func TestWhatARunWroteIsTakenBack(t *testing.T) {
	w := open(t)
	frames(t, w.say("s", "u1", `[[tool:write_file {"path":"a.txt","content":"one\n"}]] [[tool:write_file {"path":"a.txt","content":"two\n","append":true}]] [[say:x]]`).Body)
	var s Session
	w.get("/sessions/s", &s)
	file := filepath.Join(s.Scratch, "a.txt")
	path := "/sessions/s/changes/" + w.answered("s")
	var list ChangeList
	w.get(path, &list)
	want := fmt.Sprintf(`{"files":[{"path":%[1]q,"diffs":["--- /dev/null\n+++ b%[1]s\n@@ -0,0 +1,2 @@\n+one\n+two\n"],"created":true,"reverted":false}]}`, file)
	if got, err := json.Marshal(list); string(got) != want || err != nil {
		t.Fatalf("it wrote %+v", list)
	}
	post := func(body string) (taken Reverted) {
		w.decode(w.request("POST", path, body, nil), &taken)
		return taken
	}
	if taken := post(`{"preview":true}`); len(taken.Files) != 1 || taken.Files[0].Diff == "" || len(taken.Files[0].Conflicts) != 0 {
		t.Errorf("the preview is %+v", taken)
	}
	post(fmt.Sprintf(`{"paths":[%q]}`, file))
	if _, err := os.Stat(file); !os.IsNotExist(err) {
		t.Errorf("taken back, it is still there (%v)", err)
	}
	w.get(path, &list)
	if !list.Files[0].Reverted {
		t.Error("nobody is told that it is taken back")
	}
	post(`{"undo":true}`)
	if content, err := os.ReadFile(file); string(content) != "one\ntwo\n" {
		t.Errorf("given back, it holds %q (%v)", content, err)
	}
	if err := os.WriteFile(file, []byte("mine\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if taken := post(`{}`); len(taken.Files) != 1 || taken.Files[0].Diff != "" || len(taken.Files[0].Conflicts) != 1 {
		t.Errorf("over what is mine it does %+v", taken)
	}
}
