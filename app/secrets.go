package app

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"slices"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"parley/backend/agent"
	"parley/backend/api"
	"parley/backend/vault"
)

func secretsCommand() *cobra.Command {
	var project string
	cmd := &cobra.Command{
		Use:   "secrets",
		Short: "Keep named secrets, which tools use and no model sees",
		Long:  "Named secrets are values in the keychain that MCP servers and tools refer to as {{secret:name}}. Without --project they are for every project.",
		Args:  cobra.NoArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.PersistentFlags().StringVar(&project, "project", "", "folder whose secrets are meant, beside those for every project")
	run := func(fn func(s secretsOf, args []string) error) func(*cobra.Command, []string) error {
		return inside(func(cmd *cobra.Command, c Connection, args []string) error {
			if project != "" {
				bound, err := c.bind(cmd.Context(), project)
				if err != nil {
					return err
				}
				c.Project = bound.Project
			}
			return fn(secretsOf{c, cmd, project == ""}, args)
		})
	}
	cmd.AddCommand(
		asJSON(&cobra.Command{Use: "list", Short: "List secrets, without their values", Args: cobra.NoArgs, RunE: run(secretsOf.list)}),
		setSecretCommand(run),
		removeSecretCommand(run),
		asJSON(&cobra.Command{Use: "used [SLUG]", Short: "List what used secrets, and when", Args: cobra.MaximumNArgs(1), RunE: run(secretsOf.used)}),
		&cobra.Command{Use: "import", Short: "Make a secret of each NAME=value of standard input, as files called .env have them", Args: cobra.NoArgs, RunE: run(secretsOf.importDotenv)},
	)
	return cmd
}

// secretsOf is the secrets that a command is about.
type secretsOf struct {
	Connection
	cmd    *cobra.Command
	global bool
}

// path is where the door has one of them.
func (s secretsOf) path(slug, rest string) string {
	path := "/secrets/" + url.PathEscape(slug) + rest
	if s.global {
		path += "?global=1"
	}
	return path
}

func (s secretsOf) all() ([]api.Secret, error) {
	list, err := ask[api.SecretList](s.cmd.Context(), s.Connection, http.MethodGet, "/secrets", nil)
	if list.Problem != "" {
		fmt.Fprintln(s.cmd.ErrOrStderr(), "parley:", list.Problem)
	}
	if s.global {
		list.Secrets = slices.DeleteFunc(list.Secrets, func(one api.Secret) bool { return one.Project != "" })
	}
	return list.Secrets, err
}

func (s secretsOf) list([]string) error {
	all, err := s.all()
	if err != nil {
		return err
	}
	s.warn(all...)
	return tabulate(s.cmd, all, func(one api.Secret) []any {
		scope := "every project"
		if one.Project != "" {
			scope = "project"
		}
		if one.Hides {
			scope = "project, instead of that for every project"
		}
		used := "never used"
		if one.LastUsed != 0 {
			used = "used " + minute(one.LastUsed)
		}
		return []any{one.Slug, one.State, one.Format, scope, used, one.Name}
	})
}

func minute(at int64) string { return time.UnixMilli(at).Format("2006-01-02 15:04") }

// warn says what a person should know of secrets.
func (s secretsOf) warn(list ...api.Secret) {
	for _, one := range list {
		for _, warning := range one.Warnings {
			fmt.Fprintf(s.cmd.ErrOrStderr(), "%s: %s\n", one.Slug, warning)
		}
	}
}

func setSecretCommand(run func(func(secretsOf, []string) error) func(*cobra.Command, []string) error) *cobra.Command {
	var format, description, expires string
	cmd := &cobra.Command{
		Use:   "set NAME",
		Short: "Store a secret from standard input, or give the one of that name another value",
		Long: "The value is what standard input holds, as it is; only the end of a single line is no part of it. A terminal is asked for it and does not show it.\n" +
			"What is printed is how to refer to it. A project's secret is used there instead of the one for every project with its slug.",
		Args: cobra.ExactArgs(1),
		RunE: run(func(s secretsOf, args []string) error {
			value, err := readValue(s.cmd, "Value of "+args[0]+": ")
			if err != nil {
				return err
			}
			defer vault.Wipe(value)
			var end int64
			if expires != "" {
				day, err := time.ParseInLocation(time.DateOnly, expires, time.Local)
				if err != nil {
					return usage{fmt.Errorf("--expires is a day such as 2027-01-31, not %q", expires)}
				}
				end = day.UnixMilli()
			}
			slug := args[0]
			if vault.CheckSlug(slug) != nil {
				slug = "" // it is a name, and one is made of it
			}
			return s.set(api.NewSecret{
				Name: args[0], Slug: slug, Global: s.global, Format: vault.Format(format), Value: string(value), Description: description, Expires: end,
			}, s.cmd.Flags().Changed)
		}),
	}
	cmd.Flags().StringVar(&format, "format", "text", "text, or json: one flat object, whose fields can be referred to as {{secret:name.field}}")
	cmd.Flags().StringVar(&description, "description", "", "what it is for")
	cmd.Flags().StringVar(&expires, "expires", "", "the day from which on it is not used any more")
	return cmd
}

// set makes a secret, or changes the one that is called so.
func (s secretsOf) set(n api.NewSecret, given func(flag string) bool) error {
	all, err := s.all()
	if err != nil {
		return err
	}
	called := func(name func(api.Secret) string) int {
		return slices.IndexFunc(all, func(one api.Secret) bool { return name(one) == n.Name && (one.Project == "") == s.global })
	}
	i := called(func(one api.Secret) string { return one.Slug })
	if i < 0 {
		i = called(func(one api.Secret) string { return one.Name })
	}
	var stored api.Secret
	if i < 0 {
		stored, err = ask[api.Secret](s.cmd.Context(), s.Connection, http.MethodPost, "/secrets", n)
	} else {
		change := api.SecretChange{Value: &n.Value}
		if given("format") {
			change.Format = &n.Format
		}
		if given("description") {
			change.Description = &n.Description
		}
		if given("expires") {
			change.Expires = &n.Expires
		}
		stored, err = ask[api.Secret](s.cmd.Context(), s.Connection, http.MethodPatch, s.path(all[i].Slug, ""), change)
	}
	if err != nil {
		return err
	}
	s.warn(stored)
	_, err = fmt.Fprintf(s.cmd.OutOrStdout(), "{{secret:%s}}\n", stored.Slug)
	return err
}

func removeSecretCommand(run func(func(secretsOf, []string) error) func(*cobra.Command, []string) error) *cobra.Command {
	var force bool
	cmd := &cobra.Command{
		Use:   "rm SLUG",
		Short: "Remove a secret",
		Long:  "Removes a secret, unless something refers to it: that is said, and would not work any more.",
		Args:  cobra.ExactArgs(1),
		RunE:  run(func(s secretsOf, args []string) error { return s.remove(args[0], force) }),
	}
	cmd.Flags().BoolVar(&force, "force", false, "also if something refers to it")
	return cmd
}

func (s secretsOf) remove(slug string, force bool) error {
	all, err := s.all()
	if err != nil {
		return err
	}
	i := slices.IndexFunc(all, func(one api.Secret) bool { return one.Slug == slug && (one.Project == "") == s.global })
	if i < 0 { // the door would take the one for every project instead of a project's
		return agent.Errorf(agent.CodeValidation, "There is no secret %q to remove. parley secrets list shows which there are, and with --project those of a folder.", slug)
	}
	if len(all[i].References) > 0 && !force {
		for _, r := range all[i].References {
			fmt.Fprintf(s.cmd.ErrOrStderr(), "%s %s refers to it in %s\n", r.Kind, r.Name, r.Where)
		}
		return agent.Errorf(agent.CodeValidation, "The secret %s is in use and was not removed. With --force it is, and what refers to it does not work any more.", slug)
	}
	_, err = ask[api.SecretRemoved](s.cmd.Context(), s.Connection, http.MethodDelete, s.path(slug, ""), nil)
	return err
}

func (s secretsOf) used(args []string) error {
	var meant []api.Secret
	if len(args) == 1 {
		meant = []api.Secret{{Slug: args[0], Project: s.Project}}
	} else {
		var err error
		if meant, err = s.all(); err != nil {
			return err
		}
	}
	type use struct {
		Slug string `json:"slug"`
		api.SecretUse
	}
	var uses []use
	for _, one := range meant {
		s.global = one.Project == "" // also where the project has one of its slug
		list, err := ask[api.SecretUses](s.cmd.Context(), s.Connection, http.MethodGet, s.path(one.Slug, "/uses"), nil)
		if err != nil {
			return err
		}
		for _, u := range list.Uses {
			uses = append(uses, use{one.Slug, u})
		}
	}
	return tabulate(s.cmd, uses, func(u use) []any { return []any{u.Slug, minute(u.At), u.Tool, u.Session, u.Title} })
}

// importDotenv fails if a line was refused; what could be taken is stored all the same.
func (s secretsOf) importDotenv([]string) error {
	text, err := io.ReadAll(s.cmd.InOrStdin())
	if err != nil {
		return err
	}
	defer vault.Wipe(text)
	out, err := ask[api.SecretsImported](s.cmd.Context(), s.Connection, http.MethodPost, "/import-secrets", api.SecretsToImport{Text: string(text), Global: s.global})
	if err != nil {
		return err
	}
	for _, one := range out.Made {
		fmt.Fprintf(s.cmd.OutOrStdout(), "{{secret:%s}}\n", one.Slug)
	}
	s.warn(out.Made...)
	for _, r := range out.Refused {
		fmt.Fprintf(s.cmd.ErrOrStderr(), "line %d: %s\n", r.Line, r.Why)
	}
	if len(out.Refused) > 0 {
		return exit(exitFailed)
	}
	return nil
}

// readValue gives what standard input holds: of one line only, without its end. A terminal is asked, and does not show it.
func readValue(cmd *cobra.Command, prompt string) ([]byte, error) {
	in := cmd.InOrStdin()
	if file, ok := in.(*os.File); ok && term.IsTerminal(int(file.Fd())) {
		return readHidden(cmd.Context(), file, cmd.ErrOrStderr(), prompt, agent.Errorf(agent.CodeCancelled, "Nothing was typed, so nothing was stored."))
	}
	value, err := io.ReadAll(in)
	if line, _, rest := bytes.Cut(value, []byte("\n")); rest && len(line)+1 == len(value) {
		value = bytes.TrimSuffix(line, []byte("\r"))
	}
	return value, err
}
