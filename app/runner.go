package app

import (
	"os"

	"github.com/spf13/cobra"

	"parley/backend/runner"
)

// runnerCommand is how Parley starts the process that agents run in. Its arguments are between the two of them.
func runnerCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "runner",
		Short: "Run agents for Parley, on standard input and output, or for other machines",
		Long: `Parley starts this by itself. It speaks the runner protocol, one JSON value per line.

With --listen ADDR --root FOLDER it does so by HTTP, for a Parley on another machine or outside of a container:
each session gets a process and a folder of its own below FOLDER. Both sides need the same token. ` + runner.EnvToken + `
names a file that has it in its first line (openssl rand -hex 32 makes one); ` + envRunner + ` tells the other Parley the
address. What travels holds keys, so that must be https, by a proxy in front, or the end of a tunnel.`,
		DisableFlagParsing: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 && (args[0] == "--help" || args[0] == "-h") {
				return cmd.Help()
			}
			if code := runner.Main(cmd.Context(), args, os.Stdin, os.Stdout, os.Stderr, Version); code != 0 {
				return exit(code)
			}
			return nil
		},
	}
}
