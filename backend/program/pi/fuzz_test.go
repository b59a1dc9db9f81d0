package pi_test

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"testing"

	"parley/backend/agent"
	"parley/backend/program"
	"parley/backend/program/pi"
)

// FuzzTake: whatever Pi writes, the turn ends when Pi does, and everything said can be written.
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
		line := program.NewLine(bytes.NewReader(written), io.Discard, func(err error) *agent.Error {
			return agent.Wrap(agent.CodeSandbox, err, "The program is gone.")
		})
		defer line.Close()
		s := pi.New()
		if _, err := s.Open(line, program.Opening{}); err != nil {
			return
		}
		for range 100 {
			if _, err := s.Take(line, &program.Turn{Text: "/", Host: &listener{t, 0}}); err != nil {
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

func (l *listener) Input(string, string, []string) program.Answer { return program.Answer{} }

// BenchmarkDeltas is what a delta costs.
func BenchmarkDeltas(b *testing.B) {
	const opened = `{"type":"extension_ui_request","id":"0","method":"setStatus","statusKey":"parley","statusText":"0.87.1"}
{"id":"1","type":"response","success":true,"data":{"sessionId":"s"}}
{"id":"2","type":"response","success":true,"data":{"commands":[]}}
{"id":"3","type":"response","command":"prompt","success":true}
`
	const delta = `{"type":"message_update","usage":{"input":100,"output":1,"cacheRead":0,"cacheWrite":0,"totalTokens":101,"cost":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"total":0}},"assistantMessageEvent":{"type":"text_delta","contentIndex":0,"delta":"Hello "}}` + "\n"
	in := io.MultiReader(bytes.NewReader([]byte(opened)), bytes.NewReader(bytes.Repeat([]byte(delta), b.N)), bytes.NewReader([]byte(`{"type":"agent_settled"}`+"\n")))
	line := program.NewLine(in, io.Discard, func(err error) *agent.Error { return agent.AsError(err) })
	defer line.Close()
	s := pi.New()
	if _, err := s.Open(line, program.Opening{}); err != nil {
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
