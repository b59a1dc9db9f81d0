package runner

import (
	"cmp"
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"parley/backend/agent"
	"parley/backend/process"
)

const (
	headerLimit = 10 * time.Second
	unusedLimit = 2 * time.Minute // for a connection between two requests
	writeLimit  = time.Minute     // for a piece of a reply: who takes nothing for so long is gone
	shutLimit   = 5 * time.Second // for turns that are stopped to say so
)

// GateOptions are what a Gate is made of.
type GateOptions struct {
	Version string
	Token   string        // of who may come in
	Root    string        // gets a folder for each session
	Runners agent.Backend // starts the runner of a session
	Log     *slog.Logger
}

// Gate runs agents for other machines, over HTTP: "parley runner --listen". A session has a runner of its own, which stays
// warm between turns, and a folder of its own. A turn belongs to the connection that asked for it: if that breaks, the turn
// is stopped, and the runner ended with all that it started.
type Gate struct {
	GateOptions
	token [sha256.Size]byte
	rooms *agent.Environment
	mux   *http.ServeMux

	mu    sync.Mutex
	turns map[agent.SessionKey]*visit // running
}

// visit is a turn of somebody else.
type visit struct {
	addressed
	id    agent.TurnID
	ctx   context.Context // ends when the turn is to stop: with errAsked, or because nobody listens any more
	leave context.CancelCauseFunc
	ended chan struct{} // closed once it has
}

var errAsked = errors.New("a stop was asked for")

// NewGate makes a gate. Close it.
func NewGate(options GateOptions) *Gate {
	g := &Gate{
		GateOptions: options, token: sha256.Sum256([]byte(options.Token)), mux: http.NewServeMux(),
		rooms: agent.NewEnvironment(options.Runners, agent.DefaultLimits), turns: map[agent.SessionKey]*visit{},
	}
	g.mux.HandleFunc("GET /health", g.health)
	for path, answer := range map[string]func(http.ResponseWriter, *http.Request) *refusal{"/run": g.run, "/control": g.control, "/kill": g.kill} {
		g.mux.HandleFunc("POST "+path, func(w http.ResponseWriter, r *http.Request) {
			if refused := answer(w, r); refused != nil {
				reply(w, refused.status, outcome{failure: refused.why}.result())
			}
		})
	}
	return g
}

// Close ends every runner and waits until all are gone.
func (g *Gate) Close() { g.rooms.Close() }

// Serve takes requests from a listener until ctx ends; then turns are stopped, and whoever waits for them is told.
func (g *Gate) Serve(ctx context.Context, listener net.Listener) error {
	server := &http.Server{
		Handler: g, ReadHeaderTimeout: headerLimit, IdleTimeout: unusedLimit,
		ErrorLog:    slog.NewLogLogger(g.Log.Handler(), slog.LevelDebug),
		BaseContext: func(net.Listener) context.Context { return ctx },
	}
	served := make(chan error, 1)
	go func() { served <- server.Serve(listener) }()
	select {
	case err := <-served:
		return err
	case <-ctx.Done():
	}
	patience, cancel := context.WithTimeout(context.Background(), shutLimit)
	defer cancel()
	_ = server.Shutdown(patience)
	return server.Close()
}

// ServeHTTP lets in who has the token; everybody may ask whether the gate is there.
func (g *Gate) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	token, _ := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	given := sha256.Sum256([]byte(token))
	if r.URL.Path != "/health" && subtle.ConstantTimeCompare(given[:], g.token[:]) != 1 {
		w.Header().Set("WWW-Authenticate", "Bearer")
		reply(w, http.StatusUnauthorized, outcome{failure: agent.Errorf(agent.CodeSandbox,
			"The runner does not accept the token. Use the one that it was started with.")}.result())
		return
	}
	g.mux.ServeHTTP(w, r)
}

// refusal is an answer to what is not done.
type refusal struct {
	status int
	why    *agent.Error
}

func reply(w http.ResponseWriter, status int, body []byte) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(body) // if it does not arrive nobody is there to be told
}

// health is a runner's hello to who comes by HTTP.
type health struct {
	Status string `json:"status"`
	offer
}

const healthy = "ok"

func (g *Gate) health(w http.ResponseWriter, _ *http.Request) {
	reply(w, http.StatusOK, plainJSON(health{healthy, offerOf(g.Version)}))
}

// read reads the one object of a request, and which session it is about. A session that has no name gets one.
func read(w http.ResponseWriter, r *http.Request) (incoming, agent.SessionKey, *refusal) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, process.MaxLine))
	var in incoming
	if err == nil {
		in, err = decodeLine(body)
	}
	if large := (*http.MaxBytesError)(nil); errors.As(err, &large) {
		return in, agent.SessionKey{}, &refusal{http.StatusRequestEntityTooLarge,
			agent.Errorf(agent.CodeValidation, "The request cannot be run: it is larger than %d MB.", process.MaxLine>>20)}
	}
	key := agent.SessionKey{Project: in.ProjectID, Session: orEmpty(in.SessionID)}
	if key.Project == "" {
		key.Project = agent.DefaultProject
	}
	if key.Session == "" {
		key.Session = agent.NewSessionID()
	}
	if err == nil {
		err = errors.Join(key.Project.Validate(), key.Session.Validate())
	}
	if err != nil {
		return in, key, &refusal{http.StatusBadRequest, agent.AsError(err)}
	}
	return in, key, nil
}

func (g *Gate) run(w http.ResponseWriter, r *http.Request) *refusal {
	in, key, refused := read(w, r)
	if refused != nil {
		return refused
	}
	launch, prompt, err := in.decode()
	if err != nil {
		return &refusal{http.StatusBadRequest, agent.AsError(err)}
	}
	prompt.Key = key
	out, to := newOutbox(), io.Discard
	v, refused := g.begin(r.Context(), prompt, out)
	if refused != nil {
		return refused
	}
	streams := strings.Contains(r.Header.Get("Accept"), ndjson)
	if streams {
		to = streamTo(w)
	}
	written := make(chan struct{})
	go func() {
		defer close(written)
		v.leave(out.write(to))
	}()
	o := g.take(v, launch, prompt, out)
	if streams {
		mirror, result := o.encode()
		out.line(mirror)
		out.line(result)
	}
	out.end()
	<-written
	switch {
	case streams:
	case o.failure != nil:
		reply(w, http.StatusInternalServerError, o.result())
	default:
		reply(w, http.StatusOK, o.result())
	}
	return nil
}

// begin takes the session for a turn. One that was stopped, and is still on its way out, is waited for.
func (g *Gate) begin(ctx context.Context, prompt agent.Prompt, out *outbox) (*visit, *refusal) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for other := g.turns[prompt.Key]; other != nil; other = g.turns[prompt.Key] {
		if other.ctx.Err() == nil {
			return nil, &refusal{http.StatusConflict, agent.Errorf(agent.CodeValidation, "The agent is still answering. Wait for it, or stop it.")}
		}
		g.mu.Unlock()
		<-other.ended
		g.mu.Lock()
	}
	if most := agent.DefaultLimits.Seats; len(g.turns) >= most {
		return nil, &refusal{http.StatusTooManyRequests, agent.Errorf(agent.CodeSandbox,
			"The runner takes %d turns at once, and as many are running. Wait for one to end, then retry.", most)}
	}
	v := &visit{id: prompt.Turn, ended: make(chan struct{})}
	v.ctx, v.leave = context.WithCancelCause(ctx)
	v.stop, v.asker = func() { v.leave(errAsked) }, newAsker(out, func() {})
	g.turns[prompt.Key] = v
	return v, nil
}

func (g *Gate) end(key agent.SessionKey, v *visit) {
	v.asker.close()
	g.mu.Lock()
	delete(g.turns, key)
	g.mu.Unlock()
	v.leave(nil)
	close(v.ended)
}

// take takes the turn to its end. The session is free when it returns: who is told of the end may begin the next turn.
func (g *Gate) take(v *visit, launch agent.Launch, prompt agent.Prompt, out *outbox) outcome {
	defer g.end(prompt.Key, v)
	o := g.play(v, launch, prompt, out)
	if why := context.Cause(v.ctx); why != nil && !errors.Is(why, errAsked) { // the connection broke, or the gate is shut
		g.Log.Warn("runner: a turn was left", "session", prompt.Key.Session, "turn", v.id, "cause", why)
		<-g.rooms.Evict(prompt.Key)
		return outcome{failure: agent.Errorf(agent.CodeSandbox, "The runner was shut down before the answer was complete.")}
	}
	return o
}

// play lets the session's runner speak.
func (g *Gate) play(v *visit, launch agent.Launch, prompt agent.Prompt, out *outbox) outcome {
	place := prompt.Key
	place.Session = cmp.Or(prompt.Beside, place.Session)
	folder := filepath.Join(g.Root, place.Folder())
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return outcome{failure: agent.Wrap(agent.CodeSandbox, err, "The session's folder could not be made on the runner's machine.")}
	}
	conn, err := g.rooms.Open(v.ctx, prompt.Key, agent.Policy{Scratch: folder}, launch)
	if err != nil && v.ctx.Err() != nil {
		return outcome{finish: agent.Finish{StopReason: agent.StopCancelled}, session: prompt.Key.Session}
	}
	if err != nil {
		return outcome{failure: agent.AsError(err)}
	}
	defer conn.Close()
	prompt.Host = v.asker
	v.open(v.ctx, conn)
	finish, output, err := relay(conn.Prompt(v.ctx, prompt), out, func() {})
	if err != nil {
		return outcome{failure: agent.AsError(err)}
	}
	return outcome{finish: finish, output: output, session: prompt.Key.Session}
}

func (g *Gate) control(w http.ResponseWriter, r *http.Request) *refusal {
	in, key, refused := read(w, r)
	if refused != nil {
		return refused
	}
	g.mu.Lock()
	var turn *addressed
	if v := g.turns[key]; v != nil {
		turn = &v.addressed
	}
	g.mu.Unlock()
	reply(w, http.StatusOK, in.obey(r.Context(), turn).event())
	return nil
}

// kill ends the runner of a session and answers once it is gone. With a turnId it leaves alone what another turn runs in.
func (g *Gate) kill(w http.ResponseWriter, r *http.Request) *refusal {
	in, key, refused := read(w, r)
	if refused != nil {
		return refused
	}
	g.mu.Lock()
	v := g.turns[key]
	if v != nil && in.TurnID != "" && in.TurnID != v.id {
		g.mu.Unlock()
		return &refusal{http.StatusConflict, agent.Errorf(agent.CodeValidation, "Another turn of the session is running.")}
	}
	if v != nil {
		v.stop()
	}
	gone := g.rooms.Evict(key) // a turn that begins from here on gets a runner of its own
	g.mu.Unlock()
	<-gone
	if v != nil {
		<-v.ended
	}
	reply(w, http.StatusOK, []byte(`{"ok":true}`))
	return nil
}

const ndjson = "application/x-ndjson"

// stream is a reply of which everything goes out at once.
type stream struct {
	http.ResponseWriter
	control *http.ResponseController
}

// streamTo begins a stream: who asked knows from here on that the turn is taken.
func streamTo(w http.ResponseWriter) stream {
	s := stream{w, http.NewResponseController(w)}
	w.Header().Set("Content-Type", ndjson)
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("X-Accel-Buffering", "no") // or a proxy would collect it
	w.WriteHeader(http.StatusOK)
	_ = s.control.Flush() // as a failure of Write is
	return s
}

func (s stream) Write(b []byte) (int, error) {
	_ = s.control.SetWriteDeadline(time.Now().Add(writeLimit))
	defer s.control.SetWriteDeadline(time.Time{}) // which would outlive the request
	n, err := s.ResponseWriter.Write(b)
	if err == nil {
		err = s.control.Flush()
	}
	return n, err
}

// EnvToken names a file whose first line is the token of a Gate, for both of its sides.
const EnvToken = "PARLEY_RUNNER_TOKEN_FILE"

// ReadToken reads the file that EnvToken names.
func ReadToken() (string, error) {
	path := os.Getenv(EnvToken)
	if path == "" {
		return "", agent.Errorf(agent.CodeValidation, "%s is not set. It names a file whose first line is the token between Parley and a runner that listens; openssl rand -hex 32 makes one.", EnvToken)
	}
	content, err := os.ReadFile(path)
	if err != nil {
		return "", agent.Wrap(agent.CodeValidation, err, fmt.Sprintf("The file that %s names could not be read.", EnvToken))
	}
	line, _, _ := strings.Cut(string(content), "\n")
	token := strings.TrimSpace(line)
	if len(token) < 16 {
		return "", agent.Errorf(agent.CodeValidation, "The file that %s names has no token of 16 characters or more in its first line. openssl rand -hex 32 makes one.", EnvToken)
	}
	return token, nil
}
