package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"parley/backend/agent"
)

// Queued is a message that waits for the running turn to end. Numbers only grow within a session.
type Queued struct {
	Number  int64
	Message agent.Message
	At      time.Time
}

const selectQueued = `SELECT queued.number, queued.message, queued.content, queued.at
	FROM session JOIN queued ON queued.session = session.key
	WHERE session.project = ? AND session.id = ? AND session.deleted_at IS NULL `

func scanQueued(row scanner) (Queued, error) {
	q := Queued{Message: agent.Message{Role: agent.RoleUser}}
	var content string
	var at int64
	if err := row.Scan(&q.Number, &q.Message.ID, &content, &at); err != nil {
		return Queued{}, err
	}
	q.At = instant(at)
	var err error
	if q.Message.Parts, err = agent.DecodeParts([]byte(content)); err != nil {
		return Queued{}, fmt.Errorf("queued message %s: %w", q.Message.ID, err)
	}
	return q, nil
}

// Enqueue stores a message that is to be sent later, forced to the disk. One that waits already, by its id, is given again.
// What the person typed is safe once it returns, so the session's draft goes.
func (s *Store) Enqueue(ctx context.Context, key agent.SessionKey, m agent.Message, media []agent.Media) (Queued, error) {
	content, err := agent.EncodeParts(m.Parts)
	if err != nil {
		return Queued{}, err
	}
	var q Queued
	err = s.update(ctx, flushed, func(tx tx) (err error) {
		q, err = scanQueued(tx.row(ctx, selectQueued+`AND queued.message = ?`, key.Project, key.Session, m.ID))
		if !errors.Is(err, sql.ErrNoRows) {
			return err
		}
		now := milliseconds(s.now())
		var session, row int64
		err = tx.row(ctx, `UPDATE session SET next_queued = next_queued + 1, draft = '', draft_files = '[]' WHERE project = ? AND id = ? AND deleted_at IS NULL
			RETURNING key, next_queued - 1`, key.Project, key.Session).Scan(&session, &q.Number)
		if errors.Is(err, sql.ErrNoRows) {
			return ErrNotFound
		}
		if err != nil {
			return err
		}
		err = tx.row(ctx, `INSERT INTO queued (session, number, message, content, at) VALUES (?, ?, ?, ?, ?) RETURNING key`,
			session, q.Number, m.ID, string(content), now).Scan(&row)
		if err != nil {
			return err
		}
		for _, m := range media {
			if err := putMedia(ctx, tx, key.Project, m, now); err != nil {
				return err
			}
		}
		q.Message, q.At = m, instant(now)
		return referQueued(ctx, tx, session, row, m.Parts)
	})
	return q, err
}

func referQueued(ctx context.Context, tx tx, session, queued int64, parts []agent.Part) error {
	return refer(ctx, tx, session, `INSERT OR IGNORE INTO queued_media (queued, media) VALUES (?, ?)`, queued, parts)
}

// Queue gives what waits in a session, in the order in which it will be sent.
func (s *Store) Queue(ctx context.Context, key agent.SessionKey) ([]Queued, error) {
	rows, err := s.read.query(ctx, selectQueued+`ORDER BY queued.number`, key.Project, key.Session)
	return list(rows, err, scanQueued)
}

// ChangeQueued gives a waiting message other parts, or ErrNotFound once it does not wait any more.
func (s *Store) ChangeQueued(ctx context.Context, key agent.SessionKey, number int64, parts []agent.Part) error {
	content, err := agent.EncodeParts(parts)
	if err != nil {
		return err
	}
	return s.update(ctx, flushed, func(tx tx) error {
		session, row, err := findQueued(ctx, tx, key, number)
		if err != nil {
			return err
		}
		if _, err := tx.exec(ctx, `UPDATE queued SET content = ? WHERE key = ?`, string(content), row); err != nil {
			return err
		}
		if err := forgetQueuedMedia(ctx, tx, row, milliseconds(s.now())); err != nil {
			return err
		}
		return referQueued(ctx, tx, session, row, parts)
	})
}

// Unqueue removes a waiting message, or gives ErrNotFound.
func (s *Store) Unqueue(ctx context.Context, key agent.SessionKey, number int64) error {
	return s.update(ctx, flushed, func(tx tx) error { return unqueue(ctx, tx, key, number, milliseconds(s.now())) })
}

func unqueue(ctx context.Context, tx tx, key agent.SessionKey, number, at int64) error {
	_, row, err := findQueued(ctx, tx, key, number)
	if err != nil {
		return err
	}
	if err := forgetQueuedMedia(ctx, tx, row, at); err != nil {
		return err
	}
	_, err = tx.exec(ctx, `DELETE FROM queued WHERE key = ?`, row)
	return err
}

// dequeue removes a waiting message that the agent was told: text, which refers to no media.
func dequeue(ctx context.Context, tx tx, key agent.SessionKey, message agent.MessageID) error {
	_, err := tx.exec(ctx, `DELETE FROM queued WHERE message = ? AND session = (SELECT key FROM session WHERE project = ? AND id = ?)`,
		message, key.Project, key.Session)
	return err
}

func findQueued(ctx context.Context, tx tx, key agent.SessionKey, number int64) (session, row int64, err error) {
	err = tx.row(ctx, `SELECT session.key, queued.key FROM session JOIN queued ON queued.session = session.key
		WHERE session.project = ? AND session.id = ? AND session.deleted_at IS NULL AND queued.number = ?`,
		key.Project, key.Session, number).Scan(&session, &row)
	if errors.Is(err, sql.ErrNoRows) {
		err = ErrNotFound
	}
	return session, row, err
}

func forgetQueuedMedia(ctx context.Context, tx tx, queued, at int64) error {
	return forgetMedia(ctx, tx, at, `DELETE FROM queued_media WHERE queued = ? RETURNING media`, queued)
}
