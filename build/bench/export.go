package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// exportMessages is how long the session is that is exported.
const exportMessages = 10_000

// export measures what it takes to write a long session to a file in each format, all of the program from its start to its end.
func (b *bench) export() error {
	home := b.home()
	messages := filepath.Join(b.dir, "messages.jsonl")
	if err := writeMessages(messages); err != nil {
		return err
	}
	begun := time.Now()
	id, _, err := b.run(home, "import", messages)
	if err != nil {
		return err
	}
	row(fmt.Sprintf("import: %d messages", exportMessages), "%s", ms(time.Since(begun)))
	opened, err := repeat(5, func() (time.Duration, error) {
		begun := time.Now()
		_, _, err := b.run(home, "sessions")
		return time.Since(begun), err
	})
	if err != nil {
		return err
	}
	for _, format := range []string{"canvas", "markdown", "html", "jsonl", "bundle"} {
		var most int64
		took, err := repeat(5, func() (time.Duration, error) {
			begun := time.Now()
			_, kilobytes, err := b.run(home, "export", strings.TrimSpace(id), "--format", format, "--force", "--out", filepath.Join(b.dir, "exported"))
			most = max(most, kilobytes)
			return time.Since(begun), err
		})
		if err != nil {
			return err
		}
		row(fmt.Sprintf("export: %d messages as %s", exportMessages, format), "%s, %s of it to open the history; %d MB", ms(took.median()), ms(opened.median()), most>>10)
	}
	return nil
}

// run runs Parley to its end, and gives what it printed and how much memory it had.
func (b *bench) run(home string, args ...string) (out string, kilobytes int64, err error) {
	cmd := exec.Command(b.parley, args...)
	cmd.Env = append(os.Environ(), "PARLEY_HOME="+home)
	printed, err := cmd.Output()
	if err != nil {
		return "", 0, fmt.Errorf("parley %s: %w", args[0], err)
	}
	return string(printed), cmd.ProcessState.SysUsage().(*syscall.Rusage).Maxrss, nil
}

// writeMessages makes a conversation of messages of 200 bytes on average, every tenth answer with a call.
func writeMessages(path string) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer f.Close()
	out := json.NewEncoder(f)
	for i := range exportMessages / 2 {
		text := func(text string) map[string]any { return map[string]any{"type": "text", "text": text} }
		answer := []any{text(strings.Repeat("An answer of some length.\n", 1+i%28))}
		if i%10 == 0 {
			answer = append(answer, map[string]any{
				"type": "tool-read_file", "toolCallId": fmt.Sprint("c", i), "state": "output-available",
				"input": map[string]any{"path": "a.go"}, "output": "package a",
			}, text("Done."))
		}
		for _, m := range []map[string]any{
			{"id": fmt.Sprint("u", i), "role": "user", "parts": []any{text(fmt.Sprintf("Question %d?", i))}},
			{"id": fmt.Sprint("a", i), "role": "assistant", "parts": answer},
		} {
			if err := out.Encode(m); err != nil {
				return err
			}
		}
	}
	return f.Close()
}
