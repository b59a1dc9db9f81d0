package api

import (
	"cmp"
	"net/http"
	"os"

	"parley/backend/agent"
)

// Agent is an agent that a person can talk to.
type Agent struct {
	ID          string     `json:"id"`
	Name        string     `json:"name"`
	Description string     `json:"description,omitempty"`
	Harness     string     `json:"harness"`
	Provider    string     `json:"provider,omitempty"`
	Model       string     `json:"model,omitempty"`
	Mode        agent.Mode `json:"mode"` // that its sessions begin in

	Login   agent.Login       `json:"login,omitempty"`   // of an agent that is a program
	Options map[string]string `json:"options,omitempty"` // of that program
}

// AgentList is every agent, the default one first.
type AgentList struct {
	Agents []Agent `json:"agents"`
}

// Health says who answers.
type Health struct {
	Status  string `json:"status"`
	Version string `json:"version"`
	PID     int    `json:"pid"`
}

// WindowShown says whether there was a window to bring to the front.
type WindowShown struct {
	Shown bool `json:"shown"`
}

func toAgent(s agent.Spec) Agent {
	return Agent{s.ID, s.Name, s.Description, string(s.Harness), s.Provider, s.Model, cmp.Or(s.Permissions.Mode, agent.ModeAsk), s.Login, s.Options}
}

// listAgents leaves out those whose program is not installed.
func (d inside) listAgents(*http.Request) (AgentList, error) {
	list := AgentList{Agents: []Agent{}}
	for _, spec := range d.Agents {
		if d.Programs.OnPath(spec.Harness) {
			list.Agents = append(list.Agents, toAgent(spec))
		}
	}
	return list, nil
}

func (d *Door) health(*http.Request) (Health, error) {
	return Health{"ok", d.Version, os.Getpid()}, nil
}

func (d *Door) showWindow(*http.Request) (WindowShown, error) {
	return WindowShown{d.Show != nil && d.Show()}, nil
}
