// Package programtest plays recorded conversations with programs to their speakers.
package programtest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"parley/backend/agent"
	"parley/backend/program"
)

// Play plays every testdata/*.txt to a speaker that make makes. A file starts with prose; then come lines of
//
//	open JSON    the speaker opens: a program.Opening
//	rest         it hears the program out
//	turn TEXT    it takes a turn
//	image        with a picture, if it comes right before the turn
//	> JSON       the speaker writes exactly this
//	< LINE       the program writes this, which need not be JSON
//	<< N LINE    the program writes this with the character ~ in it N times over
//	stop         the person stops the turn
//	steer TEXT   the person says something in the middle of the turn
//	answer JSON  a program.Answer to the next question
//	gone         the program ends
//
// and after "-- said --" what the speaker said, golden: events, questions, and how Open and Take ended. With update, that and the lines with > are
// written anew.
func Play(t *testing.T, update bool, make func() program.Speaker) {
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("no recorded conversations (%v)", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			b, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			script, want, _ := strings.Cut(string(b), "-- said --\n")
			s := newStage(t, update, make())
			script, got := s.play(script)
			if update {
				if err := os.WriteFile(file, []byte(script+"-- said --\n"+got), 0o644); err != nil {
					t.Fatal(err)
				}
			} else if got != want {
				t.Errorf("said (-update accepts it):\n%s\nwant:\n%s", got, want)
			}
		})
	}
}

// patience is for a speaker that hangs, on the slowest machine.
const patience = time.Minute

// stage is a program that is played, and the listener of its speaker.
type stage struct {
	*testing.T
	update  bool
	speaker program.Speaker
	line    *program.Line
	in      *feed
	out     chan string
	answers chan program.Answer
	busy    chan struct{} // closed when the speaker has done what it was asked to
	offered offer         // as it was noted last

	mu   sync.Mutex
	said strings.Builder
}

func newStage(t *testing.T, update bool, speaker program.Speaker) *stage {
	s := &stage{T: t, update: update, speaker: speaker, in: newFeed(), out: make(chan string, 1<<16), answers: make(chan program.Answer), busy: make(chan struct{})}
	close(s.busy)
	s.line = program.NewLine(s.in, s, func(err error) *agent.Error {
		return agent.Wrap(agent.CodeSandbox, err, "The program is gone.")
	})
	t.Cleanup(func() { s.in.end(); s.line.Close() })
	return s
}

// play plays a script, and gives it as it should be, and what was said.
func (s *stage) play(script string) (should, said string) {
	var again strings.Builder
	var images []program.Image
	for line := range strings.Lines(script) {
		verb, rest, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		switch verb {
		case "open":
			o := parse[program.Opening](s.T, rest)
			s.begin(func() {
				opened, err := s.speaker.Open(s.line, o)
				s.ended(opened, err)
				s.offered = offer{opened.Options, opened.Commands}
			})
		case "rest":
			s.begin(s.rest)
		case "image":
			images = append(images, program.Image{MediaType: "image/png", Content: []byte("a picture")})
		case "turn":
			turn := &program.Turn{Text: rest, Images: images, Host: s}
			images = nil
			s.begin(func() { s.ended(s.speaker.Take(s.line, turn)) })
		case ">":
			got := s.written()
			if s.update {
				line = "> " + got + "\n"
			} else if !sameJSON(s.T, rest, got) {
				s.Fatalf("the speaker wrote\n%s\nand should have written\n%s", got, rest)
			}
		case "<":
			s.in.add(rest + "\n")
		case "<<":
			times, text, _ := strings.Cut(rest, " ")
			n, err := strconv.Atoi(times)
			if err != nil {
				s.Fatal(err)
			}
			s.in.add(strings.ReplaceAll(text, "~", strings.Repeat("~", n)) + "\n")
		case "stop":
			s.in.awaitReader(s.T)
			s.line.Stop()
		case "steer":
			within(s.T, "a message in the middle of the turn is taken", func(late <-chan struct{}) {
				s.line.Steer(s.Context(), agent.Steering{Message: agent.MessageID("said:" + rest), Text: rest}, late)
			})
		case "answer":
			within(s.T, "a question", func(late <-chan struct{}) {
				select {
				case s.answers <- parse[program.Answer](s.T, rest):
				case <-late:
				}
			})
		case "gone":
			s.in.end()
		}
		again.WriteString(line)
	}
	s.await()
	select {
	case more := <-s.out:
		s.Errorf("the speaker also wrote %s", more)
	default:
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return again.String(), s.said.String()
}

// offer is what may be chosen.
type offer struct {
	Options  []program.Option
	Commands []program.Command
}

// rest lets the speaker hear the program out, and notes what may be chosen if that has changed.
func (s *stage) rest() {
	if err := s.speaker.(program.Settler).Settle(s.line); err != nil {
		s.ended(nil, err)
		return
	}
	options, commands := s.speaker.(program.Offerer).Offered()
	if now := (offer{options, commands}); !reflect.DeepEqual(now, s.offered) {
		s.offered = now
		s.ended(now, nil)
	}
}

func (s *stage) begin(do func()) {
	s.await()
	s.busy = make(chan struct{})
	go func() { defer close(s.busy); do() }()
}

func (s *stage) await() {
	within(s.T, "the end of what the speaker was asked to do", func(late <-chan struct{}) {
		select {
		case <-s.busy:
		case <-late:
		}
	})
}

// within fails the test when what is waited for takes too long.
func within(t *testing.T, what string, wait func(late <-chan struct{})) {
	late := make(chan struct{})
	timer := time.AfterFunc(patience, func() {
		t.Errorf("waited in vain for: %s", what)
		close(late)
	})
	defer timer.Stop()
	wait(late)
}

// written is the next line that the speaker writes.
func (s *stage) written() (line string) {
	within(s.T, "a line of the speaker", func(late <-chan struct{}) {
		select {
		case line = <-s.out:
		case <-late:
		}
	})
	return line
}

// Write takes what the speaker writes.
func (s *stage) Write(b []byte) (int, error) {
	s.out <- strings.TrimSuffix(string(b), "\n")
	return len(b), nil
}

// ended notes how Open or Take ended.
func (s *stage) ended(result any, err error) {
	var known *agent.Error
	switch {
	case errors.As(err, &known):
		s.note("error %s: %s", known.Code, known.Message)
	case err != nil:
		s.note("defect: %v", err)
	default:
		b, err := json.Marshal(result)
		if err != nil {
			s.Error(err)
		}
		s.note("%T %s", result, b)
	}
}

func (s *stage) note(format string, args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	fmt.Fprintf(&s.said, format+"\n", args...)
}

// Say is program.Host's.
func (s *stage) Say(e agent.Event) {
	b, err := agent.EncodeEvent(e)
	if err != nil {
		s.Errorf("%T: %v", e, err)
	}
	if len(b) > 1000 {
		b = fmt.Appendf(b[:200], "… %d bytes", len(b))
	}
	s.note("%s", b)
}

// Approve is program.Host's.
func (s *stage) Approve(call agent.ToolCall, action agent.Action, preview string) program.Answer {
	s.note("approve %s %s %s %s: %s", call.ID, call.Name, call.Input, action, preview)
	return s.answer()
}

// Input is program.Host's.
func (s *stage) Input(call, question string, options []string) program.Answer {
	s.note("input %s %q %q", call, question, options)
	return s.answer()
}

func (s *stage) answer() program.Answer {
	a := program.Answer{Stopped: true}
	within(s.T, "an answer", func(late <-chan struct{}) {
		select {
		case a = <-s.answers:
		case <-late:
		}
	})
	return a
}

func parse[V any](t *testing.T, text string) (v V) {
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return v
}

func sameJSON(t *testing.T, a, b string) bool {
	return reflect.DeepEqual(parse[any](t, a), parse[any](t, b))
}

// feed is what a program writes, without end until it is ended.
type feed struct {
	mu      sync.Mutex
	changed *sync.Cond
	left    bytes.Buffer
	over    bool
	reading bool // somebody waits for more
}

func newFeed() *feed {
	f := &feed{}
	f.changed = sync.NewCond(&f.mu)
	return f
}

func (f *feed) add(text string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.left.WriteString(text)
	f.changed.Broadcast()
}

func (f *feed) end() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.over = true
	f.changed.Broadcast()
}

func (f *feed) Read(b []byte) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for f.left.Len() == 0 && !f.over {
		f.reading = true
		f.changed.Broadcast()
		f.changed.Wait()
	}
	f.reading = false
	return f.left.Read(b)
}

// awaitReader waits until all was read and more is wanted.
func (f *feed) awaitReader(t *testing.T) {
	timer := time.AfterFunc(patience, func() {
		t.Error("the speaker does not want another line")
		f.end()
	})
	defer timer.Stop()
	f.mu.Lock()
	defer f.mu.Unlock()
	for (f.left.Len() > 0 || !f.reading) && !f.over {
		f.changed.Wait()
	}
}
