package tool

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"parley/backend/agent"
)

// Every tool that changes something can say what, and one that only reads is never asked about.
func TestDecide(t *testing.T) {
	client := []agent.ClientToolSpec{{Name: "locate", InputSchema: json.RawMessage(`{"type":"object"}`)}}
	for _, c := range []struct {
		policy  agent.PermissionPolicy
		call    string
		input   string
		allowed []string
		want    string // what Decide gives, as JSON; nothing if the call may be run
	}{
		{agent.PermissionAsk, "write_file", `{"path":"a","content":"x"}`, nil, `{"type":"interaction_request","toolCallId":"c","kind":"user_approval","payload":{"action":"fs_write","toolName":"write_file","preview":"a (1 line)","rule":"write_file"}}`},
		{agent.PermissionAsk, "write_file", `{"path":"a","content":"x\ny","append":true}`, nil, `{"type":"interaction_request","toolCallId":"c","kind":"user_approval","payload":{"action":"fs_write","toolName":"write_file","preview":"a (2 lines more)","rule":"write_file"}}`},
		{agent.PermissionAsk, "write_file", `{"path":"a","content":"x"}`, []string{"read_file", "write_file"}, ""},
		{agent.PermissionAsk, "write_file", `{"path":"a","content":1}`, nil, ""},
		{agent.PermissionAsk, "run_command", `{"command":"go","args":["test","./..."],"cwd":"sub"}`, nil, `{"type":"interaction_request","toolCallId":"c","kind":"user_approval","payload":{"action":"process","toolName":"run_command","preview":"go test ./...","rule":"run_command(go test *)"}}`},
		{agent.PermissionAsk, "edit_file", `{"path":"a","edits":[{"old":"x","new":"y"}]}`, nil, `{"type":"interaction_request","toolCallId":"c","kind":"user_approval","payload":{"action":"fs_write","toolName":"edit_file","preview":"a (1 edit)","rule":"edit_file"}}`},
		{agent.PermissionAsk, "http_request", `{"method":"GET","url":"https://example.com/x"}`, nil, `{"type":"interaction_request","toolCallId":"c","kind":"user_approval","payload":{"action":"egress","toolName":"http_request","preview":"GET https://example.com/x","rule":"http_request(https://example.com/*)"}}`},
		{agent.PermissionAsk, "git_commit", `{"message":"Mend","files":["a"]}`, nil, `{"type":"interaction_request","toolCallId":"c","kind":"user_approval","payload":{"action":"process","toolName":"git_commit","preview":"git commit: Mend  a"}}`},
		{agent.PermissionAuto, "git_commit", `{"message":"Mend","files":["a"]}`, nil, `{"type":"interaction_request","toolCallId":"c","kind":"user_approval","payload":{"action":"process","toolName":"git_commit","preview":"git commit: Mend  a"}}`},
		{agent.PermissionAuto, "ask_user", `{"question":"Which?","options":["a","b"]}`, nil, `{"type":"interaction_request","toolCallId":"c","kind":"user_input","payload":{"question":"Which?","options":["a","b"]}}`},
		{agent.PermissionAuto, "ask_user", `{"options":["a","b"]}`, nil, ""},
		{agent.PermissionAsk, "read_file", `{"path":"a"}`, nil, ""},
		{agent.PermissionAsk, "list_directory", `{"path":"a"}`, nil, ""},
		{agent.PermissionAsk, "no_such_tool", `{}`, nil, ""},
		{agent.PermissionAuto, "write_file", `{"path":"a","content":"x"}`, nil, ""},
		{agent.PermissionDeny, "write_file", `{"path":"a","content":"x"}`, []string{"write_file"}, `{"type":"tool_result","id":"c","name":"write_file","output":"write_file was not run: this agent may not change anything. Do without it.","denied":true}`},
		{agent.PermissionDeny, "locate", `{}`, nil, `{"type":"interaction_request","toolCallId":"c","kind":"client_tool"}`},
		{agent.PermissionAuto, "locate", `[]`, nil, ""},
		{"", "write_file", `{"path":"a","content":"x"}`, nil, `{"type":"interaction_request","toolCallId":"c","kind":"user_approval","payload":{"action":"fs_write","toolName":"write_file","preview":"a (1 line)","rule":"write_file"}}`}, // nobody said auto
	} {
		set, err := Open(agent.Policy{Scratch: t.TempDir()}, agent.Launch{Tools: Names(), ClientTools: client, PermissionPolicy: c.policy})
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		call := agent.ToolCall{ID: "c", Name: c.call, Input: json.RawMessage(c.input)}
		if e := set.Decide(call, agent.Grounds{Policy: c.policy, Allowed: c.allowed}); e != nil {
			b, err := agent.EncodeEvent(e)
			if err != nil {
				t.Fatal(err)
			}
			got = string(b)
		}
		if got != c.want {
			t.Errorf("%s: %s %s\n got %s\nwant %s", c.policy, c.call, c.input, got, c.want)
		}
		if c.call == "locate" {
			if r := set.Run(t.Context(), nil, call, unheard); !r.IsError {
				t.Errorf("we ran a tool of the caller: %+v", r)
			}
		}
		set.Close()
	}
}

func TestToolsOfTheCaller(t *testing.T) {
	spec := agent.ClientToolSpec{Name: "read_file", InputSchema: json.RawMessage(`{}`)}
	if _, err := Open(agent.Policy{Scratch: t.TempDir()}, agent.Launch{Tools: []string{"read_file"}, ClientTools: []agent.ClientToolSpec{spec}}); agent.AsError(err).Code != agent.CodeValidation {
		t.Errorf("two tools of one name: %v", err)
	}
}

func TestAPreviewIsOneShortLine(t *testing.T) {
	got := oneLine("deep/" + strings.Repeat("é", 2000) + "\n\u202e.txt")
	if n := utf8.RuneCountInString(got); n > maxPreview || !strings.HasPrefix(got, "deep/é") || !strings.HasSuffix(got, "é  .txt") {
		t.Errorf("%d characters: %s", n, got)
	}
}

// The person sees what a call does to a file that is there, and a file that may not be read is not shown for it.
func TestAQuestionHasTheDiff(t *testing.T) {
	dir := t.TempDir()
	for name, content := range map[string]string{"a": "one\ntwo\n", ".env": "KEY=1\n", "binary": "\x00", "long": strings.Repeat("line\n", maxDiff)} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	set, err := Open(agent.Policy{Scratch: dir}, agent.Launch{Tools: Names()})
	if err != nil {
		t.Fatal(err)
	}
	defer set.Close()
	const changed = "--- a/a\n+++ b/a\n@@ -1,2 +1,2 @@\n one\n-two\n+three\n"
	for _, c := range []struct{ call, input, want string }{
		{"write_file", `{"path":"a","content":"one\nthree\n"}`, changed},
		{"edit_file", `{"path":"a","edits":[{"old":"two","new":"three"}]}`, changed},
		{"edit_file", `{"path":"a","edits":[{"old":"four","new":"three"}]}`, ""},
		{"write_file", `{"path":"new","content":"x"}`, ""},
		{"write_file", `{"path":".env","content":"x"}`, ""},
		{"write_file", `{"path":"binary","content":"x"}`, ""},
		{"write_file", `{"path":"long","content":""}`, ""},
	} {
		e := set.Decide(agent.ToolCall{ID: "c", Name: c.call, Input: json.RawMessage(c.input)}, agent.Grounds{Policy: agent.PermissionAsk})
		ask, asks := e.(agent.InteractionRequest)
		var told manifest
		if !asks || json.Unmarshal(ask.Payload, &told) != nil || told.Diff != c.want {
			t.Errorf("%s %s: %q of %+v", c.call, c.input, told.Diff, e)
		}
	}
}
