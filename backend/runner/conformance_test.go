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

func TestConformance(t *testing.T) {
	model := httptest.NewServer(modelserver.New(modelserver.Options{}))
	defer model.Close()
	tools := []string{"list_directory", "read_file", "write_file"}
	for name, launch := range map[string]agent.Launch{
		"scripted": {Backend: agent.BackendScripted, Harness: agent.KindScripted, Tools: tools, PermissionPolicy: agent.PermissionAuto},
		"native": {
			Backend: agent.BackendInprocess, Harness: agent.KindNative, Tools: tools, PermissionPolicy: agent.PermissionAuto,
			Model: "fake-1", Endpoint: &agent.Endpoint{Provider: "openai", BaseURL: model.URL + "/v1"},
		},
	} {
		suite := agenttest.Suite{Launch: launch, Secrets: map[string]string{"openai": "key"}}
		t.Run(name, func(t *testing.T) {
			suite.New = func(t *testing.T) agent.Backend { l, _ := newLocal(t, "runner"); return l }
			agenttest.Run(t, suite)
		})
		t.Run(name+" by HTTP", func(t *testing.T) {
			var gate opened
			suite.Policy = func(t *testing.T) agent.Policy {
				gate = openGate(t, "runner")
				return agent.Policy{Scratch: gate.folder("sess_conformance")}
			}
			suite.New = func(t *testing.T) agent.Backend { return newRemote(t, gate.url) }
			agenttest.Run(t, suite)
		})
	}
}

func TestACrashOfTheRunner(t *testing.T) {
	said := listen(t.Context(), connTo(t, "runner"), say("[[deltas:20]] [[crash]]"), nil)
	if len(said.text) != 400 || said.err == nil || said.err.Code != agent.CodeSandbox || !strings.Contains(said.err.Error(), "exit status 70") {
		t.Errorf("%d bytes, then %+v, %v", len(said.text), said.finish, said.err)
	}
}
