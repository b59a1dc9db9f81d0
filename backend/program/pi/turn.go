package pi

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"parley/backend/agent"
	"parley/backend/program"
)

// turn is one on its way to its end.
type turn struct {
	*Speaker
	line *program.Line
	host program.Host

	prompt   string // the id of the command that began it
	accepted bool   // Pi has taken it; what it said before is of another turn
	running  bool   // Pi works on it
	stopped  bool
	settled  bool // Pi does nothing more by itself

	told     int       // messages of the person that the model was told, that of the prompt among them
	steered  []steered // what was said meanwhile and the model was not told, in the order in which it will be
	clearing string    // the id of the command that lets Pi forget those, once it has settled

	messages int     // of the model, so far
	last     message // of them
	usage    agent.Usage
	block    block
	calls    map[string]*call // that have no result
	arriving map[int]string   // the ids of calls by their place in the message that is being said
}

// block is what is being said: Pi tells its end too late.
type block struct {
	what    string // text_delta, thinking_delta, or nothing
	message int
	index   int // its place there
}

// call is one that was said.
type call struct {
	path   string // the file that it is about
	denied bool
}

// steered is something that the person said in the middle of the turn.
type steered struct {
	command string // the id of the one that brought it
	message agent.MessageID
}

func (t *turn) steer(said agent.Steering) error {
	id, err := t.send(t.line, command{Type: "steer", Message: said.Text})
	t.steered = append(t.steered, steered{id, said.Message})
	return err
}

// tell notes that the model is told something of the person.
func (t *turn) tell() {
	if t.told++; t.told > 1 && len(t.steered) > 0 {
		t.host.Say(agent.Steered{Message: t.steered[0].message})
		t.steered = t.steered[1:]
	}
}

// settle ends the turn. What came too late for it Pi would keep for the next one: it is to forget that first.
func (t *turn) settle() (err error) {
	t.running = false
	if t.settled = len(t.steered) == 0 || t.stopped; !t.settled {
		t.clearing, err = t.send(t.line, command{Type: "clear_queue"})
	}
	return err
}

// next waits for Pi; not for long if all that is to come is an answer.
func (t *turn) next() (program.Incoming, error) {
	if t.clearing != "" && !t.running {
		return t.line.NextWithin(answerLimit)
	}
	return t.line.Next()
}

const answerLimit = 10 * time.Second

// stop tells Pi, as soon as it can: what has not begun it would not stop.
func (t *turn) stop() error {
	if t.stopped = true; !t.running {
		return nil
	}
	if _, err := t.send(t.line, command{Type: "clear_queue"}); err != nil {
		return err
	}
	_, err := t.send(t.line, command{Type: "abort"})
	return err
}

// resultAgain begins what says the whole result of a tool a second time.
var resultAgain = []byte(`{"type":"message_end","message":{"role":"toolResult"`)

// take takes a line of Pi's.
func (t *turn) take(line []byte) error {
	kind := kind(line)
	switch kind {
	case "response":
		r, _ := read[response](line)
		return t.response(r)
	case "extension_ui_request":
		r, _ := read[request](line)
		return t.request(r)
	}
	if !t.accepted {
		return nil
	}
	switch kind {
	case "agent_start":
		if !t.running {
			t.running = true
			if t.stopped {
				return t.stop()
			}
		}
	case "message_update":
		if u, ok := read[update](line); ok {
			t.update(u)
		}
	case "message_end":
		if bytes.HasPrefix(line, resultAgain) {
			break
		}
		switch m, _ := read[message](line); m.Message.Role {
		case "assistant":
			t.message(m)
		case "user":
			t.tell()
		}
	case "tool_execution_start", "tool_execution_update", "tool_execution_end":
		if e, ok := read[execution](line); ok {
			t.execution(kind, e)
		}
	case "auto_retry_start", "summarization_retry_scheduled":
		r, _ := read[retry](line)
		t.host.Say(agent.Status{Text: fmt.Sprintf("%s Pi asks again in %.0f s (%d of %d)", program.Refused("Pi", t.provider, r.ErrorMessage).Message, r.DelayMs/1000, r.Attempt, r.MaxAttempts)})
	case "compaction_start":
		t.host.Say(agent.Status{Text: "Pi sums up what was said so far"})
	case "agent_settled":
		return t.settle()
	case "turn_start", "turn_end", "message_start", "agent_end", "auto_retry_end", "compaction_end", "queue_update", "entry_appended",
		"session_info_changed", "thinking_level_changed", "summarization_retry_attempt_start", "summarization_retry_finished":
		// what they tell is told by others, or no concern of a person's
	default:
		if raw, ok := read[json.RawMessage](line); ok && kind != "" {
			t.host.Say(agent.Data{Name: "update", Data: raw})
		}
	}
	return nil
}

// response takes the answer to a command.
func (t *turn) response(r response) error {
	answer, _ := read[struct{ Disposition string }](r.Data)
	switch {
	case r.ID == t.prompt && r.Success:
		if t.accepted = true; answer.Disposition == "handled" {
			return t.settle()
		}
	case r.ID == t.prompt && t.stopped:
		t.settled = true
	case r.ID == t.prompt && strings.Contains(r.Error, "No API key found"):
		return agent.Errorf(agent.CodeProviderAuth, "Pi is not logged in to who serves its model. Run pi in a terminal and log in there with /login.")
	case r.ID == t.prompt:
		return agent.Errorf(agent.CodeSandbox, "Pi did not take the message: %s", program.Quote(r.Error))
	case r.ID == t.clearing:
		t.settled = !t.running
	case r.Command == "steer" && !r.Success:
		t.steered = slices.DeleteFunc(t.steered, func(s steered) bool { return s.command == r.ID })
		t.host.Say(agent.Status{Text: "Pi did not take what was said meanwhile: " + program.Quote(r.Error)})
	}
	return nil
}

// request answers what an extension asks. Only Parley's has a question for the person.
func (t *turn) request(r request) error {
	switch r.Method {
	case "select", "confirm", "input", "editor":
	case "notify":
		t.host.Say(agent.Status{Text: r.Message})
		return nil
	default:
		return nil
	}
	reply := reply{Type: "extension_ui_response", ID: r.ID, Cancelled: true}
	if q, ok := r.question(); ok && t.accepted && !t.stopped {
		if answer := t.approve(q); !answer.Stopped {
			reply.Cancelled, reply.Value = false, "allow"
			if !answer.Allowed {
				reply.Value = "deny " + answer.Note
			}
		}
	}
	return t.line.Send(reply)
}

// approve asks whether a call may run. Those of Parley's own tools ask by themselves.
func (t *turn) approve(q question) program.Answer {
	if _, own := program.OwnTool(q.Tool); own {
		return program.Answer{Allowed: true}
	}
	t.call(q.Call, q.Tool, q.Input)
	action := agent.ActionOther
	switch q.Tool {
	case "bash", "powershell":
		action = agent.ActionProcess
	case "write", "edit":
		action = agent.ActionWrite
	}
	preview := strings.Join(strings.Fields(cmp.Or(argumentsOf(q.Input).Command, argumentsOf(q.Input).Path, q.Tool)), " ")
	answer := t.host.Approve(agent.ToolCall{ID: q.Call, Name: q.Tool, Input: q.Input}, action, preview)
	if c := t.calls[q.Call]; c != nil {
		c.denied = !answer.Allowed && !answer.Stopped
	}
	return answer
}

// call says a call, once.
func (t *turn) call(id, name string, input json.RawMessage) {
	if t.calls[id] == nil {
		name, _ = program.OwnTool(name)
		t.calls[id] = &call{path: argumentsOf(input).Path}
		t.host.Say(agent.ToolCall{ID: id, Name: name, Input: input})
	}
}

// update passes on a piece of the model's answer.
func (t *turn) update(u update) {
	e := u.Event
	switch e.Type {
	case "text_delta", "thinking_delta":
		t.open(block{e.Type, t.messages, e.ContentIndex})
		if e.Type == "text_delta" {
			t.host.Say(agent.MessageDelta{Text: e.Delta})
		} else {
			t.host.Say(agent.ThoughtDelta{Text: e.Delta})
		}
	case "toolcall_start":
		t.open(block{})
		t.arriving[e.ContentIndex] = e.ID
		name, _ := program.OwnTool(e.ToolName)
		t.host.Say(agent.ToolCallDelta{ID: e.ID, Name: name})
	case "toolcall_delta":
		if id := t.arriving[e.ContentIndex]; id != "" && e.Delta != "" {
			t.host.Say(agent.ToolCallDelta{ID: id, Text: e.Delta})
		}
	case "toolcall_end":
		t.call(e.ToolCall.ID, e.ToolCall.Name, e.ToolCall.Arguments)
	}
}

// open ends the block that is open if b is another of the same kind, which a delta alone would not do.
func (t *turn) open(b block) {
	switch {
	case b == t.block:
	case b.what != t.block.what:
	case b.what == "text_delta":
		t.host.Say(agent.MessageEnd{})
	case b.what == "thinking_delta":
		t.host.Say(agent.ThoughtEnd{})
	}
	t.block = b
}

// message takes the end of a message of the model's.
func (t *turn) message(m message) {
	t.messages++
	clear(t.arriving)
	t.last = m
	if used := m.usage(); used != (agent.Usage{}) {
		t.usage = t.usage.Add(used)
		t.host.Say(agent.UsageReport{Usage: t.usage})
	}
}

// execution passes on what a tool does, if its call was said.
func (t *turn) execution(kind string, e execution) {
	if kind == "tool_execution_start" {
		t.call(e.ToolCallID, e.ToolName, e.Args)
		return
	}
	c := t.calls[e.ToolCallID]
	if c == nil {
		return
	}
	if kind == "tool_execution_update" {
		if output := e.PartialResult.text(); output != "" {
			t.host.Say(agent.ToolProgress{ID: e.ToolCallID, Output: output})
		}
		return
	}
	delete(t.calls, e.ToolCallID)
	name, _ := program.OwnTool(e.ToolName)
	t.host.Say(agent.ToolResult{ID: e.ToolCallID, Name: name, Output: e.Result.text(), Data: e.Result.change(c.path), IsError: e.IsError, Denied: c.denied})
}

// finish gives the end of the turn, which is that of the model's last message.
func (t *turn) finish() (agent.Finish, error) {
	m := t.last.Message
	f := agent.Finish{StopReason: agent.StopEndTurn, Usage: t.usage, Model: cmp.Or(m.ResponseModel, m.Model)}
	switch {
	case t.stopped:
		f.StopReason = agent.StopCancelled
	case m.RawStopReason == "refusal":
		f.StopReason = agent.StopRefusal
	case m.RawStopReason == "content_filter":
		f.StopReason = agent.StopContentFilter
	case m.StopReason == "length":
		f.StopReason = agent.StopMaxTokens
	case m.StopReason == "error", m.StopReason == "aborted":
		return f, program.Refused("Pi", t.provider, m.ErrorMessage)
	}
	return f, nil
}
