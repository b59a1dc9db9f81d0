package store

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"parley/backend/agent"
)

// Turn is a turn as its row tells it; what was said is in TurnLog.
type Turn struct {
	ID          agent.TurnID
	Parent      agent.TurnID // empty for the first
	UserMessage agent.MessageID
	Message     agent.MessageID
	StopReason  agent.StopReason // empty until the turn settles
	StartedAt   time.Time
	SettledAt   time.Time // zero until then
	Paused      bool      // it waits for answers
}

// NewTurn is a turn about to run.
type NewTurn struct {
	Started agent.TurnStarted
	Parent  agent.TurnID
	User    *agent.Message // nil if the message that is answered is stored already
	Media   []agent.Media  // that User refers to and the store may not have yet
	Title   string         // for a session that has none
	Queued  int64          // the number under which User waited; 0 if it did not
}

// StartTurn stores the message and the turn, makes it the head of its session, and gives its first record. What the
// person typed is safe once it returns, so the session's draft goes; that of a message that waited went before, and there may be
// another one since. Such a message leaves the queue; under a number that is gone it is ErrNotFound, and nothing is stored.
func (s *Store) StartTurn(ctx context.Context, key agent.SessionKey, t NewTurn) (agent.Record, error) {
	var first agent.Record
	err := s.update(ctx, flushed, func(tx tx) error {
		now := milliseconds(s.now())
		records, err := s.appendLog(ctx, tx, key, t.Started.Turn, now, []agent.Event{t.Started})
		if err != nil {
			return err
		}
		first = records[0]
		var row int64
		err = tx.row(ctx, `UPDATE session SET status = ?1, updated_at = ?2, draft = iif(?3, draft, ''), draft_files = iif(?3, draft_files, '[]'),
			title = CASE title WHEN '' THEN ?4 ELSE title END WHERE project = ?5 AND id = ?6 RETURNING key`,
			Running, now, t.Queued, t.Title, key.Project, key.Session).Scan(&row)
		if err != nil {
			return err
		}
		_, err = tx.exec(ctx, `INSERT INTO turn (id, session, parent, user_message, message, first_seq, started_at)
			VALUES (?, ?, nullif(?, ''), ?, ?, ?, ?)`, t.Started.Turn, row, t.Parent, t.Started.UserMessage, t.Started.Message, first.Seq, now)
		if err != nil {
			return err
		}
		if _, err := tx.exec(ctx, `UPDATE session SET head = ? WHERE key = ?`, t.Started.Turn, row); err != nil {
			return err
		}
		if t.User == nil {
			return nil
		}
		for _, m := range t.Media {
			if err := putMedia(ctx, tx, key.Project, m, now); err != nil {
				return err
			}
		}
		if err := appendMessages(ctx, tx, row, t.Started.Turn, now, *t.User); err != nil || t.Queued == 0 {
			return err
		}
		return unqueue(ctx, tx, key, t.Queued, now)
	})
	return first, err
}

// PauseTurn stores that a turn waits for the questions that it asked: its session is free of work and not of the turn.
// One that is settled or paused already is ErrNotFound.
func (s *Store) PauseTurn(ctx context.Context, key agent.SessionKey, turn agent.TurnID, paused agent.TurnPaused) (agent.Record, error) {
	var record agent.Record
	err := s.update(ctx, flushed, func(tx tx) error {
		now := milliseconds(s.now())
		records, err := s.appendLog(ctx, tx, key, turn, now, []agent.Event{paused})
		if err != nil {
			return err
		}
		record = records[0]
		if err := tx.change(ctx, `UPDATE turn SET paused_at = ? WHERE id = ? AND paused_at IS NULL AND settled_at IS NULL`, now, turn); err != nil {
			return err
		}
		return tx.change(ctx, `UPDATE session SET status = ?, updated_at = ? WHERE project = ? AND id = ?`, Idle, now, key.Project, key.Session)
	})
	s.wakeIndex() // what the person said may wait for long
	return record, err
}

// ResumeTurn stores, forced to the disk, that a paused turn without an open question goes on. It does so once for each
// pause; else it is ErrExists. In a session that was deleted it is ErrNotFound.
func (s *Store) ResumeTurn(ctx context.Context, key agent.SessionKey, turn agent.TurnID) (agent.Record, error) {
	var record agent.Record
	err := s.update(ctx, flushed, func(tx tx) error {
		now := milliseconds(s.now())
		records, err := s.appendLog(ctx, tx, key, turn, now, []agent.Event{agent.TurnResumed{}})
		if err != nil {
			return err
		}
		record = records[0]
		err = tx.change(ctx, `UPDATE session SET status = ?, updated_at = ? WHERE project = ? AND id = ? AND deleted_at IS NULL`,
			Running, now, key.Project, key.Session)
		if err != nil {
			return err
		}
		err = tx.change(ctx, `UPDATE turn SET paused_at = NULL WHERE id = ? AND paused_at IS NOT NULL
			AND NOT EXISTS (SELECT 1 FROM question WHERE question.turn = turn.id AND question.closed_at IS NULL)`, turn)
		if errors.Is(err, ErrNotFound) {
			return ErrExists
		}
		return err
	})
	return record, err
}

// SettleTurn closes a turn: its last record, its durable messages and the session's totals, in one piece. The session
// is left in status. What the turn still asked is closed, too. A turn settles once; after that it is ErrNotFound.
func (s *Store) SettleTurn(ctx context.Context, key agent.SessionKey, turn agent.TurnID, done agent.TurnCompleted, rows []agent.Message, status Status, counts bool) (agent.Record, error) {
	var last agent.Record
	err := s.update(ctx, flushed, func(tx tx) error {
		now := milliseconds(s.now())
		records, err := s.appendLog(ctx, tx, key, turn, now, []agent.Event{done})
		if err != nil {
			return err
		}
		last = records[0]
		err = tx.change(ctx, `UPDATE turn SET stop_reason = ?, last_seq = ?, settled_at = ?, paused_at = NULL WHERE id = ? AND settled_at IS NULL`,
			done.StopReason, last.Seq, now, turn)
		if err != nil {
			return err
		}
		if _, err := tx.exec(ctx, `UPDATE question SET closed_at = ? WHERE turn = ? AND closed_at IS NULL`, now, turn); err != nil {
			return err
		}
		var row int64
		err = tx.row(ctx, `UPDATE session SET status = ?, updated_at = ?, turns = turns + ?,
			input_tokens = input_tokens + ?, output_tokens = output_tokens + ? WHERE project = ? AND id = ? RETURNING key`,
			status, now, counts, done.Usage.Input, done.Usage.Output, key.Project, key.Session).Scan(&row)
		if err != nil {
			return err
		}
		return appendMessages(ctx, tx, row, turn, now, rows...)
	})
	s.wakeIndex()
	return last, err
}

const turnColumns = `turn.id, coalesce(turn.parent, ''), turn.user_message, turn.message, coalesce(turn.stop_reason, ''),
	turn.started_at, coalesce(turn.settled_at, 0), turn.paused_at IS NOT NULL`

func scanTurn(row scanner, more ...any) (Turn, error) {
	var t Turn
	var started, settled int64
	err := row.Scan(append([]any{&t.ID, &t.Parent, &t.UserMessage, &t.Message, &t.StopReason, &started, &settled, &t.Paused}, more...)...)
	if errors.Is(err, sql.ErrNoRows) {
		return Turn{}, ErrNotFound
	}
	t.StartedAt = instant(started)
	if settled != 0 {
		t.SettledAt = instant(settled)
	}
	return t, err
}

// Turn gives one turn of a session, by the id of its answer.
func (s *Store) Turn(ctx context.Context, key agent.SessionKey, answer agent.MessageID) (Turn, error) {
	return scanTurn(s.read.row(ctx, `SELECT `+turnColumns+` FROM session JOIN turn ON turn.session = session.key
		WHERE session.project = ? AND session.id = ? AND turn.message = ?`, key.Project, key.Session, answer))
}

// TurnsFor gives the turns that answer a user message, or were told it in their middle, oldest first; none if there is no
// such message.
func (s *Store) TurnsFor(ctx context.Context, key agent.SessionKey, user agent.MessageID) ([]Turn, error) {
	return s.listTurns(ctx, `SELECT `+turnColumns+` FROM turn WHERE turn.id IN (
			SELECT turn.id FROM session JOIN turn ON turn.session = session.key AND turn.user_message = ?3
				WHERE session.project = ?1 AND session.id = ?2
			UNION
			SELECT message.turn FROM session JOIN message ON message.session = session.key AND message.id = ?3 AND message.role = 'user'
				WHERE session.project = ?1 AND session.id = ?2
		) ORDER BY turn.first_seq`, key.Project, key.Session, user)
}

func (s *Store) listTurns(ctx context.Context, query string, args ...any) ([]Turn, error) {
	rows, err := s.read.query(ctx, query, args...)
	return list(rows, err, func(row scanner) (Turn, error) { return scanTurn(row) })
}

// Unsettled is a turn that was running or paused when the app ended. One that is not paused and has an open question was on
// its way there.
type Unsettled struct {
	Key  agent.SessionKey
	Turn Turn
}

// Unsettled lists the turns that have no end. While the app runs turns of its own, those are among them.
func (s *Store) Unsettled(ctx context.Context) ([]Unsettled, error) {
	rows, err := s.read.query(ctx, `SELECT `+turnColumns+`, session.project, session.id FROM turn
		JOIN session ON session.key = turn.session WHERE turn.settled_at IS NULL`)
	return list(rows, err, func(row scanner) (u Unsettled, err error) {
		u.Turn, err = scanTurn(row, &u.Key.Project, &u.Key.Session)
		return u, err
	})
}
