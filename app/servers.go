package app

import (
	"context"
	"os"

	"parley/backend/agent"
)

// tryServer starts an MCP server as a session would, and ends it; what it said of itself is on the board then. secrets are the
// values that it refers to, as in agent.Prompt.
func (o *owner) tryServer(ctx context.Context, server agent.MCPServer, secrets map[string]string) error {
	if err := os.MkdirAll(o.home.scratches(), 0o700); err != nil {
		return err
	}
	scratch, err := os.MkdirTemp(o.home.scratches(), "try-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(scratch)
	launch := agent.Launch{
		Backend: agent.BackendCalls, Harness: agent.KindNative, PermissionPolicy: agent.PermissionDeny,
		Servers: []agent.MCPServer{server},
	}
	sandbox, err := o.backend.NewSandbox(ctx, agent.Policy{Scope: agent.FilesSandboxed, Scratch: scratch, Data: string(o.home)}.For(launch))
	if err != nil {
		return err
	}
	defer sandbox.Close()
	conn, err := sandbox.Open(ctx, launch)
	if err != nil {
		return err
	}
	defer conn.Close()
	for _, err := range conn.Prompt(ctx, agent.Prompt{Secrets: secrets}) {
		if err != nil {
			return err
		}
	}
	return nil
}
