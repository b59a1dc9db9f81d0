package tool

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"parley/backend/agent"
)

// FuzzRun sends what a model might, at its worst: whatever it is, the call is answered and nothing outside changes.
func FuzzRun(f *testing.F) {
	f.Add("read_file", `{"path":"file.txt","limit":1}`)
	f.Add("read_file", `{"path":"link/../../x"}`)
	f.Add("write_file", `{"path":"up/x","content":"x","create_dirs":true}`)
	f.Add("write_file", `{"path":"dir/../new","content":"\ud800","append":true}`)
	f.Add("list_directory", `{"path":"","glob":"{a,[!b]}*\\","recursive":true}`)
	f.Add("list_directory", `{"path":"dir/","limit":1e3}`)
	f.Add("search_files", `{"pattern":"(?i)te|x*$","context":9}`)
	f.Add("edit_file", `{"path":"file.txt","edits":[{"old":"t","new":"\ud800","all":true}]}`)
	f.Add("", `{"path":`)
	f.Fuzz(func(t *testing.T, name, input string) {
		_, root := open(t)
		set, err := Open(agent.Policy{Scratch: root}, agent.Launch{Tools: []string{"list_directory", "read_file", "search_files", "write_file", "edit_file"}}) // nothing that runs programs
		if err != nil {
			t.Fatal(err)
		}
		defer set.Close()
		put(t, filepath.Join(root, "file.txt"), "text\n")
		put(t, filepath.Join(root, "dir/.gitignore"), "x\n")
		if err := os.Symlink("..", filepath.Join(root, "up")); err != nil {
			t.Fatal(err)
		}
		r := set.Run(t.Context(), nil, agent.ToolCall{ID: "c", Name: name, Input: json.RawMessage(input)}, unheard)
		if r.ID != "c" || r.Name != name || r.IsError == (r.Data != nil) || r.Data != nil && !json.Valid(r.Data) || r.IsError && r.Output == "" {
			t.Errorf("%+v", r)
		}
		if entries, err := os.ReadDir(filepath.Dir(root)); err != nil || len(entries) != 1 {
			t.Errorf("outside there is %v (%v)", entries, err)
		}
	})
}

func FuzzIgnoreRule(f *testing.F) {
	for _, line := range []string{"*.log", "/a/", "!b", `\#c`, "d/**", "**/e", "a{b,c}", `f\ `, "[a-", "**", "/", " "} {
		f.Add(line, "a/b.log")
	}
	f.Fuzz(func(t *testing.T, line, place string) {
		r, ok := parseIgnoreRule("", line)
		if !ok {
			return
		}
		rules := ignored{r}
		if rules.match(place, false) && !rules.match(place, true) {
			t.Errorf("%q ignores %q only if it is not a directory", line, place)
		}
	})
}
