package app

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"parley/backend/agent"
	"parley/backend/workflow"
)

func workflowCommand() *cobra.Command {
	cmd := &cobra.Command{Use: "workflow", Short: "Look after workflows", Args: cobra.NoArgs, RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() }}
	cmd.AddCommand(&cobra.Command{
		Use:   "check FILE…",
		Short: "Say what is wrong with the files of workflows, by line and column",
		Args:  cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			wrong := false
			for _, path := range args {
				src, err := os.ReadFile(path)
				if err != nil {
					return agent.Wrap(agent.CodeValidation, err, fmt.Sprintf("%s cannot be read.", path))
				}
				for _, p := range workflow.Parse(src).Problems {
					wrong = true
					fmt.Fprintf(cmd.OutOrStdout(), "%s:%s\n", path, p)
				}
			}
			if wrong {
				return exit(exitFailed)
			}
			return nil
		},
	})
	return cmd
}
