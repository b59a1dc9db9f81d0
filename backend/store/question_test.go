package store

import (
	"testing"

	"parley/backend/agent"
)

// waiting runs a turn until it waits: its call c<name> of the tool shell asks q<name>.
func waiting(t *testing.T, s *Store, key agent.SessionKey, name string, parent agent.TurnID) agent.TurnID {
	t.Helper()
	turn := agent.TurnID("t" + name)
	m := text(agent.MessageID("u"+name), agent.RoleUser, "question "+name)
	_, err := s.StartTurn(t.Context(), key, NewTurn{Started: agent.TurnStarted{Turn: turn, UserMessage: m.ID, Message: agent.MessageID("a" + name)}, Parent: parent, User: &m})
	must(t, err)
	asks(t, s, key, turn, name)
	return turn
}

// asks lets a turn that runs ask q<name> about its call c<name>, and wait.
func asks(t *testing.T, s *Store, key agent.SessionKey, turn agent.TurnID, names ...string) {
	t.Helper()
	for _, name := range names {
		_, err := s.AppendEvents(t.Context(), key, turn, []agent.Event{
			agent.ToolCall{ID: "c" + name, Name: "shell", Input: []byte(`{}`)},
			agent.InteractionRequest{ID: agent.InteractionID("q" + name), Call: "c" + name, Kind: agent.UserApproval, Payload: []byte(`{"command":"ls"}`)},
		})
		must(t, err)
	}
	_, err := s.PauseTurn(t.Context(), key, turn, agent.TurnPaused{Usage: agent.Usage{Input: 1}, Model: "m"})
	must(t, err)
}
