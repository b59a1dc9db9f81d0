package session

import (
	"context"
	"encoding/json"
	"iter"
	"slices"

	"parley/backend/agent"
)

// asker is an engine whose agent asks about two calls at once, as a model may that calls several tools in one step. It keeps
// every prompt that it was given.
type asker struct{ prompts chan agent.Prompt }

func (asker) Supports(agent.BackendName, agent.Kind) bool { return true }
func (a asker) NewSandbox(context.Context, agent.Policy) (agent.Sandbox, error) {
	return a, nil
}
func (a asker) Open(context.Context, agent.Launch) (agent.Conn, error) { return a, nil }
func (asker) Done() <-chan struct{}                                    { return nil }
func (asker) Close() error                                             { return nil }

func (a asker) Prompt(_ context.Context, p agent.Prompt) iter.Seq2[agent.Event, error] {
	a.prompts <- p
	return func(yield func(agent.Event, error) bool) {
		events := []agent.Event{agent.MessageDelta{Text: "done"}, agent.Finish{StopReason: agent.StopEndTurn, Usage: agent.Usage{Output: 1}}}
		if p.Messages[len(p.Messages)-1].Role == agent.RoleUser {
			events = []agent.Event{
				agent.ToolCall{ID: "one", Name: "write_file", Input: json.RawMessage(`{"path":"1"}`)},
				agent.ToolCall{ID: "two", Name: "write_file", Input: json.RawMessage(`{"path":"2"}`)},
				agent.InteractionRequest{Call: "one", Kind: agent.UserApproval, Payload: json.RawMessage(`{"action":"fs_write"}`)},
				agent.InteractionRequest{Call: "two", Kind: agent.UserApproval, Payload: json.RawMessage(`{"action":"fs_write"}`)},
				agent.UsageReport{Usage: agent.Usage{Output: 2}},
				agent.Finish{StopReason: agent.StopPaused, Usage: agent.Usage{Output: 2}},
			}
		} else {
			for _, id := range p.Approved {
				events = slices.Insert(events, 0, agent.Event(agent.ToolResult{ID: id, Output: "written"}))
			}
		}
		for _, e := range events {
			if !yield(e, nil) {
				return
			}
		}
	}
}
