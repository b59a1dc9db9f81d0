//go:build linux

package runner

import (
	"net/http/httptest"
	"strings"
	"testing"

	"parley/backend/agent"
	"parley/backend/agent/agenttest"
	"parley/backend/modelserver"
)

var tools = []string{"list_directory", "read_file", "write_file"}

func TestConformance(t *testing.T) {
	model := httptest.NewServer(modelserver.New(modelserver.Options{}))
	defer model.Close()
	for name, launch := range map[string]agent.Launch{
		"scripted": {Backend: agent.BackendScripted, Harness: agent.KindScripted, Tools: tools, PermissionPolicy: agent.PermissionAuto},
		"native": {
			Backend: agent.BackendInprocess, Harness: agent.KindNative, Tools: tools, PermissionPolicy: agent.PermissionAuto,
			Model: "fake-1", Endpoint: &agent.Endpoint{Provider: "openai", BaseURL: model.URL + "/v1"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			agenttest.Run(t, agenttest.Suite{
				New:     func(t *testing.T) agent.Backend { l, _ := newLocal(t, "runner"); return l },
				Launch:  launch,
				Steers:  name == "scripted",
				Secrets: map[string]string{"openai": "key"},
			})
		})
	}
}

// TestConformanceByHTTP is by a gate that the test opens; the real program's own runs the suite in package app.
func TestConformanceByHTTP(t *testing.T) {
	var gate opened
	agenttest.Run(t, agenttest.Suite{
		Policy: func(t *testing.T) agent.Policy {
			gate = openGate(t, "runner")
			return agent.Policy{Scratch: gate.folder("sess_conformance")}
		},
		New:    func(t *testing.T) agent.Backend { return newRemote(t, gate.url) },
		Launch: agent.Launch{Backend: agent.BackendScripted, Harness: agent.KindScripted, Tools: tools, PermissionPolicy: agent.PermissionAuto},
		Steers: true,
	})
}

func TestACrashOfTheRunner(t *testing.T) {
	said := listen(t.Context(), connTo(t, "runner"), say("[[deltas:20]] [[crash]]"), nil)
	if len(said.text) != 400 || said.err == nil || said.err.Code != agent.CodeSandbox || !strings.Contains(said.err.Error(), "exit status 70") {
		t.Errorf("%d bytes, then %+v, %v", len(said.text), said.finish, said.err)
	}
}
