package api

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/backend/config"
)

const reviewer = `{"id":"reviewer","harness":"scripted","provider":"openai","model":"m","system_prompt":"Review.","tools":["read_file"],"author_tools":[{"kind":"code","name":"count","description":"Counts.","input_schema":{"type":"object"},"runtime":"python","code":"print(1)"}],"mcp_servers":["notes"],"permissions":{"mode":"plan","allowed_commands":["go vet"],"allowed_command_globs":["git log *"],"allowed_domains":["example.org"]}}`

func (w *world) agents() (list AgentList) {
	w.t.Helper()
	w.get("/agents", &list)
	return list
}

func (w *world) done(method, path, body string) {
	w.t.Helper()
	if res := w.request(method, path, body, nil); res.StatusCode != http.StatusNoContent {
		w.t.Fatalf("%s %s: %+v", method, path, failure(w.t, res))
	}
}

func TestAgentsAreMadeChangedSavedAndRemoved(t *testing.T) {
	w := open(t)
	w.done("PUT", "/agents/reviewer", reviewer)
	w.done("PUT", "/agents/reviewer", strings.Replace(reviewer, `"m"`, `"m2"`, 1))
	var details AgentDetails
	w.get("/agents/reviewer", &details)
	if details.Model != "m2" || details.Permissions.Mode != "plan" || details.Permissions.Commands[0] != "go vet" || details.Permissions.CommandGlobs[0] != "git log *" || details.Permissions.Domains[0] != "example.org" || details.Tools[0] != "read_file" || details.MCPServers[0] != "notes" {
		t.Errorf("it is %+v", details)
	}
	last := w.agents().Agents[len(builtIn)]
	if last.ID != "reviewer" || last.Source != config.SourceMade || last.Untrusted {
		t.Errorf("it is listed as %+v", last)
	}
	for path, body := range map[string]string{
		"/agents/demo":  strings.Replace(reviewer, "reviewer", "demo", 1),                 // there is one
		"/agents/other": reviewer,                                                         // it has another id
		"/agents/a":     `{"id":"a","harness":"native","permissions":{"mode":"perhaps"}}`, // no agent
	} {
		if f := failure(t, w.request("PUT", path, body, nil)); f.Code != http.StatusBadRequest {
			t.Errorf("%s: %+v", path, f)
		}
	}
	var file AgentFile
	w.decode(w.request("POST", "/agents/reviewer/file", `{"to":"own"}`, nil), &file)
	if text, err := os.ReadFile(file.Path); err != nil || !strings.Contains(string(text), "model: m2") {
		t.Errorf("%s holds %s (%v)", file.Path, text, err)
	}
	if f := failure(t, w.request("DELETE", "/agents/reviewer", "", nil)); f.Code != http.StatusNotFound {
		t.Errorf("a file is removed: %+v", f)
	}
	w.done("PUT", "/agents/second", strings.Replace(reviewer, "reviewer", "second", 1))
	w.done("DELETE", "/agents/second", "")
	if list := w.agents(); len(list.Agents) != len(builtIn)+1 || list.Agents[len(builtIn)].Path != file.Path {
		t.Errorf("left are %+v", list.Agents)
	}
}

// §7 Values from files the person did not write never widen permissions until the person trusts that project.
func TestAnAgentOfAProjectIsUsedOnceItIsTrusted(t *testing.T) {
	w := open(t)
	socket := w.dial()
	folder := w.agents().Project
	err := os.MkdirAll(folder, 0o700)
	if err == nil {
		err = os.WriteFile(filepath.Join(folder, "a.agent.yaml"), []byte("id: theirs\nharness: scripted\nprovider: openai\nmodel: m\nsystem_prompt: p\npermissions: {mode: auto}\n"), 0o600)
	}
	if err == nil {
		err = os.WriteFile(filepath.Join(folder, "b.agent.yaml"), []byte("id: [b]\n"), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	for list := w.agents(); len(list.Agents) == len(builtIn) || len(list.Broken) == 0; list = w.agents() {
		if f := socket.read(); f.Type != "agents" {
			t.Errorf("the socket says %+v", f)
		}
	}
	ask := func(session string) *http.Response {
		return w.request("POST", "/messages", `{"references":{"agent":"theirs"},`+message(session, "u1", "[[say:hi]]")[1:], header("Accept", "application/json"))
	}
	if f := failure(t, ask("before")); f.Code != http.StatusBadRequest || !strings.Contains(f.Message, "trust") {
		t.Errorf("before it is trusted: %+v", f)
	}
	w.done("PUT", "/trust", "")
	if res := ask("after"); res.StatusCode != http.StatusOK {
		t.Errorf("once it is: %+v", failure(t, res))
	}
	w.done("DELETE", "/trust", "")
	if f := failure(t, ask("later")); f.Code != http.StatusBadRequest {
		t.Errorf("once it is not any more: %+v", f)
	}
	if res := ask("after"); res.StatusCode != http.StatusOK {
		t.Errorf("a session that began with it: %+v", failure(t, res))
	}
	if p := w.agents().Broken[0].Problems; len(p) != 4 || p[3].Line != 1 || p[3].Column != 5 {
		t.Errorf("the problems are %+v", p)
	}
}

// §4 Narrowing: anything outside is an error, never a silent intersection.
func TestASessionHasFewerToolsThanItsAgent(t *testing.T) {
	w := open(t)
	w.done("PUT", "/agents/reviewer", strings.NewReplacer(`["read_file"]`, `["read_file","list_directory"]`, `["notes"]`, `[]`).Replace(reviewer))
	ask := func(session, id, tools string) *http.Response {
		return w.request("POST", "/messages", `{"references":{"agent":"reviewer"},"data":{"parameters":{"agent":{"tools":`+tools+`}},`+
			`"messages":[{"id":"`+id+`","role":"user","parts":[{"type":"text","text":"[[say:hi]]"}]}]},"session_id":"`+session+`"}`, header("Accept", "application/json"))
	}
	if f := failure(t, ask("wide", "u1", `["read_file","write_file"]`)); f.Type != "tool_unavailable" || !strings.Contains(f.Message, "write_file") {
		t.Errorf("with another: %+v", f)
	}
	if res := ask("narrow", "u1", `["read_file"]`); res.StatusCode != http.StatusOK {
		t.Errorf("with one of them: %+v", failure(t, res))
	}
	if f := failure(t, ask("narrow", "u2", `["read_file","list_directory"]`)); f.Type != "tool_unavailable" {
		t.Errorf("a session is widened again: %+v", f)
	}
}
