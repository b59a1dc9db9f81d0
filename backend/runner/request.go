package runner

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"sync"
	"sync/atomic"

	"parley/backend/agent"
)

// request is one turn to take, as the app writes it. Up to PermissionPolicy every field is always written.
type request struct {
	Backend          agent.BackendName      `json:"backend"`
	Harness          agent.Kind             `json:"harness"`
	Sandbox          string                 `json:"sandbox"`
	SessionID        *agent.SessionID       `json:"sessionId"`
	AgentsMD         *string                `json:"agentsMd"`
	Model            *string                `json:"model"`
	Messages         []message              `json:"messages"`
	Secrets          map[string]string      `json:"secrets"`
	Trace            json.RawMessage        `json:"trace"`
	Tools            []string               `json:"tools"`
	CustomTools      []customTool           `json:"customTools"`
	ToolCallback     json.RawMessage        `json:"toolCallback"`
	PermissionPolicy agent.PermissionPolicy `json:"permissionPolicy"`

	TurnID      agent.TurnID    `json:"turnId,omitempty"`
	ProjectID   agent.ProjectID `json:"projectId,omitempty"`
	Endpoint    *agent.Endpoint `json:"endpoint,omitempty"`
	Resume      *resume         `json:"resume,omitempty"`
	After       agent.TurnID    `json:"after,omitempty"`
	Beside      agent.SessionID `json:"beside,omitempty"`
	Program     *agent.Program  `json:"program,omitempty"`
	Permissions agent.Rules     `json:"permissions,omitzero"`

	MCPServers []agent.MCPServer `json:"mcpServers,omitempty"`
	Search     *agent.Search     `json:"search,omitempty"`
	CommandEnv map[string]string `json:"commandEnv,omitempty"`
	Redacts    bool              `json:"redacts,omitempty"`
}

const sandboxLocal = "local"

// resume is what the person decided: in this turn, and before it for calls that a pattern matches.
type resume struct {
	Approved []string `json:"approved"`
	Allowed  []string `json:"allowed"`
}

// encodeRequest writes a turn as one line.
func encodeRequest(launch agent.Launch, prompt agent.Prompt) ([]byte, error) {
	r := request{
		Backend: launch.Backend, Harness: launch.Harness, Sandbox: sandboxLocal,
		SessionID: orNull(prompt.Key.Session), AgentsMD: orNull(launch.AgentsMD), Model: orNull(launch.Model),
		Messages: make([]message, len(prompt.Messages)), Secrets: prompt.Secrets,
		Tools: launch.Tools, CustomTools: []customTool{}, PermissionPolicy: launch.PermissionPolicy,
		TurnID: prompt.Turn, ProjectID: prompt.Key.Project, Endpoint: launch.Endpoint, After: prompt.After, Beside: prompt.Beside, Program: launch.Program,
		Permissions: launch.Rules, MCPServers: launch.Servers, Search: launch.Search, CommandEnv: launch.CommandEnv, Redacts: launch.Redacts,
	}
	for i, m := range prompt.Messages {
		r.Messages[i] = message{m.Role, content{m.Parts, prompt.Media}}
	}
	for _, t := range launch.AuthorTools {
		r.CustomTools = append(r.CustomTools, authorTool(t))
	}
	for _, c := range launch.ClientTools {
		r.CustomTools = append(r.CustomTools, customTool{Name: c.Name, Description: c.Description, InputSchema: c.InputSchema, Kind: kindClient})
	}
	for _, h := range launch.Hosted {
		r.CustomTools = append(r.CustomTools, hostedTool(h))
	}
	if len(prompt.Approved)+len(prompt.Allowed) > 0 {
		r.Resume = &resume{append([]string{}, prompt.Approved...), append([]string{}, prompt.Allowed...)}
	}
	if r.Secrets == nil {
		r.Secrets = map[string]string{}
	}
	if r.Tools == nil {
		r.Tools = []string{}
	}
	b, err := json.Marshal(r)
	return append(b, '\n'), err
}

// decode refuses by name what this runner cannot do; nothing that was asked for is dropped.
func (r request) decode() (agent.Launch, agent.Prompt, error) {
	switch {
	case r.Sandbox != sandboxLocal:
		return refuse("the sandbox %q is not supported; use %q", r.Sandbox, sandboxLocal)
	case !supports(r.Backend, r.Harness):
		return refuse("the backend %q cannot run the harness %q; this runner supports %v", r.Backend, r.Harness, supported)
	case r.Endpoint != nil && !r.Endpoint.Wire.Valid():
		return refuse("the wire %q is none of openai and anthropic", r.Endpoint.Wire)
	case r.Beside != "" && r.Beside.Validate() != nil:
		return refuse("the session %.130q that it is beside is called as none is", r.Beside)
	case !r.PermissionPolicy.Valid():
		return refuse("the permission policy %q is none of auto, deny and ask", r.PermissionPolicy)
	}
	launch := agent.Launch{
		Backend: r.Backend, Harness: r.Harness, AgentsMD: orEmpty(r.AgentsMD), Model: orEmpty(r.Model),
		Endpoint: r.Endpoint, Tools: r.Tools, PermissionPolicy: r.PermissionPolicy, Rules: r.Permissions, Program: r.Program, Servers: r.MCPServers,
		Search: r.Search, CommandEnv: r.CommandEnv, Redacts: r.Redacts,
	}
	prompt := agent.Prompt{
		Key:  agent.SessionKey{Project: r.ProjectID, Session: orEmpty(r.SessionID)},
		Turn: r.TurnID, Messages: make([]agent.Message, len(r.Messages)), Secrets: r.Secrets,
		After: r.After, Beside: r.Beside,
	}
	for _, c := range r.CustomTools {
		if err := c.addTo(&launch); err != nil {
			return launch, prompt, err
		}
	}
	if r.Resume != nil {
		prompt.Approved, prompt.Allowed = r.Resume.Approved, r.Resume.Allowed
	}
	for i, m := range r.Messages {
		switch m.Role {
		case agent.RoleSystem, agent.RoleUser, agent.RoleAssistant, agent.RoleTool:
		default:
			return refuse("the role %q is none of system, user, assistant and tool", m.Role)
		}
		prompt.Messages[i] = agent.Message{Role: m.Role, Parts: m.Content.parts}
		if prompt.Media == nil {
			prompt.Media = m.Content.media
		} else {
			maps.Copy(prompt.Media, m.Content.media)
		}
	}
	return launch, prompt, nil
}

func refuse(format string, args ...any) (agent.Launch, agent.Prompt, error) {
	return agent.Launch{}, agent.Prompt{}, agent.Errorf(agent.CodeValidation, "The request cannot be run: "+format+".", args...)
}

// incoming is any line that the app writes: a request, or with kind "control" a word to the turn that runs.
type incoming struct {
	request
	Kind    string  `json:"kind"`
	ID      string  `json:"id"`
	Control control `json:"control"`
}

// control is what is asked of a turn that runs, or what it has asked for.
type control struct {
	Type string `json:"type"`
	Ref  string `json:"ref,omitempty"`  // of steer: the message; of tool_output: the ask
	Note string `json:"note,omitempty"` // of steer: what it says

	// Of tool_output: a call's result, or a text redacted. With IsError the text was not, and Output says why.
	Output  string          `json:"output,omitempty"`
	Data    json.RawMessage `json:"data,omitempty"`
	IsError bool            `json:"isError,omitempty"`
	Denied  bool            `json:"denied,omitempty"`

	// Of permissions: as in a request.
	PermissionPolicy agent.PermissionPolicy `json:"permissionPolicy,omitempty"`
	Permissions      agent.Rules            `json:"permissions,omitzero"`
}

const (
	controlPing        = "ping"
	controlStop        = "stop"
	controlSteer       = "steer"
	controlOutput      = "tool_output"
	controlPermissions = "permissions"
)

func decodeLine(line []byte) (incoming, error) {
	var in incoming
	if err := json.Unmarshal(line, &in); err != nil {
		if refused := (*agent.Error)(nil); errors.As(err, &refused) {
			return incoming{}, refused
		}
		return incoming{}, agent.Wrap(agent.CodeValidation, err, "The request cannot be run: it is not one JSON object of the runner's protocol.")
	}
	return in, nil
}

// obey does what a control asks for. turn is the one that it is about, nil if there is none. A steer waits for the turn.
func (in incoming) obey(ctx context.Context, turn *addressed) ack {
	a := ack{ID: in.ID}
	switch c := in.Control; {
	case c.Type == controlPing:
	case c.Type != controlStop && c.Type != controlSteer && c.Type != controlOutput && (c.Type != controlPermissions || !c.PermissionPolicy.Valid()):
		a.Error = fmt.Sprintf("the control %q is not supported", c.Type)
	case turn == nil:
		a.Error = "no such turn is running"
	case c.Type == controlStop:
		turn.stop()
	case c.Type == controlOutput:
		if !turn.asker.answer(c) {
			a.Error = "nobody waits for this"
		}
	case c.Type == controlPermissions:
		if !turn.permit(ctx, c) {
			a.Error = "the turn goes on with the permissions that it has"
		}
	case !turn.steer(ctx, agent.Steering{Message: agent.MessageID(c.Ref), Text: c.Note}):
		a.Error = "the turn does not take it"
	}
	a.OK = a.Error == ""
	return a
}

// addressed is a turn as controls know it.
type addressed struct {
	stop  func()
	asker *asker
	conn  atomic.Pointer[agent.Conn] // nil until it is open

	permitting sync.Mutex
	permits    *control // that came last; nil if none did
}

// open lets controls reach the turn from now on, and the one about its permissions that came before.
func (t *addressed) open(ctx context.Context, conn agent.Conn) {
	t.permitting.Lock()
	defer t.permitting.Unlock()
	t.conn.Store(&conn)
	if t.permits != nil {
		_ = t.apply(ctx, conn) // who asked has its answer
	}
}

func (t *addressed) permit(ctx context.Context, c control) bool {
	t.permitting.Lock()
	defer t.permitting.Unlock()
	t.permits = &c
	conn := t.conn.Load()
	return conn == nil || t.apply(ctx, *conn)
}

// apply binds the turn to what came last. t.permitting is held.
func (t *addressed) apply(ctx context.Context, conn agent.Conn) bool {
	p, ok := conn.(agent.Permitter)
	return ok && p.Permit(ctx, t.permits.PermissionPolicy, t.permits.Permissions)
}

func (t *addressed) steer(ctx context.Context, said agent.Steering) bool {
	conn := t.conn.Load()
	if conn == nil {
		return false
	}
	steerer, ok := (*conn).(agent.Steerer)
	return ok && steerer.Steer(ctx, said)
}

// encodeControl writes a word to a runner about the turn of a session. The answer has the same id.
func encodeControl(id string, key agent.SessionKey, c control) []byte {
	line := plainJSON(struct {
		Kind      string           `json:"kind"`
		ID        string           `json:"id"`
		SessionID *agent.SessionID `json:"sessionId"`
		ProjectID agent.ProjectID  `json:"projectId,omitempty"`
		Control   control          `json:"control"`
	}{"control", id, orNull(key.Session), key.Project, c})
	return append(line, '\n')
}

// message is agent.Message without what a harness has no use for.
type message struct {
	Role    agent.Role `json:"role"`
	Content content    `json:"content"`
}

// content is a string where a message is one piece of text, else a list of blocks. media is what its pictures show.
type content struct {
	parts []agent.Part
	media map[agent.MediaHandle][]byte
}

type block struct {
	Type       string          `json:"type"`
	Text       string          `json:"text,omitempty"`
	ToolCallID string          `json:"toolCallId,omitempty"`
	ToolName   string          `json:"toolName,omitempty"`
	Input      json.RawMessage `json:"input,omitempty"`
	Output     json.RawMessage `json:"output,omitempty"`
	IsError    bool            `json:"isError,omitempty"`
	Denied     bool            `json:"denied,omitempty"`
	MimeType   string          `json:"mimeType,omitempty"`
	URI        string          `json:"uri,omitempty"`
	Data       []byte          `json:"data,omitempty"`
}

// MarshalJSON leaves reasoning out: the wire has no block for it, and without the provider's signature, which is never
// kept, no provider takes it back.
func (c content) MarshalJSON() ([]byte, error) {
	blocks := make([]block, 0, len(c.parts))
	for _, p := range c.parts {
		switch p := p.(type) {
		case agent.TextPart:
			if len(c.parts) == 1 {
				return json.Marshal(p.Text)
			}
			blocks = append(blocks, block{Type: "text", Text: p.Text})
		case agent.ReasoningPart:
		case agent.ToolCallPart:
			blocks = append(blocks, block{Type: "tool_call", ToolCallID: p.ID, ToolName: p.Name, Input: p.Args})
		case agent.ToolResultPart:
			blocks = append(blocks, block{Type: "tool_result", ToolCallID: p.ToolCallID, Output: p.Result, IsError: p.IsError, Denied: p.Denied})
		case agent.MediaPart:
			blocks = append(blocks, block{Type: "image", MimeType: p.MimeType, URI: string(p.Handle), Data: c.media[p.Handle]})
		default:
			return nil, fmt.Errorf("write a message: unknown part %T", p)
		}
	}
	return json.Marshal(blocks)
}

func (c *content) UnmarshalJSON(b []byte) error {
	*c = content{}
	if len(b) > 0 && b[0] == '"' {
		var text string
		err := json.Unmarshal(b, &text)
		c.parts = []agent.Part{agent.TextPart{Text: text}}
		return err
	}
	var blocks []block
	if err := json.Unmarshal(b, &blocks); err != nil {
		return err
	}
	for _, b := range blocks {
		switch b.Type {
		case "text":
			c.parts = append(c.parts, agent.TextPart{Text: b.Text})
		case "tool_call":
			c.parts = append(c.parts, agent.ToolCallPart{ID: b.ToolCallID, Name: b.ToolName, Args: b.Input})
		case "tool_result":
			c.parts = append(c.parts, agent.ToolResultPart{ToolCallID: b.ToolCallID, Result: b.Output, IsError: b.IsError, Denied: b.Denied})
		case "image":
			handle := agent.MediaHandle(b.URI)
			if c.media == nil {
				c.media = map[agent.MediaHandle][]byte{}
			}
			c.media[handle] = b.Data
			c.parts = append(c.parts, agent.MediaPart{MimeType: b.MimeType, Handle: handle, ByteLength: int64(len(b.Data))})
		default:
			return agent.Errorf(agent.CodeValidation, "The request cannot be run: a content block of type %q is not supported.", b.Type)
		}
	}
	return nil
}

// orNull is how the wire writes a string that may be missing.
func orNull[S ~string](s S) *S {
	if s == "" {
		return nil
	}
	return &s
}

func orEmpty[S ~string](s *S) S {
	if s == nil {
		return ""
	}
	return *s
}
