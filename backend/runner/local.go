package runner

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"slices"
	"sync/atomic"
	"time"

	"parley/backend/agent"
	"parley/backend/process"
)

// LocalOptions say how runners are started.
type LocalOptions struct {
	Executable string       // this program
	Args       []string     // what goes before the word "runner"
	Ledger     string       // the folder that remembers runners, for Reap; made if it is missing
	Private    string       // as agent.Policy's
	Log        *slog.Logger // gets what no person is told
}

// Local is the backend of the app: each of its sandboxes is a runner process.
type Local struct {
	options LocalOptions
	limits  limits
}

type limits struct {
	hello   time.Duration // until a runner said hello
	silence time.Duration // without any line, heartbeats included
	stop    time.Duration // until a stop is confirmed
}

// NewLocal makes the backend. No process is started before NewSandbox.
func NewLocal(options LocalOptions) (*Local, error) {
	if options.Executable == "" || options.Ledger == "" || options.Log == nil {
		return nil, errors.New("a local runner needs an executable, a ledger and a log")
	}
	return &Local{options, limits{hello: 10 * time.Second, silence: time.Minute, stop: agent.StopGrace}}, nil
}

// Supports reports what a runner can run. The runner is this same binary, so none has to be asked.
func (l *Local) Supports(name agent.BackendName, harness agent.Kind) bool {
	return supports(name, harness)
}

// NewSandbox starts a runner whose tools work in policy.Scratch. ctx bounds the start only.
func (l *Local) NewSandbox(ctx context.Context, policy agent.Policy) (agent.Sandbox, error) {
	private, err := l.private()
	if err != nil {
		return nil, agent.Wrap(agent.CodeSandbox, err, "No private folder could be made for the agent's process.")
	}
	args := slices.Concat(l.options.Args, []string{"runner", enterFlag, "--root", policy.Scratch, "--private", private})
	p, err := process.Start(process.Command{Path: l.options.Executable, Args: args, Dir: policy.Scratch, Env: process.Inherited()}, l.options.Ledger)
	if err != nil {
		os.RemoveAll(private)
		return nil, agent.Wrap(agent.CodeSandbox, err, "The agent's process could not be started.")
	}
	s := &sandbox{
		private: private,
		Process: p, log: l.options.Log.With("runner", p.PID()), limits: l.limits,
		toRunner: make(chan []byte), ready: make(chan struct{}), dead: make(chan struct{}),
	}
	go s.write()
	go s.read()
	select {
	case <-s.ready:
		return s, nil
	case <-s.dead:
		return nil, s.cause
	case <-time.After(l.limits.hello):
		err = agent.Errorf(agent.CodeSandbox, "The agent's process was started, but did not say hello in time.")
	case <-ctx.Done():
		err = agent.Errorf(agent.CodeCancelled, "Stopped while the agent's process was starting.")
	}
	s.Kill()
	return nil, s.explain(err)
}

// private makes a folder for one runner.
func (l *Local) private() (string, error) {
	if l.options.Private != "" {
		if err := os.MkdirAll(l.options.Private, 0o700); err != nil {
			return "", err
		}
	}
	return os.MkdirTemp(l.options.Private, "runner-")
}

// sandbox is a runner that said hello. It takes one turn at a time, whichever conn asks.
type sandbox struct {
	*process.Process
	log      *slog.Logger
	limits   limits
	private  string // goes with the process
	toRunner chan []byte
	exchange atomic.Pointer[exchange] // nil between turns
	closed   atomic.Bool              // by Close
	silent   atomic.Bool              // for so long that it was killed

	ready chan struct{} // closed after hello
	dead  chan struct{} // closed once every record was delivered and cause is set
	cause *agent.Error
}

// exchange is the app's end of a turn.
type exchange struct {
	records chan record   // events, then how the turn ended; unbuffered, so none is left when dead is closed
	over    chan struct{} // closed once nobody receives records any more
}

// Open makes a conn. The runner hears of it with its first turn.
func (s *sandbox) Open(_ context.Context, launch agent.Launch) (agent.Conn, error) {
	if !supports(launch.Backend, launch.Harness) {
		return nil, agent.Errorf(agent.CodeValidation, "The backend %q cannot run the harness %q.", launch.Backend, launch.Harness)
	}
	if s.closed.Load() || s.Gone() {
		return nil, agent.Errorf(agent.CodeSandbox, "The agent's process is gone; nothing can be asked of it.")
	}
	return &conn{sandbox: s, launch: launch, closed: make(chan struct{})}, nil
}

// Done is closed once the process and all that it started are gone.
func (s *sandbox) Done() <-chan struct{} { return s.Exited }

// Close ends the runner. It returns when the process and all that it started are gone.
func (s *sandbox) Close() error {
	s.closed.Store(true)
	s.Shutdown()
	s.removePrivate()
	return nil
}

// removePrivate removes what programs wrote, if the runner did not come to it. The process is gone.
func (s *sandbox) removePrivate() {
	if err := os.RemoveAll(s.private); err != nil {
		s.log.Warn("runner: its private folder is left", "error", err)
	}
}

// write hands lines to the runner. One that does not read holds up nobody but this goroutine.
func (s *sandbox) write() {
	for {
		select {
		case line := <-s.toRunner:
			if _, err := s.Stdin.Write(line); err != nil {
				return // it is dying, and read will say why
			}
		case <-s.Exited:
			return
		}
	}
}

// read follows the runner to its end, whatever that is, sees to it that nothing of it is left, and says what happened.
func (s *sandbox) read() {
	err := s.follow()
	if errors.Is(err, io.EOF) {
		s.Shutdown() // if it goes by itself its exit status tells something
	} else {
		s.Kill()
	}
	s.Stdout.Close()
	s.removePrivate()
	s.cause = s.explain(err)
	if !s.closed.Load() {
		s.log.Warn("runner: ended", "cause", s.cause)
	}
	close(s.dead)
}

// follow hands what the runner says to the turn that runs. It returns when that cannot go on.
func (s *sandbox) follow() error {
	silence := time.AfterFunc(s.limits.silence, func() {
		s.silent.Store(true)
		s.Kill()
	})
	defer silence.Stop()
	lines := process.NewLines(watched{s.Stdout, silence, s.limits.silence})

	line, err := lines.Next()
	if err != nil {
		return err
	}
	if err := checkHello(line); err != nil {
		return err
	}
	close(s.ready)

	var dropped int
	var last string
	for {
		line, err := lines.Next()
		if err != nil {
			return err
		}
		r, err := decodeRecord(line)
		if err != nil {
			return err
		}
		if r.ended != nil && dropped > 0 {
			s.log.Warn("runner: records were dropped; it is of another version, or defective", "count", dropped, "last", last)
			dropped = 0
		}
		if r.dropped == "" && (r.event != nil || r.ended != nil) && !s.deliver(r) {
			r.dropped = "outside of a turn"
		}
		if r.dropped != "" {
			dropped++
			last = r.dropped
		}
	}
}

// deliver waits for the turn to take r: a consumer that is slow slows the runner down. It reports whether there is a turn
// that r can belong to.
func (s *sandbox) deliver(r record) bool {
	x := s.exchange.Load()
	if x == nil {
		return false
	}
	select {
	case x.records <- r:
	case <-x.over:
	}
	return true
}

// explain gives the reason for the end of the runner as one that a person may see. The process is gone.
func (s *sandbox) explain(err error) *agent.Error {
	var known *agent.Error
	log := fmt.Errorf("%w; %s; stderr: %s", err, s.State(), s.Stderr())
	switch {
	case s.closed.Load():
		return agent.Wrap(agent.CodeSandbox, log, "The agent's process was closed before its answer was complete.")
	case s.silent.Load():
		return agent.Wrap(agent.CodeRunTimeout, log, "The agent's process gave no sign of life, so it was ended.")
	case errors.As(err, &known):
		return agent.Wrap(known.Code, log, known.Message)
	case errors.Is(err, process.ErrLongLine):
		return agent.Wrap(agent.CodeSandbox, log, "The agent's process wrote more at once than can be read, so it was ended.")
	}
	return agent.Wrap(agent.CodeSandbox, log, "The agent's process ended unexpectedly.")
}

// watched stops a clock while nobody waits for the reader: a slow consumer must not look like a silent runner.
type watched struct {
	io.Reader
	silence *time.Timer
	limit   time.Duration
}

func (w watched) Read(b []byte) (int, error) {
	w.silence.Reset(w.limit)
	defer w.silence.Stop()
	return w.Reader.Read(b)
}
