package runner

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"parley/backend/agent"
	"parley/backend/mcp"
	"parley/backend/process"
)

const (
	killLimit = 5 * time.Second // for a runner far away to end with all that it started
	maxReply  = 1 << 20         // bytes of a reply that is no stream
)

// RemoteOptions say where runners are.
type RemoteOptions struct {
	URL   string // of a Gate: https, unless it is on this machine
	Token string
	Log   *slog.Logger
}

// Remote is the backend whose runners are on another machine, or in a container, behind a Gate. Tools work in folders that
// the gate makes, one for each session.
type Remote struct {
	RemoteOptions
	host   string
	limits limits
	client http.Client
}

// NewRemote makes the backend. Nobody is asked before NewSandbox.
func NewRemote(o RemoteOptions) (*Remote, error) {
	u, err := url.Parse(o.URL)
	switch {
	case err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" || u.User != nil || u.RawQuery != "" || u.Fragment != "":
		return nil, agent.Errorf(agent.CodeValidation, "The runner's address is not one. It looks like https://runner.example:7000.")
	case u.Scheme == "http" && !isLoopback(u.Hostname()):
		return nil, agent.Errorf(agent.CodeValidation, "The runner at %s is asked without encryption, and would be sent keys. Give its https address, or the end of a tunnel on this machine.", u.Host)
	case o.Token == "" || o.Log == nil:
		return nil, errors.New("a remote runner needs a token and a log")
	}
	o.URL = strings.TrimSuffix(o.URL, "/")
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.DisableKeepAlives = true // a connection that a turn rests on is a new one
	transport.DisableCompression = true
	return &Remote{
		RemoteOptions: o, host: u.Host,
		// A stop is late only once the gate has had time to kill the runner itself.
		limits: limits{hello: 10 * time.Second, silence: time.Minute, stop: agent.StopGrace + time.Second},
		client: http.Client{
			Transport:     transport,
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
	}, nil
}

func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// Supports reports what a runner of this version can run; one of another version refuses by name what it cannot.
func (r *Remote) Supports(name agent.BackendName, harness agent.Kind) bool {
	return supports(name, harness)
}

// NewSandbox asks whether the gate is there, is of our protocol, and lets us in. A runner is started with the first turn.
func (r *Remote) NewSandbox(ctx context.Context, policy agent.Policy) (agent.Sandbox, error) {
	if policy.Scope == agent.FilesProject || policy.Scope == agent.FilesFull {
		return nil, agent.Errorf(agent.CodeValidation, "The agent runs on another machine, where the files of this one are not. Let it work in its own folder only.")
	}
	ctx, cancel := context.WithTimeout(ctx, r.limits.hello)
	defer cancel()
	body, err := r.reply(ctx, http.MethodGet, "/health", nil)
	if err == nil {
		err = checkHealth(body)
	}
	if err == nil {
		_, err = r.reply(ctx, http.MethodPost, "/control", encodeControl(controlPing, agent.SessionKey{}, control{Type: controlPing}))
	}
	if err != nil {
		return nil, err
	}
	s := &remoteSandbox{remote: r, turns: map[agent.SessionKey]agent.TurnID{}}
	s.ctx, s.cancel = context.WithCancel(context.Background())
	s.link = link{
		report: func(mcp.Report) {}, // a Gate keeps them to itself
		log:    r.Log.With("runner", r.host), limits: r.limits, begin: make(chan *exchange),
		kill: s.end, gone: s.ctx.Done(), dead: make(chan struct{}),
	}
	go s.serve()
	return s, nil
}

// checkHealth reads what a gate says of itself.
func checkHealth(body []byte) error {
	var h health
	if err := json.Unmarshal(body, &h); err != nil || h.Status != healthy {
		return agent.Wrap(agent.CodeSandbox, fmt.Errorf("not a runner's health: %.200q", body), "What answers at the runner's address is no runner of Parley. Check the address.")
	}
	return h.check("Start the newer of the two programs on both sides")
}

// ask sends a request. Who gives no health is not given the token.
func (r *Remote) ask(ctx context.Context, method, path string, body []byte) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, method, r.URL+path, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	if body != nil {
		req.Header.Set("Authorization", "Bearer "+r.Token)
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("Accept", ndjson)
	}
	res, err := r.client.Do(req)
	if err != nil {
		return nil, agent.Wrap(agent.CodeSandbox, err, fmt.Sprintf("The runner at %s cannot be reached. Check that it runs, then retry.", r.host))
	}
	return res, nil
}

// reply sends a request whose answer is no stream.
func (r *Remote) reply(ctx context.Context, method, path string, body []byte) ([]byte, error) {
	res, err := r.ask(ctx, method, path, body)
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	return readReply(res)
}

// readReply gives the body of a reply. Any status but 200 is a failure, which says what the body does.
func readReply(res *http.Response) ([]byte, error) {
	body, err := io.ReadAll(io.LimitReader(res.Body, maxReply))
	if res.StatusCode == http.StatusOK {
		return body, err
	}
	if o, err := decodeResult(body); err == nil && o.failure != nil {
		return nil, o.failure
	}
	return nil, agent.Wrap(agent.CodeSandbox, fmt.Errorf("%.200q", body), fmt.Sprintf("The runner's address answered with the status %d and no reason. Check the address.", res.StatusCode))
}

// remoteSandbox is a place behind a gate: one runner for each session that takes turns in it.
type remoteSandbox struct {
	link
	remote *Remote
	ctx    context.Context // ends when the sandbox does
	cancel context.CancelFunc

	mu    sync.Mutex
	turns map[agent.SessionKey]agent.TurnID // the last of each session
}

// Close ends the runner. It returns when the gate says that it is gone, or cannot be reached.
func (s *remoteSandbox) Close() error {
	s.closed.Store(true)
	s.end()
	return nil
}

// end has the gate end what runs for this sandbox. If the connection broke the gate does so by itself.
func (s *remoteSandbox) end() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ctx.Err() != nil {
		return
	}
	defer s.cancel()
	ctx, cancel := context.WithTimeout(context.Background(), killLimit)
	defer cancel()
	for key, turn := range s.turns {
		if _, err := s.remote.reply(ctx, http.MethodPost, "/kill", encodeKill(key, turn)); err != nil {
			s.log.Warn("runner: could not be told to end", "session", key.Session, "cause", err)
		}
	}
}

// serve takes turns until the sandbox ends, or the gate cannot be relied on any more.
func (s *remoteSandbox) serve() {
	defer close(s.dead)
	defer s.cancel()
	for {
		var err error
		select {
		case x := <-s.begin:
			err = s.take(x)
		case <-s.ctx.Done():
			err = s.ctx.Err()
		}
		if err != nil {
			s.cause = s.explain(err, fmt.Sprintf("The connection to the runner at %s broke.", s.remote.host))
			if !s.closed.Load() {
				s.log.Warn("runner: ended", "cause", s.cause)
			}
			return
		}
	}
}

// take posts a turn and hands on what is answered. An error is of the connection.
func (s *remoteSandbox) take(x *exchange) error {
	s.mu.Lock()
	s.turns[x.key] = x.turn
	s.mu.Unlock()
	silence := time.AfterFunc(s.limits.silence, func() {
		s.silent.Store(true)
		s.cancel()
	})
	defer silence.Stop()
	res, err := s.remote.ask(s.ctx, http.MethodPost, "/run", x.request)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		_, err := readReply(res)
		s.deliver(record{ended: &outcome{failure: agent.AsError(err)}})
		return nil
	}
	go s.control(x)
	lines := process.NewLines(watched{res.Body, silence, s.limits.silence})
	for {
		if ended, err := s.hear(lines); ended || err != nil {
			return err
		}
	}
}

// control posts what is said to a turn that the gate has taken: before that it would not know what is meant.
func (s *remoteSandbox) control(x *exchange) {
	for {
		select {
		case line := <-x.controls:
			go s.post(line) // one does not wait for another
		case <-x.over:
			return
		}
	}
}

// post gives a control to the gate.
func (s *remoteSandbox) post(line []byte) {
	body, err := s.remote.reply(s.ctx, http.MethodPost, "/control", line)
	var a ack
	if err == nil {
		err = json.Unmarshal(body, &a)
	}
	if err != nil {
		s.log.Warn("runner: a control was not taken", "cause", err)
		return
	}
	s.acknowledge(a)
}

// encodeKill writes the request to end the runner of a session, unless another turn runs there by now.
func encodeKill(key agent.SessionKey, turn agent.TurnID) []byte {
	return plainJSON(struct {
		SessionID agent.SessionID `json:"sessionId"`
		ProjectID agent.ProjectID `json:"projectId"`
		TurnID    agent.TurnID    `json:"turnId"`
	}{key.Session, key.Project, turn})
}
