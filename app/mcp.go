package app

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strconv"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/spf13/cobra"

	"parley/backend/agent"
	"parley/backend/uistream"
)

func mcpCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "mcp",
		Short: "Serve sessions to other programs, as an MCP server on stdio",
		Long:  "Serves the Model Context Protocol on standard input and output: to list and to search sessions, to read one and to send to one. It does what you can do from the command line; what an agent asks about still waits for you.",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, leave, err := enter(cmd)
			if err != nil {
				return err
			}
			defer leave()
			transport := &mcp.IOTransport{Reader: io.NopCloser(cmd.InOrStdin()), Writer: notClosed{cmd.OutOrStdout()}}
			err = mcpServer(c).Run(cmd.Context(), transport)
			if errors.Is(err, io.EOF) || cmd.Context().Err() != nil {
				return nil // whoever started it has left
			}
			return err
		},
	}
}

// notClosed is a writer that outlives who writes.
type notClosed struct{ io.Writer }

func (notClosed) Close() error { return nil }

type listArguments struct {
	Limit int    `json:"limit,omitempty" jsonschema:"how many, 50 if it is left out"`
	After string `json:"after,omitempty" jsonschema:"the next of the list before"`
}

type searchArguments struct {
	Query string `json:"query" jsonschema:"words, \"words in a row\" and -without"`
	After string `json:"after,omitempty" jsonschema:"the next of the search before"`
}

type sessionArguments struct {
	SessionID string `json:"session_id" jsonschema:"the id of a session"`
}

type sendArguments struct {
	SessionID string `json:"session_id,omitempty" jsonschema:"the session; a new one if it is left out"`
	Agent     string `json:"agent,omitempty" jsonschema:"the agent of a new session; Parley's default one if it is left out"`
	Text      string `json:"text" jsonschema:"what to say"`
}

// mcpServer is Parley as a server: each tool is a request to the door, and its result what the door says.
func mcpServer(c Connection) *mcp.Server {
	s := mcp.NewServer(&mcp.Implementation{Name: "parley", Version: Version}, nil)
	reads := &mcp.ToolAnnotations{ReadOnlyHint: true}
	mcp.AddTool(s, &mcp.Tool{Name: "list_sessions", Description: "Lists the sessions, newest first.", Annotations: reads},
		through(func(ctx context.Context, in listArguments) (json.RawMessage, error) {
			query := url.Values{"after": {in.After}, "limit": {"50"}}
			if in.Limit > 0 {
				query.Set("limit", strconv.Itoa(in.Limit))
			}
			return ask[json.RawMessage](ctx, c, http.MethodGet, "/sessions?"+query.Encode(), nil)
		}))
	mcp.AddTool(s, &mcp.Tool{Name: "search", Description: "Searches in the titles, messages and tools of all sessions.", Annotations: reads},
		through(func(ctx context.Context, in searchArguments) (json.RawMessage, error) {
			query := url.Values{"q": {in.Query}, "after": {in.After}, "limit": {"50"}}
			return ask[json.RawMessage](ctx, c, http.MethodGet, "/search?"+query.Encode(), nil)
		}))
	mcp.AddTool(s, &mcp.Tool{Name: "read_session", Description: "Gives the messages of a session.", Annotations: reads},
		through(func(ctx context.Context, in sessionArguments) (json.RawMessage, error) {
			return ask[json.RawMessage](ctx, c, http.MethodGet, "/sessions/"+url.PathEscape(in.SessionID)+"/messages", nil)
		}))
	mcp.AddTool(s, &mcp.Tool{Name: "send", Description: "Sends a message to a session and gives the agent's answer, or what it waits for: a person decides on that in Parley."},
		through(c.tell))
	return s
}

// through makes a tool of a request. A refusal is a result, which the model reads.
func through[In any](request func(context.Context, In) (json.RawMessage, error)) mcp.ToolHandlerFor[In, any] {
	return func(ctx context.Context, _ *mcp.CallToolRequest, in In) (*mcp.CallToolResult, any, error) {
		answer, err := request(ctx, in)
		if err != nil {
			return nil, nil, errors.New(explain(err))
		}
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: string(answer)}}}, nil, nil
	}
}

// tell sends a message and waits for what comes of it.
func (c Connection) tell(ctx context.Context, in sendArguments) (json.RawMessage, error) {
	message, err := uistream.UserMessage(agent.Message{ID: agent.NewMessageID(), Role: agent.RoleUser, Parts: []agent.Part{agent.TextPart{Text: in.Text}}})
	if err != nil {
		return nil, err
	}
	body := map[string]any{"data": map[string]any{"messages": []json.RawMessage{message}}}
	if in.SessionID != "" {
		body["session_id"] = in.SessionID
	}
	if in.Agent != "" {
		body["references"] = map[string]string{"agent": in.Agent}
	}
	return ask[json.RawMessage](ctx, c, http.MethodPost, "/messages", body)
}
