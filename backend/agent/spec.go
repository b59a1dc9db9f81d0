package agent

import (
	"cmp"
	"net"
	"net/url"
	"slices"
	"strings"
)

// Spec is what the person configured: an agent, neutral to whichever harness runs it.
type Spec struct {
	ID           string           `json:"id"` // kebab case; what a session remembers
	Name         string           `json:"name,omitempty"`
	Description  string           `json:"description,omitempty"`
	Harness      Kind             `json:"harness"`
	Provider     string           `json:"provider,omitempty"` // who serves the model; empty for a harness without one
	Model        string           `json:"model,omitempty"`
	SystemPrompt string           `json:"system_prompt,omitempty"`
	Tools        []string         `json:"tools,omitempty"`
	AuthorTools  []AuthorTool     `json:"author_tools,omitempty"` // of its own
	ClientTools  []ClientToolSpec `json:"client_tools,omitempty"` // that the caller runs
	MCPServers   []string         `json:"mcp_servers,omitempty"`  // whose tools it may use, by their ids
	OwnServers   []MCPServer      `json:"own_servers,omitempty"`  // likewise, which no other agent knows
	Permissions  Permissions      `json:"permissions,omitzero"`

	CommandEnv map[string]string `json:"command_env,omitempty"` // that run_command gives to what it runs: values with references to secrets

	// For a harness that is a program of its own.
	Login   Login             `json:"login,omitempty"`
	Options map[string]string `json:"options,omitempty"` // that the program offers, such as its mode, by their ids there
}

// Login says whose account a program works with.
type Login string

// The logins; the enum is closed.
const (
	LoginKey Login = "key" // the key of Spec.Provider, in a configuration of its own; empty is the same
	LoginOwn Login = "own" // that of the person, in theirs: they chose it
)

// Valid reports whether l is one of the list, or empty.
func (l Login) Valid() bool { return l == "" || l == LoginKey || l == LoginOwn }

// Launch is a Spec translated for one harness. It holds no secret, so it may be compared, logged and kept.
type Launch struct {
	Backend          BackendName
	Harness          Kind
	AgentsMD         string // the author's instructions
	Model            string
	Endpoint         *Endpoint // nil for a harness that knows where its model is
	Tools            []string
	AuthorTools      []AuthorTool `json:",omitempty"`
	ClientTools      []ClientToolSpec
	Servers          []MCPServer      // whose tools it may use; a harness does not know them
	PermissionPolicy PermissionPolicy // what happens to a call of a tool that changes something,
	Rules            Rules            `json:",omitzero"` // unless these say otherwise
	Program          *Program         // nil for a harness that is part of Parley

	Hosted     []HostedTool      `json:",omitempty"` // that the app runs
	Redacts    bool              `json:",omitempty"` // there are secrets that the app knows: results of tools go through Host.Redact
	Search     *Search           `json:",omitempty"` // nil if the agent does not search, or the app does it
	CommandEnv map[string]string `json:",omitempty"` // as Spec's; where the harness is, run_command is hosted instead
}

// Reaches gives the URLs of the web that a launch names itself. The person configured them, so their servers may be reached
// whatever the rules say of others.
func (l Launch) Reaches() []string {
	var urls []string
	for _, s := range l.Servers {
		if s.Transport == TransportHTTP {
			urls = append(urls, s.URL)
		}
	}
	if l.Search != nil {
		urls = append(urls, l.Search.URL)
	}
	for _, t := range l.AuthorTools {
		isHosted := slices.ContainsFunc(l.Hosted, func(h HostedTool) bool { return h.Name == t.Name })
		if t.Kind == AuthorHTTP && !isHosted {
			urls = append(urls, t.URL)
		}
	}
	return urls
}

// ToolNames lists the tools that an agent has by name: Parley's, and its own.
func (s Spec) ToolNames() []string {
	names := slices.Clone(s.Tools)
	for _, t := range s.AuthorTools {
		names = append(names, t.Name)
	}
	return names
}

// HasTools reports whether an agent is given tools besides those of its own program.
func (s Spec) HasTools() bool {
	return len(s.Tools)+len(s.AuthorTools)+len(s.ClientTools)+len(s.MCPServers)+len(s.OwnServers) > 0
}

// Endpoint is where a model is served.
type Endpoint struct {
	Provider string `json:"provider"`
	BaseURL  string `json:"baseUrl"`
	Wire     Wire   `json:"wire,omitempty"` // empty is WireOpenAI
}

// HostPort is where a URL of the web leads to, in lower case and with the port that its scheme has if it names none.
func HostPort(u *url.URL) string {
	return net.JoinHostPort(strings.ToLower(u.Hostname()), cmp.Or(u.Port(), map[string]string{"http": "80", "https": "443"}[u.Scheme]))
}

// IsHere reports whether a URL names this machine.
func IsHere(u *url.URL) bool {
	return slices.Contains([]string{"localhost", "127.0.0.1", "::1"}, u.Hostname())
}

// Wire says how a model server is spoken to.
type Wire string

// The wires; the enum is closed.
const (
	WireOpenAI    Wire = "openai"    // chat completions
	WireAnthropic Wire = "anthropic" // Messages
	WireGemini    Wire = "gemini"    // generateContent, which programs of their own speak; Parley's loop does not
)

// Valid reports whether w is one of the list, or empty.
func (w Wire) Valid() bool {
	return w == "" || w == WireOpenAI || w == WireAnthropic || w == WireGemini
}

// Prompt is one turn to take: everything said so far, the new user message last. A turn that was paused goes on where it
// stands: then what it said so far is last, and of its calls without a result exactly those in Approved are to be run.
type Prompt struct {
	Key      SessionKey
	Turn     TurnID
	Messages []Message
	Approved []string          // ids of calls that the person allows
	Allowed  []string          // patterns of calls that the person allowed before, beyond this turn
	Secrets  map[string]string // provider name → key, SecretRef.Key → value; only those that this run needs
	After    TurnID            // that Messages end in, before the new one; empty if that is the first
	Media    map[MediaHandle][]byte
	Beside   SessionID // of a side: the session in whose folder it works
	Host     Host      // nil if there is none; then what is hosted cannot be run
}

// Resumed reads how far the turn has come: how many steps it has taken, none if it is new, and which calls are to be run
// before the model is asked again.
func (p Prompt) Resumed() (steps int, run []ToolCall) {
	for _, m := range p.Messages {
		switch m.Role {
		case RoleUser:
			steps, run = 0, nil
		case RoleAssistant:
			steps, run = steps+1, nil
		}
		for _, part := range m.Parts {
			switch part := part.(type) {
			case ToolCallPart:
				if slices.Contains(p.Approved, part.ID) {
					run = append(run, ToolCall{ID: part.ID, Name: part.Name, Input: part.Args})
				}
			case ToolResultPart:
				run = slices.DeleteFunc(run, func(c ToolCall) bool { return c.ID == part.ToolCallID })
			}
		}
	}
	return steps, run
}
