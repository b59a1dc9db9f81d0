package session

import (
	"context"
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"parley/backend/agent"
	"parley/backend/mcp"
)

// listLimit is how long a turn waits for the servers that are given secrets to say which tools they have.
const listLimit = 20 * time.Second

// host is agent.Host for one turn: it runs what of an agent's tools is given secrets in sides, which are runners beside that
// of the harness, where nothing of the harness reaches.
type host struct {
	sessions *Sessions
	key      agent.SessionKey
	policy   agent.Policy
	tools    map[string]lent // by the names that the harness knows
	excepted atomic.Bool     // what the harness's sandbox holds was changed past it

	mu      sync.Mutex
	grounds agent.Grounds       // of the harness, as they are now: its calls are decided by them, and they say which hosts a side reaches
	allowed []agent.ToolCall    // by a person, each by itself, and not run yet
	visited map[agent.Conn]bool // sides that run something
}

// permit binds what runs from now on by other grounds, and what each side reaches.
func (h *host) permit(ctx context.Context, policy agent.PermissionPolicy, rules agent.Rules) {
	h.mu.Lock()
	h.grounds.Policy, h.grounds.Rules = policy, rules
	conns := slices.Collect(maps.Keys(h.visited))
	h.mu.Unlock()
	var all sync.WaitGroup
	for _, conn := range conns {
		all.Go(func() { bound(ctx, conn, agent.Grounds{Policy: policy, Rules: rules}) })
	}
	all.Wait()
}

// enter binds a side, of which nothing is asked yet, by the grounds as they are now, and as they become until leave.
func (h *host) enter(ctx context.Context, conn agent.Conn) (leave func()) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.visited[conn] = true
	bound(ctx, conn, h.grounds)
	return func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		delete(h.visited, conn)
	}
}

func bound(ctx context.Context, conn agent.Conn, g agent.Grounds) {
	if p, ok := conn.(agent.Permitter); ok {
		p.Permit(ctx, g.Policy, g.Rules)
	}
}

// now gives the grounds of calls that come now.
func (h *host) now() agent.Grounds {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.grounds
}

// Call is agent.Host's.
func (h *host) Call(ctx context.Context, call agent.ToolCall, say func(agent.Event)) agent.ToolResult {
	failed := func(why string) agent.ToolResult {
		return h.clean(ctx, agent.ToolResult{ID: call.ID, Name: call.Name, IsError: true, Output: why})
	}
	approved := h.admit(call)
	l, ok := h.tools[call.Name]
	if !ok && approved {
		l, ok = exception(call)
	}
	switch {
	case !ok:
		return failed(call.Name + " was not run: nobody has given this agent such a tool.")
	case !approved && h.now().Policy == agent.PermissionDeny: // the mode was chosen while the call came here
		return failed(call.Name + " was not run: in this mode nobody is asked whether it may use its secrets.")
	}
	var result agent.ToolResult
	var missing mcp.Report
	err := h.visit(ctx, l, &call, func(e agent.Event) {
		switch e := e.(type) {
		case agent.ToolProgress, agent.FileWritten:
			say(e)
		case agent.ToolResult:
			result = e
		case agent.Data:
			if e.Name == "mcp" {
				_ = json.Unmarshal(e.Data, &missing) // what cannot be read is as good as not said
			}
		}
	})
	switch {
	case ctx.Err() != nil:
		return failed(call.Name + " was stopped.")
	case err != nil:
		h.sessions.Log.Warn("a call that is given secrets failed", "session", h.key.Session, "tool", call.Name, "error", err)
		return failed(agent.AsError(err).Message)
	case missing.Server != "":
		return failed("The MCP server " + missing.Server + " is not there: " + missing.Reason)
	}
	return h.clean(ctx, result)
}

// admit reports whether a person has allowed a call by itself. That is used up then.
func (h *host) admit(call agent.ToolCall) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	had := len(h.allowed)
	h.allowed = slices.DeleteFunc(h.allowed, func(a agent.ToolCall) bool {
		return a.ID == call.ID && a.Name == call.Name && sameValue(a.Input, call.Input)
	})
	return len(h.allowed) < had
}

// exception gives how a call that a person has allowed by itself runs where the harness's sandbox holds it back: one that writes
// what is protected.
func exception(call agent.ToolCall) (lent, bool) {
	writes := call.Name == "write_file" || call.Name == "edit_file"
	return lent{name: call.Name, exempt: true, launch: agent.Launch{Tools: []string{call.Name}}}.launched(), writes
}

func sameValue(a, b json.RawMessage) bool {
	var x, y any
	return json.Unmarshal(a, &x) == nil && json.Unmarshal(b, &y) == nil && reflect.DeepEqual(x, y)
}

// inside is the host of what runs in a side: nothing of that is run elsewhere.
type inside struct{ *host }

// Call is agent.Host's.
func (inside) Call(_ context.Context, call agent.ToolCall, _ func(agent.Event)) agent.ToolResult {
	return agent.ToolResult{ID: call.ID, Name: call.Name, IsError: true, Output: call.Name + " could not write there: you may not, whoever asks. Look at its permissions."}
}

// clean is a result without what is known to be secret. One that cannot be searched is withheld.
func (h *host) clean(ctx context.Context, r agent.ToolResult) agent.ToolResult {
	known, err := h.sessions.Known(ctx)
	if err != nil {
		return agent.Withheld(r, agent.AsError(err).Message)
	}
	r.Output = known.Text(r.Output)
	if len(r.Data) > 0 {
		r.Data = known.JSON(r.Data)
	}
	return r
}

// Redact is agent.Host's.
func (h *host) Redact(ctx context.Context, text string) (string, error) {
	known, err := h.sessions.Known(ctx)
	if err != nil {
		return "", err
	}
	return known.Text(text), nil
}

// visit lets a side run a call, or only say what there is, and passes on what it says. The values of secrets are looked up
// now, and go nowhere else.
func (h *host) visit(ctx context.Context, l lent, call *agent.ToolCall, say func(agent.Event)) error {
	name, side, policy := l.name, l.side(), h.policy
	policy.Exempt = l.exempt
	prompt := agent.Prompt{Key: sideKey(h.key, side), Beside: h.key.Session, Turn: agent.NewTurnID(), Host: inside{h}}
	if call != nil {
		name = call.Name
		prompt.Approved = []string{call.ID}
		prompt.Messages = []agent.Message{{Role: agent.RoleAssistant, Parts: []agent.Part{agent.ToolCallPart{ID: call.ID, Name: call.Name, Args: call.Input}}}}
	}
	leave, err := h.sessions.sides.enter(ctx, h.key, side)
	if err != nil {
		return err
	}
	defer leave()
	if prompt.Secrets, err = h.resolve(ctx, l, name); err != nil {
		return err
	}
	launch, now := l.launch, h.now()
	launch.PermissionPolicy, launch.Rules, prompt.Allowed = now.Policy, now.Rules, now.Allowed
	conn, err := h.sessions.Sides.Open(ctx, prompt.Key, policy, launch)
	if err != nil {
		return err
	}
	defer h.enter(ctx, conn)()
	defer func() {
		conn.Close()
		if l.exempt {
			h.excepted.Store(true)
			<-h.sessions.Sides.Evict(prompt.Key)
		}
	}()
	for event, err := range conn.Prompt(ctx, prompt) {
		if err != nil {
			return err
		}
		say(event)
	}
	return nil
}

// resolve looks up what l is given, and notes that it was.
func (h *host) resolve(ctx context.Context, l lent, name string) (map[string]string, error) {
	values := map[string]string{}
	for _, ref := range l.refs {
		value, err := h.sessions.Resolve(ctx, h.key.Project, ref)
		if err != nil {
			return nil, err
		}
		values[ref.Key()] = value
	}
	for _, slug := range l.slugs() {
		if err := h.sessions.Used(ctx, h.key, slug, name); err != nil {
			return nil, err
		}
	}
	return values, nil
}

// list has servers started, and gives the tools that they have. Of those that are not there a turn is told.
func (h *host) list(ctx context.Context, servers []lent) (tools []agent.HostedTool, said []agent.Event) {
	ctx, cancel := context.WithTimeout(ctx, listLimit)
	defer cancel()
	type answer struct {
		tools []agent.HostedTool
		said  []agent.Event
	}
	answers := make([]answer, len(servers))
	var all sync.WaitGroup
	for i, l := range servers {
		all.Go(func() { answers[i].tools, answers[i].said = h.ask(ctx, l) })
	}
	all.Wait()
	for i, a := range answers {
		said = append(said, a.said...)
		for _, t := range a.tools {
			if _, taken := h.tools[t.Name]; taken {
				h.sessions.Log.Warn("two MCP servers have a tool of one name; the second is left out", "tool", t.Name)
				continue
			}
			h.tools[t.Name] = servers[i]
			tools = append(tools, t)
		}
	}
	return tools, said
}

// ask is list for one server.
func (h *host) ask(ctx context.Context, l lent) (tools []agent.HostedTool, said []agent.Event) {
	known, err := h.sessions.Known(ctx)
	if err == nil {
		err = h.visit(ctx, l, nil, func(e agent.Event) {
			d, ok := e.(agent.Data)
			if !ok {
				return
			}
			d.Data = known.JSON(d.Data)
			if d.Name != agent.ToolsData {
				said = append(said, d)
			} else if err := json.Unmarshal(d.Data, &tools); err != nil {
				h.sessions.Log.Warn("the tools of an MCP server could not be read", "server", l.server, "error", err)
			}
		})
	}
	if err == nil && ctx.Err() != nil {
		err = agent.Errorf(agent.CodeToolUnavailable, "it has not said in time which tools it has.")
	}
	if err != nil {
		return nil, []agent.Event{absent(l, known.Text(agent.AsError(err).Message))}
	}
	return tools, said
}

// absent tells that a turn does without a server.
func absent(l lent, why string) agent.Event {
	b, _ := json.Marshal(mcp.Report{Server: l.server, State: mcp.Failed, Reason: why}) // strings: it cannot fail
	return agent.Data{Name: "mcp", Data: b}
}
