package app

import (
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"parley/backend/agent"
	"parley/backend/api"
	"parley/backend/whole"
	"parley/backend/workflow"
)

func exportCommand() *cobra.Command {
	var format, out string
	var force bool
	names := make([]string, len(workflow.Formats()))
	for i, f := range workflow.Formats() {
		names[i] = string(f)
	}
	cmd := &cobra.Command{
		Use:   "export SESSION",
		Short: "Write a session to a file",
		Long: "export writes the branch of a session that is shown: as a workflow (canvas), as Markdown or HTML for people, or as the\n" +
			"messages of useChat (jsonl). A bundle has all branches and what is attached, and parley import reads it again. No secret\n" +
			"that Parley knows is in any of them; what looks like another one is named.",
		Args: cobra.ExactArgs(1),
		RunE: ofSession(func(cmd *cobra.Command, c Connection, session string) error {
			file, err := ask[api.Exported](cmd.Context(), c, http.MethodGet, session+"/export?format="+url.QueryEscape(format), nil)
			if err != nil {
				return err
			}
			if out == "" {
				out = file.Name
			}
			for _, warning := range file.Warnings {
				fmt.Fprintln(cmd.ErrOrStderr(), "parley:", warning)
			}
			if err := writeNew(out, []byte(file.Content), force); err != nil {
				return err
			}
			saved, err := filepath.Abs(out)
			if err != nil {
				return err
			}
			if _, err := ask[api.Session](cmd.Context(), c, http.MethodPatch, session, api.SessionChange{ExportedPath: &saved}); err != nil {
				return err
			}
			_, err = fmt.Fprintln(cmd.OutOrStdout(), out)
			return err
		}),
	}
	cmd.Flags().StringVar(&format, "format", string(workflow.Canvas), strings.Join(names, ", "))
	cmd.Flags().StringVar(&out, "out", "", "the file to write (default the session's id, here)")
	cmd.Flags().BoolVar(&force, "force", false, "write over a file that is there")
	return cmd
}

// writeNew makes a file that is there as a whole or not at all, and the folder that it is in. One that is there already is an error
// unless it may be written over.
func writeNew(path string, content []byte, over bool) error {
	refuse := func(err error, why string) error {
		return agent.Wrap(agent.CodeValidation, err, fmt.Sprintf("%s was not written: %s", path, why))
	}
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return refuse(nil, "it is a folder. Name a file in it.")
	}
	folder, name := filepath.Split(path)
	folder = filepath.Clean(folder)
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return refuse(err, "its folder cannot be made. Choose another place.")
	}
	root, err := os.OpenRoot(folder)
	if err != nil {
		return refuse(err, "its folder cannot be opened. Choose another place.")
	}
	defer root.Close()
	write := whole.Create
	if over {
		write = whole.Write
	}
	err = write(root, name, content, 0o600)
	switch {
	case errors.Is(err, fs.ErrExist):
		return refuse(err, "it is there already. Choose another place, or write over it with --force.")
	case err != nil:
		return refuse(err, "it cannot be made there, or the disk is full. Choose another place.")
	}
	return nil
}

func importCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "import FILE",
		Short: "Make a session of a bundle, or of the messages of useChat",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			content, err := os.ReadFile(args[0])
			if err != nil {
				return agent.Wrap(agent.CodeValidation, err, fmt.Sprintf("%s cannot be read.", args[0]))
			}
			c, leave, err := enter(cmd)
			if err != nil {
				return err
			}
			defer leave()
			s, err := ask[api.Session](cmd.Context(), c, http.MethodPost, "/import", api.Import{Content: string(content)})
			if err != nil {
				return err
			}
			_, err = fmt.Fprintln(cmd.OutOrStdout(), s.ID)
			return err
		},
	}
}
