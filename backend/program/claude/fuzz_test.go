package claude

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

var opening = program.Opening{Launch: agent.Launch{Program: &agent.Program{}}}

func lineOf(in io.Reader) *program.Line {
	return program.NewLine(in, io.Discard, func(err error) *agent.Error {
		return agent.Wrap(agent.CodeSandbox, err, "The program is gone.")
	})
}

// FuzzTake: whatever Claude Code writes, the turn ends when it does, and everything said can be written.
func FuzzTake(f *testing.F) {
	files, _ := filepath.Glob("testdata/*.txt")
	for _, file := range files {
		b, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		var written []byte
		for line := range bytes.Lines(b) {
			if rest, ok := bytes.CutPrefix(line, []byte("< ")); ok {
				written = append(written, rest...)
			}
		}
		f.Add(written)
	}
	f.Fuzz(func(t *testing.T, written []byte) {
		line := lineOf(bytes.NewReader(written))
		defer line.Close()
		s := speaker()
		if _, err := s.Open(line, opening); err != nil {
			return
		}
		for range 100 {
			if _, err := s.Take(line, &program.Turn{Text: "go", Host: &listener{T: t}}); err != nil {
				return
			}
		}
	})
}

// listener allows every other call.
type listener struct {
	*testing.T
	asked int
}

func (l *listener) Say(e agent.Event) {
	if _, err := agent.EncodeEvent(e); err != nil {
		l.Errorf("%T: %v", e, err)
	}
}

func (l *listener) Approve(agent.ToolCall, agent.Action, string) program.Answer {
	l.asked++
	return program.Answer{Allowed: l.asked%2 == 1, Note: "no"}
}

func (l *listener) Input(string, string, []string) program.Answer {
	l.asked++
	return program.Answer{Stopped: l.asked%2 == 0, Text: "blue"}
}

// BenchmarkDeltas is what a delta costs.
func BenchmarkDeltas(b *testing.B) {
	const opened = `{"type":"control_response","response":{"subtype":"success","request_id":"parley-1","response":{"claude_code_version":"2.1.329"}}}
{"type":"system","subtype":"init"}
`
	const delta = `{"type":"stream_event","event":{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Hello "}},"session_id":"11111111-2222-4333-8444-555555555555","parent_tool_use_id":null,"uuid":"8dc718c6-775e-4c06-8b65-81720b8359fc","api_message_id":"msg_000001"}` + "\n"
	const end = `{"type":"result","subtype":"success","stop_reason":"end_turn","user_message_uuid":"message-1"}` + "\n"
	line := lineOf(io.MultiReader(strings.NewReader(opened), bytes.NewReader(bytes.Repeat([]byte(delta), b.N)), strings.NewReader(end)))
	defer line.Close()
	s := speaker()
	if _, err := s.Open(line, opening); err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	b.ResetTimer()
	if _, err := s.Take(line, &program.Turn{Text: "go", Host: quiet{}}); err != nil {
		b.Fatal(err)
	}
}

// quiet hears deltas, and nothing else.
type quiet struct{ program.Host }

func (quiet) Say(agent.Event) {}
