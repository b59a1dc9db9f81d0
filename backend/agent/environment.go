package agent

import (
	"context"
	"iter"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// StopGrace is how long a harness may take to confirm a stop before it is killed.
const StopGrace = 2 * time.Second

// Policy is what a sandbox may touch.
type Policy struct {
	Scope   FileScope // empty is FilesSandboxed
	Scratch string    // the session's own folder; it exists
	Folder  string    // the folder that the session is about; empty if there is none
	Data    string    // Parley's own, of which nothing but Scratch and Private is touched in any scope; empty if it is not here
	Private string    // where what programs configure and remember is put, until the sandbox is closed; empty is the system's folder for that

	// What a launch needs besides: see For.
	Model string // the base URL of the model server; empty if the harness knows its own
	Own   Kind   // the harness that works with the person's own login, which reaches what it keeps for that; empty if none does

	Commands string // of the MCP servers, a line each: they may be run
	Exempt   bool   // what is protected in Folder is as any other file: for one call that a person has allowed by itself

	Reaches string // the URLs that the launch names, a line each: their servers may be reached
}

// For is p with what a launch needs besides.
func (p Policy) For(launch Launch) Policy {
	if launch.Endpoint != nil {
		p.Model = launch.Endpoint.BaseURL
	}
	if launch.Program != nil && launch.Program.Login == LoginOwn {
		p.Own = launch.Harness
	}
	commands := make([]string, len(launch.Servers))
	for i, server := range launch.Servers {
		commands[i] = server.Command
	}
	p.Commands = strings.Join(commands, "\n")
	p.Reaches = strings.Join(launch.Reaches(), "\n")
	return p
}

// EnvExit is the variable that names the proxy which is the only way out of a confined runner's network.
const EnvExit = "PARLEY_EXIT"

// FileScope is which files an agent reaches.
type FileScope string

// The scopes; the enum is closed.
const (
	FilesSandboxed FileScope = "sandboxed" // writes go to Scratch; reads fall through to Folder
	FilesProject   FileScope = "project"   // reads and writes in Folder
	FilesFull      FileScope = "full"      // whatever the person can reach
)

// Valid reports whether s is one of the list.
func (s FileScope) Valid() bool {
	return s == FilesSandboxed || s == FilesProject || s == FilesFull
}

// Dir is the folder that agents work in: relative paths begin there.
func (p Policy) Dir() string {
	if (p.Scope == FilesProject || p.Scope == FilesFull) && p.Folder != "" {
		return p.Folder
	}
	return p.Scratch
}

// Within reports whether a path is that of a folder, or below it, as both are written.
func Within(path, folder string) bool {
	rest, err := filepath.Rel(folder, path)
	return err == nil && filepath.IsLocal(rest)
}

// Limits bound how many sandboxes stay warm, and for how long.
type Limits struct {
	Seats int           // warm sandboxes; the least recently used idle one goes first
	Idle  time.Duration // how long an unused sandbox stays
	Await time.Duration // how long one stays whose turn waits for a person
}

// DefaultLimits are those of the app, SideLimits those of what it runs beside sessions: a session may have many.
var (
	DefaultLimits = Limits{Seats: 8, Idle: 10 * time.Minute, Await: time.Hour}
	SideLimits    = Limits{Seats: 32, Idle: 10 * time.Minute, Await: 10 * time.Minute}
)

// Environment owns sandboxes: one per session, made when first needed, kept warm between turns, and released whatever
// happens. All methods may be called at once.
type Environment struct {
	backend Backend
	limits  Limits

	mu     sync.Mutex
	seats  map[SessionKey]*seat
	closed bool
	ending sync.WaitGroup // sandboxes being closed
}

// seat is a sandbox and who uses it. Its fields are guarded by Environment.mu, but for ready's results.
type seat struct {
	policy  Policy
	ready   chan struct{} // closed once sandbox and err are set
	sandbox Sandbox
	err     error
	users   int
	used    time.Time
	awaits  bool          // its last turn waits for a person
	gone    chan struct{} // closed once nothing of the sandbox is left
	idle    *time.Timer
}

// NewEnvironment makes an environment over backend. Close it.
func NewEnvironment(backend Backend, limits Limits) *Environment {
	return &Environment{backend: backend, limits: limits, seats: map[SessionKey]*seat{}}
}

// Launch translates spec and refuses a harness that the backend cannot run, before any sandbox exists.
func (e *Environment) Launch(h Harness, spec Spec) (Launch, error) {
	launch, err := h.Launch(spec)
	if err != nil {
		return Launch{}, err
	}
	if !e.backend.Supports(launch.Backend, launch.Harness) {
		return Launch{}, Errorf(CodeValidation, "the backend %q cannot run the harness %q; choose another agent", launch.Backend, launch.Harness)
	}
	return launch, nil
}

// Open gives a conn in the session's sandbox, making the sandbox if there is none, if it died, or if the policy or what
// the launch needs of it changed. Closing the conn leaves the sandbox warm.
func (e *Environment) Open(ctx context.Context, key SessionKey, policy Policy, launch Launch) (Conn, error) {
	s, err := e.take(ctx, key, policy.For(launch))
	if err != nil {
		return nil, err
	}
	conn, err := s.sandbox.Open(ctx, launch)
	if err != nil {
		e.leave(key, s)
		return nil, err
	}
	return &seated{Conn: conn, seat: s, mu: &e.mu, leave: sync.OnceFunc(func() { e.leave(key, s) })}, nil
}

// seated gives its seat back when it is closed.
type seated struct {
	Conn
	seat  *seat
	mu    *sync.Mutex // of seat
	leave func()
}

// Prompt notes whether the turn waits for a person: then its sandbox is kept for longer.
func (c *seated) Prompt(ctx context.Context, prompt Prompt) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		for e, err := range c.Conn.Prompt(ctx, prompt) {
			if finish, ok := e.(Finish); ok {
				c.mu.Lock()
				c.seat.awaits = finish.StopReason == StopPaused
				c.mu.Unlock()
			}
			if !yield(e, err) {
				return
			}
		}
	}
}

// Steer is Steerer's. A harness that is none takes nothing.
func (c *seated) Steer(ctx context.Context, said Steering) bool {
	s, ok := c.Conn.(Steerer)
	return ok && s.Steer(ctx, said)
}

// Permit is Permitter's. A harness that is none is not bound otherwise.
func (c *seated) Permit(ctx context.Context, policy PermissionPolicy, rules Rules) bool {
	p, ok := c.Conn.(Permitter)
	return ok && p.Permit(ctx, policy, rules)
}

func (c *seated) Close() error {
	defer c.leave()
	return c.Conn.Close()
}

// take finds or makes the session's seat, with its sandbox ready.
func (e *Environment) take(ctx context.Context, key SessionKey, policy Policy) (*seat, error) {
	e.mu.Lock()
	if e.closed {
		e.mu.Unlock()
		return nil, Errorf(CodeSandbox, "Parley is closing; nothing new is started.")
	}
	s := e.seats[key]
	if s != nil && (s.policy != policy || s.dead()) {
		e.evict(key, s)
		s = nil
	}
	if s == nil {
		e.makeRoom()
		s = &seat{policy: policy, ready: make(chan struct{}), gone: make(chan struct{})}
		e.seats[key] = s
		go e.fill(context.WithoutCancel(ctx), key, s)
	}
	s.users++
	if s.idle != nil {
		s.idle.Stop()
	}
	e.mu.Unlock()

	select {
	case <-s.ready:
	case <-ctx.Done():
		e.leave(key, s)
		return nil, Wrap(CodeCancelled, ctx.Err(), "Stopped while the agent was starting.")
	}
	if s.err != nil {
		e.leave(key, s)
		return nil, s.err
	}
	return s, nil
}

// fill makes the sandbox. A caller that stops waiting does not stop it: the next turn finds it warm.
func (e *Environment) fill(ctx context.Context, key SessionKey, s *seat) {
	sandbox, err := e.backend.NewSandbox(ctx, s.policy)
	e.mu.Lock()
	defer e.mu.Unlock()
	s.sandbox, s.err = sandbox, err
	switch {
	case err != nil:
		e.forget(key, s)
		close(s.gone)
	case e.seats[key] != s: // evicted while it was being made
		e.end(s)
	}
	close(s.ready) // last: whoever waits for an evicted seat must find its closing already counted
}

// leave gives a seat back; the last user starts the idle clock.
func (e *Environment) leave(key SessionKey, s *seat) {
	e.mu.Lock()
	defer e.mu.Unlock()
	s.users--
	s.used = time.Now()
	if s.users > 0 || e.seats[key] != s {
		return
	}
	if s.dead() {
		e.evict(key, s)
		return
	}
	stays := e.limits.Idle
	if s.awaits {
		stays = e.limits.Await
	}
	s.idle = time.AfterFunc(stays, func() {
		e.mu.Lock()
		defer e.mu.Unlock()
		if e.seats[key] == s && s.users == 0 {
			e.evict(key, s)
		}
	})
}

// makeRoom evicts the least recently used idle seat if all are taken. If every seat is busy one more is allowed: a
// person is never told to wait for another chat. Called with mu held.
func (e *Environment) makeRoom() {
	if len(e.seats) < e.limits.Seats {
		return
	}
	var oldestKey SessionKey
	var oldest *seat
	for key, s := range e.seats {
		if s.users == 0 && (oldest == nil || s.used.Before(oldest.used)) {
			oldestKey, oldest = key, s
		}
	}
	if oldest != nil {
		e.evict(oldestKey, oldest)
	}
}

// Evict closes the session's sandbox, if there is one, and whatever runs in it. It does not wait: gone is closed once
// nothing of it is left.
func (e *Environment) Evict(key SessionKey) (gone <-chan struct{}) {
	e.mu.Lock()
	defer e.mu.Unlock()
	s := e.seats[key]
	if s == nil {
		nothing := make(chan struct{})
		close(nothing)
		return nothing
	}
	e.evict(key, s)
	return s.gone
}

// Close closes every sandbox and waits until all are gone. Open fails from now on. It may be called twice.
func (e *Environment) Close() error {
	e.mu.Lock()
	e.closed = true
	for key, s := range e.seats {
		e.evict(key, s)
	}
	e.mu.Unlock()
	e.ending.Wait()
	return nil
}

// evict takes the seat off the map and closes its sandbox; if that is still being made, fill closes it. Called with mu
// held.
func (e *Environment) evict(key SessionKey, s *seat) {
	e.forget(key, s)
	select {
	case <-s.ready:
		if s.sandbox != nil {
			e.end(s)
		}
	default:
		e.ending.Add(1)
		go func() { <-s.ready; e.ending.Done() }()
	}
}

func (e *Environment) forget(key SessionKey, s *seat) {
	if s.idle != nil {
		s.idle.Stop()
	}
	if e.seats[key] == s {
		delete(e.seats, key)
	}
}

// end closes the seat's sandbox without holding up the caller. Called with mu held.
func (e *Environment) end(s *seat) {
	e.ending.Go(func() {
		_ = s.sandbox.Close()
		close(s.gone)
	})
}

// dead reports whether the seat's sandbox cannot be used any more. One that is still being made is not dead.
func (s *seat) dead() bool {
	select {
	case <-s.ready:
	default:
		return false
	}
	if s.sandbox == nil {
		return true
	}
	select {
	case <-s.sandbox.Done():
		return true
	default:
		return false
	}
}
