//go:build linux

package program

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"parley/backend/agent"
	"parley/backend/process"
)

// runs lets the next program be a shell script.
func (r *rig) runs(script string) {
	program := *r.launch.Program
	program.Command, program.Args = "sh", []string{"-c", script}
	r.launch.Program = &program
}

// TestTurnsWithProgramsThatMisbehave: a turn ends in a clear state whatever its program does, and so does the next.
func TestTurnsWithProgramsThatMisbehave(t *testing.T) {
	zeros := func(n int) string { return fmt.Sprintf("printf 'text '; head -c %d /dev/zero | tr '\\0' 0; echo; ", n) }
	for name, test := range map[string]struct {
		script string
		says   string
		code   agent.Code // of the error that ends the turn
		error  string     // a part of what is told
	}{
		"exits with 0 in the middle":    {"echo text half; exit 0", "half ", agent.CodeSandbox, "sh ended unexpectedly"},
		"dies":                          {"echo text half; kill -9 $$", "half ", agent.CodeSandbox, "sh ended unexpectedly"},
		"shuts its mouth and lives on":  {"echo text half; exec >&-; sleep 100", "half ", agent.CodeSandbox, "sh ended unexpectedly"},
		"speaks another language":       {"echo bonjour; sleep 100", "", agent.CodeSandbox, "said something that Parley does not understand"},
		"says what is no UTF-8":         {`printf 'text a\377b\n'; echo end; sleep 100`, "a\xffb ", "", ""},
		"floods stderr":                 {"head -c 20000000 /dev/zero >&2 & echo text one; head -c 20000000 /dev/zero >&2; echo text two; wait; echo end; sleep 100", "one two ", "", ""},
		"says as much as a line may":    {zeros(process.MaxLine-6) + "echo end; sleep 100", strings.Repeat("0", process.MaxLine-6) + " ", "", ""},
		"never comes to a line's end":   {"printf 'text '; yes | tr -d '\\n'", "", agent.CodeSandbox, "sh wrote more at once than can be read"},
		"starts others and leaves them": {"sleep 100 & echo text half; exit 0", "half ", agent.CodeSandbox, "sh ended unexpectedly"},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			r.runs("echo hello 1.2.3 0; read message; " + test.script)
			s := r.say("go")
			if s.text != test.says {
				t.Errorf("it said %.100q (%d)", s.text, len(s.text))
			}
			switch {
			case test.code == "" && (s.err != nil || s.finish.StopReason != agent.StopEndTurn):
				t.Errorf("the turn ended with %+v, %v", s.finish, s.err)
			case test.code != "" && (s.err == nil || s.err.Code != test.code || !strings.Contains(s.err.Message, test.error)):
				t.Errorf("the turn ended with %+v, %v", s.finish, s.err)
			}
			r.runs("echo hello 1.2.3 0; read message; echo text well; echo end")
			r.prompt = agent.Prompt{} // a shell takes its time to read what was said
			if s := r.say("again"); s.err != nil || s.text != "well " {
				t.Errorf("the next turn: %+v", s)
			}
		})
	}
}

func TestAProgramThatNeverGetsReady(t *testing.T) {
	r := newRig(t)
	r.runs("sleep 100")
	r.sandbox.(*sandbox).backend.limits.open = 100 * time.Millisecond
	if s := r.say("go"); s.err == nil || s.err.Code != agent.CodeRunTimeout || !strings.Contains(s.err.Message, "did not answer within 100ms") {
		t.Errorf("%+v", s)
	}
}

// A program that does not even read what it is told cannot be told to stop.
func TestAProgramThatReadsNothing(t *testing.T) {
	r := newRig(t)
	r.runs("echo hello 1.2.3 0; sleep 100")
	r.sandbox.(*sandbox).backend.limits.stop = 100 * time.Millisecond
	ctx, stop := context.WithCancel(t.Context())
	s := r.sayUntil(ctx, strings.Repeat("long ", 1<<18), func(agent.Event) { stop() })
	if s.err != nil || s.finish.StopReason != agent.StopCancelled || !s.finish.Killed {
		t.Errorf("%+v", s)
	}
}
