package agent

import (
	"strings"
	"testing"
)

// TestAuthorToolsAreChecked: what cannot be run is refused, by name and without what might be a secret. Files of agents have
// more of it.
func TestAuthorToolsAreChecked(t *testing.T) {
	script := AuthorTool{Kind: AuthorCode, Name: "count", Description: "Counts.", InputSchema: []byte(`{}`), Runtime: RuntimeNode, Code: "1"}
	request := AuthorTool{Kind: AuthorHTTP, Name: "send", Description: "Sends.", InputSchema: []byte(`{}`), URL: "https://example.com"}
	with := func(t AuthorTool, change func(*AuthorTool)) AuthorTool { change(&t); return t }
	secret := func(names ...string) func(*AuthorTool) {
		return func(t *AuthorTool) {
			t.Secrets = map[string]string{}
			for _, name := range names {
				t.Secrets[name] = "Bearer {{secret:hunter2}}"
			}
		}
	}
	for name, c := range map[string]struct {
		tool AuthorTool
		why  string // "" if it is taken
	}{
		"a script":                         {script, ""},
		"a request":                        {request, ""},
		"variables that programs know":     {with(script, secret("GITHUB_TOKEN", "LDAP_PASSWORD", "NODE_AUTH_TOKEN", "my_key")), ""},
		"a variable that loads code":       {with(script, secret("LD_PRELOAD")), `"LD_PRELOAD"`},
		"another":                          {with(script, secret("node_options")), `"node_options"`},
		"where the network is":             {with(script, secret("HTTPS_PROXY")), `"HTTPS_PROXY"`},
		"no variable":                      {with(script, secret("A-B")), `"A-B"`},
		"headers":                          {with(request, secret("Authorization", "X-Api-Key")), ""},
		"a header twice":                   {with(request, secret("X-Key", "x-key")), "is there twice"},
		"a header in both":                 {with(with(request, secret("x-a")), func(t *AuthorTool) { t.Headers = map[string]string{"X-A": "1"} }), "is there twice"},
		"a header of two lines":            {with(request, func(t *AuthorTool) { t.Headers = map[string]string{"X-A": "1\r\nHost: b"} }), "a line break in the header X-A"},
		"a secret that is none":            {with(script, func(t *AuthorTool) { t.Secrets = map[string]string{"A": "hunter2"} }), "has A under secrets"},
		"a reference that is none":         {with(script, func(t *AuthorTool) { t.Secrets = map[string]string{"A": "{{secret:HUNTER2}}"} }), "has A under secrets"},
		"a secret among what is filled in": {with(script, func(t *AuthorTool) { t.Args = []byte(`{"a":"{{secret:hunter2}}"}`) }), "where it is not filled in"},
		"a server on this machine":         {with(request, func(t *AuthorTool) { t.URL = "http://127.0.0.1:80/a" }), ""},
		"http to elsewhere":                {with(request, func(t *AuthorTool) { t.URL = "http://example.com/hunter2" }), "https://"},
		"a password in the address":        {with(request, func(t *AuthorTool) { t.URL = "https://a:hunter2@example.com" }), "a user name or password"},
		"a method that sends nothing":      {with(request, func(t *AuthorTool) { t.Method = "GET" }), `the method "GET"`},
		"long code":                        {with(script, func(t *AuthorTool) { t.Code = strings.Repeat("x", MaxToolCode+1) }), "at most 30000 bytes"},
	} {
		err := c.tool.Check()
		if c.why == "" && err != nil {
			t.Errorf("%s: %v", name, err)
		} else if c.why != "" && (err == nil || !strings.Contains(AsError(err).Message, c.why) || strings.Contains(err.Error(), "hunter2")) {
			t.Errorf("%s: %v, want %q", name, err, c.why)
		}
	}
}
