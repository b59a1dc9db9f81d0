package api

import (
	"net/http"
	"slices"

	"parley/backend/agent"
	"parley/backend/harness"
	"parley/backend/program"
)

// Harness is a program that agents run in, installed or not.
type Harness struct {
	Kind        string            `json:"kind"`
	Name        string            `json:"name"`
	Description string            `json:"description"`
	Agent       string            `json:"agent"` // the id of the agent that works with it as it is
	State       program.Readiness `json:"state"`
	Command     string            `json:"command"`
	Path        string            `json:"path,omitempty"`
	Version     string            `json:"version,omitempty"`
	Oldest      string            `json:"oldest,omitempty"`  // version that works
	Problem     string            `json:"problem,omitempty"` // what it said, if it does not start
	Remedy      string            `json:"remedy"`            // where it is not ready
	Install     string            `json:"install,omitempty"` // a command that installs it, or the newest
	Login       agent.Login       `json:"login"`             // that its agent has unless a person chooses; with key, own can be chosen, too
	Model       string            `json:"model,omitempty"`   // that its agent has with that key
	Can         []harness.Ability `json:"can"`               // as far as it is known
}

// HarnessList is every program that is known.
type HarnessList struct {
	Harnesses []Harness `json:"harnesses"`
}

// listHarnesses looks for the programs if nobody has asked before.
func (d *Door) listHarnesses(*http.Request) (HarnessList, error) {
	list := HarnessList{Harnesses: []Harness{}}
	for _, found := range d.Programs.All() {
		spec, err := d.Agents.BuiltIn.Find(found.Agent())
		if err != nil {
			return HarnessList{}, err
		}
		h := Harness{
			Kind: string(found.Kind), Name: found.Name, Description: found.Description, Agent: spec.ID, State: found.State,
			Command: found.Command, Path: found.Path, Version: found.Version, Oldest: found.Oldest, Problem: found.Problem,
			Install: found.Install, Login: spec.Login, Model: spec.Model, Can: append([]harness.Ability{}, found.Can...),
		}
		if found.State != program.Ready {
			h.Remedy = found.Remedy()
		}
		list.Harnesses = append(list.Harnesses, h)
	}
	// What can be used comes first.
	slices.SortStableFunc(list.Harnesses, func(a, b Harness) int { return order(a.State) - order(b.State) })
	return list, nil
}

func order(s program.Readiness) int {
	return slices.Index([]program.Readiness{program.Ready, program.TooOld, program.Broken, program.Missing}, s)
}

// lookForHarnesses looks again.
func (d *Door) lookForHarnesses(r *http.Request) (HarnessList, error) {
	d.Programs.Forget()
	return d.listHarnesses(r)
}
