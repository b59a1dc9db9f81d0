package mcp

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"parley/backend/agent"
	"parley/backend/tool"
)

// Servers are the MCP servers of one session. Each is started by the first turn that needs it, stays for the turns after it,
// and is started anew, less and less eagerly, if it ends. None can do more to a turn than let its own calls fail.
type Servers struct {
	limits limits

	mu      sync.Mutex
	watch   func(Report)
	changed chan struct{}      // closed, and replaced, when there may be other tools than before
	clients map[string]*client // by the server's id; nil once they are closed
}

type limits struct {
	start   time.Duration // until a server has said which tools it has
	wait    time.Duration // of a turn for that; then it begins without them
	idle    time.Duration // of a call that neither answers nor makes progress
	healthy time.Duration // that a server ran without ending: then its earlier ends are forgotten
	retry   time.Duration // until a server that ended is started again; twice as long each time, up to maxRetry
	settle  time.Duration // between two lists of tools
	leave   time.Duration // to end in an orderly way
}

const (
	maxRetry = time.Minute
	maxTools = 512 // of one server
)

// NewServers makes them; none is started.
func NewServers() *Servers {
	return &Servers{watch: func(Report) {}, changed: make(chan struct{}), clients: map[string]*client{}, limits: limits{
		start: 30 * time.Second, wait: 10 * time.Second, idle: 2 * time.Minute, healthy: time.Minute, retry: time.Second,
		settle: time.Second, leave: 200 * time.Millisecond,
	}}
}

// Watch says who is told from now on what becomes of each server, from any goroutine. A nil *Servers has none.
func (s *Servers) Watch(report func(Report)) {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.watch = report
}

func (s *Servers) report(r Report) {
	s.mu.Lock()
	watch := s.watch
	s.mu.Unlock()
	watch(r)
}

// Changed gives a channel that is closed once there may be other tools than now.
func (s *Servers) Changed() <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.changed
}

// change tells of other tools.
func (s *Servers) change() {
	s.mu.Lock()
	defer s.mu.Unlock()
	close(s.changed)
	s.changed = make(chan struct{})
}

// Start starts those of servers that do not run, and waits for them for a while. It gives those that a turn has to do without.
// A nil *Servers starts none.
func (s *Servers) Start(ctx context.Context, policy agent.Policy, servers []agent.MCPServer) (missing []Report) {
	if s == nil {
		return nil
	}
	clients := s.use(policy, servers)
	ctx, cancel := context.WithTimeout(ctx, s.limits.wait)
	defer cancel()
	var all sync.WaitGroup
	for _, c := range clients {
		all.Go(func() { _, _ = c.ready(ctx) }) // now tells what came of it
	}
	all.Wait()
	for _, c := range clients {
		if r := c.now(); r.State != Running {
			missing = append(missing, r)
		}
	}
	return missing
}

// Tools is a tool.Source.
func (s *Servers) Tools(launch agent.Launch) []tool.Foreign {
	s.mu.Lock()
	defer s.mu.Unlock()
	var tools []tool.Foreign
	for _, server := range launch.Servers {
		c := s.clients[server.ID]
		if c == nil {
			continue
		}
		for _, t := range c.listed() {
			if c.allows(t.name) {
				tools = append(tools, c.foreign(t, tools))
			}
		}
	}
	return tools
}

// use gives the clients of servers; those that are configured otherwise than before are ended.
func (s *Servers) use(policy agent.Policy, servers []agent.MCPServer) []*client {
	s.mu.Lock()
	defer s.mu.Unlock()
	var clients []*client
	for _, server := range servers {
		if s.clients == nil {
			return nil
		}
		c := s.clients[server.ID]
		if c != nil && !reflect.DeepEqual(c.server, server) {
			go c.close()
			c = nil
		}
		if c == nil {
			c = &client{server: server, policy: policy, limits: s.limits, report: s.report, change: s.change}
			s.clients[server.ID] = c
		}
		clients = append(clients, c)
	}
	return clients
}

// Close ends all of them, and what they started.
func (s *Servers) Close() {
	if s == nil {
		return
	}
	s.mu.Lock()
	clients := s.clients
	s.clients = nil
	s.mu.Unlock()
	var all sync.WaitGroup
	for _, c := range clients {
		all.Go(c.close)
	}
	all.Wait()
}

// listed is a tool as its server says it.
type listed struct {
	name, description, version string
	schema                     json.RawMessage
}

// read reads one of the server's tools.
func (c *client) read(t *mcp.Tool) listed {
	schema, err := json.Marshal(t.InputSchema)
	if object, ok := t.InputSchema.(map[string]any); err != nil || !ok || object["type"] != "object" {
		schema = []byte(`{"type":"object"}`)
	}
	// Of another server of the same name nothing is allowed, either.
	place, _ := json.Marshal([]any{c.server.Transport, c.server.Command, c.server.Args, c.server.URL}) // strings: it cannot fail
	sum := sha256.Sum256(slices.Concat(place, []byte("\x00"+t.Title+"\x00"+t.Description+"\x00"), schema))
	return listed{t.Name, shorten(cmp.Or(t.Description, t.Title), maxDescription), hex.EncodeToString(sum[:6]), schema}
}

// foreign makes a server's tool one that a set can grant. taken are those before it.
func (c *client) foreign(t listed, taken []tool.Foreign) tool.Foreign {
	f := tool.Foreign{Version: t.version}
	f.Name = toolName(c.server.ID, t.name, func(name string) bool {
		return slices.ContainsFunc(taken, func(o tool.Foreign) bool { return o.Name == name })
	})
	f.Description, f.Schema = t.description, t.schema
	f.Run = func(ctx context.Context, call agent.ToolCall, say func(agent.Event)) (string, json.RawMessage, error) {
		return c.call(ctx, t.name, call, say)
	}
	return f
}

const maxDescription = 8 << 10

var notOfAName = regexp.MustCompile(`[^A-Za-z0-9_-]`)

// toolName is what a model calls a server's tool, in the letters and the length that every provider takes. Where that makes
// one of two, or is too long, the end tells them apart.
func toolName(server, name string, taken func(string) bool) string {
	const most = 64
	made := notOfAName.ReplaceAllString("mcp_"+server+"_"+name, "_")
	if len(made) > most || taken(made) {
		sum := sha256.Sum256([]byte(server + "\x00" + name))
		made = made[:min(len(made), most-9)] + "_" + hex.EncodeToString(sum[:4])
	}
	return made
}

// shorten cuts a text after so many bytes, at the end of a character.
func shorten(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + "…"
}
