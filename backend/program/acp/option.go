package acp

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"parley/backend/agent"
	"parley/backend/program"
)

// option is something that may be chosen for a session: a config option or, of agents that have no such, a mode or a model.
type option struct {
	ID       string          `json:"id"`
	ConfigID string          `json:"configId"` // its id in protocol 2
	Name     string          `json:"name"`
	Category string          `json:"category"`
	Type     string          `json:"type"` // select or boolean
	Value    json.RawMessage `json:"currentValue"`
	Choices  []choice        `json:"options"`
	Method   string          `json:"-"` // that sets it; empty for a config option
}

// choice is a value of an option, or a group of such.
type choice struct {
	Value       string   `json:"value"`
	Name        string   `json:"name"`
	Description string   `json:"description"`
	Choices     []choice `json:"options"`
}

// offer is what an agent says may be chosen when a session begins.
type offer struct {
	Options []option `json:"configOptions"`
	Modes   *struct {
		Current   string `json:"currentModeId"`
		Available []struct {
			ID          string `json:"id"`
			Name        string `json:"name"`
			Description string `json:"description"`
		} `json:"availableModes"`
	} `json:"modes"`
	Models *struct {
		Current   string `json:"currentModelId"`
		Available []struct {
			ID          string `json:"modelId"`
			Name        string `json:"name"`
			Description string `json:"description"`
		} `json:"availableModels"`
	} `json:"models"`
	Commands []program.Command `json:"availableCommands"`
}

// all gives what may be chosen, however the agent says it.
func (o offer) all() []option {
	all := o.Options
	has := func(category string) bool {
		return slices.ContainsFunc(all, func(o option) bool { return o.Category == category })
	}
	if o.Modes != nil && !has("mode") {
		mode := option{ID: "mode", Name: "Mode", Category: "mode", Value: quoted(o.Modes.Current), Method: "session/set_mode"}
		for _, m := range o.Modes.Available {
			mode.Choices = append(mode.Choices, choice{Value: m.ID, Name: m.Name, Description: m.Description})
		}
		all = append(all, mode)
	}
	if o.Models != nil && !has("model") {
		model := option{ID: "model", Name: "Model", Category: "model", Value: quoted(o.Models.Current), Method: "session/set_model"}
		for _, m := range o.Models.Available {
			model.Choices = append(model.Choices, choice{Value: m.ID, Name: m.Name, Description: m.Description})
		}
		all = append(all, model)
	}
	return all
}

func quoted(text string) json.RawMessage {
	b, _ := json.Marshal(text) // a string: it cannot fail
	return b
}

func (o option) id() string { return o.ID + o.ConfigID }

// value is what is chosen now.
func (o option) value() string {
	var text string
	if json.Unmarshal(o.Value, &text) != nil {
		return string(o.Value) // true or false
	}
	return text
}

// choices are the values that there are, out of their groups.
func (o option) choices() []program.Choice {
	if o.Type == "boolean" {
		return []program.Choice{{Value: "true", Name: "On"}, {Value: "false", Name: "Off"}}
	}
	all := []program.Choice{}
	for _, c := range o.Choices {
		if len(c.Choices) == 0 {
			c.Choices = []choice{c}
		}
		for _, c := range c.Choices {
			all = append(all, program.Choice{Value: c.Value, Name: c.Name, Description: c.Description})
		}
	}
	return all
}

// Offered is program.Offerer's: most agents tell their commands only after they have begun.
func (s *Speaker) Offered() ([]program.Option, []program.Command) {
	var all []program.Option
	for _, o := range s.options {
		all = append(all, program.Option{ID: o.id(), Name: o.Name, Category: o.Category, Value: o.value(), Choices: o.choices()})
	}
	return all, s.commands
}

// choose sets what the person has chosen.
func (s *Speaker) choose(chosen map[string]string) error {
	for _, id := range slices.Sorted(maps.Keys(chosen)) {
		if err := s.set(id, chosen[id]); err != nil {
			return err
		}
	}
	return nil
}

func (s *Speaker) set(id, value string) error {
	i := slices.IndexFunc(s.options, func(o option) bool { return o.id() == id })
	if i < 0 {
		var ids []string
		for _, o := range s.options {
			ids = append(ids, o.id())
		}
		return agent.Errorf(agent.CodeValidation, "%s has no option %q. There are: %s.", s.name, id, strings.Join(ids, ", "))
	}
	o := s.options[i]
	if o.value() == value {
		return nil
	}
	if !slices.ContainsFunc(o.choices(), func(c program.Choice) bool { return c.Value == value }) {
		return agent.Errorf(agent.CodeValidation, "%s has no %q to choose for its option %q. Choose another.", s.name, value, id)
	}
	params := map[string]any{"sessionId": s.session}
	switch {
	case o.Method == "session/set_mode":
		params["modeId"] = value
	case o.Method == "session/set_model":
		params["modelId"] = value
	case o.Type == "boolean":
		params["configId"], params["type"], params["value"] = id, "boolean", value == "true"
	case s.protocol > 1:
		params["configId"], params["type"], params["value"] = id, "id", value
	default:
		params["configId"], params["value"] = id, value
	}
	var now offer
	method := o.Method
	if method == "" {
		method = "session/set_config_option"
	}
	if err := s.call(method, params, &now); err != nil {
		return s.failed("set its option "+id, err)
	}
	if o.Method == "" && len(now.Options) > 0 {
		s.reoffer(now.Options)
	} else {
		s.options[i].Value = quoted(value)
	}
	return nil
}

// reoffer takes the config options as they are now. What is set otherwise stays.
func (s *Speaker) reoffer(options []option) {
	s.options = append(options, slices.DeleteFunc(s.options, func(o option) bool { return o.Method == "" })...)
}

// chose notes what the agent has chosen itself.
func (s *Speaker) chose(category, value string) {
	for i := range s.options {
		if s.options[i].Category == category && s.options[i].Method != "" {
			s.options[i].Value = quoted(value)
		}
	}
}
