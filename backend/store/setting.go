package store

import (
	"context"
	"database/sql"
	"errors"
)

// Setting gives what the person chose, or "" if they never did.
func (s *Store) Setting(ctx context.Context, name string) (value string, err error) {
	err = s.read.row(ctx, `SELECT value FROM setting WHERE name = ?`, name).Scan(&value)
	if errors.Is(err, sql.ErrNoRows) {
		err = nil
	}
	return value, err
}

// SetSetting keeps what the person chose.
func (s *Store) SetSetting(ctx context.Context, name, value string) error {
	return s.update(ctx, flushed, func(tx tx) error {
		_, err := tx.exec(ctx, `INSERT OR REPLACE INTO setting (name, value) VALUES (?, ?)`, name, value)
		return err
	})
}
