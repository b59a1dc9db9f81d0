package app

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/spf13/cobra"

	"parley/backend/agent"
	"parley/backend/api"
)

func showCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "show ID",
		Short: "Print a session",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			id := agent.SessionID(args[0])
			if err := id.Validate(); err != nil {
				return usage{errors.New(agent.AsError(err).Message)}
			}
			c, leave, err := enter(cmd)
			if err != nil {
				return err
			}
			defer leave()
			list, err := ask[api.MessageList](cmd.Context(), c, http.MethodGet, "/sessions/"+string(id)+"/messages", nil)
			if err != nil {
				return err
			}
			for _, m := range list.Messages {
				if asJSON {
					err = json.NewEncoder(cmd.OutOrStdout()).Encode(m)
				} else {
					err = printMessage(cmd.OutOrStdout(), m)
				}
				if err != nil {
					return err
				}
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "one JSON object per message and line")
	return cmd
}

func printMessage(out io.Writer, m api.Message) error {
	parts, err := agent.DecodeParts(m.Content)
	if err != nil {
		return err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "── %s\n", strings.TrimSpace(string(m.Role)+" "+m.Model))
	for _, p := range parts {
		switch p := p.(type) {
		case agent.TextPart:
			fmt.Fprintln(&b, p.Text)
		case agent.ReasoningPart:
			fmt.Fprintln(&b, "(thinking)", p.Text)
		case agent.ToolCallPart:
			fmt.Fprintf(&b, "· %s %s\n", p.Name, p.Args)
		case agent.ToolResultPart:
			fmt.Fprintln(&b, resultText(p))
		}
	}
	_, err = fmt.Fprintln(out, b.String())
	return err
}

func resultText(p agent.ToolResultPart) string {
	var text string
	if json.Unmarshal(p.Result, &text) != nil {
		text = string(p.Result)
	}
	return text
}
