package runner

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"

	"parley/backend/agent"
	"parley/backend/calls"
	"parley/backend/confine"
	"parley/backend/mcp"
	"parley/backend/native"
	"parley/backend/process"
	"parley/backend/program"
	"parley/backend/program/acp"
	"parley/backend/program/claude"
	"parley/backend/program/pi"
	"parley/backend/scripted"
)

// exitCrashed is the exit status of a crash that a script asked for.
const exitCrashed = 70

var errCrash = errors.New("a script asked for a crash")

// speakers are the protocols of programs.
var speakers = program.Speakers{
	agent.SpeechACP:    acp.New,
	agent.SpeechClaude: claude.New,
	agent.SpeechPi:     pi.New,
}

// Main is the command "parley runner"; args is what follows these words. It returns the exit status.
//
// With --enter it is the first of two stages: it shuts the process off from what it inherited and becomes the second,
// which is this program again without --enter. Local starts runners that way; a person who tries the protocol by hand
// needs no --enter. With --listen it is a Gate, and says on stdout where.
func Main(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer, version string) int {
	ctx, crash := context.WithCancelCause(ctx)
	defer crash(nil)
	demo := scripted.NewBackend()
	demo.Crash = func() {
		crash(errCrash)
		select {} // the turn gets no result, and the process ends once what was said is written
	}
	servers := mcp.NewServers()
	loop := native.NewBackend()
	programs := program.NewBackend(speakers, cmp.Or(os.Getenv(confine.EnvTools), "127.0.0.1:0"))
	side := calls.NewBackend()
	loop.Foreign, demo.Foreign, programs.Foreign, side.Foreign = servers.Tools, servers.Tools, servers.Tools, servers.Tools
	programs.Changed = servers.Changed
	engines := Engines{
		agent.BackendInprocess: loop, agent.BackendScripted: demo, agent.BackendCalls: side,
		agent.BackendLocal: programs, agent.BackendACP: programs,
	}
	status := host(ctx, args, stdin, stdout, stderr, Options{Version: version, Engines: engines, Servers: servers})
	if errors.Is(context.Cause(ctx), errCrash) {
		return exitCrashed
	}
	return status
}

func host(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer, options Options) int {
	flags := flag.NewFlagSet("runner", flag.ContinueOnError)
	flags.SetOutput(stderr)
	enters := flags.Bool(enterFlag[2:], false, "shut off what was inherited, then start")
	confined := flags.Bool(confineFlag[2:], false, "with --enter: hear on descriptor 3 what may be touched, and be held to it")
	policy := &options.Policy
	flags.StringVar(&policy.Scratch, "root", ".", "the session's own folder; with --listen each session has one in it")
	flags.Func("scope", "which files agents reach: sandboxed, project or full", func(name string) error {
		policy.Scope = agent.FileScope(name)
		if !policy.Scope.Valid() {
			return errors.New("there is no such scope")
		}
		return nil
	})
	flags.StringVar(&policy.Folder, "folder", "", "the folder that the session is about")
	flags.StringVar(&policy.Data, "data", "", "Parley's own folder, which agents do not touch")
	flags.StringVar(&policy.Private, "private", "", "the folder for what the programs of agents configure and remember")
	addr := flags.String("listen", "", "the address to listen on for other machines, instead of standard input")
	switch err := flags.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		return 0
	case err != nil || flags.NArg() > 0 || *enters && *addr != "":
		return 2
	}
	if *enters {
		if err := enter(*confined); err != nil {
			fmt.Fprintf(stderr, "parley runner: cannot start in a sandbox: %v\n", err)
			return 1
		}
	}
	if err := process.Conceal(); err != nil {
		fmt.Fprintf(stderr, "parley runner: cannot keep what it holds from what it starts: %v\n", err)
		return 1
	}
	os.Stdout = os.Stderr // a stray print must not get among the records

	// A pipe that broke is an error to handle, not a signal to die of before the children are gone.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	options.Log = slog.New(slog.NewTextHandler(stderr, nil))
	var err error
	if *addr != "" {
		err = serveGate(ctx, *addr, stdout, options)
	} else {
		err = Serve(ctx, stdin, stdout, options)
	}
	if err != nil {
		fmt.Fprintf(stderr, "parley runner: %v\n", err)
	}
	process.EndKin()
	if err != nil {
		return 1
	}
	return 0
}

// serveGate is a Gate whose runners are this program, until ctx ends.
func serveGate(ctx context.Context, addr string, stdout io.Writer, options Options) error {
	token, err := ReadToken()
	if err != nil {
		return err
	}
	root, err := filepath.Abs(options.Policy.Scratch)
	if err != nil {
		return err
	}
	executable, err := os.Executable()
	if err != nil {
		return err
	}
	runners, err := NewLocal(LocalOptions{Executable: executable, Private: options.Policy.Private, Log: options.Log})
	if err != nil {
		return err
	}
	listener, err := net.Listen("tcp", addr)
	if err != nil {
		return err
	}
	gate := NewGate(GateOptions{Version: options.Version, Token: token, Root: root, Runners: runners, Log: options.Log})
	defer gate.Close()
	fmt.Fprintf(stdout, "http://%s\n", listener.Addr())
	return gate.Serve(ctx, listener)
}
