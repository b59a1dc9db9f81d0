package runner

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"parley/backend/agent"
)

var update = flag.Bool("update", false, "write the golden files anew")

// fixture reads what stands under the prose of a fixture. With -update it writes got there first.
func fixture(t *testing.T, name, got string) string {
	t.Helper()
	path := filepath.Join("testdata", name+".txt")
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	prose, body, found := strings.Cut(string(b), "\n\n")
	if !found {
		t.Fatalf("%s needs prose and an empty line at the top", path)
	}
	if *update && got != "" {
		body = got
		if err := os.WriteFile(path, []byte(prose+"\n\n"+body), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return body
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	if want := fixture(t, name, got); got != want {
		t.Errorf("%s\n got %s\nwant %s", name, got, want)
	}
}

var requests = map[string]struct {
	launch agent.Launch
	prompt agent.Prompt
}{
	"request-scripted": {
		agent.Launch{Backend: agent.BackendScripted, Harness: agent.KindScripted, PermissionPolicy: agent.PermissionAsk},
		agent.Prompt{Messages: []agent.Message{{Role: agent.RoleUser, Parts: []agent.Part{agent.TextPart{Text: "/demo"}}}}},
	},
	"request-native": {
		agent.Launch{
			Backend: agent.BackendInprocess, Harness: agent.KindNative, AgentsMD: "Be brief.", Model: "llama3",
			Endpoint: &agent.Endpoint{Provider: "ollama", BaseURL: "http://127.0.0.1:11434/v1"},
			Tools:    []string{"read_file", "write_file"}, PermissionPolicy: agent.PermissionAuto,
		},
		agent.Prompt{
			Key: agent.SessionKey{Project: "p1", Session: "s1"}, Turn: "t1", Secrets: map[string]string{"ollama": "key"},
			Messages: []agent.Message{
				{Role: agent.RoleUser, Parts: []agent.Part{agent.TextPart{Text: "one"}, agent.TextPart{Text: ""}}},
				{Role: agent.RoleAssistant, Parts: []agent.Part{
					agent.TextPart{Text: "I look."},
					agent.ToolCallPart{ID: "c1", Name: "read_file", Args: json.RawMessage(`{"path":"a"}`)},
				}},
				{Role: agent.RoleTool, Parts: []agent.Part{agent.ToolResultPart{ToolCallID: "c1", Result: json.RawMessage(`"no such file"`), IsError: true}}},
				{Role: agent.RoleAssistant},
				{Role: agent.RoleUser, Parts: []agent.Part{agent.TextPart{Text: "two \u2028 <é>"}}},
			},
		},
	},
	"request-plan": {
		agent.Launch{
			Backend: agent.BackendScripted, Harness: agent.KindScripted, PermissionPolicy: agent.PermissionDeny,
			Rules: agent.Rules{Default: agent.AllowReads, Rules: []agent.Rule{{Pattern: "fs_write", Permission: agent.Deny}, {Pattern: "run_command(git log *)", Permission: agent.Allow}}},
		},
		agent.Prompt{Messages: []agent.Message{{Role: agent.RoleUser, Parts: []agent.Part{agent.TextPart{Text: "/demo"}}}}},
	},
	"request-author-tools": {
		agent.Launch{
			Backend: agent.BackendScripted, Harness: agent.KindScripted, PermissionPolicy: agent.PermissionAsk,
			AuthorTools: []agent.AuthorTool{
				{Kind: agent.AuthorCode, Name: "count", Description: "Counts.", InputSchema: json.RawMessage(`{"type":"object"}`), Runtime: agent.RuntimePython, Code: "print(1)", Args: json.RawMessage(`{"n":1}`), TimeoutMS: 5, Permission: agent.Ask},
				{Kind: agent.AuthorHTTP, Name: "send", Description: "Sends.", InputSchema: json.RawMessage(`{"type":"object"}`), URL: "https://example.com/a", Method: "PUT", Headers: map[string]string{"X-A": "b"}, Secrets: map[string]string{"Authorization": "Bearer {{secret:token}}"}},
			},
		},
		agent.Prompt{Messages: []agent.Message{{Role: agent.RoleUser, Parts: []agent.Part{agent.TextPart{Text: "/demo"}}}}},
	},
	"request-hosted": {
		agent.Launch{
			Backend: agent.BackendScripted, Harness: agent.KindScripted, Tools: []string{"run_command"}, PermissionPolicy: agent.PermissionAuto, Redacts: true,
			Hosted: []agent.HostedTool{
				{Name: "deploy", Description: "Deploys.", InputSchema: json.RawMessage(`{"type":"object"}`), Version: "v1", Secrets: []string{"token"}, Permission: agent.Ask},
				{Name: "run_command", InputSchema: json.RawMessage(`null`), Version: "v2", Secrets: []string{"a", "b"}},
			},
		},
		agent.Prompt{Messages: []agent.Message{{Role: agent.RoleUser, Parts: []agent.Part{agent.TextPart{Text: "/demo"}}}}},
	},
	"request-side": {
		agent.Launch{
			Backend: agent.BackendCalls, Harness: agent.KindNative, Tools: []string{"run_command"}, PermissionPolicy: agent.PermissionAuto,
			CommandEnv: map[string]string{"TOKEN": "{{secret:token}}"},
			Search:     &agent.Search{URL: "https://example.org/search", API: agent.SearchBrave, Headers: map[string]string{"X-Key": "{{secret:token}}"}},
			Servers:    []agent.MCPServer{{ID: "notes", Transport: agent.TransportStdio, Command: "mcp-notes", Env: map[string]string{"KEY": "{{secret:a.b}}"}}},
		},
		agent.Prompt{
			Beside: "s1", Secrets: map[string]string{"secret:token": "x", "secret:a.b": "y"}, Approved: []string{"c1"}, Allowed: []string{},
			Messages: []agent.Message{{Role: agent.RoleAssistant, Parts: []agent.Part{agent.ToolCallPart{ID: "c1", Name: "run_command", Args: json.RawMessage(`{}`)}}}},
		},
	},
	// §6 Restarting the app in the middle loses neither the question nor the answer: all that goes on is in the request.
	"request-resumed": {
		agent.Launch{
			Backend: agent.BackendScripted, Harness: agent.KindScripted, Tools: []string{"write_file"}, PermissionPolicy: agent.PermissionAsk,
			ClientTools: []agent.ClientToolSpec{{Name: "locate", Description: "Where?", InputSchema: json.RawMessage(`{"type":"object"}`)}},
		},
		agent.Prompt{
			Approved: []string{"c1"}, Allowed: []string{"write_file"},
			Messages: []agent.Message{
				{Role: agent.RoleUser, Parts: []agent.Part{agent.TextPart{Text: "/demo"}}},
				{Role: agent.RoleAssistant, Parts: []agent.Part{agent.ToolCallPart{ID: "c1", Name: "write_file", Args: json.RawMessage(`{}`)}}},
			},
		},
	},
}

func TestRequests(t *testing.T) {
	for name, c := range requests {
		line, err := encodeRequest(c.launch, c.prompt)
		if err != nil {
			t.Fatal(err)
		}
		golden(t, name, string(line))
		in, err := decodeLine(line)
		if err != nil {
			t.Fatal(err)
		}
		launch, prompt, err := in.decode()
		if err != nil || !reflect.DeepEqual(launch, empty(c.launch)) || !reflect.DeepEqual(prompt, emptySecrets(c.prompt)) {
			t.Errorf("%s came back as %+v %+v (%v)", name, launch, prompt, err)
		}
	}
}

// On the wire an empty list is written; it comes back as one.
func empty(l agent.Launch) agent.Launch {
	if l.Tools == nil {
		l.Tools = []string{}
	}
	return l
}

func emptySecrets(p agent.Prompt) agent.Prompt {
	if p.Secrets == nil {
		p.Secrets = map[string]string{}
	}
	return p
}

func TestReasoningIsNotSentBack(t *testing.T) {
	parts := []agent.Part{agent.ReasoningPart{Text: "hm"}, agent.TextPart{Text: "hi"}}
	line, err := encodeRequest(requests["request-scripted"].launch, agent.Prompt{Messages: []agent.Message{{Role: agent.RoleAssistant, Parts: parts}}})
	if err != nil || !bytes.Contains(line, []byte(`"messages":[{"role":"assistant","content":[{"type":"text","text":"hi"}]}]`)) {
		t.Errorf("%s %v", line, err)
	}
}

func TestRequestsThatAreRefused(t *testing.T) {
	for name, c := range map[string]struct{ old, new, why string }{
		"another sandbox":     {`"sandbox":"local"`, `"sandbox":"docker"`, `the sandbox "docker" is not supported; use "local"`},
		"another backend":     {`"backend":"scripted"`, `"backend":"acp"`, `the backend "acp" cannot run the harness "scripted"`},
		"another harness":     {`"harness":"scripted"`, `"harness":"pi"`, `the backend "scripted" cannot run the harness "pi"`},
		"a policy":            {`"permissionPolicy":"ask"`, `"permissionPolicy":"yolo"`, `the permission policy "yolo" is none of auto, deny and ask`},
		"no policy":           {`"permissionPolicy":"ask"`, `"permissionPolicy":null`, `the permission policy "" is none of`},
		"a wire":              {`"trace":null`, `"trace":null,"endpoint":{"provider":"p","baseUrl":"http://h","wire":"telegraph"}`, `the wire "telegraph" is none of`},
		"a session beside it": {`"tools":[]`, `"tools":[],"beside":"a/b"`, `the session "a/b" that it is beside is called as none is`},
		"a role":              {`"role":"user"`, `"role":"developer"`, `the role "developer" is none of`},
		"a resource":          {`"/demo"`, `[{"type":"resource","uri":"x"}]`, `a content block of type "resource" is not supported`},
		"content":             {`"/demo"`, `7`, "not one JSON object"},
		"a custom tool":       {`"customTools":[]`, `"customTools":[{"name":"x","kind":"bash"}]`, `the tool "x" is of the kind "bash"; there are client, code, callback and host`},
		"a broken tool":       {`"customTools":[]`, `"customTools":[{"name":"x","kind":"code","description":"d","runtime":"ruby"}]`, `The tool x has the runtime "ruby". There are: python, node`},
		"something to come":   {`"tools":[]`, `"tools":[],"novelty":{"a":1}`, ""},
	} {
		line := strings.Replace(strings.TrimSpace(fixture(t, "request-scripted", "")), c.old, c.new, 1)
		in, err := decodeLine([]byte(line))
		if err == nil {
			_, _, err = in.decode()
		}
		if c.why == "" {
			if err != nil {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		if err == nil || agent.AsError(err).Code != agent.CodeValidation || !strings.Contains(agent.AsError(err).Message, c.why) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestResults(t *testing.T) {
	for name, o := range map[string]outcome{
		"result-ok": {
			finish: agent.Finish{
				StopReason: agent.StopMaxTokens, Usage: agent.Usage{Input: 1, Output: 2, Total: 3, CacheRead: 4, CacheWrite: 5},
				Model: "m", TraceID: "0af7651916cd43dd8448eb211c80319c",
			}, session: "s1", output: "Hello."},
		"result-ok-bare": {finish: agent.Finish{StopReason: agent.StopEndTurn}},
		"result-killed":  {finish: agent.Finish{StopReason: agent.StopCancelled, Killed: true}},
		"result-failed":  {failure: agent.Errorf(agent.CodeProviderAuth, "The key was refused.")},
	} {
		mirror, result := o.encode()
		golden(t, name, string(mirror)+"\n"+string(result)+"\n")
		if r, err := decodeRecord(mirror); err != nil || r != (record{}) {
			t.Errorf("the mirror of %s came back as %+v (%v)", name, r, err)
		}
		r, err := decodeRecord(result)
		if err != nil || !reflect.DeepEqual(*r.ended, outcome{finish: o.finish, failure: o.failure}) {
			t.Errorf("%s came back as %+v (%v)", name, r.ended, err)
		}
	}
}

func TestHelloAndControl(t *testing.T) {
	key := agent.SessionKey{Project: agent.DefaultProject, Session: "s1"}
	golden(t, "hello", string(encodeHello("1.2.3"))+"\n")
	golden(t, "control", string(encodeControl("stop", key, control{Type: "stop"}))+string(ack{ID: "stop", OK: true}.encode())+"\n"+
		string(ack{ID: "stop", Error: "no such turn is running"}.encode())+"\n"+
		string(encodeControl("c1", key, control{
			Type: controlPermissions, PermissionPolicy: agent.PermissionDeny, Permissions: agent.Rules{Rules: []agent.Rule{{Pattern: "egress", Permission: agent.Deny}}},
		}))+
		string(encodeControl("msg_1", key, control{Type: "steer", Ref: "msg_1", Note: "and <quickly>"}))+string(ack{ID: "msg_1", OK: true}.encode())+"\n")
	for _, a := range []ack{{Type: controlAck, ID: "c", OK: true}, {Type: controlAck, ID: "c", Error: "no"}} {
		if r, err := decodeRecord(a.encode()); err != nil || r.ack == nil || *r.ack != a {
			t.Errorf("%+v came back as %+v (%v)", a, r.ack, err)
		}
	}
	in, err := decodeLine(encodeControl("stop", key, control{Type: "stop"}))
	if err != nil || in.Kind != "control" || in.Control.Type != "stop" || *in.SessionID != "s1" || in.ProjectID != agent.DefaultProject {
		t.Errorf("%+v %v", in, err)
	}
}

func TestAsks(t *testing.T) {
	key := agent.SessionKey{Project: agent.DefaultProject, Session: "s1"}
	asks := []ask{
		{"k1", askForCall, &askCall{"c1", "deploy", json.RawMessage(`{"to":"prod"}`)}, ""},
		{"k2", askForRedact, nil, "a <text>"},
		{"k1", askNoMore, nil, ""},
	}
	answers := []control{
		{Type: controlOutput, Ref: "k1", Output: "deployed", Data: json.RawMessage(`{"ok":true}`)},
		{Type: controlOutput, Ref: "k1", Output: "no", Denied: true},
		{Type: controlOutput, Ref: "k2", Output: "The keychain is locked.", IsError: true},
	}
	var lines strings.Builder
	for _, a := range asks {
		lines.Write(append(a.encode(), '\n'))
		if r, err := decodeRecord(a.encode()); err != nil || !reflect.DeepEqual(r, record{ask: &a}) {
			t.Errorf("%+v came back as %+v (%v)", a, r.ask, err)
		}
	}
	for _, c := range answers {
		line := encodeControl("k", key, c)
		lines.Write(line)
		if in, err := decodeLine(line); err != nil || !reflect.DeepEqual(in.Control, c) {
			t.Errorf("%+v came back as %+v (%v)", c, in.Control, err)
		}
	}
	golden(t, "asks", lines.String())
}

func FuzzRecord(f *testing.F) {
	for _, name := range []string{"turn", "turn-paused", "result-ok", "result-failed", "control", "asks"} {
		b, err := os.ReadFile(filepath.Join("testdata", name+".txt"))
		if err != nil {
			f.Fatal(err)
		}
		for line := range bytes.Lines(b) {
			f.Add(line)
		}
	}
	f.Add([]byte(`{"kind":"event","event":{"type":"status"},"kind":"heartbeat"}`))
	f.Add([]byte(`{"kind":"event","event":}`))
	f.Fuzz(func(t *testing.T, line []byte) {
		_ = checkHello(line)
		r, err := decodeRecord(line)
		if slow, slowErr := decodeAnyRecord(line); !reflect.DeepEqual(r, slow) || (err == nil) != (slowErr == nil) {
			t.Errorf("%q is %+v, %v; the slow way %+v, %v", line, r, err, slow, slowErr)
		}
		switch {
		case err != nil:
			if agent.AsError(err).Code != agent.CodeSandbox {
				t.Errorf("%q: %v", line, err)
			}
		case r.event != nil:
			if !agent.Spoken(r.event) {
				t.Errorf("%q was believed", line)
			}
			once, err := encodeEvent(r.event)
			if err != nil {
				t.Fatal(err)
			}
			back, err := decodeRecord(once)
			if err != nil {
				t.Fatal(err)
			}
			if again, err := encodeEvent(back.event); err != nil || !bytes.Equal(once, again) {
				t.Errorf("%q came back as %s, then as %s (%v)", line, once, again, err)
			}
		case r.ended != nil && r.ended.failure == nil && !r.ended.finish.StopReason.Valid():
			t.Errorf("%q ended a turn with %q", line, r.ended.finish.StopReason)
		}
	})
}

func FuzzRequest(f *testing.F) {
	for _, name := range []string{"request-scripted", "request-native", "request-resumed", "request-hosted", "request-side", "control", "asks"} {
		b, err := os.ReadFile(filepath.Join("testdata", name+".txt"))
		if err != nil {
			f.Fatal(err)
		}
		for line := range bytes.Lines(b) {
			f.Add(line)
		}
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		in, err := decodeLine(line)
		if err != nil {
			return
		}
		launch, prompt, err := in.decode()
		if err != nil {
			if agent.AsError(err).Code != agent.CodeValidation {
				t.Errorf("%q: %v", line, err)
			}
			return
		}
		once, err := encodeRequest(launch, prompt)
		if err != nil {
			t.Fatal(err)
		}
		in, err = decodeLine(once)
		if err != nil {
			t.Fatal(err)
		}
		launch, prompt, err = in.decode()
		if err != nil {
			t.Fatal(err)
		}
		if again, err := encodeRequest(launch, prompt); err != nil || !bytes.Equal(once, again) {
			t.Errorf("%q came back as %s, then as %s (%v)", line, once, again, err)
		}
	})
}
