// Package pi speaks Pi's RPC mode: commands and their answers, and between them what happens, all as lines of JSON.
package pi

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"parley/backend/agent"
	"parley/backend/program"
)

// Speaker is a program.Speaker.
type Speaker struct {
	provider string   // who serves the model; empty if Pi knows it by itself
	terminal []string // the commands that only do something in a terminal
	asked    int      // commands so far
}

// New makes a Speaker.
func New() program.Speaker { return &Speaker{} }

// oldest is the first version that says when it has settled, and only what is new of an answer.
var oldest = [3]int{0, 84, 4}

// Open refuses a Pi that is too old, or has not loaded what asks before its tools run.
func (s *Speaker) Open(line *program.Line, o program.Opening) (opened program.Opened, err error) {
	if o.Launch.Endpoint != nil {
		s.provider = o.Launch.Endpoint.Provider
	}
	var state struct {
		SessionID     string
		MessageCount  int
		ThinkingLevel string
	}
	var list struct {
		Commands []struct{ Name, Description, Source string }
	}
	version, err := s.ask(line, "get_state", &state)
	if err != nil {
		return opened, err
	}
	var parts [3]int
	_, _ = fmt.Sscanf(version, "%d.%d.%d", &parts[0], &parts[1], &parts[2])
	switch {
	case version == "":
		return opened, agent.Errorf(agent.CodeSandbox, "Pi was not started: it did not load the extension with which Parley asks before a tool runs. Update Pi, then retry.")
	case slices.Compare(parts[:], oldest[:]) < 0:
		return opened, agent.Errorf(agent.CodeValidation, "Pi is version %s, and Parley needs %d.%d.%d or newer. Run npm install -g @earendil-works/pi-coding-agent to get the newest.", version, oldest[0], oldest[1], oldest[2])
	}
	if _, err := s.ask(line, "get_commands", &list); err != nil {
		return opened, err
	}
	opened = program.Opened{Session: state.SessionID, Resumed: o.Resume && state.MessageCount > 0, Version: version, Images: true, Steers: true}
	for _, c := range list.Commands {
		if c.Source == "extension" {
			s.terminal = append(s.terminal, c.Name)
		} else {
			opened.Commands = append(opened.Commands, program.Command{Name: c.Name, Description: c.Description})
		}
	}
	opened.Options = []program.Option{thinking(state.ThinkingLevel)}
	return opened, nil
}

// thinking is how much the model thinks, which is set when Pi is started.
func thinking(level string) program.Option {
	o := program.Option{ID: "thinking", Name: "Thinking", Category: "thought_level", Value: level}
	for _, value := range []string{"off", "minimal", "low", "medium", "high", "xhigh", "max"} {
		o.Choices = append(o.Choices, program.Choice{Value: value, Name: value})
	}
	return o
}

// ask gives a command and reads its answer into data. version is Pi's, if Parley's extension said meanwhile that it is there.
func (s *Speaker) ask(line *program.Line, name string, data any) (version string, err error) {
	id, err := s.send(line, command{Type: name})
	for err == nil {
		in, gone := line.Next()
		if gone != nil {
			return "", gone
		}
		switch kind(in.Data) {
		case "extension_ui_request":
			if r, _ := read[request](in.Data); r.Method == "setStatus" && r.StatusKey == "parley" {
				version = r.StatusText
			}
		case "response":
			r, _ := read[response](in.Data)
			switch {
			case r.ID != id:
			case !r.Success || json.Unmarshal(r.Data, data) != nil:
				return "", agent.Errorf(agent.CodeSandbox, "Pi was not started: it did not understand %s. Update Pi, then retry.", name)
			default:
				return version, nil
			}
		}
	}
	return "", err
}

// send gives a command and tells the id under which it is answered.
func (s *Speaker) send(line *program.Line, c command) (id string, err error) {
	s.asked++
	c.ID = strconv.Itoa(s.asked)
	return c.ID, line.Send(c)
}

// Take lets Pi answer a message until it has settled.
func (s *Speaker) Take(line *program.Line, t *program.Turn) (agent.Finish, error) {
	word, _, _ := strings.Cut(t.Text, " ")
	if name, ok := strings.CutPrefix(word, "/"); ok && slices.Contains(s.terminal, name) {
		return agent.Finish{}, agent.Errorf(agent.CodeValidation, "Pi's command %s works in a terminal only. Send another message.", word)
	}
	prompt := command{Type: "prompt", Message: t.Text}
	for _, i := range t.Images {
		prompt.Images = append(prompt.Images, image{Type: "image", Data: i.Content, MimeType: i.MediaType})
	}
	id, err := s.send(line, prompt)
	if err != nil {
		return agent.Finish{}, err
	}
	turn := &turn{Speaker: s, line: line, host: t.Host, prompt: id, calls: map[string]*call{}, arriving: map[int]string{}}
	for !turn.settled {
		in, err := turn.next()
		switch {
		case err != nil:
		case in.Stop:
			err = turn.stop()
		case in.Steer != nil:
			err = turn.steer(*in.Steer)
		default:
			err = turn.take(in.Data)
		}
		if err != nil {
			return agent.Finish{}, err
		}
	}
	return turn.finish()
}
