package program

import (
	"context"
	"os"
	"path/filepath"
	"sync"
	"time"

	"parley/backend/agent"
	"parley/backend/tool"
)

// Speakers makes a speaker for each protocol that there is.
type Speakers map[agent.Speech]func() Speaker

// Backend runs programs.
type Backend struct {
	Foreign tool.Source            // has the tools of others, if it is set
	Changed func() <-chan struct{} // gives what is closed once those may be others than now

	speakers Speakers
	tools    string // the address that our tools are served at
	limits   limits
}

type limits struct {
	open   time.Duration // until a program is ready
	stop   time.Duration // until a stop is confirmed
	settle time.Duration // until a program has nothing more to say of its turn
	list   time.Duration // until a program that is ready knows our tools; then it is asked without them
}

// NewBackend makes a backend for programs that speak one of these protocols. tools is the address of loopback that ours are served at.
func NewBackend(speakers Speakers, tools string) *Backend {
	return &Backend{Changed: func() <-chan struct{} { return nil }, speakers: speakers, tools: tools, limits: limits{open: time.Minute, stop: agent.StopGrace, settle: 10 * time.Second, list: 5 * time.Second}}
}

// Supports is agent.Backend's. Which harness is reached by which protocol its Launch says.
func (*Backend) Supports(name agent.BackendName, _ agent.Kind) bool {
	return name == agent.BackendLocal || name == agent.BackendACP
}

// NewSandbox is agent.Backend's. The private folder is made below policy.Private, and goes with the sandbox.
func (b *Backend) NewSandbox(_ context.Context, policy agent.Policy) (agent.Sandbox, error) {
	private, err := os.MkdirTemp(policy.Private, "program-")
	if err == nil {
		private, err = filepath.EvalSymlinks(private)
	}
	if err != nil {
		return nil, agent.Wrap(agent.CodeSandbox, err, "No private folder could be made for the agent's program.")
	}
	return &sandbox{backend: b, policy: policy, private: private, done: make(chan struct{}), ended: make(chan struct{})}, nil
}

// sandbox is a place for one program, which stays between turns.
type sandbox struct {
	backend *Backend
	policy  agent.Policy
	private string
	done    chan struct{} // closed when nothing can be asked any more
	ended   chan struct{} // closed when nothing is left

	mu      sync.Mutex
	busy    bool // a turn is being listened to
	closed  bool
	session *session // nil if no program runs
	left    standing // where the last program stood when it ended between turns
}

// standing is where a program's own session is.
type standing struct {
	harness agent.Kind
	session string       // the program's name for it
	after   agent.TurnID // that it has taken last
}

// Open makes a conn. The program is started by the first turn that needs it.
func (s *sandbox) Open(_ context.Context, launch agent.Launch) (agent.Conn, error) {
	if launch.Program == nil || s.backend.speakers[launch.Program.Speech] == nil {
		return nil, agent.Errorf(agent.CodeValidation, "The request does not say how the program of %q is started and spoken to.", launch.Harness)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil, agent.Errorf(agent.CodeSandbox, "The agent was asked to start in a sandbox that is closed.")
	}
	return &conn{Permits: launch.Permits(), sandbox: s, launch: launch, closed: make(chan struct{})}, nil
}

func (s *sandbox) Done() <-chan struct{} { return s.done }

// Close ends the program, and takes its private folder away.
func (s *sandbox) Close() error {
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		<-s.ended
		return nil
	}
	defer close(s.ended)
	s.closed = true
	close(s.done)
	session, busy := s.session, s.busy
	s.mu.Unlock()
	switch {
	case session == nil:
	case busy: // whoever listens sees that it is gone, and ends the rest
		session.kill()
	default:
		session.end()
	}
	return os.RemoveAll(s.private)
}

// take gives the one session to a turn, or says why it cannot.
func (s *sandbox) take() (*session, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.closed:
		return nil, agent.Errorf(agent.CodeSandbox, "The agent was asked after it was shut down.")
	case s.busy:
		return nil, agent.Errorf(agent.CodeValidation, "The agent is still busy with the message before. Wait for its answer, or stop it.")
	}
	s.busy = true
	return s.session, nil
}

// leave gives the session back: as it is between turns or while it waits, or nil if it was ended.
func (s *sandbox) leave(session *session) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.busy, s.session = false, session
	if s.closed && session != nil {
		session.end()
	}
}

// hold makes a program that has just started the sandbox's, so that Close ends it. It reports false if that was called.
func (s *sandbox) hold(session *session) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.closed {
		s.session = session
	}
	return !s.closed
}
