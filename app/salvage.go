package app

import (
	"encoding/json"
	"fmt"
	"net/http"
	"path/filepath"

	"github.com/spf13/cobra"

	"parley/backend/api"
)

// salvage writes what is readable of the history to path, and says what is missing. The history stays as it is.
func salvage(cmd *cobra.Command, path string, asJSON bool) error {
	path, err := filepath.Abs(path)
	if err != nil {
		return err
	}
	c, leave, err := connect(cmd.Context())
	if err != nil {
		return err
	}
	defer leave()
	s, err := ask[api.Salvage](cmd.Context(), c, http.MethodPost, "/vault/salvage", api.Salvaging{Path: path})
	if err != nil {
		return err
	}
	out := cmd.OutOrStdout()
	if asJSON {
		return json.NewEncoder(out).Encode(s)
	}
	fmt.Fprintf(out, "%s\n%[1]s.keys\n%d sessions, %d messages; %d of %d pages are lost\n", path, s.Sessions, s.Messages, s.Bad, s.Pages)
	for _, t := range s.Tables {
		if t.All {
			fmt.Fprintf(out, "nothing is left of the table %s\n", t.Table)
		} else {
			fmt.Fprintf(out, "%d rows of the table %s cannot be read\n", t.Rows, t.Table)
		}
	}
	for _, i := range s.Incomplete {
		fmt.Fprintf(out, "%s lacks %d messages and %d records of its log: %s\n", i.ID, i.Messages, i.Records, i.Title)
	}
	_, err = fmt.Fprintf(cmd.ErrOrStderr(), "Nothing was changed. parley restore %s puts this in the place of the history.\n", path)
	return err
}
