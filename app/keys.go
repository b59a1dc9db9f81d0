package app

import (
	"fmt"
	"net/http"
	"net/url"

	"github.com/spf13/cobra"

	"parley/backend/agent"
	"parley/backend/api"
	"parley/backend/vault"
)

// defaultKey is what a key is called that nobody gave a name.
const defaultKey = "default"

func keysCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "keys",
		Short: "Keep API keys of providers in the keychain",
		Args:  cobra.NoArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(
		asJSON(&cobra.Command{Use: "list", Short: "List keys by their last four characters; * marks what is used", Args: cobra.NoArgs, RunE: inside(listKeys)}),
		&cobra.Command{Use: "set PROVIDER [NAME]", Short: "Store a key from standard input, in place of the one of that name", Args: cobra.RangeArgs(1, 2), RunE: inside(setKey)},
		&cobra.Command{Use: "check [PROVIDER [NAME]]", Short: "Ask providers whether they take the keys, by their lists of models", Args: cobra.MaximumNArgs(2), RunE: inside(checkKeys)},
		&cobra.Command{Use: "rm PROVIDER NAME", Short: "Remove a key", Args: cobra.ExactArgs(2), RunE: inside(removeKey)},
	)
	return cmd
}

func listKeys(cmd *cobra.Command, c Connection, _ []string) error {
	list, err := ask[api.KeyList](cmd.Context(), c, http.MethodGet, "/keys", nil)
	if err != nil {
		return err
	}
	return tabulate(cmd, list.Keys, func(k api.Key) []any {
		mark, from := " ", string(k.Source)
		if k.Chosen {
			mark = "*"
		}
		if k.Variable != "" {
			from = "from the environment, " + k.Variable
		}
		return []any{mark, k.Provider, k.Name, "…" + k.Last4, from}
	})
}

func setKey(cmd *cobra.Command, c Connection, args []string) error {
	name := defaultKey
	if len(args) == 2 {
		name = args[1]
	}
	value, err := readValue(cmd, "API key of "+args[0]+": ")
	if err != nil {
		return err
	}
	defer vault.Wipe(value)
	_, err = ask[api.KeyList](cmd.Context(), c, http.MethodPost, "/keys", api.NewKey{Provider: args[0], Name: name, Value: string(value)})
	return err
}

// checkKeys fails if one of the keys that are meant is not taken, or if there is none.
func checkKeys(cmd *cobra.Command, c Connection, args []string) error {
	list, err := ask[api.KeyList](cmd.Context(), c, http.MethodGet, "/keys", nil)
	if err != nil {
		return err
	}
	asked, refused := 0, 0
	for _, k := range list.Keys {
		if len(args) > 0 && k.Provider != args[0] || len(args) > 1 && k.Name != args[1] {
			continue
		}
		checked, err := ask[api.KeyChecked](cmd.Context(), c, http.MethodPost, keyPath(k.Provider, k.Name)+"/check", nil)
		if err != nil {
			return err
		}
		asked++
		if !checked.OK {
			refused++
		}
		fmt.Fprintf(cmd.OutOrStdout(), "%s %s: %s\n", k.Provider, k.Name, checked.Message)
	}
	if asked == 0 {
		return agent.Errorf(agent.CodeValidation, "There is no such key to check. parley keys list shows which there are, and parley keys set stores one.")
	}
	if refused > 0 {
		return exit(exitFailed)
	}
	return nil
}

func removeKey(cmd *cobra.Command, c Connection, args []string) error {
	_, err := ask[api.KeyList](cmd.Context(), c, http.MethodDelete, keyPath(args[0], args[1]), nil)
	return err
}

func keyPath(provider, name string) string {
	return "/keys/" + url.PathEscape(provider) + "/" + url.PathEscape(name)
}
