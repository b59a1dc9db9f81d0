//go:build linux

package program

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"parley/backend/agent"
)

// The test binary is the program, too: with "as=program" it greets and then does what each line says.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "as=program" {
		actAsProgram(os.Args[2:])
		return
	}
	os.Exit(m.Run())
}

// actAsProgram speaks a protocol of words. Its own session is a file in its private folder, with a line for each message.
func actAsProgram(args []string) {
	signal.Ignore(syscall.SIGTERM)
	time.AfterFunc(2*time.Minute, func() { os.Exit(99) }) // whatever a test forgets
	memory := filepath.Join(os.Getenv("HOME"), args[1])
	known, _ := os.ReadFile(memory)
	fmt.Printf("hello %s %d\n", args[0], strings.Count(string(known), "\n"))
	in := bufio.NewReader(os.Stdin)
	restless := false
	for {
		line, err := in.ReadString('\n')
		if err != nil {
			return
		}
		if line == "\"rest\"\n" {
			if !restless {
				fmt.Println("rested")
			}
			continue
		}
		var text string
		if json.Unmarshal([]byte(line), &text) != nil {
			panic(line)
		}
		known = append(known, fmt.Sprintf("%q\n", text)...)
		if err := os.WriteFile(memory, known, 0o600); err != nil {
			panic(err)
		}
		words := wordsOf(text)
		for i := 0; i < len(words); i++ {
			switch words[i] {
			case "say":
				fmt.Println("text", words[i+1])
			case "env":
				fmt.Println("text", os.Getenv(words[i+1]))
			case "refuse":
				fmt.Println("refused", os.Getenv("THE_KEY"))
			case "call":
				fmt.Println("call", words[i+1])
				answer, _ := in.ReadString('\n')
				fmt.Print("text ", answer)
			case "ask":
				fmt.Println("ask", words[i+1])
				answer, _ := in.ReadString('\n')
				fmt.Print("text ", answer)
			case "own":
				fmt.Println("own", words[i+1])
				_, _ = in.ReadString('\n')
			case "recall":
				fmt.Printf("text %d\n", strings.Count(string(known), "\n"))
			case "late": // said after the end
				defer fmt.Println("text late")
			case "begin": // a call, whose result never comes
				fmt.Println("begin", words[i+1])
			case "hang":
				fmt.Println("text hanging")
				if line, _ := in.ReadString('\n'); line == "\"stop\"\n" {
					fmt.Println("text stopped")
				}
			case "heed": // what the person says in the middle of the turn
				fmt.Println("text heeding")
				line, _ := in.ReadString('\n')
				fmt.Print("heard ", line)
			case "deaf":
				fmt.Println("text deaf")
				select {}
			case "restless":
				restless = true
			case "exit":
				os.Exit(7)
			}
		}
		fmt.Println("end")
		if slices.Contains(words, "then") {
			fmt.Println("text late")
		}
	}
}

// wordsOf are the words of a message that count.
func wordsOf(text string) []string {
	if _, asked, told := strings.Cut(text, "</conversation>\n\n"); told {
		text = asked
	}
	if _, calls, again := strings.Cut(text, "make them again:\n"); again {
		text = "call " + calls
	}
	return strings.Fields(text)
}

// wordSpeaker speaks that protocol.
type wordSpeaker struct{ tools *Tools }

func (w *wordSpeaker) Open(line *Line, o Opening) (Opened, error) {
	w.tools = o.Tools
	in, err := line.Next()
	if err != nil {
		return Opened{}, err
	}
	words := strings.Fields(string(in.Data))
	if words[0] != "hello" {
		return Opened{}, fmt.Errorf("%q is no greeting", words)
	}
	return Opened{Session: o.Session, Resumed: o.Resume && words[2] != "0", Version: words[1], Steers: true}, nil
}

func (w *wordSpeaker) Take(line *Line, t *Turn) (agent.Finish, error) {
	if err := line.Send(t.Text); err != nil {
		return agent.Finish{}, err
	}
	reason := agent.StopEndTurn
	var steered agent.Steering
	for {
		in, err := line.Next()
		if err != nil {
			return agent.Finish{}, err
		}
		if in.Steer != nil {
			steered = *in.Steer
			if err := line.Send(steered.Text); err != nil {
				return agent.Finish{}, err
			}
			continue
		}
		if in.Stop {
			reason = agent.StopCancelled
			if err := line.Send("stop"); err != nil {
				return agent.Finish{}, err
			}
			continue
		}
		verb, rest, _ := strings.Cut(string(in.Data), " ")
		call := agent.ToolCall{ID: "c-" + rest, Name: rest, Input: json.RawMessage(`{"n":1}`)}
		switch verb {
		case "text":
			t.Host.Say(agent.MessageDelta{Text: rest + " "})
		case "call":
			t.Host.Say(call)
			a := t.Host.Approve(call, agent.ActionProcess, "run "+rest)
			if err := line.Send(fmt.Sprintf("%t %s", a.Allowed, a.Note)); err != nil {
				return agent.Finish{}, err
			}
			t.Host.Say(agent.ToolResult{ID: call.ID, Output: "ran", IsError: !a.Allowed})
		case "heard":
			t.Host.Say(agent.Steered{Message: steered.Message})
			t.Host.Say(agent.MessageDelta{Text: rest + " "})
		case "refused":
			t.Host.Say(agent.Status{Text: "refused " + rest})
			return agent.Finish{}, agent.Wrap(agent.CodeProviderAuth, errors.New(rest), "The server says: "+rest)
		case "begin":
			t.Host.Say(call)
		case "ask":
			t.Host.Say(call)
			a := t.Host.Input(call.ID, "which?", []string{"x", "y"})
			if err := line.Send(a.Text); err != nil {
				return agent.Finish{}, err
			}
		case "own": // it calls write_file of ours, before it says so if the name is early
			path := map[string]string{"path": rest + ".txt", "content": rest}
			input, _ := json.Marshal(path)
			mine := agent.ToolCall{ID: "own-" + rest, Name: "write_file", Input: input}
			if rest != "silent" {
				t.Host.Say(mine)
			}
			output, err := callOwn(w.tools, "write_file", path)
			if err != nil {
				return agent.Finish{}, err
			}
			t.Host.Say(agent.ToolResult{ID: mine.ID, Output: "as the program tells it"})
			t.Host.Say(agent.MessageDelta{Text: output + " "})
			if err := line.Send("called"); err != nil {
				return agent.Finish{}, err
			}
		case "end":
			return agent.Finish{StopReason: reason, Model: "words", Usage: agent.Usage{Input: 10, Total: 10}}, nil
		default:
			return agent.Finish{}, fmt.Errorf("%q", in.Data)
		}
	}
}

// rig is a sandbox, and the conversation in it.
type rig struct {
	*testing.T
	sandbox agent.Sandbox
	launch  agent.Launch
	conn    agent.Conn // that was opened last
	prompt  agent.Prompt
	private string
}

func newRig(t *testing.T) *rig {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	r := &rig{T: t, private: t.TempDir(), launch: agent.Launch{
		Backend: agent.BackendLocal, Harness: "words", PermissionPolicy: agent.PermissionAsk,
		Endpoint: &agent.Endpoint{Provider: "p", BaseURL: "http://127.0.0.1:1"},
		Program: &agent.Program{
			Command: self, Args: []string{"as=program", "1.2.3"}, New: []string{agent.MarkSession}, Resume: []string{agent.MarkSession},
			Env: map[string]string{"THE_KEY": agent.MarkKey, "PLACE": agent.MarkPrivate}, Files: map[string]string{"deep/file.json": "{}"}, Speech: "words",
		},
	}}
	r.open(t.TempDir())
	return r
}

func (r *rig) open(scratch string) {
	b := NewBackend(Speakers{
		"words":         func() Speaker { return &wordSpeaker{} },
		"settled words": func() Speaker { return &settler{} },
	}, "127.0.0.1:0")
	s, err := b.NewSandbox(r.Context(), agent.Policy{Scratch: scratch, Private: r.private})
	if err != nil {
		r.Fatal(err)
	}
	r.sandbox = s
	r.Cleanup(func() {
		s.Close()
		if left, _ := os.ReadDir(r.private); len(left) > 0 {
			r.Errorf("left behind: %v", left)
		}
	})
}

// told is what came of a prompt: text, how the program knows its history, questions, and the end.
type said struct {
	text, how string
	asked     []agent.InteractionRequest
	results   []agent.ToolResult
	finish    agent.Finish
	err       *agent.Error
}

// say sends a message, and goes on listening as say does to what becomes of it.
func (r *rig) say(text string) said { return r.sayUntil(r.Context(), text, nil) }

func (r *rig) sayUntil(ctx context.Context, text string, each func(agent.Event)) said {
	r.prompt.Turn = agent.NewTurnID()
	r.prompt.Messages = append(r.prompt.Messages, agent.Message{Role: agent.RoleUser, Parts: []agent.Part{agent.TextPart{Text: text}}})
	return r.listen(ctx, each)
}

func (r *rig) listen(ctx context.Context, each func(agent.Event)) (s said) {
	r.Helper()
	conn, err := r.sandbox.Open(ctx, r.launch)
	if err != nil {
		r.Fatal(err)
	}
	r.conn = conn
	defer conn.Close()
	for e, err := range conn.Prompt(ctx, r.prompt) {
		if err != nil {
			s.err = err.(*agent.Error)
			break
		}
		switch e := e.(type) {
		case agent.MessageDelta:
			s.text += e.Text
		case agent.Data:
			var d struct{ How string }
			_ = json.Unmarshal(e.Data, &d)
			s.how = d.How
		case agent.InteractionRequest:
			s.asked = append(s.asked, e)
		case agent.ToolResult:
			s.results = append(s.results, e)
		case agent.Finish:
			s.finish = e
		}
		if each != nil {
			each(e)
		}
	}
	if s.finish.StopReason != agent.StopPaused {
		r.prompt.After = r.prompt.Turn
		r.prompt.Messages = append(r.prompt.Messages, agent.Message{Role: agent.RoleAssistant, Parts: []agent.Part{agent.TextPart{Text: s.text}}})
	}
	return s
}

func (r *rig) is(s said, how, text string) {
	r.Helper()
	if s.err != nil || s.how != how || s.text != text {
		r.Fatalf("%q, %s, %+v, %v; want %q, %s", s.text, s.how, s.finish, s.err, text, how)
	}
}

func TestAProgramStaysBetweenTurns(t *testing.T) {
	r := newRig(t)
	r.prompt.Secrets = map[string]string{"p": "s3cret"}
	r.is(r.say("say hi env THE_KEY env HOME"), "new", "hi s3cret "+r.sandbox.(*sandbox).private+"/home ")
	r.is(r.say("recall"), "warm", "2 ")
	r.prompt.Secrets = map[string]string{"p": "another"}
	r.is(r.say("recall env THE_KEY"), "resumed", "3 another ")
	updated := *r.launch.Program
	updated.Args = []string{"as=program", "1.2.4"}
	r.launch.Program = &updated
	r.is(r.say("recall"), "resumed", "4 ")
	r.prompt.After = "elsewhere"
	if s := r.say("recall"); s.how != "retold" || s.text != "1 " {
		t.Errorf("%+v", s)
	}
}

func TestAProgramThatIsGone(t *testing.T) {
	r := newRig(t)
	r.say("say hi")
	kill := func() {
		s := r.sandbox.(*sandbox).session
		_ = syscall.Kill(s.process.PID(), syscall.SIGKILL)
		<-s.process.Exited
	}
	kill() // between turns: nothing is lost
	r.is(r.say("recall"), "resumed", "2 ")
	s := r.sayUntil(t.Context(), "say partial hang", func(e agent.Event) {
		if d, ok := e.(agent.MessageDelta); ok && d.Text == "hanging " {
			kill()
		}
	})
	if s.err == nil || s.err.Code != agent.CodeSandbox || s.text != "partial hanging " || !strings.Contains(s.err.Message, "signal: killed") {
		t.Fatalf("%+v", s)
	}
	if s := r.say("recall"); s.how != "retold" || s.text != "1 " {
		t.Errorf("after a death in the middle: %+v", s)
	}
	if s := r.say("exit"); s.err == nil || !strings.Contains(s.err.Message, "exit status 7") {
		t.Errorf("%+v", s)
	}
}

func TestWhatIsSaidAfterTheEndBelongsToNoTurn(t *testing.T) {
	r := newRig(t)
	r.is(r.say("say a then"), "new", "a ")
	for line := r.sandbox.(*sandbox).session.line; line.late.Load() == 0; {
		runtime.Gosched()
	}
	r.is(r.say("say b"), "warm", "b ")
}

func TestAProgramThatAsks(t *testing.T) {
	for name, c := range map[string]struct {
		answer   func(r *rig, call string)
		says     string
		rejoined string
	}{
		"allowed": {func(r *rig, call string) { r.prompt.Approved = []string{call} }, `"true " b `, ""},
		"denied": {func(r *rig, call string) {
			result := agent.ToolResultPart{ToolCallID: call, Result: json.RawMessage(`"no, because"`), IsError: true, Denied: true}
			r.prompt.Messages = append(r.prompt.Messages, agent.Message{Role: agent.RoleTool, Parts: []agent.Part{result}})
		}, `"false no, because" b `, ""},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			s := r.say("say a call make say b")
			if s.finish.StopReason != agent.StopPaused || s.text != "a " || len(s.asked) != 1 || s.asked[0].Call != "c-make" || !strings.Contains(string(s.asked[0].Payload), "run make") {
				t.Fatalf("%+v", s)
			}
			r.prompt.Messages = append(r.prompt.Messages, agent.Message{Role: agent.RoleAssistant, Parts: []agent.Part{
				agent.ToolCallPart{ID: "c-make", Name: "make", Args: json.RawMessage(`{"n":1}`)}}})
			c.answer(r, "c-make")
			s = r.listen(t.Context(), nil)
			if s.err != nil || s.text != c.says || s.how != "" || s.finish.Usage.Input != 10 {
				t.Fatalf("%+v", s)
			}
			if want := map[bool]int{true: 1}[name == "allowed"]; len(s.results) != want {
				t.Errorf("results: %+v", s.results)
			}
			r.is(r.say("recall"), "warm", "2 ")
		})
	}
}

// TestAnAnswerOutlivesTheProgram: the next one is told of it, and need not ask again.
func TestAnAnswerOutlivesTheProgram(t *testing.T) {
	r := newRig(t)
	if s := r.say("call make"); s.finish.StopReason != agent.StopPaused {
		t.Fatalf("%+v", s)
	}
	r.prompt.Messages = append(r.prompt.Messages, agent.Message{Role: agent.RoleAssistant, Parts: []agent.Part{
		agent.ToolCallPart{ID: "c-make", Name: "make", Args: json.RawMessage(`{"n":1}`)}}})
	r.prompt.Approved = []string{"c-make"}
	r.sandbox.Close()
	r.open(t.TempDir())
	s := r.listen(t.Context(), nil)
	if s.err != nil || s.how != "retold" || len(s.asked) != 0 || !strings.Contains(s.text, `"true "`) || len(s.results) == 0 || s.results[0].ID != "c-make" {
		t.Fatalf("%+v", s)
	}
}

// TestAProgramThatQuotesItsKey tells it neither a person nor a log.
func TestAProgramThatQuotesItsKey(t *testing.T) {
	r := newRig(t)
	r.prompt.Secrets = map[string]string{"p": "s3cret"}
	var status string
	s := r.sayUntil(t.Context(), "refuse", func(e agent.Event) {
		if said, ok := e.(agent.Status); ok {
			status = said.Text
		}
	})
	if s.err == nil || s.err.Message != "The server says: [key]" || strings.Contains(s.err.Error(), "s3cret") || status != "refused [key]" {
		t.Errorf("%v, %q", s.err, status)
	}
}

func TestAnInput(t *testing.T) {
	r := newRig(t)
	s := r.say("ask colour")
	if s.finish.StopReason != agent.StopPaused || s.asked[0].Kind != agent.UserInput || string(s.asked[0].Payload) != `{"question":"which?","options":["x","y"]}` {
		t.Fatalf("%+v", s)
	}
	r.prompt.Messages = append(r.prompt.Messages,
		agent.Message{Role: agent.RoleAssistant, Parts: []agent.Part{agent.ToolCallPart{ID: "c-colour", Name: "colour"}}},
		agent.Message{Role: agent.RoleTool, Parts: []agent.Part{agent.ToolResultPart{ToolCallID: "c-colour", Result: json.RawMessage(`"y"`)}}})
	if s := r.listen(t.Context(), nil); s.err != nil || s.text != `"y" ` {
		t.Errorf("%+v: %v", s, s.err)
	}
}

func TestPrograms(t *testing.T) {
	for name, c := range map[string]struct {
		change func(l *agent.Program)
		says   string
		code   agent.Code
	}{
		"that are not there":      {func(p *agent.Program) { p.Command = "no-such-program" }, "was not found", agent.CodeSandbox},
		"that exit at once":       {func(p *agent.Program) { p.Command, p.Args = "/bin/false", nil }, "exit status 1", agent.CodeSandbox},
		"that say something else": {func(p *agent.Program) { p.Command, p.Args = "/bin/echo", []string{"what?"} }, "does not understand", agent.CodeSandbox},
		"that never answer":       {func(p *agent.Program) { p.Command, p.Args = "/bin/sleep", []string{"600"}; p.New = nil }, "did not answer within", agent.CodeRunTimeout},
		"that write a line of 64 MB": {func(p *agent.Program) {
			p.Command, p.Args = "/bin/sh", []string{"-c", "head -c 70000000 /dev/zero | tr '\\0' x; echo; sleep 600"}
		}, "more at once than can be read", agent.CodeSandbox},
		"that flood stderr, then leave": {func(p *agent.Program) {
			p.Command, p.Args = "/bin/sh", []string{"-c", "head -c 30000000 /dev/zero >&2; exit 3"}
		}, "exit status 3", agent.CodeSandbox},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			c.change(r.launch.Program)
			if name == "that never answer" {
				r.sandbox.(*sandbox).backend.limits.open = 300 * time.Millisecond
			}
			s := r.say("say hi")
			if s.err == nil || s.err.Code != c.code || !strings.Contains(s.err.Message, c.says) {
				t.Errorf("%+v, %v", s, s.err)
			}
		})
	}
}
