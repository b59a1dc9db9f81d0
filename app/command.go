package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"parley/backend/agent"
	"parley/backend/vault"
)

// Exit codes of every command.
const (
	exitDone   = 0
	exitFailed = 1
	exitUsage  = 2
	exitWaits  = 3
)

// exit is an error that has been told already and only sets the exit code.
type exit int

func (e exit) Error() string { return fmt.Sprintf("exit %d", int(e)) }

// usage is a mistake in how a command was called.
type usage struct{ error }

// Main runs the command line and gives the exit code. Results go to stdout, everything for people to stderr.
func Main(args []string) int {
	// The first Ctrl-C ends things cleanly; a second one is not caught any more.
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop)

	err := rootCommand(os.Stdout, os.Stderr, args).ExecuteContext(ctx)
	var code exit
	var misuse usage
	switch {
	case err == nil:
		return exitDone
	case errors.As(err, &code):
		return int(code)
	case errors.As(err, &misuse):
		fmt.Fprintf(os.Stderr, "parley: %v\nparley --help says how.\n", misuse)
		return exitUsage
	default:
		fmt.Fprintln(os.Stderr, "parley:", explain(err))
		return exitFailed
	}
}

func rootCommand(stdout, stderr io.Writer, args []string) *cobra.Command {
	root := &cobra.Command{
		Use:           "parley",
		Short:         "Chat with agents, on your own machine",
		Long:          "Parley opens its window. With a subcommand it is a command-line program over the same history.",
		Version:       Version,
		Args:          cobra.NoArgs,
		SilenceUsage:  true,
		SilenceErrors: true,
		RunE:          func(cmd *cobra.Command, _ []string) error { return openWindow(cmd) },
	}
	root.SetOut(stdout)
	root.SetErr(stderr)
	root.SetArgs(args)
	root.SetVersionTemplate("parley {{.Version}}\n")
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return usage{err} })
	root.AddCommand(serveCommand(), chatCommand(), sessionsCommand(), showCommand(), secretsCommand(), keysCommand(), exportCommand(), importCommand(), workflowCommand(),
		backupCommand(), restoreCommand(), runnerCommand(), mcpCommand(), doctorCommand(), versionCommand())
	tellMisuse(root)
	return root
}

// tellMisuse makes wrong arguments of a command, and of those below it, a usage.
func tellMisuse(cmd *cobra.Command) {
	for _, below := range cmd.Commands() {
		tellMisuse(below)
	}
	if check := cmd.Args; check != nil {
		cmd.Args = func(cmd *cobra.Command, args []string) error {
			if err := check(cmd, args); err != nil {
				return usage{err}
			}
			return nil
		}
	}
}

// explain is what a person reads of an error.
func explain(err error) string {
	var e *agent.Error
	if errors.As(err, &e) {
		return e.Message
	}
	var refusal *refused
	if errors.As(err, &refusal) && refusal.Type == "vault_locked" {
		return refusal.Message + " On the page that parley serve opens you can do that; where nobody sits, " + vault.EnvPassphraseFile + " names a file with the passphrase."
	}
	return err.Error()
}

// newLog writes for people: warnings, or everything with PARLEY_LOG=debug.
func newLog() *slog.Logger {
	level := slog.LevelWarn
	if os.Getenv("PARLEY_LOG") == "debug" {
		level = slog.LevelDebug
	}
	return slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: level}))
}

// enter is connect for a command that needs the history: who sits at the terminal is asked for its passphrase.
func enter(cmd *cobra.Command) (Connection, func(), error) {
	return connectAnd(cmd.Context(), func(own *owner) error {
		return own.askForPassphrase(cmd.Context(), os.Stdin, cmd.ErrOrStderr())
	})
}

// inside is what a command does that needs the history.
func inside(do func(cmd *cobra.Command, c Connection, args []string) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		c, leave, err := enter(cmd)
		if err != nil {
			return err
		}
		defer leave()
		return do(cmd, c, args)
	}
}

// ofSession is inside for a command about one session, whose path at the door it is given.
func ofSession(do func(cmd *cobra.Command, c Connection, session string) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		id := agent.SessionID(args[0])
		if err := id.Validate(); err != nil {
			return usage{errors.New(agent.AsError(err).Message)}
		}
		return inside(func(cmd *cobra.Command, c Connection, _ []string) error {
			return do(cmd, c, "/sessions/"+string(id))
		})(cmd, args)
	}
}

// connect joins the data folder for a command that does one thing and ends. The returned func leaves it.
func connect(ctx context.Context) (Connection, func(), error) {
	return connectAnd(ctx, func(*owner) error { return nil })
}

// connectAnd runs prepare if this process becomes the owner.
func connectAnd(ctx context.Context, prepare func(*owner) error) (Connection, func(), error) {
	h, err := findHome(os.Getenv)
	if err != nil {
		return Connection{}, nil, err
	}
	c, own, err := join(ctx, h, ownerOptions{addr: "127.0.0.1:0", log: newLog()})
	if err != nil {
		return Connection{}, nil, err
	}
	if own == nil {
		return c, func() {}, nil
	}
	if err := prepare(own); err != nil {
		own.close()
		return Connection{}, nil, err
	}
	return c, func() { own.drain(ctx); own.close() }, nil
}
