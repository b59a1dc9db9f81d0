package tool

import (
	"context"
	"encoding/json"
	"slices"

	"parley/backend/agent"
	"parley/backend/redact"
)

// hosted is the definition of a tool that the app runs.
func hosted(h agent.HostedTool) Foreign {
	return Foreign{
		Definition: Definition{Name: h.Name, Description: h.Description, Schema: h.InputSchema},
		Version:    h.Version, Permission: h.Permission, Secrets: h.Secrets,
	}
}

func (s *Set) findHosted(name string) (agent.HostedTool, bool) {
	i := slices.IndexFunc(s.launch.Hosted, func(h agent.HostedTool) bool { return h.Name == name })
	if i < 0 {
		return agent.HostedTool{}, false
	}
	return s.launch.Hosted[i], true
}

// redacted gives a result without what the app knows to be secret. If that cannot be done the result is withheld.
func redacted(ctx context.Context, host agent.Host, r agent.ToolResult) agent.ToolResult {
	output, err := host.Redact(ctx, r.Output)
	data := ""
	if err == nil && len(r.Data) > 0 && output == r.Output { // where the output has a secret, the data may have it in pieces
		data, err = host.Redact(ctx, string(r.Data))
	}
	if err != nil {
		return agent.Withheld(r, told(err))
	}
	r.Output, r.Data = output, json.RawMessage(data)
	if !json.Valid(r.Data) { // there is none, or what stands for a secret took the place of more than a text
		r.Data = nil
	}
	return r
}

// shown is say, told the end of a call's progress without what is secret; one that cannot be searched is withheld.
func (s *Set) shown(ctx context.Context, host agent.Host, say say) say {
	return func(e agent.Event) {
		if p, ok := e.(agent.ToolProgress); ok {
			if s.launch.Redacts { // before it is cut, as a result
				var err error
				if p.Output, err = host.Redact(ctx, p.Output); err != nil {
					return
				}
			}
			p.Output = ending(redact.Scrub(p.Output), maxRecent)
			e = p
		}
		say(e)
	}
}
