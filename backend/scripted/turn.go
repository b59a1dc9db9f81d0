package scripted

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"time"
	"unicode/utf8"

	"parley/backend/agent"
)

// How a turn ends that is not played to its end. Nobody is told these.
var (
	errPaused  = errors.New("the turn waits for an answer")
	errStopped = errors.New("the turn was stopped")
	errLeft    = errors.New("the reader left")
)

// turn is one turn that is being played.
type turn struct {
	ctx    context.Context
	conn   *conn
	prompt agent.Prompt
	script Script
	source played
	step   int // calls since the message: each is answered, by its result or by being left unanswered
	calls  int // in the session
	usage  agent.Usage
	yield  func(agent.Event, error) bool
}

// newTurn reads the script in the newest user message, and from what follows it how far it was played.
func newTurn(ctx context.Context, c *conn, prompt agent.Prompt, yield func(agent.Event, error) bool) *turn {
	t := &turn{ctx: ctx, conn: c, yield: yield, prompt: prompt, source: played{session: prompt.Key}}
	for _, m := range prompt.Messages {
		if m.Role == agent.RoleUser {
			t.source.text, t.step = "", 0
		}
		for _, p := range m.Parts {
			switch p := p.(type) {
			case agent.TextPart:
				if m.Role == agent.RoleUser {
					t.source.text += p.Text
				}
			case agent.ToolCallPart:
				t.calls++
				t.step++
			}
		}
	}
	t.script = Parse(t.source.text)
	if !t.script.Found {
		t.script = scene(t.source.text)
	}
	return t
}

// play takes the turn from where it stands to the end of the script.
func (t *turn) play() error {
	if f := t.script.Failure; f != nil && f.Once {
		if _, failed := t.conn.sandbox.backend.failed.Load(t.source); failed {
			t.script.Failure = nil
		}
	}
	_, approved := t.prompt.Resumed()
	for _, call := range approved {
		if err := t.run(call, t.conn.tools.RunApproved); err != nil {
			return err
		}
	}
	if t.script.Steer {
		if err := t.say(steers); err != nil {
			return err
		}
	}
	for {
		if err := t.playScript(); err != nil || !t.script.Steer {
			return err
		}
		if err := t.heed(); err != nil {
			return err
		}
	}
}

// steers is how a program says that it can be steered.
var steers = agent.Data{Name: "harness", Data: json.RawMessage(`{"harness":"scripted","how":"warm","steers":true}`)}

// playScript plays what is left of the script.
func (t *turn) playScript() error {
	for ; t.step < len(t.script.Tools); t.step++ {
		if err := t.playModelCall(); err != nil {
			return err
		}
	}
	if err := t.playModelCall(); err != nil {
		return err
	}
	if t.script.Usage == nil {
		return nil
	}
	t.usage = *t.script.Usage
	return t.say(agent.UsageReport{Usage: t.usage})
}

// heed waits for what the person says in the middle of the turn: it is the script from then on.
func (t *turn) heed() error {
	h := t.conn.heeds.Load()
	select {
	case said := <-h.said:
		t.script, t.step = Parse(said.Text), 0
		return t.say(agent.Steered{Message: said.Message})
	case <-t.ctx.Done():
		return errStopped
	}
}

// playModelCall plays one model call and, if it ends in one, the tool call.
func (t *turn) playModelCall() error {
	pause := t.script.TTFT
	for beat := range t.script.Play(t.step) {
		if err := t.wait(pause); err != nil {
			return err
		}
		pause = t.script.Gap
		if err := t.playBeat(beat); err != nil {
			return err
		}
	}
	return nil
}

func (t *turn) playBeat(beat Beat) error {
	backend := t.conn.sandbox.backend
	switch beat.Kind {
	case BeatThought:
		return t.say(agent.ThoughtDelta{Text: beat.Text})
	case BeatText:
		return t.say(agent.MessageDelta{Text: beat.Text})
	case BeatCall:
		return t.call(*beat.Call)
	case BeatFailure:
		if t.script.Failure.Once {
			backend.failed.Store(t.source, true)
		}
		return agent.Errorf(t.script.Failure.Code, "The script in this message asks for this failure (%s).", t.script.Failure.Code)
	case BeatCrash:
		if backend.Crash != nil {
			backend.Crash()
		}
		return agent.Errorf(agent.CodeSandbox, "The script in this message asks for a crash of the agent's process.")
	case BeatHang:
		<-t.ctx.Done()
		return errStopped
	}
	return fmt.Errorf("play a script: unknown beat %d", beat.Kind)
}

// call streams the arguments, announces the call, runs it, and gives the result. A call that has to be answered first
// ends the playing.
func (t *turn) call(step ToolStep) error {
	t.calls++
	call := agent.ToolCall{ID: fmt.Sprintf("call_%d", t.calls), Name: step.Name, Input: step.Input}
	for piece := range pieces(string(step.Input)) {
		if err := t.say(agent.ToolCallDelta{ID: call.ID, Name: call.Name, Text: piece, Client: t.conn.tools.IsClient(call.Name)}); err != nil {
			return err
		}
		if err := t.wait(t.script.Gap); err != nil {
			return err
		}
	}
	if !json.Valid(call.Input) { // an event holds valid JSON, whatever the script says
		call.Input, _ = json.Marshal(string(step.Input))
	}
	call.Client = t.conn.tools.ForClient(call)
	if err := t.say(call); err != nil {
		return err
	}
	switch e := t.conn.tools.Decide(call, t.conn.Grounds(t.prompt)).(type) {
	case nil:
		return t.run(call, t.conn.tools.Run)
	case agent.InteractionRequest:
		if err := t.say(e); err != nil {
			return err
		}
		return errPaused
	default:
		return t.say(e)
	}
}

// run runs a call and gives its result. What it says before it is not worth staying for when the reader has left.
func (t *turn) run(call agent.ToolCall, run func(context.Context, agent.Host, agent.ToolCall, func(agent.Event)) agent.ToolResult) error {
	ctx, cancel := context.WithCancel(t.ctx)
	defer cancel()
	var left error
	result := run(ctx, t.prompt.Host, call, func(e agent.Event) {
		if left == nil {
			left = t.say(e)
		}
		if left != nil {
			cancel()
		}
	})
	if left != nil {
		return left
	}
	return t.say(result)
}

// pieces cuts the text of arguments between runes, into about sixteen pieces or fewer.
func pieces(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for size := max(16, len(text)/16); text != ""; {
			end := min(size, len(text))
			for end < len(text) && !utf8.RuneStart(text[end]) {
				end++
			}
			if !yield(text[:end]) {
				return
			}
			text = text[end:]
		}
	}
}

func (t *turn) say(e agent.Event) error {
	if !t.yield(e, nil) {
		return errLeft
	}
	return nil
}

// wait lets d pass, and gives errStopped once the turn is.
func (t *turn) wait(d time.Duration) error {
	if d > 0 {
		timer := time.NewTimer(d)
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-t.ctx.Done():
		}
	}
	if t.ctx.Err() != nil {
		return errStopped
	}
	return nil
}
