package runner

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"sync"
	"time"

	"parley/backend/agent"
	"parley/backend/confine"
	"parley/backend/egress"
	"parley/backend/harness"
	"parley/backend/mcp"
	"parley/backend/process"
)

// LocalOptions say how runners are started.
type LocalOptions struct {
	Executable string       // this program
	Args       []string     // what goes before the word "runner"
	Ledger     string       // the folder that remembers runners, for Reap; made if it is missing; empty if nobody reaps
	Private    string       // as agent.Policy's
	Servers    *mcp.Board   // is told of the MCP servers of all runners; nil if nobody asks it
	Log        *slog.Logger // gets what no person is told
}

// Local is the backend of the app: each of its sandboxes is a runner process.
type Local struct {
	options LocalOptions
	limits  limits
	bound   process.Bound // of confined runners
	enforce func() agent.Enforcement
}

// NewLocal makes the backend. No process is started before NewSandbox or Enforcement.
func NewLocal(options LocalOptions) (*Local, error) {
	if options.Executable == "" || options.Log == nil {
		return nil, errors.New("a local runner needs an executable and a log")
	}
	l := &Local{
		options: options,
		limits:  limits{hello: 10 * time.Second, silence: time.Minute, stop: agent.StopGrace},
		bound:   process.Bound{Tasks: confine.MaxTasks, Memory: process.MachineMemory() / 2},
	}
	l.enforce = sync.OnceValue(func() agent.Enforcement { return confine.Enforce(l.tryApart) })
	return l, nil
}

// Enforcement tells what the system holds of the policies of sandboxes. It finds out when it is asked first.
func (l *Local) Enforcement() agent.Enforcement { return l.enforce() }

// Supports reports what a runner can run. The runner is this same binary, so none has to be asked.
func (l *Local) Supports(name agent.BackendName, harness agent.Kind) bool {
	return supports(name, harness)
}

// NewSandbox starts a runner under policy. ctx bounds the start only.
func (l *Local) NewSandbox(ctx context.Context, policy agent.Policy) (agent.Sandbox, error) {
	private, err := l.private()
	if err != nil {
		return nil, agent.Wrap(agent.CodeSandbox, err, "No private folder could be made for the agent's process.")
	}
	policy.Private = private
	p, ways, err := l.start(policy)
	if err != nil {
		os.RemoveAll(private)
		return nil, err
	}
	s := &sandbox{Process: p, private: private, ready: make(chan struct{}), link: link{
		log: l.options.Log.With("runner", p.PID()), limits: l.limits, begin: make(chan *exchange),
		kill: p.Kill, gone: p.Exited, dead: make(chan struct{}),
	}}
	s.report = func(r mcp.Report) {
		if !s.closed.Load() {
			l.options.Servers.Post(s, r)
		}
	}
	s.forget = func() { l.options.Servers.Gone(s) }
	if ways.Proxy != nil {
		s.named = namedIn(policy.Reaches)
		to := egress.Destinations{Model: policy.Model, Hosts: harness.HostsOf(policy.Own), Plain: s.named.here, Other: s.reach}
		s.exit = egress.Open(ways.Proxy, ways.Model, to, s.log)
	} else if policy.Scope != agent.FilesProject && policy.Scope != agent.FilesFull {
		s.loose = l.Enforcement().Files.Lacks
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
	return nil, s.ended(err)
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

// sandbox is a runner that said hello.
type sandbox struct {
	*process.Process
	link
	exit    *egress.Exit  // of its network; nil if it has that of everybody
	named   named         // that it may reach besides, where it has a network of its own
	loose   string        // why nothing but tools of ours would keep to its scratch folder; empty if the system does, or it need not
	private string        // goes with the process
	ready   chan struct{} // closed after hello
	forget  func()        // what was reported of its MCP servers
}

// Open makes a conn. What the system does not hold to a scratch folder is not let near one.
func (s *sandbox) Open(ctx context.Context, launch agent.Launch) (agent.Conn, error) {
	if s.loose != "" && launch.Program != nil {
		return nil, agent.Errorf(agent.CodeSandbox, "%s was not started: it would not keep to a scratch folder, because here %s. Let the session work in its folder, or in all files, or choose an agent of Parley's own.", launch.Program.Command, s.loose)
	}
	return s.link.Open(ctx, launch)
}

// Close ends the runner. It returns when the process and all that it started are gone.
func (s *sandbox) Close() error {
	s.closed.Store(true)
	s.Shutdown()
	s.removePrivate()
	s.forget()
	return nil
}

// removePrivate removes what programs wrote, if the runner did not come to it. The process is gone.
func (s *sandbox) removePrivate() {
	if err := os.RemoveAll(s.private); err != nil {
		s.log.Warn("runner: its private folder is left", "error", err)
	}
}

// write hands the lines of turns to the runner. One that does not read holds up nobody but this goroutine.
func (s *sandbox) write() {
	for {
		select {
		case x := <-s.begin:
			s.converse(x)
		case <-s.Exited:
			return
		}
	}
}

func (s *sandbox) converse(x *exchange) {
	for line := x.request; ; {
		if _, err := s.Stdin.Write(line); err != nil {
			return // it is dying, and read will say why
		}
		select {
		case line = <-x.controls:
		case <-x.over:
			return
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
	if s.exit != nil {
		s.exit.Close()
	}
	s.removePrivate()
	s.forget()
	s.cause = s.ended(err)
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

	for {
		if _, err := s.hear(lines); err != nil {
			return err
		}
	}
}

// ended gives the reason for the end of the process, which is gone, as one that a person may see.
func (s *sandbox) ended(err error) *agent.Error {
	if excess := s.Excess(); excess != "" {
		return agent.Wrap(agent.CodeSandbox, err, "The agent's processes were ended, because they took more than they may: "+excess+". Let it do less at once, or let it reach all files, where nothing is bounded.")
	}
	return s.explain(fmt.Errorf("%w; %s; stderr: %s", err, s.State(), s.Stderr()), "The agent's process ended unexpectedly.")
}
