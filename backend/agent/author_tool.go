package agent

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"
)

// AuthorTool is a tool that an agent's author defines: a script, or a request to a server.
type AuthorTool struct {
	Kind        AuthorToolKind  `json:"kind"`
	Name        string          `json:"name"`
	Description string          `json:"description"`
	InputSchema json.RawMessage `json:"input_schema"` // of the arguments: an object

	// Of code. The arguments come on stdin, as JSON.
	Runtime Runtime `json:"runtime,omitempty"`
	Code    string  `json:"code,omitempty"`

	// Of http. The arguments are the body, as JSON.
	URL     string            `json:"url,omitempty"`
	Method  string            `json:"method,omitempty"` // empty is POST
	Headers map[string]string `json:"headers,omitempty"`

	Secrets    map[string]string `json:"secrets,omitempty"`    // an environment variable of the script, or a header, → a text with references to secrets
	Args       json.RawMessage   `json:"args,omitempty"`       // an object: arguments that win over those of the model
	TimeoutMS  int               `json:"timeout_ms,omitempty"` // 0 is DefaultToolTimeout
	Permission Permission        `json:"permission,omitempty"` // that it has of itself; empty leaves it to the rules
}

// AuthorToolKind says what a tool of an author's is.
type AuthorToolKind string

// The kinds; the enum is closed.
const (
	AuthorCode AuthorToolKind = "code"
	AuthorHTTP AuthorToolKind = "http"
)

// Runtime is what a script is written for.
type Runtime string

// The runtimes; the enum is closed.
const (
	RuntimePython Runtime = "python"
	RuntimeNode   Runtime = "node"
)

// How long a tool that runs something may take.
const (
	DefaultToolTimeout = 30 * time.Second
	MaxToolTimeout     = 10 * time.Minute
)

// MaxToolCode is how long a script may be: systems limit what a program is started with.
const MaxToolCode = 30_000

// ServerToolPrefix begins the names of tools that MCP servers have; no other tool is called so.
const ServerToolPrefix = "mcp_"

// ToolName is what every provider takes for the name of a tool.
var ToolName = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)

// Timeout is how long a call of t may take.
func (t AuthorTool) Timeout() time.Duration {
	if t.TimeoutMS == 0 {
		return DefaultToolTimeout
	}
	return time.Duration(t.TimeoutMS) * time.Millisecond
}

// Version changes with everything that t says of itself: an approval for longer than once is for one version.
func (t AuthorTool) Version() string {
	said, _ := json.Marshal(t) // strings, numbers and JSON that was checked: it cannot fail
	sum := sha256.Sum256(said)
	return hex.EncodeToString(sum[:6])
}

// SecretRefs lists what t refers to. While that is not filled in it cannot be run: where harnesses run it never is, and the app
// runs such a tool elsewhere.
func (t AuthorTool) SecretRefs() []SecretRef { return SecretRefsIn(t.Secrets) }

// Check says what is wrong with t, but for its schema, in a sentence for whoever wrote it. It never repeats a value, which may
// be a secret.
func (t AuthorTool) Check() error {
	switch {
	case !ToolName.MatchString(t.Name) || strings.HasPrefix(t.Name, ServerToolPrefix):
		return Errorf(CodeValidation, "A tool of the agent's own is called %.80q. Its name has letters, digits, _ and - only, at most 64, and does not begin with %s, as those of MCP servers do.", t.Name, ServerToolPrefix)
	case strings.TrimSpace(t.Description) == "":
		return t.refuse("has no description. Say what it is for: the model reads it")
	case t.TimeoutMS < 0 || t.Timeout() > MaxToolTimeout:
		return t.refuse("has a timeout_ms that is none. It is between 1 and %d", MaxToolTimeout.Milliseconds())
	case !slices.Contains([]Permission{"", Allow, Ask, Deny}, t.Permission):
		return t.refuse("has the permission %.20q. There are: allow, ask, deny", t.Permission)
	case len(t.Args) > 0 && !isObject(t.Args):
		return t.refuse("has args that are no mapping")
	case secretOpening.MatchString(t.Code + t.URL + string(t.Args) + t.Description + string(t.InputSchema)):
		return t.refuse("refers to a secret where it is not filled in. Name it under secrets: there it becomes a variable of the script, or a header")
	}
	switch t.Kind {
	case AuthorCode:
		return t.checkCode()
	case AuthorHTTP:
		return t.checkHTTP()
	}
	return t.refuse("has the kind %.20q. There are: code, http; an MCP server is named under mcp_servers, and a client's own tools come with its messages", t.Kind)
}

func (t AuthorTool) checkCode() error {
	switch {
	case t.URL != "" || t.Method != "" || len(t.Headers) > 0:
		return t.refuse("is a script, and has a url, method or headers. Take them out, or set its kind to http")
	case t.Runtime != RuntimePython && t.Runtime != RuntimeNode:
		return t.refuse("has the runtime %.20q. There are: python, node", t.Runtime)
	case strings.TrimSpace(t.Code) == "":
		return t.refuse("is a script, and has no code")
	case len(t.Code) > MaxToolCode || strings.Contains(t.Code, "\x00"):
		return t.refuse("has code that cannot be run: at most %d bytes, none of them zero", MaxToolCode)
	}
	for name, value := range t.Secrets {
		if !variableName.MatchString(name) || reservedVariable.MatchString(name) {
			return t.refuse("sets the variable %.50q, which scripts may not be given", name)
		}
		if err := t.checkSecret(name, value); err != nil {
			return err
		}
	}
	return nil
}

// reservedVariable are names by which a program is told which code to load, and where it finds things.
var reservedVariable = regexp.MustCompile(`(?i)^(PATH|HOME|TMPDIR|NODE_OPTIONS|NODE_PATH|(LD|DYLD|GIT|PARLEY)_.*|PYTHON.*|.*_PROXY)$`)

func (t AuthorTool) checkHTTP() error {
	u, err := url.Parse(t.URL)
	switch {
	case t.Runtime != "" || t.Code != "":
		return t.refuse("is a request, and has a runtime or code. Take them out, or set its kind to code")
	case err != nil || u.Host == "" || u.Scheme != "https" && (u.Scheme != "http" || !IsHere(u)):
		return t.refuse("has no url that can be reached. Write one that begins with https://; http is for servers on this machine")
	case u.User != nil:
		return t.refuse("has a user name or password in its url. Name a secret for the header Authorization instead")
	case !slices.Contains([]string{"", "POST", "PUT", "PATCH"}, t.Method):
		return t.refuse("has the method %.20q. There are: POST, PUT, PATCH", t.Method)
	}
	taken := map[string]bool{}
	for _, list := range []map[string]string{t.Headers, t.Secrets} {
		for name := range list {
			if !headerName.MatchString(name) || taken[strings.ToLower(name)] {
				return t.refuse("sends the header %.50q, which is no name for one, or is there twice", name)
			}
			taken[strings.ToLower(name)] = true
		}
	}
	for name, value := range t.Headers {
		switch {
		case secretName.MatchString(name) || secretOpening.MatchString(value):
			return t.refuse("has a secret in the header %s, as it seems. Name it under secrets, as {{secret:…}}", name)
		case strings.ContainsAny(value, "\x00\r\n"):
			return t.refuse("has a line break in the header %s. Write it in one line", name)
		}
	}
	for name, value := range t.Secrets {
		if err := t.checkSecret(name, value); err != nil {
			return err
		}
	}
	return nil
}

func (t AuthorTool) checkSecret(name, value string) error {
	if refs, err := SecretRefs(value); err != nil || len(refs) == 0 || strings.ContainsAny(value, "\x00\r\n") {
		return t.refuse("has %s under secrets, which has to be one line that refers to a secret, as {{secret:…}}", name)
	}
	return nil
}

func (t AuthorTool) refuse(format string, args ...any) error {
	return Errorf(CodeValidation, "The tool "+t.Name+" "+format+".", args...)
}

func isObject(text json.RawMessage) bool {
	var object map[string]json.RawMessage
	return json.Unmarshal(text, &object) == nil && object != nil
}
