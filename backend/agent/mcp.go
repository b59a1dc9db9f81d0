package agent

import (
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strings"
)

// MCPServer is a server of the Model Context Protocol: how it is reached, and which of its tools may be used.
type MCPServer struct {
	ID        string            `json:"id"`
	Transport Transport         `json:"transport"`
	Command   string            `json:"command,omitempty"` // of the transport stdio
	Args      []string          `json:"args,omitempty"`
	Env       map[string]string `json:"env,omitempty"`
	URL       string            `json:"url,omitempty"` // of the transport http
	Headers   map[string]string `json:"headers,omitempty"`

	ToolsAllowlist []string `json:"tools_allowlist,omitzero"` // nil is all of them
}

// Transport says how an MCP server is spoken to.
type Transport string

// The transports; the enum is closed.
const (
	TransportStdio Transport = "stdio" // a program that is started
	TransportHTTP  Transport = "http"  // streamable HTTP
)

// ParleyTools is the name of the server that serves Parley's own tools; no other has it.
const ParleyTools = "parley-tools"

var (
	serverID     = regexp.MustCompile(`^[A-Za-z0-9._-]{1,128}$`)
	variableName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)
	headerName   = regexp.MustCompile("^[A-Za-z0-9!#$%&'*+.^_`|~-]+$")
	secretName   = regexp.MustCompile(`(?i)(api_?key|[_-]key$|^key$|token([_-]|$)|secret|passw|credential|authorization|cookie)`)
)

// Check says what is wrong with s, in a sentence for whoever wrote it. It never repeats a value, which may be a secret.
func (s MCPServer) Check() error {
	switch {
	case !serverID.MatchString(s.ID):
		return Errorf(CodeValidation, "An MCP server is called %.130q. Its name has letters, digits, dots, _ and - only, at most 128.", s.ID)
	case s.ID == ParleyTools:
		return Errorf(CodeValidation, "An MCP server is called %s, which is the name of Parley's own. Give it another.", ParleyTools)
	case slices.Contains(s.ToolsAllowlist, ""):
		return s.refuse("allows a tool without a name. Take that out of tools_allowlist")
	}
	for name, value := range s.values() {
		rest, err := FillSecrets(value, func(SecretRef) (string, error) { return "", nil })
		isRef := rest != value && !strings.HasPrefix(name, "its ")
		switch {
		case strings.ContainsAny(value, "\x00\r\n"):
			return s.refuse("has a line break in %s. Write it in one line", name)
		case err != nil:
			return s.refuse("refers to a secret in %s, and not as {{secret:slug}} or {{secret:slug.field}}. Mend that", name)
		case rest != value && !isRef:
			return s.refuse("refers to a secret in %s, where others can read it. Refer to it in env or headers", name)
		case strings.Contains(rest, "{{"):
			return s.refuse("has {{ in %s, which begins nothing but {{secret:slug}} here. Take it out", name)
		case secretName.MatchString(name) && value != "" && !isRef:
			return s.refuse("has a secret in %s, as it seems. Secrets are not written into this list: store it on the page Secrets, and write {{secret:slug}} with its slug here", name)
		}
	}
	switch s.Transport {
	case TransportStdio:
		return s.checkStdio()
	case TransportHTTP:
		return s.checkHTTP()
	}
	return s.refuse("has the transport %.20q. There are: stdio, http", s.Transport)
}

func (s MCPServer) checkStdio() error {
	switch {
	case strings.TrimSpace(s.Command) == "":
		return s.refuse("is a program, and has no command. Give it one")
	case s.URL != "" || len(s.Headers) > 0:
		return s.refuse("is a program, and has a url or headers. Take them out, or set its transport to http")
	}
	for name := range s.Env {
		if !variableName.MatchString(name) {
			return s.refuse("sets the variable %.50q, which is no name for one. Use letters, digits and _", name)
		}
	}
	return nil
}

func (s MCPServer) checkHTTP() error {
	u, err := url.Parse(s.URL)
	switch {
	case s.Command != "" || len(s.Args)+len(s.Env) > 0:
		return s.refuse("is reached by its url, and has a command, args or env. Take them out, or set its transport to stdio")
	case err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http":
		return s.refuse("has no url that can be reached. Write one that begins with https://")
	case u.User != nil:
		return s.refuse("has a user name or password in its url. Take it out")
	case u.Scheme == "http" && !s.IsHere():
		return s.refuse("has a url with http, which anybody on the way can read. Write https; http is for servers on this machine")
	}
	for name := range s.Headers {
		if !headerName.MatchString(name) {
			return s.refuse("sends the header %.50q, which is no name for one", name)
		}
	}
	return nil
}

// IsHere reports whether the url of s names this machine.
func (s MCPServer) IsHere() bool {
	u, err := url.Parse(s.URL)
	return err == nil && IsHere(u)
}

// SecretRefs lists the secrets that s is given, in a stable order; nil if there are none. Check has been passed.
func (s MCPServer) SecretRefs() []SecretRef { return SecretRefsIn(s.Env, s.Headers) }

func (s MCPServer) refuse(format string, args ...any) error {
	return Errorf(CodeValidation, "The MCP server "+s.ID+" "+format+".", args...)
}

// values are the texts that somebody may write a secret into, under the names that a person knows them by.
func (s MCPServer) values() map[string]string {
	values := map[string]string{"its command": s.Command, "its url": s.URL}
	for _, arg := range s.Args {
		values["its args"] += arg
	}
	for _, list := range []map[string]string{s.Env, s.Headers} {
		maps.Copy(values, list)
	}
	return values
}
