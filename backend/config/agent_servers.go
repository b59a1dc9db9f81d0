package config

import (
	"cmp"
	"slices"

	"parley/backend/agent"
)

// mcpServers reads which MCP servers an agent may use: of those that the person has set up, by {ref: id}, and of its own.
func mcpServers(v value) (refs []string, own []agent.MCPServer) {
	var ids []string
	v.list(func(entry value) {
		var ref string
		var s agent.MCPServer
		before := len(v.in.problems)
		given := entry.object(
			field{"ref", into(&ref)},
			field{"id", into(&s.ID)},
			field{"transport", choice(&s.Transport, string(agent.TransportStdio), string(agent.TransportHTTP))},
			field{"command", into(&s.Command)},
			field{"args", texts(&s.Args)},
			field{"env", func(v value) { s.Env = v.texts() }},
			field{"url", into(&s.URL)},
			field{"headers", func(v value) { s.Headers = v.texts() }},
			field{"tools_allowlist", func(v value) {
				s.ToolsAllowlist = []string{} // of which none is not all
				texts(&s.ToolsAllowlist)(v)
			}},
		)
		_, isRef := given["ref"]
		id := cmp.Or(ref, s.ID)
		switch {
		case slices.Contains(ids, id):
			entry.fail("An MCP server is called %q above already. Remove one, or call it otherwise.", id)
		case isRef && len(given) > 1:
			entry.fail("A ref stands alone: it names a server that is set up elsewhere. Give one of the agent's own an id.")
		case isRef:
			refs = append(refs, ref)
		case len(v.in.problems) == before: // else it is not whole
			if err := s.Check(); err != nil {
				entry.fail("%s", agent.AsError(err).Message)
			}
			own = append(own, s)
		}
		ids = append(ids, id)
	})
	return refs, own
}

// serverEntry is an MCP server as a file names it, or says it.
type serverEntry struct {
	Ref            string            `yaml:",omitempty"`
	ID             string            `yaml:",omitempty"`
	Transport      agent.Transport   `yaml:",omitempty"`
	Command        string            `yaml:",omitempty"`
	Args           []string          `yaml:",omitempty"`
	Env            map[string]string `yaml:",omitempty"`
	URL            string            `yaml:",omitempty"`
	Headers        map[string]string `yaml:",omitempty"`
	ToolsAllowlist *[]string         `yaml:"tools_allowlist,omitempty"`
}

// formatServers writes the servers of an agent as mcpServers reads them.
func formatServers(spec agent.Spec) []serverEntry {
	var list []serverEntry
	for _, id := range spec.MCPServers {
		list = append(list, serverEntry{Ref: id})
	}
	for _, s := range spec.OwnServers {
		entry := serverEntry{"", s.ID, s.Transport, s.Command, s.Args, s.Env, s.URL, s.Headers, nil}
		if s.ToolsAllowlist != nil {
			entry.ToolsAllowlist = &s.ToolsAllowlist
		}
		list = append(list, entry)
	}
	return list
}
