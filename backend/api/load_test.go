package api

import (
	"fmt"
	"testing"
	"time"

	"parley/backend/agent"
	"parley/backend/config"
	"parley/backend/store"
)

// §5 a session of 10,000 messages opens at its end without reading all of it: build/bench takes the time of that many; here it is
// seen that the end takes a part of what all of it does.
func TestALongSessionOpensAtItsEnd(t *testing.T) {
	w := open(t)
	ctx, key := t.Context(), agent.SessionKey{Project: agent.DefaultProject, Session: "long"}
	spec, err := config.BuiltIn(func(string) string { return "" }, nil).Find("")
	if err == nil {
		err = w.door.rooms.Store.CreateSession(ctx, key, spec, t.TempDir())
	}
	if err != nil {
		t.Fatal(err)
	}
	var last agent.TurnID
	for i := range 500 {
		user := agent.Message{ID: agent.MessageID(fmt.Sprint("u", i)), Role: agent.RoleUser, Parts: []agent.Part{agent.TextPart{Text: "?"}}}
		turn := agent.NewTurnID()
		started := agent.TurnStarted{Turn: turn, UserMessage: user.ID, Message: agent.MessageID(fmt.Sprint("a", i)), Agent: spec.ID}
		if _, err := w.door.rooms.Store.StartTurn(ctx, key, store.NewTurn{Started: started, Parent: last, User: &user}); err != nil {
			t.Fatal(err)
		}
		if _, err := w.door.rooms.Store.SettleTurn(ctx, key, turn, agent.TurnCompleted{StopReason: agent.StopEndTurn}, nil, store.Idle, true); err != nil {
			t.Fatal(err)
		}
		last = turn
	}
	load := func(query string) (messages int, took time.Duration) {
		var l LoadedSession
		start := time.Now()
		w.decode(w.request("POST", "/load-session"+query, `{"session_id":"long"}`, nil), &l)
		return len(l.Messages), time.Since(start)
	}
	all, allTook := load("")
	end, endTook := load("?limit=10")
	if all != 1_000 || end != 10 || endTook > allTook/4 {
		t.Errorf("%d messages in %v, the last %d in %v", all, allTook, end, endTook)
	}
}
