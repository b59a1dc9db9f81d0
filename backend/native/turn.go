package native

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"slices"
	"strings"

	"parley/backend/agent"
	"parley/backend/provider"
	"parley/backend/tool"
)

// The guards of one turn.
const (
	maxRounds      = 16 // times that tools are run
	maxCorrections = 3  // times in a row that the model is told that its arguments are no JSON
	maxParallel    = 8  // tools that run at once
)

// turn is one prompt on its way to its end.
type turn struct {
	*conn
	ctx    context.Context // ends with the caller's, with the conn, or when nobody listens any more
	cancel context.CancelFunc
	prompt agent.Prompt
	yield  func(agent.Event, error) bool
	left   bool // nobody listens any more

	steps []agent.Message // what was said in this turn: an assistant's and a tool's message per round
	usage agent.Usage
	model string // what really answered
}

// call is one that the model made. problem says why it cannot be run, denied that it may not be.
type call struct {
	agent.ToolCall
	problem string
	denied  *agent.ToolResult
}

// loop takes the turn: ask, run the tools that are called, ask again. A turn that was paused begins with the calls that
// were allowed; the others that have no result are left unanswered.
func (t *turn) loop() (agent.StopReason, error) {
	round, approved := t.prompt.Resumed()
	if len(approved) > 0 {
		calls := make([]call, len(approved))
		for i, c := range approved {
			calls[i].ToolCall = c
		}
		t.steps = append(t.steps, t.runTools(calls))
	}
	corrections := 0
	for ; t.ctx.Err() == nil; round++ {
		step, calls, reason, err := t.ask()
		if err != nil || reason != agent.StopToolUse {
			return reason, err
		}
		if round >= maxRounds {
			return "", agent.Errorf(agent.CodeTurnLimit, "The agent has used its tools %d times without coming to an end, and was stopped. Send a message to let it go on.", maxRounds)
		}
		if !slices.ContainsFunc(calls, func(c call) bool { return c.problem != "" }) {
			corrections = 0
		} else if corrections++; corrections > maxCorrections {
			return "", agent.Errorf(agent.CodeToolFailed, "The model %q called tools with malformed arguments again and again, and was stopped. Try another model.", t.model)
		}
		calls, open := t.decide(calls)
		t.steps = append(t.steps, step, t.runTools(calls))
		if len(open) > 0 && t.ctx.Err() == nil {
			for _, request := range open {
				t.say(request)
			}
			return agent.StopPaused, nil
		}
	}
	return "", t.ctx.Err()
}

// decide parts calls into those that have an answer or get one now, and the questions about the others.
func (t *turn) decide(calls []call) (now []call, open []agent.Event) {
	for _, c := range calls {
		if c.problem == "" {
			switch e := t.tools.Decide(c.ToolCall, t.Grounds(t.prompt)).(type) {
			case agent.InteractionRequest:
				open = append(open, e)
				continue
			case agent.ToolResult:
				c.denied = &e
			}
		}
		now = append(now, c)
	}
	return now, open
}

// ask gets the model's next answer and passes on what it says as it says it. It announces every call before any is run.
func (t *turn) ask() (step agent.Message, calls []call, reason agent.StopReason, err error) {
	request, err := t.request()
	if err != nil {
		return step, nil, "", err
	}
	var text strings.Builder
	var used *agent.Usage
	endpoint := *t.launch.Endpoint
	for chunk, failure := range t.sandbox.models.Stream(t.ctx, endpoint, t.prompt.Secrets[endpoint.Provider], request) {
		switch k := chunk.(type) {
		case provider.Text:
			text.WriteString(string(k))
			t.say(agent.MessageDelta{Text: string(k)})
		case provider.Reasoning:
			t.say(agent.ThoughtDelta{Text: string(k)})
		case provider.CallPiece:
			t.say(agent.ToolCallDelta{ID: k.ID, Name: k.Name, Text: k.Args, Client: t.tools.IsClient(k.Name)})
		case provider.WholeCall:
			c := readCall(k)
			c.Client = c.problem == "" && t.tools.ForClient(c.ToolCall)
			calls = append(calls, c)
			t.say(c.ToolCall)
		case provider.Usage:
			used = (*agent.Usage)(&k)
		case provider.Finish:
			reason, t.model = k.Reason, k.Model
		case nil:
			err = failure
		default:
			err = fmt.Errorf("a chunk of type %T", chunk)
		}
		if t.left || err != nil {
			break
		}
	}
	if used != nil {
		t.usage = t.usage.Add(*used)
		t.say(agent.UsageReport{Usage: t.usage})
	}
	if text.Len() > 0 {
		step.Parts = append(step.Parts, agent.TextPart{Text: text.String()})
	}
	for _, c := range calls {
		step.Parts = append(step.Parts, agent.ToolCallPart{ID: c.ID, Name: c.Name, Args: c.Input})
	}
	step.Role = agent.RoleAssistant
	return step, calls, reason, err
}

// request is the whole conversation so far. Its beginning is the same bytes every time.
func (t *turn) request() (provider.Request, error) {
	messages := project(t.launch.AgentsMD, len(t.definitions) > 0, slices.Concat(t.prompt.Messages, t.steps), t.prompt.Media)
	if len(messages) == 0 || messages[len(messages)-1].Role == agent.RoleAssistant || messages[len(messages)-1].Role == agent.RoleSystem {
		return provider.Request{}, agent.Errorf(agent.CodeValidation, "There is no message to answer. Write one and send it.")
	}
	request := provider.Request{Model: t.launch.Model, Messages: messages}
	for _, d := range t.definitions {
		request.Tools = append(request.Tools, provider.Tool{Name: d.Name, Description: d.Description, Schema: d.Schema})
	}
	return request, nil
}

// readCall makes the call that is announced and run. One whose arguments are no JSON object is announced with {}: that
// is what every provider takes back. The malformed text has been seen as it came, and the model is told of it.
func readCall(w provider.WholeCall) call {
	c := call{ToolCall: agent.ToolCall{ID: w.ID, Name: w.Name, Input: json.RawMessage(`{}`)}}
	args := bytes.TrimSpace([]byte(w.Args))
	if len(args) == 0 || string(args) == "null" { // many models' way to say that there are none
		return c
	}
	reason := json.Unmarshal(args, new(json.RawMessage))
	if reason == nil && args[0] == '{' {
		c.Input = args
		return c
	}
	if reason == nil {
		reason = errors.New("they are another kind of value")
	}
	c.problem = fmt.Sprintf("%s was not run: its arguments are not a JSON object (%v). They begin with %.200q. Call it again with complete arguments.", c.Name, reason, args)
	return c
}

// runTools runs the calls of one answer and gives the message that answers them, in their order. Neighbours that only
// read run side by side; every other call has the place to itself.
func (t *turn) runTools(calls []call) agent.Message {
	m := agent.Message{Role: agent.RoleTool}
	for len(calls) > 0 && t.ctx.Err() == nil {
		n := slices.IndexFunc(calls, func(c call) bool { return !t.readOnly(c.Name) })
		if n < 0 {
			n = len(calls)
		}
		n = max(n, 1)
		for _, result := range t.runTogether(calls[:n]) {
			output, _ := json.Marshal(result.Output) // a string: it cannot fail
			m.Parts = append(m.Parts, agent.ToolResultPart{ToolCallID: result.ID, Result: output, IsError: result.IsError || result.Denied, Denied: result.Denied})
		}
		calls = calls[n:]
	}
	return m
}

func (t *turn) readOnly(name string) bool {
	return slices.ContainsFunc(t.definitions, func(d tool.Definition) bool { return d.Name == name && d.ReadOnly })
}

// runTogether runs calls at once. It passes on their progress as it comes, and their results in order; it returns when
// all are done. Only this goroutine, which is the listener's, says anything.
func (t *turn) runTogether(calls []call) []agent.ToolResult {
	results := make([]agent.ToolResult, len(calls))
	done := make([]chan struct{}, len(calls))
	said := make(chan agent.Event)
	seats := make(chan struct{}, maxParallel)
	for i, c := range calls {
		done[i] = make(chan struct{})
		go func() {
			defer close(done[i])
			seats <- struct{}{}
			defer func() { <-seats }()
			results[i] = t.runTool(c, func(e agent.Event) {
				select {
				case said <- e:
				case <-t.ctx.Done():
				}
			})
		}()
	}
	for i := range calls {
		for waiting := true; waiting; {
			select {
			case e := <-said:
				t.say(e)
			case <-done[i]:
				waiting = false
			}
		}
		t.say(results[i])
	}
	return results
}

// runTool runs one call. It never fails, not even when the tool does in the worst way: the model is told.
func (t *turn) runTool(c call, say func(agent.Event)) (result agent.ToolResult) {
	defer func() {
		if p := recover(); p != nil {
			slog.Error("a tool panicked", "tool", c.Name, "panic", p, "stack", string(debug.Stack()))
			result = failed(c, c.Name+" failed inside Parley.")
		}
	}()
	switch {
	case c.problem != "":
		return failed(c, c.problem)
	case c.denied != nil:
		return *c.denied
	}
	run := t.run
	if slices.Contains(t.prompt.Approved, c.ID) {
		run = t.tools.RunApproved
	}
	return run(t.ctx, t.prompt.Host, c.ToolCall, say)
}

func failed(c call, output string) agent.ToolResult {
	return agent.ToolResult{ID: c.ID, Name: c.Name, Output: output, IsError: true}
}

// say passes an event on. Once nobody listens it says nothing, and everything that is under way comes to its end.
func (t *turn) say(e agent.Event) {
	if !t.left && !t.yield(e, nil) {
		t.left = true
		t.cancel()
	}
}

func (t *turn) finish(reason agent.StopReason) agent.Finish {
	return agent.Finish{StopReason: reason, Usage: t.usage, Model: t.model}
}
