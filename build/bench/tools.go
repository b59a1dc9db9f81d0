package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"parley/backend/agent"
	"parley/backend/tool"
)

const (
	treeFiles   = 100_000
	folderFiles = 50 // in each folder of the tree
	searches    = 7
	fileCalls   = 500
)

// tools measures search_files beside ripgrep, which takes turns with it, and what the tools for files take for a call.
func (b *bench) tools() error {
	tree := filepath.Join(b.dir, "tree")
	if err := makeTree(tree); err != nil {
		return err
	}
	set, err := tool.Open(agent.Policy{Scratch: tree}, agent.Launch{Tools: tool.Names()})
	if err != nil {
		return err
	}
	defer set.Close()
	for _, pattern := range []string{"handleNeedle", `func \w+Needle\(`, "(?i)HANDLEneedle"} {
		if err := searchBeside(set, tree, pattern); err != nil {
			return err
		}
	}
	for _, c := range []struct{ name, arguments string }{
		{"read_file", `{"path":"p0/m0/f7.go"}`},
		{"list_directory", `{"path":"p0/m0"}`},
		{"edit_file", `{"path":"p0/m0/f8.go","edits":[{"old":"package m","new":"package n"},{"old":"package n","new":"package m"}]}`},
	} {
		took, err := repeat(fileCalls, func() (time.Duration, error) { return timeCall(set, c.name, c.arguments) })
		if err != nil {
			return err
		}
		row("tools: one "+c.name, "%s median, %s p99", ms(took.median()), ms(took.at(0.99)))
	}
	synced, err := repeat(fileCalls, func() (time.Duration, error) { return replaceFile(filepath.Join(tree, "p0/m0/f9.go")) })
	if err == nil {
		row("tools: of an edit, the file on the disk", "%s median, %s p99", ms(synced.median()), ms(synced.at(0.99)))
	}
	return err
}

// replaceFile is what an edit asks of the disk: a new file, flushed, in the place of the old one.
func replaceFile(name string) (time.Duration, error) {
	begun := time.Now()
	content, err := os.ReadFile(name)
	if err != nil {
		return 0, err
	}
	f, err := os.CreateTemp(filepath.Dir(name), "")
	if err != nil {
		return 0, err
	}
	_, err = f.Write(content)
	if err = errors.Join(err, f.Sync(), f.Close(), os.Rename(f.Name(), name)); err != nil {
		return 0, err
	}
	return time.Since(begun), nil
}

// makeTree writes source files of 5 to 60 lines, of which one in 2,000 has what is searched for.
func makeTree(tree string) error {
	random := rand.New(rand.NewPCG(1, 2))
	for n := range treeFiles / folderFiles {
		dir := filepath.Join(tree, fmt.Sprintf("p%d/m%d", n/100, n%100))
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return err
		}
		for f := range folderFiles {
			var text strings.Builder
			text.WriteString("package m\n")
			for range 5 + random.IntN(56) {
				for range 1 + random.IntN(12) {
					fmt.Fprintf(&text, "w%ding ", random.IntN(3000))
				}
				text.WriteByte('\n')
			}
			if (n*folderFiles+f)%2000 == 7 {
				text.WriteString("func handleNeedle() {}\n")
			}
			if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("f%d.go", f)), []byte(text.String()), 0o644); err != nil {
				return err
			}
		}
	}
	return os.WriteFile(filepath.Join(tree, ".gitignore"), []byte("*.log\nnode_modules/\n/dist\nbuild/\n!keep.log\n"), 0o644)
}

func searchBeside(set *tool.Set, tree, pattern string) error {
	arguments, err := json.Marshal(map[string]string{"pattern": pattern})
	if err != nil {
		return err
	}
	var ours, theirs sample
	for range searches {
		took, err := timeCall(set, "search_files", string(arguments))
		if err != nil {
			return err
		}
		ours = append(ours, took)
		begun := time.Now()
		err = exec.Command("rg", "--no-require-git", "--line-number", pattern, tree).Run()
		if errors.Is(err, exec.ErrNotFound) {
			continue
		}
		if err != nil {
			return fmt.Errorf("rg: %w", err)
		}
		theirs = append(theirs, time.Since(begun))
	}
	what := fmt.Sprintf("tools: %s in %d files", pattern, treeFiles)
	if len(theirs) == 0 {
		row(what, "%s median; rg is not installed", ms(ours.median()))
		return nil
	}
	row(what, "%s median, %.2f of ripgrep's %s", ms(ours.median()), float64(ours.median())/float64(theirs.median()), ms(theirs.median()))
	return nil
}

func timeCall(set *tool.Set, name, arguments string) (time.Duration, error) {
	begun := time.Now()
	r := set.Run(context.Background(), nil, agent.ToolCall{ID: "c", Name: name, Input: json.RawMessage(arguments)}, func(agent.Event) {})
	if r.IsError {
		return 0, fmt.Errorf("%s: %s", name, r.Output)
	}
	return time.Since(begun), nil
}
