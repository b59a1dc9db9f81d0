//go:build unix

package tool

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"parley/backend/agent"
)

// aScript is a tool that takes n, a whole number, and any text.
func aScript(runtime agent.Runtime, code string) agent.AuthorTool {
	return agent.AuthorTool{
		Kind: agent.AuthorCode, Name: "mine", Description: "Mine.", Runtime: runtime, Code: code,
		InputSchema: []byte(`{"type":"object","properties":{"n":{"type":"integer"},"on":{"type":"boolean"},"text":{"type":"string"}},"additionalProperties":false}`),
	}
}

func having(t *testing.T, tools ...agent.AuthorTool) (set *Set, root string) {
	t.Helper()
	root = t.TempDir()
	set, err := Open(agent.Policy{Scratch: root, Private: t.TempDir()}, agent.Launch{AuthorTools: tools})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { set.Close() })
	return set, root
}

func TestScripts(t *testing.T) {
	t.Setenv("PARLEY_TEST_KEY", "of the app")
	secret := aScript(agent.RuntimePython, `import os; print(os.environ["MINE"], os.environ.get("PARLEY_TEST_KEY"))`)
	secret.Secrets = map[string]string{"MINE": "given"}
	unfilled := secret
	unfilled.Secrets = map[string]string{"MINE": "a {{secret:mine}}"}
	configured := aScript(agent.RuntimeNode, `process.stdout.write(require("fs").readFileSync(0))`)
	configured.Args = []byte(`{"n":7,"text":"mine"}`)
	slow := aScript(agent.RuntimePython, `import time; time.sleep(60)`)
	slow.TimeoutMS = 300
	for name, c := range map[string]struct {
		tool   agent.AuthorTool
		input  string
		output string // after "error:" if it fails
		data   string
	}{
		"python":                         {aScript(agent.RuntimePython, `import json, sys; print(json.load(sys.stdin)["n"] * 2)`), `{"n":21}`, "42\n", ""},
		"node":                           {aScript(agent.RuntimeNode, `console.log(JSON.parse(require("fs").readFileSync(0)).text + "é")`), `{"text":"caf"}`, "café\n", ""},
		"output and data":                {aScript(agent.RuntimePython, `print('{"output": "two", "data": {"n": [2]}}')`), `{}`, "two", `{"n": [2]}`},
		"data alone":                     {aScript(agent.RuntimePython, `print('{"data": 2}')`), `{}`, "2", "2"},
		"another object":                 {aScript(agent.RuntimePython, `print('{"output": "two", "n": 2}')`), `{}`, "{\"output\": \"two\", \"n\": 2}\n", ""},
		"args over a model's":            {configured, `{"n":1,"on":true}`, `{"n":7,"on":true,"text":"mine"}`, ""},
		"reads no input":                 {aScript(agent.RuntimePython, `print("done")`), `{"text":"` + strings.Repeat("x", 1<<20) + `"}`, "done\n", ""},
		"secret":                         {secret, `{}`, "given None\n", ""},
		"a secret that nobody filled in": {unfilled, `{}`, "error:mine was not run: it needs secrets, and none are given to tools here.", ""},
		"fails":                          {aScript(agent.RuntimeNode, `console.error("why"); process.exit(3)`), `{}`, "error:mine failed.\n[stderr]\nwhy\n[Exit code 3.]", ""},
		"too long":                       {slow, `{}`, "error:mine took longer than 300ms and was ended.\n", ""},
		"no number":                      {configured, `{"n":1,"on":"false"}`, `error:The arguments of mine do not fit: on: false has type "string", want "boolean".`, ""},
		"what is unknown":                {secret, `{"m":1}`, `error:The arguments of mine do not fit: unexpected additional properties ["m"].`, ""},
		"no object":                      {configured, `[]`, "error:The arguments of mine must be one JSON object.", ""},
		"cannot be imported":             {aScript(agent.RuntimePython, `import planted`), `{}`, "error:mine failed.\n[stderr]\nTraceback (most recent call last):\n  File \"<string>\", line 1, in <module>\nModuleNotFoundError: No module named 'planted'\n[Exit code 1.]", ""},
	} {
		t.Run(name, func(t *testing.T) {
			set, root := having(t, c.tool)
			put(t, filepath.Join(root, "planted.py"), "")
			r := set.Run(t.Context(), nil, agent.ToolCall{ID: "c1", Name: "mine", Input: []byte(c.input)}, unheard)
			want, fails := strings.CutPrefix(c.output, "error:")
			if r.Output != want || r.IsError != fails || string(r.Data) != c.data {
				t.Errorf("%+v (%s)", r, r.Data)
			}
		})
	}
}

func TestAScriptSaysHowFarItIs(t *testing.T) {
	set, root := having(t, aScript(agent.RuntimePython, `
import os, sys, time
print("the answer", flush=True)
print("half", file=sys.stderr, flush=True)
while not os.path.exists("on"): time.sleep(0.01)
`))

	r := set.Run(t.Context(), nil, agent.ToolCall{ID: "c1", Name: "mine", Input: []byte(`{}`)}, func(e agent.Event) {
		if e != (agent.ToolProgress{ID: "c1", Output: "half\n"}) {
			t.Errorf("%+v", e)
		}
		put(t, filepath.Join(root, "on"), "")
	})
	if r.Output != "the answer\n" {
		t.Errorf("%+v", r)
	}
}

// TestAScriptIsRunByAnInterpreter: not by the script that a manager of versions has put before it.
func TestAScriptIsRunByAnInterpreter(t *testing.T) {
	shims := t.TempDir()
	put(t, filepath.Join(shims, "python3"), "#!/bin/sh\nexit 9\n")
	if err := os.Chmod(filepath.Join(shims, "python3"), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", shims+":"+os.Getenv("PATH"))
	set, _ := having(t, aScript(agent.RuntimePython, `print(1)`))
	if r := call(t, set, "mine", given{}); r.Output != "1\n" {
		t.Errorf("%+v", r)
	}
	t.Setenv("PATH", t.TempDir())
	refused(t, call(t, set, "mine", given{}), "it is a script for python3, which is not installed")
}

func TestRequests(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		switch r.URL.Path {
		case "/away":
			http.Redirect(w, r, "/", http.StatusFound)
		case "/wrong":
			w.WriteHeader(http.StatusTeapot)
			fmt.Fprint(w, "no tea")
		case "/picture":
			w.Header().Set("Content-Type", "image/png")
			_, _ = w.Write([]byte("\x89PNG\x00"))
		default:
			fmt.Fprint(w, r.Method, " ", r.Header.Get("Content-Type"), " ", r.Header.Get("X-Mine"), " ", r.Header.Get("Authorization"), " ", string(body))
		}
	}))
	defer server.Close()
	for path, want := range map[string]string{
		"/":        `PUT application/json yes Bearer x {"n":1}`,
		"/away":    "error:send failed: the server answered 302 Found.\n",
		"/wrong":   "error:send failed: the server answered 418 I'm a teapot.\nno tea",
		"/picture": "[5 bytes of image/png, which is not text.]",
	} {
		tool := agent.AuthorTool{Name: "send", URL: server.URL + path, Method: "PUT", Headers: map[string]string{"x-mine": "yes"}, Secrets: map[string]string{"authorization": "Bearer x"}}
		got, err := post(t.Context(), tool, json.RawMessage(`{"n":1}`))
		if err != nil {
			got = "error:" + err.Error()
		}
		if strings.TrimSpace(got) != strings.TrimSpace(want) {
			t.Errorf("%s: %q, want %q", path, got, want)
		}
	}
	away := agent.AuthorTool{
		Kind: agent.AuthorHTTP, Name: "mine", Description: "Mine.", URL: "https://169.254.169.254/", InputSchema: []byte(`{"type":"object"}`), TimeoutMS: int(time.Minute.Milliseconds()),
	}
	set, _ := having(t, away)
	refused(t, call(t, set, "mine", given{}), "169.254.169.254 was not reached: it is on this machine or on a private network")
}

// TestAuthorToolsAreDecided: as the changes that they are, after their arguments were merged and checked; and what they say of
// themselves is heard.
func TestAuthorToolsAreDecided(t *testing.T) {
	script := aScript(agent.RuntimePython, "pass")
	script.Args = []byte(`{"text":"git status"}`)
	allowed := script
	allowed.Name, allowed.Permission = "allowed", agent.Allow
	set, _ := having(t, script, allowed)
	decide := func(name, input string, rules agent.Rules) agent.Event {
		return set.Decide(agent.ToolCall{ID: "c1", Name: name, Input: []byte(input)}, agent.Grounds{Policy: agent.PermissionAsk, Rules: rules})
	}
	r, ok := decide("mine", `{"n":1,"text":"x"}`, agent.Rules{Commands: []string{"git status"}}).(agent.InteractionRequest)
	if want := fmt.Sprintf(`{"action":"process","toolName":"mine","preview":"mine {\"n\":1,\"text\":\"git status\"}","rule":"mine@%s"}`, script.Version()); !ok || string(r.Payload) != want {
		t.Errorf("%s, want %s", r.Payload, want)
	}
	if e := decide("mine", `{"n":"1"}`, agent.Rules{}); e != nil {
		t.Errorf("somebody is asked about what does not fit: %+v", e)
	}
	if e := decide("allowed", `{}`, agent.Rules{}); e != nil {
		t.Errorf("one that allows itself: %+v", e)
	}
	denied := agent.Rules{Rules: []agent.Rule{{Pattern: "process", Permission: agent.Deny}}}
	if e, ok := decide("allowed", `{}`, denied).(agent.ToolResult); !ok || !e.Denied {
		t.Errorf("one that allows itself, and is denied: %+v", e)
	}
	request, _ := having(t, agent.AuthorTool{Kind: agent.AuthorHTTP, Name: "send", URL: "https://example.com/a", InputSchema: []byte(`{"type":"object"}`)})
	if r, ok := request.Decide(agent.ToolCall{Name: "send", Input: []byte(`{"n":1}`)}, agent.Grounds{Policy: agent.PermissionAsk}).(agent.InteractionRequest); !ok || !strings.Contains(string(r.Payload), `{"action":"egress","toolName":"send","preview":"POST https://example.com/a {\"n\":1}"`) {
		t.Errorf("a request: %s", r.Payload)
	}
	lent := script
	lent.Permission, lent.Secrets = agent.Allow, map[string]string{"KEY": "{{secret:key}}"}
	set, err := Open(agent.Policy{Scratch: t.TempDir()}, agent.Launch{AuthorTools: []agent.AuthorTool{lent}, Hosted: []agent.HostedTool{{Name: "mine", Version: "v1", Secrets: []string{"key"}}}})
	if err != nil {
		t.Fatal(err)
	}
	defer set.Close()
	if r, ok := decide("mine", `{}`, agent.Rules{}).(agent.InteractionRequest); !ok || !strings.Contains(string(r.Payload), `"rule":"mine@v1","secrets":["key"]`) {
		t.Errorf("one that is given a secret: %s", r.Payload)
	}
	if r := set.Run(t.Context(), app{}, agent.ToolCall{Name: "mine", Input: []byte(`{}`)}, unheard); r.Output != "the app ran mine{}" {
		t.Errorf("one that is given a secret was not run by the app: %+v", r)
	}
	changed := script
	changed.Code = "pass "
	if changed.Version() == script.Version() {
		t.Error("another script has the same version")
	}
}
