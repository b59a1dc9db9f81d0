package runner

import (
	"context"
	"encoding/json"
	"net"
	"net/url"
	"slices"
	"strings"

	"parley/backend/agent"
	"parley/backend/policy"
	"parley/backend/tool"
)

// named are the web servers that a sandbox's launches name, each by its host and port.
type named struct {
	all  []string
	here []string // of them those on this machine
}

// namedIn reads the lines of agent.Policy's Reaches.
func namedIn(urls string) (n named) {
	for line := range strings.Lines(urls) {
		u, err := url.Parse(strings.TrimSpace(line))
		if err != nil {
			continue
		}
		n.all = append(n.all, agent.HostPort(u))
		if agent.IsHere(u) {
			n.here = append(n.here, agent.HostPort(u))
		}
	}
	return n
}

// reach connects a confined agent to what it was configured with, also between turns, and to a host that the turn which runs lets
// it reach. It is asked on this side, which is not the agent's.
func (s *sandbox) reach(ctx context.Context, network, address string) (net.Conn, error) {
	if slices.Contains(s.named.all, address) {
		configured := tool.Internet
		configured.Loopback = s.named.here
		return configured.Dial(ctx, network, address)
	}
	host, port, _ := net.SplitHostPort(address) // the proxy has done so before
	x := s.exchange.Load()
	if x == nil || port != "443" || !x.lets(host) {
		return nil, agent.Errorf(agent.CodeToolDenied, "Nobody has allowed the agent to reach %s.", address)
	}
	return tool.Internet.Dial(ctx, network, address)
}

// lets reports whether a turn lets its agent reach a host: by what calls are decided by, or because the person allowed a call
// that is about it. In a side that does not count: what runs there may have been allowed by a rule, and holds secrets, so that no
// model may say where they go.
func (x *exchange) lets(host string) bool {
	var allowed []agent.ToolCall
	if x.conn.launch.Backend != agent.BackendCalls {
		_, allowed = x.prompt.Resumed()
	}
	for _, c := range allowed {
		about, clear := policy.About(policy.Call{ToolCall: c, Action: agent.ActionEgress})
		if u, err := url.Parse(about); clear && err == nil && u.Hostname() == host {
			return true
		}
	}
	input, _ := json.Marshal(map[string]string{"url": (&url.URL{Scheme: "https", Host: host, Path: "/"}).String()}) // strings: it cannot fail
	request := policy.Call{ToolCall: agent.ToolCall{Name: "http_request", Input: input}, Action: agent.ActionEgress}
	return policy.Decide(request, x.conn.permits.Grounds(x.prompt)) == agent.Allow
}
