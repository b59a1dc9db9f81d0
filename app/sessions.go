package app

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"parley/backend/api"
)

func sessionsCommand() *cobra.Command {
	var asJSON bool
	var search string
	cmd := &cobra.Command{
		Use:   "sessions",
		Short: "List sessions, newest first, or search in all of them",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, leave, err := enter(cmd)
			if err != nil {
				return err
			}
			defer leave()
			if cmd.Flags().Changed("search") {
				return searchSessions(cmd, c, search, asJSON)
			}
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
	cmd.Flags().StringVar(&search, "search", "", `find words, "words in a row" and -without in titles, messages and tools`)
	return cmd
}

// searchSessions prints every hit, one to a line.
func searchSessions(cmd *cobra.Command, c Connection, text string, asJSON bool) error {
	out := cmd.OutOrStdout()
	query := url.Values{"q": {text}, "limit": {"200"}}
	for {
		result, err := ask[api.SearchResult](cmd.Context(), c, http.MethodGet, "/search?"+query.Encode(), nil)
		if err != nil {
			return err
		}
		for _, h := range result.Hits {
			if asJSON {
				err = json.NewEncoder(out).Encode(h)
			} else {
				_, err = fmt.Fprintf(out, "%s  %s  %s\n", h.SessionID, time.UnixMilli(h.At).Format("2006-01-02 15:04"), plain(h))
			}
			if err != nil {
				return err
			}
		}
		if result.Next == "" {
			if result.Behind > 0 {
				fmt.Fprintf(cmd.ErrOrStderr(), "parley: %d messages are not searched yet; the index is catching up.\n", result.Behind)
			}
			return nil
		}
		query.Set("after", result.Next)
	}
}

// plain is what a hit says in one line of text.
func plain(h api.Hit) string {
	var b strings.Builder
	if h.Role == "" {
		b.WriteString("title: ")
	} else {
		b.WriteString(string(h.Role) + ": ")
	}
	for _, piece := range h.Excerpt {
		b.WriteString(piece.Text)
	}
	return b.String()
}
