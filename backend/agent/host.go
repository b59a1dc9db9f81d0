package agent

import (
	"context"
	"encoding/json"
)

// Host is the app, as a harness in a runner reaches it in the middle of a turn. No value of a secret comes that way: what is
// given secrets runs elsewhere.
type Host interface {
	// Call runs a call of a HostedTool, after it was decided. It never fails: what goes wrong is a result. say takes the call's
	// progress; Call calls it from the goroutine that it was called on, and returns soon after ctx ends.
	Call(ctx context.Context, call ToolCall, say func(Event)) ToolResult
	// Redact gives a text without what the app knows to be secret. After an error nobody may be given the text.
	Redact(ctx context.Context, text string) (string, error)
}

// ToolsData is the name of the Data that BackendCalls begins with: the tools of others that there are, as a list of HostedTool.
const ToolsData = "tools"

// Withheld stands in the place of a result that could not be searched for secrets, and says why.
func Withheld(r ToolResult, why string) ToolResult {
	return ToolResult{ID: r.ID, Name: r.Name, IsError: true, Output: "What " + r.Name + " gave is withheld, because it could not be searched for secrets: " + why}
}

// HostedTool is a tool that the app runs, because it is given secrets. One that has the name of a tool of Parley's own, or of one
// of the launch's AuthorTools, is that tool: then only Name, Version and Secrets count here, and a call is decided as ever.
type HostedTool struct {
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	InputSchema json.RawMessage `json:"inputSchema,omitempty"`
	Version     string          `json:"version,omitempty"`    // of agent, definition and secrets: a grant is for this one
	Secrets     []string        `json:"secrets,omitempty"`    // slugs of those that a person is asked about, for each call
	Permission  Permission      `json:"permission,omitempty"` // that it has of itself, whatever the rules say; empty says nothing
}
