package api

import (
	"net/http"
	"os"

	"parley/backend/agent"
)

// Agent is an agent that a person can talk to.
type Agent struct {
	ID          string     `json:"id"`
	Name        string     `json:"name"`
	Description string     `json:"description,omitempty"`
	Harness     agent.Kind `json:"harness"`
	Provider    string     `json:"provider,omitempty"`
	Model       string     `json:"model,omitempty"`
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
	return Agent{s.ID, s.Name, s.Description, s.Harness, s.Provider, s.Model}
}

func (d inside) listAgents(*http.Request) (AgentList, error) {
	list := AgentList{Agents: make([]Agent, len(d.Agents))}
	for i, spec := range d.Agents {
		list.Agents[i] = toAgent(spec)
	}
	return list, nil
}

func (d *Door) health(*http.Request) (Health, error) {
	return Health{"ok", d.Version, os.Getpid()}, nil
}

func (d *Door) showWindow(*http.Request) (WindowShown, error) {
	return WindowShown{d.Show != nil && d.Show()}, nil
}
