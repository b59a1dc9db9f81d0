package store

import (
	"context"
	"database/sql"
	"errors"

	"parley/backend/agent"
)

// PurgeSession removes a deleted session for good, with all that was said in it; ErrNotFound if there is none that is
// deleted. What else is left of it goes soon after: words in the index, and later media that no other session refers to.
func (s *Store) PurgeSession(ctx context.Context, key agent.SessionKey) error {
	err := s.erase(ctx, func(tx tx) error {
		var session int64
		err := tx.row(ctx, `UPDATE session SET head = NULL WHERE project = ? AND id = ? AND deleted_at IS NOT NULL RETURNING key`,
			key.Project, key.Session).Scan(&session)
		if errors.Is(err, sql.ErrNoRows) {
			return ErrNotFound
		}
		if err != nil {
			return err
		}
		for _, text := range []string{
			`DELETE FROM message_media WHERE message IN (SELECT key FROM message WHERE session = ?) RETURNING media`,
			`DELETE FROM queued_media WHERE queued IN (SELECT key FROM queued WHERE session = ?) RETURNING media`,
		} {
			if err := forgetMedia(ctx, tx, milliseconds(s.now()), text, session); err != nil {
				return err
			}
		}
		if err := forgetFileChanges(ctx, tx, milliseconds(s.now()), session); err != nil {
			return err
		}
		for _, text := range []string{
			`DELETE FROM message WHERE session = ?`,
			`DELETE FROM queued WHERE session = ?`,
			`DELETE FROM approval WHERE session = ?`,
			`DELETE FROM secret_use WHERE session = ?`,
			`DELETE FROM workflow_draft WHERE session = ?`,
			`DELETE FROM question WHERE turn IN (SELECT id FROM turn WHERE session = ?)`,
			`DELETE FROM log WHERE session = ?`,
			`DELETE FROM turn WHERE session = ?`,
			`DELETE FROM search_title WHERE rowid = ?`,
			`DELETE FROM search_retitled WHERE session = ?`,
			`DELETE FROM session WHERE key = ?`,
		} {
			if _, err := tx.exec(ctx, text, session); err != nil {
				return err
			}
		}
		_, err = tx.exec(ctx, `INSERT OR REPLACE INTO search_forgetting (only, step) VALUES (1, 0)`)
		return err
	})
	if err == nil {
		wake(s.uncollected)
	}
	return err
}

// forgetFileChanges removes what a session's runs wrote, and lets the contents be collected.
func forgetFileChanges(ctx context.Context, tx tx, at, session int64) error {
	rows, err := tx.query(ctx, `DELETE FROM file_change WHERE turn IN (SELECT id FROM turn WHERE session = ?) RETURNING before, after`, session)
	contents, err := list(rows, err, func(row scanner) (sides [2]sql.NullInt64, err error) {
		return sides, row.Scan(&sides[0], &sides[1])
	})
	for _, sides := range contents {
		for _, media := range sides {
			if err == nil && media.Valid {
				err = noteUnused(ctx, tx, media.Int64, at)
			}
		}
	}
	return err
}

// forgetMedia takes back references, which the text deletes and gives.
func forgetMedia(ctx context.Context, tx tx, at int64, text string, args ...any) error {
	rows, err := tx.query(ctx, text, args...)
	forgotten, err := list(rows, err, scanColumn[int64])
	if err != nil {
		return err
	}
	for _, media := range forgotten {
		if err := noteUnused(ctx, tx, media, at); err != nil {
			return err
		}
	}
	return nil
}

// erase is an update that overwrites what it deletes; usually only what costs no further write is. It is on the disk when
// it returns.
func (s *Store) erase(ctx context.Context, fn func(tx) error) error {
	return s.update(ctx, flushed, func(tx tx) (err error) {
		if _, err := s.writer.ExecContext(ctx, "PRAGMA secure_delete = ON"); err != nil {
			return err
		}
		defer func() {
			_, back := s.writer.ExecContext(context.WithoutCancel(ctx), "PRAGMA secure_delete = FAST")
			err = errors.Join(err, back)
		}()
		return fn(tx)
	})
}
