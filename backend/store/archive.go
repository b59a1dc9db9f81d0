package store

import (
	"context"
	"fmt"
	"slices"

	"parley/backend/agent"
)

// Archive is all of a session that stays: its turns, whatever branch they are in, once they are settled. Its head is one of them.
type Archive struct {
	Session Session
	Turns   []ArchivedTurn // in the order in which they began
}

// ArchivedTurn is a turn, what is logged of it, and the messages that were stored with it.
type ArchivedTurn struct {
	Turn
	Log  []agent.Record
	Rows []Row
}

// Archive gives all of a session, or ErrNotFound.
func (s *Store) Archive(ctx context.Context, key agent.SessionKey) (a Archive, err error) {
	if a.Session, err = s.Session(ctx, key); err != nil {
		return a, err
	}
	turns, err := s.listTurns(ctx, `WITH RECURSIVE tree (id) AS (
			SELECT id FROM turn WHERE parent IS NULL AND session = ?1
			UNION ALL
			SELECT turn.id FROM tree CROSS JOIN turn ON turn.parent = tree.id AND turn.session = ?1
		) SELECT `+turnColumns+` FROM tree CROSS JOIN turn ON turn.id = tree.id WHERE turn.settled_at IS NOT NULL ORDER BY turn.first_seq`, a.Session.row)
	if err != nil {
		return a, err
	}
	if head := a.Session.Head; head != "" && !slices.ContainsFunc(turns, func(t Turn) bool { return t.ID == head }) { // it runs, or waits
		last, err := s.Branch(ctx, head, 1)
		if err != nil {
			return a, err
		}
		a.Session.Head = last[0].Parent
	}
	a.Turns = make([]ArchivedTurn, len(turns))
	for i, t := range turns {
		a.Turns[i].Turn = t
		if a.Turns[i].Log, err = s.TurnLog(ctx, t.ID); err != nil {
			return a, err
		}
		if a.Turns[i].Rows, err = s.listRows(ctx, `SELECT id, role, content, model, seq, at FROM message WHERE turn = ? ORDER BY seq`, t.ID); err != nil {
			return a, err
		}
	}
	return a, nil
}

// Import stores an archive, with the media that its messages refer to, as a new session. The turns get ids of their own, messages
// keep theirs. An id that is taken is ErrExists.
func (s *Store) Import(ctx context.Context, key agent.SessionKey, a Archive, media []agent.Media) error {
	err := s.update(ctx, flushed, func(tx tx) error {
		row, err := s.createSession(ctx, tx, key, a.Session.Agent, a.Session.WorkingDir)
		if err != nil {
			return err
		}
		for _, m := range media {
			if err := putMedia(ctx, tx, key.Project, m, milliseconds(s.now())); err != nil {
				return err
			}
		}
		f := fork{store: s, tx: tx, row: row, key: key, nextSeq: 1}
		ids := map[agent.TurnID]agent.TurnID{"": ""}
		for _, t := range a.Turns {
			if err := f.restore(ctx, t, ids); err != nil {
				return fmt.Errorf("import turn %s: %w", t.ID, err)
			}
		}
		status := Created
		if len(a.Turns) > 0 {
			status = Idle
		}
		return tx.change(ctx, `UPDATE session SET title = ?, status = ?, head = nullif(?, ''), max_turns = coalesce(nullif(?, 0), max_turns), turns = ?,
			input_tokens = ?, output_tokens = ?, created_at = ?, updated_at = ? WHERE key = ?`, a.Session.Title, status, ids[a.Session.Head],
			max(a.Session.MaxTurns, 0), f.turns, f.usage.Input, f.usage.Output, milliseconds(a.Session.CreatedAt), milliseconds(a.Session.UpdatedAt), row)
	})
	s.wakeIndex()
	return err
}

// restore stores a turn of an archive. ids are the new ones of those before it.
func (f *fork) restore(ctx context.Context, t ArchivedTurn, ids map[agent.TurnID]agent.TurnID) error {
	parent, known := ids[t.Parent]
	if !known || ids[t.ID] != "" {
		return agent.Errorf(agent.CodeValidation, "The turns of the session do not follow on each other, so it was not imported.")
	}
	id := agent.NewTurnID()
	ids[t.ID] = id
	first, last, err := f.writeLog(ctx, t.Log, id)
	if err != nil {
		return err
	}
	_, err = f.tx.exec(ctx, `INSERT INTO turn (id, session, parent, user_message, message, first_seq, last_seq, stop_reason, started_at, settled_at)
		VALUES (?, ?, nullif(?, ''), ?, ?, ?, ?, ?, ?, ?)`, id, f.row, parent, t.UserMessage, t.Message, first, last, t.StopReason,
		milliseconds(t.StartedAt), milliseconds(t.SettledAt))
	if isUniqueViolation(err) {
		return ErrExists
	}
	for _, row := range t.Rows {
		if err == nil {
			err = appendMessages(ctx, f.tx, f.row, id, milliseconds(row.At), row.Message)
		}
	}
	return err
}
