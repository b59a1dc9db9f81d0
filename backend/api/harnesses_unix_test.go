//go:build unix

package api

import (
	"os"
	"path/filepath"
	"testing"

	"parley/backend/agent"
	"parley/backend/config"
	"parley/backend/harness"
	"parley/backend/program"
)

func TestHarnesses(t *testing.T) {
	dir := t.TempDir()
	install := func(name, says string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\necho "+says), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	install("pi", "0.74.2")
	install("opencode", "1.18.33")
	t.Setenv("PATH", dir)
	known, err := harness.Programs(nil)
	if err != nil {
		t.Fatal(err)
	}
	w := open(t)
	w.door.Programs = program.NewFinder(known)
	w.door.Agents.BuiltIn = config.BuiltIn(func(string) string { return "" }, nil, known)

	var agents AgentList
	w.get("/agents", &agents)
	ids := ""
	for _, a := range agents.Agents {
		ids += a.ID + " "
	}
	if ids != "demo demo-careful pi opencode " {
		t.Errorf("there are %s", ids)
	}

	var list HarnessList
	w.get("/harnesses", &list)
	if len(list.Harnesses) != len(known) {
		t.Fatalf("%d rows of %d programs", len(list.Harnesses), len(known))
	}
	first, second, third := list.Harnesses[0], list.Harnesses[1], list.Harnesses[2]
	if first.Kind != "acp:opencode" || first.Agent != "opencode" || first.State != program.Ready || first.Version != "1.18.33" || first.Remedy != "" || first.Login != agent.LoginOwn || len(first.Can) == 0 {
		t.Errorf("first is %+v", first)
	}
	if second.Kind != "pi" || second.State != program.TooOld || second.Path != filepath.Join(dir, "pi") || second.Oldest == "" || second.Remedy == "" {
		t.Errorf("then %+v", second)
	}
	if third.State != program.Missing || third.Path != "" || third.Remedy == "" {
		t.Errorf("then %+v", third)
	}

	install("pi", "1.5.2")
	w.get("/harnesses", &list)
	if list.Harnesses[1].State != program.TooOld {
		t.Error("it looked again without being asked to")
	}
	w.decode(w.request("POST", "/harnesses", "", nil), &list)
	if list.Harnesses[0].Kind != "pi" || list.Harnesses[0].State != program.Ready {
		t.Errorf("after it looked again: %+v", list.Harnesses[0])
	}
}
