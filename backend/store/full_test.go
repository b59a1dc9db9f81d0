package store

import (
	"strings"
	"testing"

	"parley/backend/agent"
)

// TestNoRoom: a full disk is told from all else, and what was stored before stays.
func TestNoRoom(t *testing.T) {
	s := fresh(t)
	must(t, s.CreateSession(t.Context(), home, spec, ""))
	_, err := s.writer.ExecContext(t.Context(), "PRAGMA max_page_count = 1") // as many as there are
	must(t, err)
	large := text("u", agent.RoleUser, strings.Repeat("no room ", 1<<20))
	_, err = s.StartTurn(t.Context(), home, NewTurn{Started: agent.TurnStarted{Turn: "t", UserMessage: "u", Message: "a"}, User: &large})
	if !Full(err) {
		t.Errorf("a turn that does not fit: %v", err)
	}
	if _, err := s.Message(t.Context(), home, "u"); err == nil || Full(err) {
		t.Errorf("a message that was refused: %v", err)
	}
	_, err = s.Session(t.Context(), home)
	must(t, err)
}
