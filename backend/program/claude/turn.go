package claude

import (
	"encoding/json"
	"time"

	"parley/backend/agent"
	"parley/backend/program"
)

// turn is one that Claude Code takes. A message that is said in its middle may become one of Claude Code's own that follows:
// it is the same to us.
type turn struct {
	*Speaker
	line *program.Line
	host program.Host

	waiting map[string]agent.MessageID // what Claude Code was told and has not taken up yet, by its id there; empty for the prompt
	sent    map[string]bool            // all
	begun   bool                       // Claude Code is at it
	between bool                       // it has answered, and is about to take up what was said meanwhile
	stopped bool                       // it was told to stop

	model    string
	used     agent.Usage
	settled  agent.Usage      // of used what is in a result
	request  usage            // of the model request that runs
	streamed string           // the id of the model's message that is said in pieces
	open     agent.Event      // what ends the block that is being said, or nil
	writing  map[int]string   // calls whose arguments come in pieces, by block
	calls    map[string]*call // said and not answered, by id
	locked   string           // set when the provider does not let Claude Code in: what it says
	problem  string           // the kind of the failure that Claude Code gave last
}

type call struct {
	name   string // without the prefix of parley-tools
	own    bool
	input  json.RawMessage // as it was said
	denied bool
}

// Take is program.Speaker's.
func (s *Speaker) Take(line *program.Line, of *program.Turn) (agent.Finish, error) {
	t := &turn{Speaker: s, line: line, host: of.Host, waiting: map[string]agent.MessageID{}, sent: map[string]bool{}, calls: map[string]*call{}}
	if err := t.tell("", of.Text, of.Images); err != nil {
		return agent.Finish{}, err
	}
	for {
		in, err := t.next()
		if err != nil {
			return agent.Finish{}, err
		}
		var finish *agent.Finish
		switch {
		case in.Stop:
			t.stopped = true
			err = t.interrupt()
		case in.Steer != nil:
			err = t.tell(in.Steer.Message, in.Steer.Text, nil)
		default:
			finish, err = t.hear(in.Data)
		}
		if err != nil {
			return agent.Finish{}, err
		}
		if finish != nil {
			return *finish, nil
		}
	}
}

// next waits for Claude Code; not for long if all that is to come is that it goes on.
func (t *turn) next() (program.Incoming, error) {
	if t.between {
		return t.line.NextWithin(takeUpLimit)
	}
	return t.line.Next()
}

const takeUpLimit = 30 * time.Second

// interrupt tells Claude Code to stop, and to forget what it was told meanwhile.
func (t *turn) interrupt() error {
	_, err := t.send(t.line, order{Subtype: "interrupt", CancelQueued: true})
	return err
}

// message is one of the person.
type message struct {
	Type    string  `json:"type"`
	ID      string  `json:"uuid"`
	Message content `json:"message"`
	Parent  *string `json:"parent_tool_use_id"`
	Session string  `json:"session_id"`
}

type content struct {
	Role    string  `json:"role"`
	Content []piece `json:"content"`
}

type piece struct {
	Type   string  `json:"type"`
	Text   string  `json:"text,omitempty"`
	Source *source `json:"source,omitempty"`
}

type source struct {
	Type      string `json:"type"`
	MediaType string `json:"media_type"`
	Data      []byte `json:"data"`
}

// tell says something to Claude Code, which is the prompt if it has no id of ours. In the middle of a turn it is read after the next tool, or else when the turn is over.
func (t *turn) tell(id agent.MessageID, text string, images []program.Image) error {
	m := message{Type: "user", ID: t.newID(), Message: content{Role: "user"}}
	for _, image := range images {
		m.Message.Content = append(m.Message.Content, piece{Type: "image", Source: &source{"base64", image.MediaType, image.Content}})
	}
	if text != "" || len(images) == 0 {
		m.Message.Content = append(m.Message.Content, piece{Type: "text", Text: text})
	}
	t.waiting[m.ID], t.sent[m.ID] = id, true
	return t.line.Send(m)
}

// hear takes a line of Claude Code. What is no JSON object is dropped, and so is what another turn says. A Finish is the
// end of the turn.
func (t *turn) hear(line []byte) (*agent.Finish, error) {
	var r struct {
		Type, Subtype string
		Parent        string `json:"parent_tool_use_id"` // the call that a subagent works for
		Event         event
	}
	if json.Unmarshal(line, &r) != nil {
		return nil, nil
	}
	switch r.Type {
	case "control_request":
		return nil, t.asked(line)
	case "command_lifecycle":
		return t.lifecycle(line), nil
	case "result":
		return t.result(line)
	case "control_response", "control_cancel_request", "keep_alive":
		return nil, nil
	}
	t.begun = t.begun || r.Subtype == "init"
	t.between = t.between && !t.begun
	if !t.begun {
		return nil, nil
	}
	switch {
	case r.Type == "system":
		return nil, t.system(r.Subtype, line)
	case r.Type == "user":
		t.results(line)
	case r.Type == "assistant" && r.Parent != "":
		t.subagent(r.Parent, line)
	case r.Type == "assistant":
		t.message(line)
	case r.Type == "stream_event" && r.Parent == "":
		t.stream(&r.Event)
	case !known[r.Type]:
		t.host.Say(agent.Data{Name: "update", Data: append([]byte(nil), line...)})
	}
	return nil, nil
}

// known are the records that say nothing which is not said elsewhere.
var known = map[string]bool{
	"stream_event": true, "tool_progress": true, "tool_use_summary": true, "rate_limit_event": true, "auth_status": true, "prompt_suggestion": true,
}

// lifecycle follows the messages that were sent. One that is stopped before Claude Code took it up has no result.
func (t *turn) lifecycle(line []byte) *agent.Finish {
	var r struct {
		ID    string `json:"command_uuid"`
		State string
	}
	if json.Unmarshal(line, &r) != nil || r.State == "queued" {
		return nil
	}
	if r.State != "cancelled" {
		t.takeUp(r.ID)
		return nil
	}
	if _, waits := t.waiting[r.ID]; waits {
		delete(t.waiting, r.ID)
		if !t.begun && len(t.waiting) == 0 {
			return &agent.Finish{StopReason: agent.StopCancelled}
		}
	}
	return nil
}

// takeUp notes that the model is told a message, unless that is known.
func (t *turn) takeUp(id string) {
	said, waits := t.waiting[id]
	delete(t.waiting, id)
	if waits && said != "" {
		t.host.Say(agent.Steered{Message: said})
	}
}
