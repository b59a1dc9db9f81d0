// Package claude speaks with Claude Code in its stream-json, in both directions: the protocol of its Agent SDK.
package claude

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"parley/backend/agent"
	"parley/backend/program"
)

// Speaker is program.Speaker's.
type Speaker struct {
	newID    func() string // of a message; a UUID that no other message of the session has
	provider string        // who serves the model, as in a sentence
	requests int           // sent so far
	todo     []task        // the program's checklist
}

// New speaks with a Claude Code that has just been started.
func New() program.Speaker { return &Speaker{newID: program.NewUUID} }

// greeting is what Claude Code says of itself.
type greeting struct {
	Version  string            `json:"claude_code_version"`
	Mode     string            `json:"current_permission_mode"`
	Commands []program.Command `json:"commands"`
	Models   []model           `json:"models"`
}

type model struct {
	Value       string   `json:"value"`
	Name        string   `json:"displayName"`
	Description string   `json:"description"`
	Efforts     []string `json:"supportedEffortLevels"`
}

// oldest is the first version that says what becomes of each message.
var oldest = [3]int{2, 1, 216}

// Open is program.Speaker's. A Claude Code that is to go on with a session that it does not know ends instead: then it
// fails, and a new one is to be started.
func (s *Speaker) Open(line *program.Line, o program.Opening) (program.Opened, error) {
	s.provider = "its provider"
	if o.Launch.Endpoint != nil {
		s.provider = o.Launch.Endpoint.Provider
	}
	var hello greeting
	if err := s.request(line, order{Subtype: "initialize"}, &hello); err != nil {
		return program.Opened{}, err
	}
	var version [3]int
	_, _ = fmt.Sscanf(hello.Version, "%d.%d.%d", &version[0], &version[1], &version[2]) // what is no version is too old
	if slices.Compare(version[:], oldest[:]) < 0 {
		return program.Opened{}, agent.Errorf(agent.CodeValidation, "Claude Code is version %s, and Parley needs %d.%d.%d or newer. Run claude update, then retry.", cmp.Or(hello.Version, "unknown"), oldest[0], oldest[1], oldest[2])
	}
	chosen := o.Launch.Program.Options
	for _, id := range slices.Sorted(maps.Keys(chosen)) {
		if err := s.request(line, settings[id](chosen[id]), nil); err != nil {
			return program.Opened{}, err
		}
	}
	opened := program.Opened{
		Resumed: o.Resume, Version: hello.Version, Images: true, Steers: true,
		Options: options(hello, chosen, o.Launch.Model), Commands: hello.Commands,
	}
	if o.Launch.Program.Resume != nil {
		opened.Session = o.Session
	}
	return opened, nil
}

// order is what a control_request asks for; only the fields of its subtype are set.
type order struct {
	Subtype      string        `json:"subtype"`
	Mode         string        `json:"mode,omitempty"`
	Model        string        `json:"model,omitempty"`
	Settings     *flagSettings `json:"settings,omitempty"`
	CancelQueued bool          `json:"cancel_queued,omitempty"`
}

type flagSettings struct {
	Effort string `json:"effortLevel"`
}

// settings are the options that the harness lets through.
var settings = map[string]func(value string) order{
	"effort": func(value string) order {
		return order{Subtype: "apply_flag_settings", Settings: &flagSettings{value}}
	},
	"mode":  func(value string) order { return order{Subtype: "set_permission_mode", Mode: value} },
	"model": func(value string) order { return order{Subtype: "set_model", Model: value} },
}

// options are those that a person may choose. Of the permission modes there are only the two in which Claude Code asks:
// what may run is decided once, and not by it.
func options(hello greeting, chosen map[string]string, launched string) []program.Option {
	mode := program.Option{ID: "mode", Name: "Mode", Category: "mode", Value: cmp.Or(chosen["mode"], hello.Mode), Choices: []program.Choice{
		{Value: "default", Name: "Work"},
		{Value: "plan", Name: "Plan", Description: "Looks around first, and makes a plan that has to be approved."},
	}}
	all := []program.Option{mode}
	models := program.Option{ID: "model", Name: "Model", Category: "model", Value: cmp.Or(chosen["model"], launched, "default")}
	for _, m := range hello.Models {
		models.Choices = append(models.Choices, program.Choice{Value: m.Value, Name: m.Name, Description: m.Description})
		if m.Value == models.Value && len(m.Efforts) > 0 {
			effort := program.Option{ID: "effort", Name: "Effort", Category: "thought_level", Value: chosen["effort"]}
			for _, level := range m.Efforts {
				effort.Choices = append(effort.Choices, program.Choice{Value: level, Name: level})
			}
			all = append(all, effort)
		}
	}
	if len(models.Choices) > 0 {
		all = append(all, models)
	}
	return all
}

// request asks for what, and decodes the answer into answer unless that is nil. What else comes in is nobody's: no turn
// has begun.
func (s *Speaker) request(line *program.Line, what order, answer any) error {
	id, err := s.send(line, what)
	if err != nil {
		return err
	}
	for {
		in, err := line.Next()
		if err != nil {
			return err
		}
		var r struct {
			Type     string
			Response struct {
				Subtype  string
				Request  string `json:"request_id"`
				Error    string
				Response json.RawMessage
			}
			Errors []string // of a result: why Claude Code cannot begin
		}
		if json.Unmarshal(in.Data, &r) != nil {
			continue
		}
		switch {
		case r.Type == "result":
			return agent.Errorf(agent.CodeSandbox, "Claude Code did not start: %s", program.Quote(strings.Join(r.Errors, " ")))
		case r.Type != "control_response" || r.Response.Request != id:
			continue
		case r.Response.Subtype != "success":
			return agent.Errorf(agent.CodeValidation, "Claude Code refuses a setting of this agent: %s", program.Quote(r.Response.Error))
		case answer == nil:
			return nil
		}
		return json.Unmarshal(r.Response.Response, answer)
	}
}

// send asks for what, under a new id.
func (s *Speaker) send(line *program.Line, what order) (id string, err error) {
	s.requests++
	id = fmt.Sprintf("parley-%d", s.requests)
	return id, line.Send(struct {
		Type    string `json:"type"`
		ID      string `json:"request_id"`
		Request order  `json:"request"`
	}{"control_request", id, what})
}
