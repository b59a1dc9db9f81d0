package app

import (
	"encoding/json"
	"strings"
	"testing"

	"parley/backend/agent"
	"parley/backend/api"
)

const asksTheWayOut = `import os, socket, urllib.parse
way = urllib.parse.urlsplit(os.environ["HTTPS_PROXY"])
s = socket.create_connection((way.hostname, way.port))
s.sendall(b"CONNECT 10.0.0.1:443 HTTP/1.1\r\nHost: 10.0.0.1:443\r\n\r\n")
print(s.recv(4096).decode())`

// What is given secrets reaches no host that the person's rules do not let the agent's calls reach, either.
func TestWhatIsGivenSecretsKeepsToTheRulesForHosts(t *testing.T) {
	l := newLends(t, api.AgentDetails{AuthorTools: []agent.AuthorTool{{
		Kind: agent.AuthorCode, Name: "goes", Description: "Goes out.", InputSchema: json.RawMessage(`{"type":"object"}`),
		Runtime: agent.RuntimePython, Code: asksTheWayOut, Secrets: map[string]string{"TOKEN": "{{secret:token}}"}, Permission: agent.Allow,
	}}}, map[string]string{"token": "canary-that-stays"})
	l.tell(`[[tool:goes {}]] [[say:gone]]`)
	if _, said := l.allow(true, agent.ScopeOnce); !strings.Contains(said, "Nobody has allowed the agent to reach 10.0.0.1:443.") {
		t.Errorf("it was told %.3000s", said)
	}
}
