package app

import (
	"encoding/json"
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
		RunE: ofSession(func(cmd *cobra.Command, c Connection, session string) error {
			list, err := ask[api.MessageList](cmd.Context(), c, http.MethodGet, session+"/messages", nil)
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
		}),
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
		case agent.MediaPart:
			fmt.Fprintf(&b, "(file) %s %s, %d bytes\n", p.Name, p.MimeType, p.ByteLength)
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
