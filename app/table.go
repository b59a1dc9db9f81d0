package app

import (
	"encoding/json"
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"
)

// asJSON gives a command that tabulates something the flag for programs.
func asJSON(cmd *cobra.Command) *cobra.Command {
	cmd.Flags().Bool("json", false, "one JSON object per line")
	return cmd
}

// tabulate prints rows in columns, or as JSON.
func tabulate[T any](cmd *cobra.Command, rows []T, columns func(T) []any) error {
	if text, err := cmd.Flags().GetBool("json"); err != nil || text {
		out := json.NewEncoder(cmd.OutOrStdout())
		for _, row := range rows {
			if err := out.Encode(row); err != nil {
				return err
			}
		}
		return err
	}
	table := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 0, 2, ' ', 0)
	for _, row := range rows {
		cells := columns(row)
		fmt.Fprintf(table, strings.Repeat("%v\t", len(cells)-1)+"%v\n", cells...)
	}
	return table.Flush()
}
