package tool

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"parley/backend/agent"
)

var update = flag.Bool("update", false, "rewrite the golden parts of testdata")

// section is a part of a fixture: "-- kind argument --", then its text.
type section struct{ kind, argument, text string }

var title = regexp.MustCompile(`(?m)^-- (\w+) ?(.*) --\n`)

func sections(src string) (prose string, list []section) {
	titles := title.FindAllStringSubmatchIndex(src, -1)
	for i, at := range titles {
		end := len(src)
		if i+1 < len(titles) {
			end = titles[i+1][0]
		}
		list = append(list, section{src[at[2]:at[3]], src[at[4]:at[5]], src[at[1]:end]})
	}
	return src[:titles[0][0]], list
}

// TestFixtures plays testdata/*.txt. Each starts with prose; its sections are played in order:
//
//	-- file PATH --     a file that is in the session's own folder
//	-- folder PATH --   a file that is in the working folder, which there is then
//	-- scope SCOPE --   of the calls that follow
//	-- call TOOL --     arguments of a call
//	-- result --        golden: what the model is told ("error:" before it if the call failed), then the card's data
//	-- now PATH --      golden: what the file in the session's own folder holds now
//	-- there PATH --    golden: what the one in the working folder holds
func TestFixtures(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("no fixtures (%v)", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			src, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			prose, list := sections(string(src))
			got := bytes.NewBufferString(prose)
			for _, s := range play(t, list) {
				fmt.Fprintf(got, "-- %s --\n%s", strings.TrimSpace(s.kind+" "+s.argument), s.text)
			}
			if *update {
				if err := os.WriteFile(file, got.Bytes(), 0o644); err != nil {
					t.Fatal(err)
				}
			} else if got.String() != string(src) {
				t.Errorf("got:\n%s\nwant (-update accepts what was got):\n%s", got, src)
			}
		})
	}
}

// play gives the sections back with their golden parts as they really are.
func play(t *testing.T, list []section) []section {
	root, folder := t.TempDir(), t.TempDir()
	policy := agent.Policy{Scratch: root}
	var last agent.ToolResult
	list = slices.Clone(list)
	for i := range list {
		s := &list[i]
		switch s.kind {
		case "file":
			put(t, filepath.Join(root, s.argument), s.text)
		case "folder":
			policy.Folder = folder
			put(t, filepath.Join(folder, s.argument), s.text)
		case "scope":
			policy.Scope = agent.FileScope(s.argument)
		case "call":
			set, err := Open(policy, agent.Launch{Tools: Names()})
			if err != nil {
				t.Fatal(err)
			}
			defer set.Close()
			last = set.Run(t.Context(), nil, agent.ToolCall{ID: "c", Name: s.argument, Input: json.RawMessage(s.text)}, unheard)
		case "result":
			s.text = render(t, last)
		case "now", "there":
			b, err := os.ReadFile(filepath.Join(map[string]string{"now": root, "there": folder}[s.kind], s.argument))
			if err != nil {
				t.Fatal(err)
			}
			s.text = fmt.Sprintf("%q\n", b)
		default:
			t.Fatalf("unknown section %q", s.kind)
		}
	}
	return list
}

func render(t *testing.T, r agent.ToolResult) string {
	if r.IsError {
		if r.Data != nil {
			t.Errorf("an error with data: %s", r.Data)
		}
		return "error: " + r.Output + "\n"
	}
	return fmt.Sprintf("%s\n%s\n", strings.TrimSuffix(r.Output, "\n"), r.Data)
}

func put(t *testing.T, path, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}
