package app

import (
	"fmt"
	"net/http"
	"path/filepath"

	"github.com/spf13/cobra"

	"parley/backend/api"
)

func backupCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "backup FILE",
		Short: "Make a sealed copy of the history, also while it is in use",
		Long: "backup writes FILE and FILE.keys. Both together, and the recovery code or the passphrase, are the history on any\n" +
			"machine; without one of these two they are nothing.",
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			path, err := filepath.Abs(args[0])
			if err != nil {
				return err
			}
			c, leave, err := connect(cmd.Context())
			if err != nil {
				return err
			}
			defer leave()
			res, err := c.do(cmd.Context(), http.MethodPost, "/vault/backup", api.Backup{Path: path})
			if err != nil {
				return err
			}
			fmt.Fprintf(cmd.OutOrStdout(), "%s\n%s.keys\n", path, path)
			return res.Body.Close()
		},
	}
}
