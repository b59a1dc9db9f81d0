package store

import (
	"context"
	"database/sql"
	"time"

	"parley/backend/agent"
)

// FileChange is what was written to a file.
type FileChange struct {
	Path          string // absolute
	Before, After []byte // nil if there was no file; of an empty one not nil
	ByPerson      bool   // who took back what a run had written, or undid that
	At            time.Time
}

// AddFileChange keeps a change that belongs to a turn.
func (s *Store) AddFileChange(ctx context.Context, key agent.SessionKey, turn agent.TurnID, c FileChange) error {
	return s.update(ctx, written, func(tx tx) error {
		now := milliseconds(s.now())
		before, err := contentKey(ctx, tx, key.Project, c.Before, now)
		if err != nil {
			return err
		}
		after, err := contentKey(ctx, tx, key.Project, c.After, now)
		if err != nil {
			return err
		}
		if _, err := tx.exec(ctx, `INSERT INTO file_change (turn, path, before, after, by_person, at) VALUES (?, ?, ?, ?, ?, ?)`,
			turn, c.Path, before, after, c.ByPerson, now); err != nil {
			return err
		}
		_, err = tx.exec(ctx, `DELETE FROM media_unused WHERE media IN (?, ?)`, before, after)
		return err
	})
}

// contentKey keeps the content of a file, if there is one, and gives its number.
func contentKey(ctx context.Context, tx tx, project agent.ProjectID, content []byte, now int64) (key sql.NullInt64, err error) {
	if content == nil {
		return key, nil
	}
	m := agent.MediaOf(content)
	if err := putMedia(ctx, tx, project, m, now); err != nil {
		return key, err
	}
	return key, tx.row(ctx, `SELECT key FROM media WHERE sha256 = ?`, m.Handle.Sum()).Scan(&key)
}

// FileChanges gives the changes of a session's turn, in order.
func (s *Store) FileChanges(ctx context.Context, key agent.SessionKey, turn agent.TurnID) ([]FileChange, error) {
	rows, err := s.read.query(ctx, `SELECT path, before, was.content, after, became.content, by_person, at FROM turn
		JOIN session ON session.key = turn.session JOIN file_change ON file_change.turn = turn.id
		LEFT JOIN media AS was ON was.key = before LEFT JOIN media AS became ON became.key = after
		WHERE turn.id = ? AND session.project = ? AND session.id = ? AND deleted_at IS NULL ORDER BY file_change.key`, turn, key.Project, key.Session)
	return list(rows, err, func(row scanner) (c FileChange, err error) {
		var at int64
		var before, after sql.NullInt64
		err = row.Scan(&c.Path, &before, &c.Before, &after, &c.After, &c.ByPerson, &at)
		c.Before, c.After, c.At = content(before, c.Before), content(after, c.After), instant(at)
		return c, err
	})
}

// content is what a file held, if there was one: of an empty one the driver gives nil.
func content(key sql.NullInt64, read []byte) []byte {
	if key.Valid && read == nil {
		return []byte{}
	}
	return read
}
