package agent

import (
	"encoding/json"
	"strings"
	"testing"
)

// TestMCPServersAreChecked holds each mistake against a word of the sentence about it; "" is no mistake.
func TestMCPServersAreChecked(t *testing.T) {
	for server, want := range map[string]string{
		`{"id":"files","transport":"stdio","command":"mcp-files","args":["--all"],"env":{"LEVEL":"debug"}}`: "",
		`{"id":"a.b_c-9","transport":"http","url":"https://mcp.example/v1"}`:                                "",
		`{"id":"here","transport":"http","url":"http://127.0.0.1:4000/mcp","headers":{"X-Team":"blue"}}`:    "",
		`{"id":"none","transport":"stdio","command":"x","tools_allowlist":[]}`:                              "",
		`{"id":"","transport":"stdio","command":"x"}`:                                                       "name",
		`{"id":"a b","transport":"stdio","command":"x"}`:                                                    "letters, digits",
		`{"id":"` + strings.Repeat("a", 129) + `","transport":"stdio","command":"x"}`:                       "at most 128",
		`{"id":"parley-tools","transport":"stdio","command":"x"}`:                                           "Parley's own",
		`{"id":"a","command":"x"}`:                                                                                      "transport",
		`{"id":"a","transport":"sse","url":"https://mcp.example"}`:                                                      "stdio, http",
		`{"id":"a","transport":"stdio","command":" "}`:                                                                  "no command",
		`{"id":"a","transport":"stdio","command":"x","url":"https://mcp.example"}`:                                      "url or headers",
		`{"id":"a","transport":"stdio","command":"x","env":{"A=B":"c"}}`:                                                "no name",
		`{"id":"a","transport":"stdio","command":"x","env":{"A":"b\nc"}}`:                                               "line break",
		`{"id":"a","transport":"stdio","command":"x","env":{"KEY":"{{secret:key}}"}}`:                                   "",
		`{"id":"a","transport":"http","url":"https://mcp.example","headers":{"Authorization":"Bearer {{secret:a.b}}"}}`: "",
		`{"id":"a","transport":"stdio","command":"x","env":{"KEY":"{{secret:Key}}"}}`:                                   "{{secret:slug}}",
		`{"id":"a","transport":"stdio","command":"x","env":{"KEY":"{{secrets.key}}"}}`:                                  "begins nothing but",
		`{"id":"a","transport":"stdio","command":"x","env":{"GITHUB_TOKEN":"hunter2"}}`:                                 "Secrets are not written",
		`{"id":"a","transport":"http","url":"https://mcp.example","headers":{"authorization":"hunter2"}}`:               "Secrets are not written",
		`{"id":"a","transport":"stdio","command":"x","env":{"MAX_TOKENS":"10"}}`:                                        "",
		`{"id":"a","transport":"stdio","command":"x","args":["{{secret:key}}"]}`:                                        "its args",
		`{"id":"a","transport":"http","url":"https://mcp.example/{{secret:key}}"}`:                                      "its url",
		`{"id":"a","transport":"stdio","command":"x","tools_allowlist":[""]}`:                                           "without a name",
		`{"id":"a","transport":"http","url":"https://mcp.example","command":"x"}`:                                       "a command",
		`{"id":"a","transport":"http","url":"https://anna:hunter2@mcp.example"}`:                                        "password",
		`{"id":"a","transport":"http","url":"http://mcp.example"}`:                                                      "Write https",
		`{"id":"a","transport":"http","url":"http://127.0.0.1.mcp.example"}`:                                            "Write https",
		`{"id":"a","transport":"http","url":"mcp.example"}`:                                                             "https://",
		`{"id":"a","transport":"http","url":"https://mcp.example","headers":{"A B":"c"}}`:                               "no name",
	} {
		var s MCPServer
		if err := json.Unmarshal([]byte(server), &s); err != nil {
			t.Fatal(err)
		}
		err := s.Check()
		switch {
		case want == "" && err != nil, want != "" && (err == nil || !strings.Contains(err.Error(), want)):
			t.Errorf("%s: %v, want %q", server, err, want)
		case err != nil && strings.Contains(err.Error(), "hunter2"):
			t.Errorf("a password is repeated: %v", err)
		}
	}
}
