package session

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"parley/backend/agent"
	"parley/backend/policy"
)

// A server is asked about before it is started, and so before any agent is: the call that the person reads of is the session's
// own, and no agent is told of it.
const grantCall = "grant_"

// grantOf is the id of that call, in one turn.
func grantOf(l lent, t *Turn) string { return grantCall + l.version + "_" + string(t.ID) }

func isGrant(call string) bool { return strings.HasPrefix(call, grantCall) }

// isOfGrant reports whether an event is about such a call.
func isOfGrant(e agent.Event) bool {
	switch e := e.(type) {
	case agent.ToolCallDelta:
		return isGrant(e.ID)
	case agent.ToolCall:
		return isGrant(e.ID)
	case agent.ToolProgress:
		return isGrant(e.ID)
	case agent.ToolResult:
		return isGrant(e.ID)
	case agent.InteractionRequest:
		return isGrant(e.Call)
	}
	return false
}

// mayUse says which servers a turn may give their secrets, and tells of those that it may not. Those that a person has to be
// asked about first are in asks.
func (t *Turn) mayUse(servers []lent, g agent.Grounds) (may []lent, said, asks []agent.Event) {
	for _, l := range servers {
		input, _ := json.Marshal(map[string]any{"server": l.server, "secrets": l.slugs()}) // strings: it cannot fail
		call := policy.Call{
			ToolCall: agent.ToolCall{ID: grantOf(l, t), Name: l.name, Input: input},
			Action:   agent.ActionOther, Version: l.version, Secrets: l.slugs(), Foreign: true,
		}
		secrets := strings.Join(l.slugs(), ", ")
		answer := t.answerTo(call.ID)
		verdict := policy.Decide(call, g)
		switch {
		case verdict == agent.Deny && g.Policy == agent.PermissionDeny:
			said = append(said, absent(l, fmt.Sprintf("it is given the secret %s, and in this mode nobody is asked whether it may use that. Choose the mode ask, or auto.", secrets)))
		case verdict == agent.Deny:
			said = append(said, absent(l, fmt.Sprintf("it is given the secret %s, and the rules deny that. Change them to let it.", secrets)))
		case verdict == agent.Allow || answer != nil && answer.Approved:
			may = append(may, l)
		case answer != nil:
			said = append(said, absent(l, fmt.Sprintf("the person did not allow it the secret %s.", secrets)))
		default:
			payload, _ := json.Marshal(map[string]any{ // strings: it cannot fail
				"action": call.Action, "toolName": l.name, "rule": policy.Suggest(call), "secrets": l.slugs(),
				"preview": fmt.Sprintf("Start the MCP server %s with the secret %s", l.server, secrets),
			})
			asks = append(asks, call.ToolCall, agent.InteractionRequest{Call: call.ID, Kind: agent.UserApproval, Payload: payload})
		}
	}
	return may, said, asks
}

// answerTo gives what the person said to the question about a call; nil if they did not.
func (t *Turn) answerTo(call string) *agent.InteractionResponse {
	for _, r := range t.records {
		if answer, ok := r.Event.(agent.InteractionResponse); ok && answer.Call == call {
			return &answer
		}
	}
	return nil
}

// withoutGrants is a transcript as an agent knows it.
func withoutGrants(messages []agent.Message) []agent.Message {
	var kept []agent.Message
	for _, m := range messages {
		had := len(m.Parts)
		m.Parts = slices.DeleteFunc(slices.Clone(m.Parts), func(p agent.Part) bool {
			switch p := p.(type) {
			case agent.ToolCallPart:
				return isGrant(p.ID)
			case agent.ToolResultPart:
				return isGrant(p.ToolCallID)
			}
			return false
		})
		if len(m.Parts) > 0 || had == 0 {
			kept = append(kept, m)
		}
	}
	return kept
}
