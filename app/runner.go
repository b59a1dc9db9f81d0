package app

import (
	"os"

	"github.com/spf13/cobra"

	"parley/backend/runner"
)

// runnerCommand is how Parley starts the process that agents run in. Its arguments are between the two of them.
func runnerCommand() *cobra.Command {
	return &cobra.Command{
		Use:                "runner",
		Short:              "Run agents for Parley, on standard input and output",
		Long:               "Parley starts this by itself. It speaks the runner protocol, one JSON value per line.",
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
