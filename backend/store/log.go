package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"parley/backend/agent"
)

// AppendEvents adds what a turn said to its session's log and gives the records. Their numbers go on from the last. What it
// asks is there to be answered from then on, whatever happens to the turn; what it was told in its middle does not wait any more.
func (s *Store) AppendEvents(ctx context.Context, key agent.SessionKey, turn agent.TurnID, events []agent.Event) ([]agent.Record, error) {
	var records []agent.Record
	err := s.update(ctx, written, func(tx tx) (err error) {
		if records, err = s.appendLog(ctx, tx, key, turn, milliseconds(s.now()), events); err != nil {
			return err
		}
		for _, r := range records {
			switch e := r.Event.(type) {
			case agent.InteractionRequest:
				err = ask(ctx, tx, r, e)
			case agent.Steered:
				err = dequeue(ctx, tx, key, e.Message)
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
	return records, err
}

// appendLog is the one place where numbers are given out.
func (s *Store) appendLog(ctx context.Context, tx tx, key agent.SessionKey, turn agent.TurnID, at int64, events []agent.Event) ([]agent.Record, error) {
	body, err := agent.EncodeLog(events)
	if err != nil {
		return nil, err
	}
	var row, next int64
	err = tx.row(ctx, `UPDATE session SET next_seq = next_seq + ? WHERE project = ? AND id = ? RETURNING key, next_seq`,
		len(events), key.Project, key.Session).Scan(&row, &next)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, ErrNotFound
	}
	if err != nil {
		return nil, err
	}
	first := next - int64(len(events))
	_, err = tx.exec(ctx, `INSERT INTO log (session, first, count, turn, at, events) VALUES (?, ?, ?, nullif(?, ''), ?, ?)`,
		row, first, len(events), turn, at, string(body))
	if err != nil {
		return nil, err
	}
	return toRecords(first, turn, instant(at), events), nil
}

func toRecords(first int64, turn agent.TurnID, at time.Time, events []agent.Event) []agent.Record {
	records := make([]agent.Record, len(events))
	for i, e := range events {
		records[i] = agent.Record{Seq: first + int64(i), Turn: turn, At: at, Event: e}
	}
	return records
}

// TurnLog gives everything that is logged of a turn, in order.
func (s *Store) TurnLog(ctx context.Context, turn agent.TurnID) ([]agent.Record, error) {
	rows, err := s.read.query(ctx, `SELECT log.first, log.turn, log.at, log.events FROM turn
		JOIN log ON log.session = turn.session AND log.first BETWEEN turn.first_seq AND coalesce(turn.last_seq, 9223372036854775807)
		WHERE turn.id = ? AND log.turn = turn.id ORDER BY log.first`, turn)
	if err != nil {
		return nil, err
	}
	return scanLog(rows)
}

// Log gives up to about limit records of a session's log, beginning with number from.
func (s *Store) Log(ctx context.Context, key agent.SessionKey, from int64, limit int) ([]agent.Record, error) {
	rows, err := s.read.query(ctx, `SELECT log.first, coalesce(log.turn, ''), log.at, log.events FROM session
		JOIN log ON log.session = session.key AND log.first >= coalesce(
			(SELECT first FROM log WHERE session = session.key AND first <= ? ORDER BY first DESC LIMIT 1), 0)
		WHERE session.project = ? AND session.id = ? ORDER BY log.first LIMIT ?`, from, key.Project, key.Session, limit)
	if err != nil {
		return nil, err
	}
	records, err := scanLog(rows)
	for i, r := range records {
		if r.Seq >= from {
			return records[i:], err
		}
	}
	return nil, err
}

func scanLog(rows *sql.Rows) ([]agent.Record, error) {
	defer rows.Close()
	var records []agent.Record
	for rows.Next() {
		var first, at int64
		var turn agent.TurnID
		var body sql.RawBytes
		if err := rows.Scan(&first, &turn, &at, &body); err != nil {
			return nil, err
		}
		events, err := agent.DecodeLog(body)
		if err != nil {
			return nil, fmt.Errorf("log at %d: %w", first, err)
		}
		records = append(records, toRecords(first, turn, instant(at), events)...)
	}
	return records, rows.Err()
}
