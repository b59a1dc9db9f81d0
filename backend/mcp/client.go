package mcp

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"parley/backend/agent"
	"parley/backend/process"
)

// client is our end of one server, whether that runs or not.
type client struct {
	server agent.MCPServer
	policy agent.Policy
	limits limits
	report func(Report)
	change func() // tells that it may have other tools
	notes  notes

	mu       sync.Mutex
	link     *link // that starts or runs; nil if none does
	failures int   // in a row
	retry    time.Time
	reason   string // why the last one ended
	closed   bool
}

// link is one life of a server.
type link struct {
	began   time.Time
	started chan struct{} // closed once it is ready, or err says why it never will be
	err     error
	cancel  context.CancelFunc // of what belongs to it
	relist  chan struct{}

	mu       sync.Mutex
	ended    bool
	session  *mcp.ClientSession
	process  *process.Process // nil if it is not ours
	flooded  bool
	tools    []listed
	progress map[string]chan string // of the calls that run, by their tokens
}

// allows reports whether a tool may be used. Whoever calls one asks again.
func (c *client) allows(name string) bool {
	return c.server.ToolsAllowlist == nil || slices.Contains(c.server.ToolsAllowlist, name)
}

// ready gives the link of a server that runs. It starts one, unless the last one ended just now, and waits for it until ctx
// ends.
func (c *client) ready(ctx context.Context) (*link, error) {
	c.mu.Lock()
	if c.link == nil {
		left := time.Until(c.retry)
		if c.closed || left > 0 {
			defer c.mu.Unlock()
			return nil, c.absent(cmp.Or(c.reason, "it was ended."))
		}
		c.begin()
	}
	l := c.link
	c.mu.Unlock()
	select {
	case <-l.started:
		return l, l.err
	case <-ctx.Done():
		return nil, c.absent("it has not started yet.")
	}
}

// begin starts a life of the server. c.mu is held.
func (c *client) begin() {
	ctx, cancel := context.WithCancel(context.Background())
	l := &link{began: time.Now(), started: make(chan struct{}), cancel: cancel, relist: make(chan struct{}, 1), progress: map[string]chan string{}}
	c.link = l
	go func() {
		c.say()
		session, err := c.start(ctx, l)
		if err != nil {
			l.err = c.over(l, err)
			close(l.started)
			return
		}
		close(l.started)
		c.change()
		c.say()
		go c.follow(ctx, l, session)
		_ = c.over(l, cmp.Or(session.Wait(), errEnded))
	}()
}

var errEnded = errors.New("it ended unexpectedly")

// start connects, and asks for the tools.
func (c *client) start(ctx context.Context, l *link) (*mcp.ClientSession, error) {
	ctx, cancel := context.WithTimeout(ctx, c.limits.start)
	defer cancel()
	transport, err := c.open(l)
	if err != nil {
		return nil, err
	}
	defer context.AfterFunc(ctx, l.kill)() // who does not even read is not waited for
	session, err := c.sdk(l).Connect(ctx, transport, nil)
	if err == nil {
		l.mu.Lock()
		l.session = session
		l.mu.Unlock()
		err = c.list(ctx, l, session)
	}
	if ctx.Err() != nil {
		err = fmt.Errorf("it did not say which tools it has within %v", c.limits.start)
	}
	return session, err
}

func (c *client) sdk(l *link) *mcp.Client {
	return mcp.NewClient(&mcp.Implementation{Name: "parley", Version: "1"}, &mcp.ClientOptions{
		Capabilities: &mcp.ClientCapabilities{},
		ToolListChangedHandler: func(context.Context, *mcp.ToolListChangedRequest) {
			select {
			case l.relist <- struct{}{}:
			default:
			}
		},
		//lint:ignore SA1019 the servers that there are write their log so, whatever the next version of the protocol does
		LoggingMessageHandler: func(_ context.Context, r *mcp.LoggingMessageRequest) {
			text, isText := r.Params.Data.(string)
			if !isText {
				b, _ := json.Marshal(r.Params.Data) // it was JSON before
				text = string(b)
			}
			c.notes.add(string(r.Params.Level) + ": " + text)
		},
		ProgressNotificationHandler: func(_ context.Context, r *mcp.ProgressNotificationClientRequest) {
			token, _ := r.Params.ProgressToken.(string)
			l.mu.Lock()
			defer l.mu.Unlock()
			select {
			case l.progress[token] <- progressText(r.Params):
			default: // nobody waits for it, or the one before is still waiting
			}
		},
	})
}

func progressText(p *mcp.ProgressNotificationParams) string {
	text := fmt.Sprint(p.Progress)
	if p.Total > 0 {
		text += fmt.Sprintf(" of %v", p.Total)
	}
	if p.Message != "" {
		text += ": " + p.Message
	}
	return shorten(text, maxNote)
}

// list asks for the tools.
func (c *client) list(ctx context.Context, l *link, session *mcp.ClientSession) error {
	var tools []listed
	for t, err := range session.Tools(ctx, nil) {
		if err != nil {
			return err
		}
		if len(tools) == maxTools {
			c.notes.add(fmt.Sprintf("parley: it has more than %d tools; the rest is left out", maxTools))
			break
		}
		tools = append(tools, c.read(t))
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.tools = tools
	return nil
}

// listed gives the tools of a server that runs.
func (c *client) listed() []listed {
	c.mu.Lock()
	l := c.link
	c.mu.Unlock()
	if l == nil || !l.isReady() {
		return nil
	}
	return l.listed()
}

func (l *link) listed() []listed {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.tools
}

// isReady reports whether started is closed.
func (l *link) isReady() bool {
	select {
	case <-l.started:
		return true
	default:
		return false
	}
}

// follow asks for the tools again whenever the server says that they have changed, and not too often.
func (c *client) follow(ctx context.Context, l *link, session *mcp.ClientSession) {
	for {
		select {
		case <-l.relist:
		case <-ctx.Done():
			return
		}
		limited, cancel := context.WithTimeout(ctx, c.limits.start)
		if err := c.list(limited, l, session); err != nil {
			c.notes.add("parley: its tools have changed, and it did not say what they are now")
		}
		cancel()
		c.change()
		c.say()
		select {
		case <-time.After(c.limits.settle):
		case <-ctx.Done():
			return
		}
	}
}

// over is the end of a life. It gives why, for whoever waited for it.
func (c *client) over(l *link, why error) error {
	l.end()
	program, _ := l.parts()
	c.mu.Lock()
	c.link = nil
	if time.Since(l.began) > c.limits.healthy {
		c.failures = 0
	}
	c.retry = time.Now().Add(backoff(c.limits.retry, c.failures))
	c.failures++
	c.reason = c.explain(l, why)
	reason, closed := c.reason, c.closed
	c.mu.Unlock()
	if program != nil {
		for line := range strings.Lines(program.Stderr()) {
			c.notes.add(strings.TrimRight(line, "\n"))
		}
	}
	c.change()
	if !closed {
		c.say()
	}
	return c.absent(reason)
}

// backoff is how long a server rests that has failed so often before.
func backoff(first time.Duration, failures int) time.Duration {
	return min(first<<min(failures, 16), maxRetry)
}

func (c *client) absent(reason string) error {
	return agent.Errorf(agent.CodeToolUnavailable, "The MCP server %s is not there: %s", c.server.ID, reason)
}

// parts gives what a life consists of; either may be nil.
func (l *link) parts() (*process.Process, *mcp.ClientSession) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.process, l.session
}

// kill ends the program, if there is one, at once. One that comes later is ended then.
func (l *link) kill() {
	l.mu.Lock()
	l.ended = true
	program := l.process
	l.mu.Unlock()
	if program != nil {
		program.Kill()
	}
}

// end ends what belongs to a life. It may be called twice.
func (l *link) end() {
	program, session := l.parts()
	if program != nil {
		program.Shutdown()
		program.Stdout.Close()
	}
	l.cancel()
	l.kill()
	if session != nil {
		go session.Close() // to one far away it says so, which may take its time
	}
}

// close ends the server for good, within limits.leave.
func (c *client) close() {
	c.mu.Lock()
	c.closed = true
	l := c.link
	c.mu.Unlock()
	if l == nil {
		return
	}
	late := time.AfterFunc(c.limits.leave, l.kill)
	defer late.Stop()
	l.end()
}

// now gives the state of the server.
func (c *client) now() Report {
	c.mu.Lock()
	defer c.mu.Unlock()
	r := Report{Server: c.server.ID, State: NotStarted, Log: c.notes.String()}
	switch {
	case c.link == nil && c.reason != "":
		r.State, r.Reason = Failed, c.reason
	case c.link != nil:
		r.State, r.Reason = Starting, "it has not started yet."
		if c.link.isReady() {
			r.State, r.Reason = Running, ""
			for _, t := range c.link.listed() {
				r.Tools = append(r.Tools, t.name)
			}
		}
		if p, _ := c.link.parts(); p != nil {
			r.Log = strings.TrimSpace(r.Log + "\n" + p.Stderr())
		}
	}
	return r
}

func (c *client) say() { c.report(c.now()) }

// call runs a call. It ends with ctx, whatever the server does.
func (c *client) call(ctx context.Context, name string, call agent.ToolCall, say func(agent.Event)) (string, json.RawMessage, error) {
	if !c.allows(name) {
		return "", nil, agent.Errorf(agent.CodeToolDenied, "%s was not run: the person does not allow this tool of %s. Do without it.", call.Name, c.server.ID)
	}
	l, err := c.ready(ctx)
	switch {
	case ctx.Err() != nil:
		return "", nil, c.failed(ctx, name, ctx.Err())
	case err != nil:
		return "", nil, err
	}
	defer c.say() // what it wrote
	_, session := l.parts()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	token, progress := rand.Text(), make(chan string, 1)
	l.mu.Lock()
	l.progress[token] = progress
	l.mu.Unlock()
	defer func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		delete(l.progress, token)
	}()
	type answer struct {
		result *mcp.CallToolResult
		err    error
	}
	answered := make(chan answer, 1)
	go func() {
		params := &mcp.CallToolParams{Name: name, Arguments: call.Input}
		params.SetProgressToken(token)
		result, err := session.CallTool(ctx, params)
		answered <- answer{result, err}
	}()
	idle := time.NewTimer(c.limits.idle)
	defer idle.Stop()
	var told time.Time
	for {
		select {
		case text := <-progress:
			idle.Reset(c.limits.idle)
			if time.Since(told) >= progressEvery && say != nil {
				say(agent.ToolProgress{ID: call.ID, Output: text})
				told = time.Now()
			}
		case a := <-answered:
			if a.err != nil {
				return "", nil, c.failed(ctx, name, a.err)
			}
			return c.result(name, a.result)
		case <-idle.C:
			return "", nil, agent.Errorf(agent.CodeToolFailed, "%s of the MCP server %s did not answer within %v.", name, c.server.ID, c.limits.idle)
		case <-ctx.Done():
			return "", nil, c.failed(ctx, name, ctx.Err())
		}
	}
}

// progressEvery is how often a call tells how far it is: each word of it is stored.
const progressEvery = 100 * time.Millisecond

// failed says why there is no result.
func (c *client) failed(ctx context.Context, name string, err error) error {
	switch {
	case ctx.Err() != nil:
		return agent.Errorf(agent.CodeCancelled, "%s of the MCP server %s was stopped.", name, c.server.ID)
	case errors.Is(err, mcp.ErrConnectionClosed), errors.Is(err, io.EOF):
		return agent.Errorf(agent.CodeToolFailed, "The MCP server %s ended before %s had answered. It is started again for the next call.", c.server.ID, name)
	}
	return agent.Errorf(agent.CodeToolFailed, "%s of the MCP server %s failed: %s.", name, c.server.ID, shorten(err.Error(), maxNote))
}
