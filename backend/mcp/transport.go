package mcp

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"parley/backend/agent"
	"parley/backend/policy"
	"parley/backend/process"
	"parley/backend/tool"
)

// open gives the way to a server. A program is started.
func (c *client) open(l *link) (mcp.Transport, error) {
	if c.server.Transport == agent.TransportHTTP {
		return &mcp.StreamableClientTransport{Endpoint: c.server.URL, HTTPClient: webClient(c.server), MaxRetries: 2}, nil
	}
	env, err := c.environment()
	if err != nil {
		return nil, err
	}
	p, err := process.Start(process.Command{Path: c.server.Command, Args: c.server.Args, Dir: c.policy.Dir(), Env: env}, "")
	if err != nil {
		return nil, err
	}
	l.mu.Lock()
	l.process = p
	ended := l.ended
	l.mu.Unlock()
	if ended {
		p.Kill()
	}
	flooded := func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.flooded = true
	}
	return &mcp.IOTransport{Reader: &metered{p.Stdout, flooded, maxAhead, time.Now()}, Writer: p.Stdin}, nil
}

// environment is that of every program, and what is configured. Only who reaches all files has the person's home.
func (c *client) environment() ([]string, error) {
	env := process.Inherited()
	if c.policy.Scope != agent.FilesFull && c.policy.Private != "" {
		home := filepath.Join(c.policy.Private, "mcp")
		if err := os.MkdirAll(home, 0o700); err != nil {
			return nil, err
		}
		env = append(env, "HOME="+home) // the last one holds
	}
	for name, value := range c.server.Env {
		env = append(env, name+"="+value)
	}
	return env, nil
}

// explain says, for a person, why a server is not there and what they can do.
func (c *client) explain(l *link, why error) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	var known *agent.Error
	switch {
	case errors.As(why, &known):
		return known.Message
	case errors.Is(why, process.ErrNotFound):
		return fmt.Sprintf("there is no program %q. Install it, or see to it that it is on PATH.", c.server.Command)
	case errors.Is(why, fs.ErrPermission):
		return fmt.Sprintf("the agent's sandbox does not let it run %q. See whether it may be run, and that what it needs is on PATH, or let the agent reach all files.", c.server.Command)
	case l.flooded:
		return "it wrote more at once than can be read, so it was ended."
	case l.process != nil && (errors.Is(why, errEnded) || errors.Is(why, io.EOF) || errors.Is(why, mcp.ErrConnectionClosed)):
		return fmt.Sprintf("its program ended (%s). Its log may say why.", l.process.State())
	case c.server.Transport == agent.TransportHTTP:
		return shorten(why.Error(), maxNote) + ". See whether it can be reached from here."
	}
	return shorten(why.Error(), maxNote) + ". Its log may say why."
}

// webClient reaches one server, and nothing that it redirects to.
func webClient(server agent.MCPServer) *http.Client {
	u, _ := url.Parse(server.URL) // Check has
	network := tool.Internet
	if server.IsHere() {
		network.Loopback = []string{agent.HostPort(u)}
	}
	transport := tool.Transport(network)
	transport.ResponseHeaderTimeout = time.Minute
	return &http.Client{
		Transport:     withHeaders{transport, policy.Headers(server.Headers)},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// withHeaders sends what is configured along with each request.
type withHeaders struct {
	next    http.RoundTripper
	headers http.Header
}

func (w withHeaders) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	for name, values := range w.headers {
		r.Header[name] = slices.Clone(values)
	}
	return w.next.RoundTrip(r)
}

// metered lets a server write as much as anybody needs, and ends one that never stops: what it writes is kept in memory until
// somebody asks for it. Only one goroutine reads.
type metered struct {
	io.ReadCloser
	over func()
	left float64 // bytes that may be read now
	at   time.Time
}

const (
	maxAhead  = 16 << 20 // bytes that are read at once,
	perSecond = 1 << 20  // and that become free again
)

func (m *metered) Read(b []byte) (int, error) {
	n, err := m.ReadCloser.Read(b)
	now := time.Now()
	m.left = min(m.left+now.Sub(m.at).Seconds()*perSecond, maxAhead) - float64(n)
	m.at = now
	if m.left < 0 {
		m.over()
		return 0, io.EOF
	}
	return n, err
}
