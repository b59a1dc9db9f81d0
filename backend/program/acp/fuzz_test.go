package acp

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/backend/agent"
	"parley/backend/program"
)

// nobody listens to anything, and allows everything.
type nobody struct{}

func (nobody) Say(agent.Event) {}

func (nobody) Approve(agent.ToolCall, agent.Action, string) program.Answer {
	return program.Answer{Allowed: true}
}

func (nobody) Input(string, string, []string) program.Answer { return program.Answer{Text: "yes"} }

// FuzzTake lets an agent say anything in its turn. The speaker must come to its end with it, and keep nothing.
func FuzzTake(f *testing.F) {
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil {
		f.Fatal(err)
	}
	for _, file := range files {
		if strings.HasSuffix(file, "large.txt") {
			continue
		}
		script, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		var said []byte
		for line := range bytes.Lines(script) {
			if line, ok := bytes.CutPrefix(line, []byte("< ")); ok {
				said = append(said, line...)
			}
		}
		f.Add(said, true)
		f.Add(said, false)
	}
	f.Fuzz(func(t *testing.T, said []byte, second bool) {
		protocol := `1`
		if second {
			protocol = `2`
		}
		begin := `{"id":1,"result":{"protocolVersion":` + protocol + `}}` + "\n" + `{"id":2,"result":{"sessionId":"s1"}}` + "\n" + `{"id":3,"result":{}}` + "\n"
		line := program.NewLine(io.MultiReader(strings.NewReader(begin), bytes.NewReader(said)), io.Discard, func(err error) *agent.Error {
			return agent.Wrap(agent.CodeSandbox, err, "The program is gone.")
		})
		defer line.Close()
		s := New().(*Speaker)
		// There is no such folder: nothing is read, written or started.
		if _, err := s.Open(line, program.Opening{Launch: agent.Launch{Program: &agent.Program{Command: "agent"}}, Dir: "/no/such/folder"}); err != nil {
			t.Fatal(err)
		}
		for range 2 {
			_ = s.Settle(line)
			_, _ = s.Take(line, &program.Turn{Text: "Go.", Host: nobody{}}) // it may fail, as agents do
		}
		if len(s.answers) > 1 || s.turn != nil || s.terminals.byID != nil {
			t.Errorf("after the turn it still has %d answers, %v, %v", len(s.answers), s.turn, s.terminals.byID)
		}
	})
}
