package app

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"parley/backend/api"
)

func sessionsCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "sessions",
		Short: "List sessions, newest first",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, leave, err := connect(cmd.Context())
			if err != nil {
				return err
			}
			defer leave()
			table := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 0, 2, ' ', 0)
			for after := ""; ; {
				list, err := ask[api.SessionList](cmd.Context(), c, http.MethodGet, "/sessions?limit=500&after="+url.QueryEscape(after), nil)
				if err != nil {
					return err
				}
				for _, s := range list.Sessions {
					if asJSON {
						err = json.NewEncoder(cmd.OutOrStdout()).Encode(s)
					} else {
						_, err = fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\n", s.ID, time.UnixMilli(s.UpdatedAt).Format("2006-01-02 15:04"), s.Status, s.Agent.ID, s.Title)
					}
					if err != nil {
						return err
					}
				}
				if after = list.Next; after == "" {
					return table.Flush()
				}
			}
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "one JSON object per line")
	return cmd
}
