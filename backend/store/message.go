package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"parley/backend/agent"
)

// appendMessages adds rows at the end of a session; an id that is taken is ErrExists.
func appendMessages(ctx context.Context, tx tx, session int64, turn agent.TurnID, at int64, messages ...agent.Message) error {
	if len(messages) == 0 {
		return nil
	}
	var next int64
	err := tx.row(ctx, `UPDATE session SET next_message = next_message + ? WHERE key = ? RETURNING next_message`, len(messages), session).Scan(&next)
	if err != nil {
		return err
	}
	for i, m := range messages {
		content, err := agent.EncodeParts(m.Parts)
		if err != nil {
			return err
		}
		result, err := tx.exec(ctx, `INSERT INTO message (session, seq, id, turn, role, content, model, at) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
			session, next-int64(len(messages)-i), m.ID, turn, m.Role, string(content), m.Model, at)
		if isUniqueViolation(err) {
			return ErrExists
		}
		if err != nil {
			return err
		}
		row, err := result.LastInsertId()
		if err == nil {
			err = refer(ctx, tx, session, `INSERT OR IGNORE INTO message_media (message, media) VALUES (?, ?)`, row, m.Parts)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// Message gives one message of a session, or ErrNotFound.
func (s *Store) Message(ctx context.Context, key agent.SessionKey, id agent.MessageID) (agent.Message, error) {
	m, err := scanMessage(s.read.row(ctx, `SELECT message.id, message.role, message.content, message.model FROM session
		JOIN message ON message.session = session.key WHERE session.project = ? AND session.id = ? AND message.id = ?`, key.Project, key.Session, id))
	if errors.Is(err, sql.ErrNoRows) {
		return agent.Message{}, ErrNotFound
	}
	return m, err
}

// Row is a durable message, and its place in its session.
type Row struct {
	agent.Message
	Seq int64 // numbers have gaps where other branches are
	At  time.Time
}

// History gives the durable messages of the branch that ends in head, in order: what a model is told was said.
func (s *Store) History(ctx context.Context, head agent.TurnID) ([]agent.Message, error) {
	rows, err := s.Rows(ctx, head)
	messages := make([]agent.Message, len(rows))
	for i, row := range rows {
		messages[i] = row.Message
	}
	return messages, err
}

// Rows is History, with where and when each message was stored. Its joins are CROSS JOINs so that SQLite goes from the branch to
// its messages; it would read every message of every session.
func (s *Store) Rows(ctx context.Context, head agent.TurnID) ([]Row, error) {
	return s.listRows(ctx, path+`
		SELECT id, role, content, model, seq, at FROM (
			SELECT depth, 0 AS answer, message.* FROM path CROSS JOIN turn ON turn.id = path.id
				CROSS JOIN message ON message.session = turn.session AND message.id = turn.user_message
			UNION ALL
			SELECT depth, 1 AS answer, message.* FROM path CROSS JOIN turn ON turn.id = path.id
				CROSS JOIN message ON message.turn = path.id AND message.id <> turn.user_message
		) ORDER BY depth DESC, answer, seq`, head, 1<<40)
}

func (s *Store) listRows(ctx context.Context, query string, args ...any) ([]Row, error) {
	rows, err := s.read.query(ctx, query, args...)
	return list(rows, err, func(row scanner) (r Row, err error) {
		var at int64
		r.Message, err = scanMessage(row, &r.Seq, &at)
		r.At = instant(at)
		return r, err
	})
}

// Editions gives every message that was sent under an id (see agent.MessageID.Edit), oldest first. A fork may lack some.
func (s *Store) Editions(ctx context.Context, key agent.SessionKey, shown agent.MessageID) ([]agent.Message, error) {
	first := shown.Edit(0)
	mark := first[:len(first)-1]
	return s.listMessages(ctx, `SELECT id, role, content, model FROM (
			SELECT message.* FROM session JOIN message ON message.session = session.key AND message.id = ?3
				WHERE session.project = ?1 AND session.id = ?2
			UNION ALL
			SELECT message.* FROM session JOIN message ON message.session = session.key AND message.id > ?4 AND message.id < ?4 || ':'
				WHERE session.project = ?1 AND session.id = ?2
		) ORDER BY seq`, key.Project, key.Session, shown, mark) // a number comes after its mark, and before a colon
}

func (s *Store) listMessages(ctx context.Context, query string, args ...any) ([]agent.Message, error) {
	rows, err := s.read.query(ctx, query, args...)
	return list(rows, err, func(row scanner) (agent.Message, error) { return scanMessage(row) })
}

func scanMessage(row scanner, more ...any) (agent.Message, error) {
	var m agent.Message
	var content string
	if err := row.Scan(append([]any{&m.ID, &m.Role, &content, &m.Model}, more...)...); err != nil {
		return agent.Message{}, err
	}
	var err error
	if m.Parts, err = agent.DecodeParts([]byte(content)); err != nil {
		return agent.Message{}, fmt.Errorf("message %s: %w", m.ID, err)
	}
	return m, nil
}
