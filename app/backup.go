package app

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"parley/backend/agent"
	"parley/backend/api"
	"parley/backend/history"
	"parley/backend/store"
	"parley/backend/vault"
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
			c, leave, err := enter(cmd)
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

func restoreCommand() *cobra.Command {
	var yes bool
	cmd := &cobra.Command{
		Use:   "restore FILE",
		Short: "Put a backup in the place of the history, which is kept aside",
		Long: "restore says what is in the backup that FILE and FILE.keys are. With --yes it takes the history's place; the one\n" +
			"that was there is moved to the folder set-aside. The backup's recovery code or passphrase is read from the first\n" +
			"line of the input, or from the file that " + vault.EnvPassphraseFile + " names.",
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			secret, err := vault.UnattendedPassphrase()
			if err == nil && secret == nil {
				secret, err = readSecret(os.Stdin, cmd.ErrOrStderr())
			}
			if err != nil {
				return err
			}
			defer vault.Wipe(secret)
			return restore(cmd, args[0], secret, yes)
		},
	}
	cmd.Flags().BoolVar(&yes, "yes", false, "replace the history")
	return cmd
}

func restore(cmd *cobra.Command, backup string, secret []byte, yes bool) error {
	h, err := findHome(os.Getenv)
	if err != nil {
		return err
	}
	lock, err := os.OpenFile(h.lock(), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	defer lock.Close()
	mine, err := tryLock(lock)
	if err == nil && !mine {
		err = agent.Errorf(agent.CodeValidation, "Parley runs and has the history open. Close it, then restore.")
	}
	if err != nil {
		return err
	}
	return history.Restore(cmd.Context(), history.Options{Folder: string(h), Log: newLog()}, backup, secret, func(s store.Summary) bool {
		fmt.Fprintf(cmd.OutOrStdout(), "%d sessions, %d messages, the newest of %s\n", s.Sessions, s.Messages, s.Newest.Format(time.DateTime))
		if !yes {
			fmt.Fprintln(cmd.ErrOrStderr(), "Nothing was changed. With --yes this takes the place of the history.")
		}
		return yes
	})
}

// readSecret reads one line that a person types or another program gives.
func readSecret(in io.Reader, notes io.Writer) ([]byte, error) {
	fmt.Fprint(notes, "Recovery code or passphrase of the backup: ")
	line, err := bufio.NewReader(io.LimitReader(in, 4096)).ReadBytes('\n')
	if line = bytes.TrimRight(line, "\r\n"); len(line) == 0 {
		return nil, usage{errors.Join(errors.New("the backup's recovery code or passphrase is missing"), err)}
	}
	return line, nil
}
