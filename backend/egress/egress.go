// Package egress is the way out of a sandbox's network: a proxy for HTTP that belongs to the app, and reaches the sandbox's
// model server and what else is decided.
package egress

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"parley/backend/agent"
)

// Dial connects to a host and port if that may be reached, and else fails with an *agent.Error. What it connects to is what it
// has checked.
type Dial func(ctx context.Context, network, address string) (net.Conn, error)

// Destinations is what may be reached.
type Destinations struct {
	Model string   // the base URL of the model server, which the person configured; one that is empty, or no URL, is not reached
	Hosts []string // that the harness talks to with the person's own login, by https
	Plain []string // host:port of what is reached by http, too, if Other lets it
	Other Dial     // decides on everything else; nil refuses it
}

// Exit is a way out that is open.
type Exit struct {
	to     Destinations
	model  *url.URL // nil if there is none
	log    *slog.Logger
	server *http.Server

	life   context.Context
	cancel context.CancelFunc
	served sync.WaitGroup
}

// Open serves the proxy on one listener, and, if relay is not nil, hands what connects to that to the model server as it is.
// Both are closed with the exit.
func Open(proxy, relay net.Listener, to Destinations, log *slog.Logger) *Exit {
	e := &Exit{to: to, log: log}
	if model, err := url.Parse(to.Model); err == nil && model.Host != "" {
		e.model = model
	}
	e.life, e.cancel = context.WithCancel(context.Background())
	e.server = &http.Server{
		Handler: http.HandlerFunc(e.serve), BaseContext: func(net.Listener) context.Context { return e.life },
		ReadHeaderTimeout: 30 * time.Second, ErrorLog: slog.NewLogLogger(log.Handler(), slog.LevelDebug),
	}
	e.served.Go(func() { _ = e.server.Serve(proxy) })
	if relay != nil {
		context.AfterFunc(e.life, func() { relay.Close() })
		e.served.Go(func() { e.relay(relay) })
	}
	return e
}

// Close ends what goes out. Nothing is let out any more when it returns.
func (e *Exit) Close() {
	e.cancel()
	_ = e.server.Close()
	e.served.Wait()
}

func (e *Exit) relay(l net.Listener) {
	for {
		inside, err := l.Accept()
		if err != nil {
			return
		}
		e.served.Go(func() {
			outside, err := e.dial(e.life, "tcp", agent.HostPort(e.model))
			if err != nil {
				inside.Close()
				return
			}
			e.join(inside, outside)
		})
	}
}

// dial connects to what may be reached.
func (e *Exit) dial(ctx context.Context, network, address string) (net.Conn, error) {
	address = strings.ToLower(address)
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, agent.Errorf(agent.CodeToolDenied, "What was asked for is not a host and a port.")
	}
	switch {
	case e.model != nil && address == agent.HostPort(e.model), port == "443" && slices.Contains(e.to.Hosts, host):
		return new(net.Dialer).DialContext(ctx, network, address)
	case e.to.Other != nil:
		return e.to.Other(ctx, network, address)
	}
	return nil, agent.Errorf(agent.CodeToolDenied, "The agent may not reach %s.", host)
}

func (e *Exit) serve(w http.ResponseWriter, r *http.Request) {
	switch {
	case r.Method == http.MethodConnect:
		e.tunnel(w, r)
	case r.URL.Scheme == "http" && e.isPlain(agent.HostPort(r.URL)):
		plain := &http.Transport{DialContext: e.dial, DisableKeepAlives: true, DisableCompression: true}
		forward := httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {}, Transport: plain, FlushInterval: -1, ErrorLog: e.server.ErrorLog}
		forward.ServeHTTP(w, r)
	default:
		http.Error(w, "Parley lets agents out by https only.", http.StatusForbidden)
	}
}

// isPlain reports whether what is at an address is spoken to by http.
func (e *Exit) isPlain(address string) bool {
	return e.model != nil && e.model.Scheme == "http" && address == agent.HostPort(e.model) || slices.Contains(e.to.Plain, address)
}

// tunnel joins who asked with the host that it asked for.
func (e *Exit) tunnel(w http.ResponseWriter, r *http.Request) {
	outside, err := e.dial(r.Context(), "tcp", r.Host)
	if err != nil {
		status := http.StatusBadGateway
		if refused := (*agent.Error)(nil); errors.As(err, &refused) && refused.Code == agent.CodeToolDenied {
			status = http.StatusForbidden
		}
		e.log.Info("egress: not reached", "address", r.Host, "error", err)
		http.Error(w, agent.AsError(err).Message, status)
		return
	}
	inside, sent, err := http.NewResponseController(w).Hijack()
	if err != nil {
		outside.Close()
		return
	}
	_, err = io.WriteString(inside, "HTTP/1.1 200 Connection established\r\n\r\n")
	if early := sent.Reader.Buffered(); err == nil && early > 0 {
		_, err = io.CopyN(outside, sent, int64(early))
	}
	if err != nil {
		inside.Close()
		outside.Close()
		return
	}
	e.join(inside, outside)
}

// join hands what either says to the other, until both have said all, or the exit is closed.
func (e *Exit) join(inside, outside net.Conn) {
	end := func() { inside.Close(); outside.Close() }
	defer end()
	defer context.AfterFunc(e.life, end)()
	var ways sync.WaitGroup
	ways.Go(func() { pour(outside, inside) })
	ways.Go(func() { pour(inside, outside) })
	ways.Wait()
}

// pour copies to the end, and tells it.
func pour(to, from net.Conn) {
	if _, err := io.Copy(to, from); err != nil {
		to.Close()
		return
	}
	if half, ok := to.(interface{ CloseWrite() error }); ok {
		_ = half.CloseWrite()
	}
}
