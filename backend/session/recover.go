package session

import (
	"context"

	"parley/backend/agent"
	"parley/backend/store"
	"parley/backend/uistream"
)

// recover settles the turns that were running when the app ended. What they said is kept; each waits, interrupted, for
// the person to go on or to retry. In a history that can only be read they stay as they are.
func (s *Sessions) recover(ctx context.Context) error {
	if s.Store.ReadOnly() {
		return nil
	}
	list, err := s.Store.Unsettled(ctx)
	if err != nil {
		return err
	}
	for _, u := range list {
		records, err := s.Store.TurnLog(ctx, u.Turn.ID)
		if err != nil {
			return err
		}
		done := failed(agent.Errorf(agent.CodeInternal, "Parley ended while this was being answered."))
		spoken := len(records) > 1
		if _, err := s.Store.SettleTurn(ctx, u.Key, u.Turn.ID, done, uistream.Durable(records), store.Interrupted, spoken); err != nil {
			return err
		}
		s.Log.Info("settled an interrupted turn", "session", u.Key.Session, "turn", u.Turn.ID)
	}
	return nil
}
