package session

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"

	"parley/backend/agent"
)

// lent is a tool, or a server of tools, that is given secrets.
type lent struct {
	name    string // of the tool; of a server that of all its tools begins with
	server  string // empty for a tool
	version string // of the agent, what it is, and its secrets
	refs    []agent.SecretRef
	launch  agent.Launch // of the side: nothing but this
	exempt  bool         // it runs in a side of its own, that holds nothing back and ends with the call
}

// side names the side that l runs in, of those of a session.
func (l lent) side() string {
	if l.exempt {
		return "!" // no server is called so
	}
	return l.server
}

// slugs lists the secrets of l, each once.
func (l lent) slugs() []string {
	var slugs []string
	for _, r := range l.refs {
		slugs = append(slugs, r.Slug)
	}
	slices.Sort(slugs)
	return slices.Compact(slugs)
}

// launched is l with what the launches of all sides are.
func (l lent) launched() lent {
	l.launch.Backend, l.launch.Harness, l.launch.Redacts = agent.BackendCalls, agent.KindNative, true
	return l
}

// lentBy takes what is given secrets out of the launch of an agent. Of servers nothing is left in it, of tools only that they
// are hosted.
func lentBy(id string, launch *agent.Launch) (servers, tools []lent) {
	add := func(l lent, definition any) lent {
		l.version = versionOf(id, definition, l.refs)
		return l.launched()
	}
	var plain []agent.MCPServer
	for _, server := range launch.Servers {
		refs := server.SecretRefs()
		if len(refs) == 0 {
			plain = append(plain, server)
			continue
		}
		servers = append(servers, add(lent{
			name: "mcp_" + server.ID, server: server.ID, refs: refs, launch: agent.Launch{Servers: []agent.MCPServer{server}},
		}, server))
	}
	launch.Servers = plain
	for _, t := range launch.AuthorTools {
		if refs := t.SecretRefs(); len(refs) > 0 {
			tools = append(tools, add(lent{name: t.Name, refs: refs, launch: agent.Launch{AuthorTools: []agent.AuthorTool{t}}}, t))
		}
	}
	if len(launch.CommandEnv) > 0 {
		tools = append(tools, add(lent{
			name: "run_command", refs: agent.SecretRefsIn(launch.CommandEnv),
			launch: agent.Launch{Tools: []string{"run_command"}, CommandEnv: launch.CommandEnv},
		}, launch.CommandEnv))
		launch.CommandEnv = nil
	}
	if s := launch.Search; s != nil && len(agent.SecretRefsIn(s.Headers)) > 0 {
		tools = append(tools, add(lent{
			name: agent.WebSearch, refs: agent.SecretRefsIn(s.Headers),
			launch: agent.Launch{Tools: []string{agent.WebSearch}, Search: s},
		}, s))
		launch.Search = nil
	}
	for _, l := range tools {
		launch.Hosted = append(launch.Hosted, agent.HostedTool{Name: l.name, Version: l.version, Secrets: l.slugs()})
	}
	return servers, tools
}

// versionOf names what a person allows: it changes with each of its parts.
func versionOf(parts ...any) string {
	said, _ := json.Marshal(parts) // strings, numbers and JSON that was checked: it cannot fail
	sum := sha256.Sum256(said)
	return hex.EncodeToString(sum[:6])
}

// refuseSecrets refuses a message that refers to a secret: nobody fills that in, and no model is told.
func refuseSecrets(m agent.Message) error {
	for _, part := range m.Parts {
		if text, ok := part.(agent.TextPart); ok {
			if refs, err := agent.SecretRefs(text.Text); err != nil || len(refs) > 0 {
				return agent.Errorf(agent.CodeValidation, "The message was not sent: it refers to a secret, as {{secret:…}}, and no model is told one. Take that out, and give the secret to a tool of the agent instead.")
			}
		}
	}
	return nil
}
