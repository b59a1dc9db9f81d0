package session

import (
	"context"
	"slices"

	"parley/backend/agent"
	"parley/backend/store"
	"parley/backend/uistream"
)

// recover settles the turns that were running when the app ended. What they said is kept; each waits, interrupted, for
// the person to go on or to retry. Those that wait for answers go on waiting; those that have all of them are given, to go
// on. In a history that can only be read all stay as they are.
func (s *Sessions) recover(ctx context.Context) (answered []store.Unsettled, err error) {
	if s.Store.ReadOnly() {
		return nil, nil
	}
	list, err := s.Store.Unsettled(ctx)
	if err != nil {
		return nil, err
	}
	for _, u := range list {
		questions, err := s.Store.Questions(ctx, u.Turn.ID)
		if err != nil {
			return nil, err
		}
		open := slices.ContainsFunc(questions, func(q store.Question) bool { return q.Answer == nil })
		switch {
		case u.Turn.Paused && open:
		case u.Turn.Paused:
			answered = append(answered, u)
		case open:
			err = s.pauseAtLast(ctx, u)
		default:
			err = s.interrupt(ctx, u)
		}
		if err != nil {
			return nil, err
		}
	}
	return answered, nil
}

// pauseAtLast pauses a turn that had asked something and was about to wait when the app ended.
func (s *Sessions) pauseAtLast(ctx context.Context, u store.Unsettled) error {
	records, err := s.Store.TurnLog(ctx, u.Turn.ID)
	if err != nil {
		return err
	}
	paused := agent.TurnPaused{}
	for _, r := range records {
		switch e := r.Event.(type) {
		case agent.TurnStarted:
			paused.Model = e.Model
		case agent.UsageReport:
			paused.Usage = e.Usage
		}
	}
	_, err = s.Store.PauseTurn(ctx, u.Key, u.Turn.ID, paused)
	return err
}

func (s *Sessions) interrupt(ctx context.Context, u store.Unsettled) error {
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
	return nil
}
