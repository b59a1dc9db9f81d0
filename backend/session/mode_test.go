package session

import (
	"testing"

	"parley/backend/agent"
	"parley/backend/store"
)

// TestAModeHoldsForTheTurnThatRuns: from the moment that it is chosen in.
func TestAModeHoldsForTheTurnThatRuns(t *testing.T) {
	for mode, want := range map[agent.Mode]func(r []agent.Record) bool{
		agent.ModePlan:        func(r []agent.Record) bool { return len(r) == 1 && r[0].Event.(agent.ToolResult).Denied },
		agent.ModeDeny:        func(r []agent.Record) bool { return len(r) == 1 && r[0].Event.(agent.ToolResult).Denied },
		agent.ModeAcceptEdits: func(r []agent.Record) bool { return len(r) == 1 && !r[0].Event.(agent.ToolResult).IsError },
		agent.ModeAsk:         func(r []agent.Record) bool { return len(r) == 0 },
	} {
		w := fresh(t)
		r := says(steerable)
		r.Agent = careful.ID
		turn := w.send(t, r)
		until(t, turn, "one")
		w.choose(t, mode)
		if w.KeepsMode(home) {
			t.Errorf("%s is said not to hold", mode)
		}
		if _, err := w.SendNow(t.Context(), home, w.enqueue(t, writes).Number); err != nil {
			t.Fatal(err)
		}
		var results []agent.Record
		for _, r := range all(t, turn) {
			if _, ok := r.Event.(agent.ToolResult); ok {
				results = append(results, r)
			}
		}
		if !want(results) {
			t.Errorf("%s: %+v", mode, results)
		}
	}
}

// choose chooses a mode.
func (w *world) choose(t *testing.T, mode agent.Mode) {
	t.Helper()
	if _, err := w.Change(t.Context(), home, store.Change{Mode: &mode}); err != nil {
		t.Fatal(err)
	}
}

// TestAModeThatIsChosenWhileAnAgentStarts holds from its first call on.
func TestAModeThatIsChosenWhileAnAgentStarts(t *testing.T) {
	starting, ready := make(chan struct{}), make(chan struct{})
	w := fresh(t)
	w.Servers = func([]string) ([]agent.MCPServer, error) {
		close(starting)
		<-ready
		return nil, nil
	}
	r := says(writes)
	r.Agent = careful.ID
	turn := w.send(t, r)
	<-starting
	w.choose(t, agent.ModeDeny)
	close(ready)
	for _, r := range all(t, turn) {
		if result, ok := r.Event.(agent.ToolResult); ok && result.Denied {
			return
		}
	}
	t.Error("the call was not denied")
}

// programs are harnesses that are started otherwise in each mode.
type programs struct{ script }

func (p programs) Launch(s agent.Spec) (agent.Launch, error) {
	launch, err := p.script.Launch(s)
	launch.Program = &agent.Program{Command: "agent", Options: map[string]string{"mode": string(launch.PermissionPolicy)}}
	return launch, err
}

// TestAModeThatAProgramKeeps is told: it decides a part by itself until it is started anew.
func TestAModeThatAProgramKeeps(t *testing.T) {
	w := fresh(t)
	w.Harness = func(agent.Kind) (agent.Harness, error) { return programs{}, nil }
	r := says(steerable)
	r.Agent = careful.ID
	turn := w.send(t, r)
	until(t, turn, "one")
	for mode, keeps := range map[agent.Mode]bool{agent.ModeAuto: true, agent.ModePlan: true, agent.ModeAcceptEdits: false} {
		if w.choose(t, mode); w.KeepsMode(home) != keeps {
			t.Errorf("%s: it is kept %v", mode, !keeps)
		}
	}
	if _, err := w.Stop(t.Context(), home); err != nil || w.KeepsMode(home) {
		t.Errorf("after the turn it is kept (%v)", err)
	}
}
