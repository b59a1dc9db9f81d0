package store

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"parley/backend/agent"
	"parley/backend/store/sealed"
)

//go:embed migrations/*.sql
var migrations embed.FS

// keptCopies is how many of the copies made before migrations stay.
const keptCopies = 3

// ErrReadOnly is what every write to a history gets that a newer Parley wrote.
var ErrReadOnly = agent.Errorf(agent.CodeValidation, "This history was written by a newer Parley. This one can read it, but not change it. Update Parley to go on with it.")

// migrate applies the numbered files that the history at path has not seen yet, each in its own transaction. Before it
// changes one that holds something, it makes a sealed copy beside it. One that has seen more is for reading only.
func (s *Store) migrate(ctx context.Context, files fs.FS, path string, key *sealed.Key) error {
	names, err := fs.Glob(files, "migrations/*.sql")
	if err != nil {
		return err
	}
	var have int
	if err := s.writer.QueryRowContext(ctx, "PRAGMA user_version").Scan(&have); err != nil {
		return err
	}
	if have > len(names) {
		s.readOnly = true
		return nil
	}
	if have > 0 && have < len(names) {
		if err := s.copyAside(ctx, path, have, key); err != nil {
			return fmt.Errorf("copy the history before migrating it: %w", err)
		}
	}
	for i, name := range names[have:] {
		version := have + i + 1
		if !strings.HasPrefix(name, fmt.Sprintf("migrations/%04d_", version)) {
			return fmt.Errorf("migration %s is not number %d", name, version)
		}
		text, err := fs.ReadFile(files, name)
		if err != nil {
			return err
		}
		if err := s.apply(ctx, fmt.Sprintf("%s;\nPRAGMA user_version = %d", text, version)); err != nil {
			return fmt.Errorf("migration %s: %w", name, err)
		}
	}
	return nil
}

// apply runs one migration. It may add rows and remove tables; a table that stays keeps its rows, or all stays as it was.
func (s *Store) apply(ctx context.Context, text string) error {
	return s.update(ctx, flushed, func(tx) error {
		before, err := s.countRows(ctx)
		if err != nil {
			return err
		}
		if _, err := s.writer.ExecContext(ctx, text); err != nil {
			return err
		}
		after, err := s.countRows(ctx)
		if err != nil {
			return err
		}
		for table, had := range before {
			if has, stays := after[table]; stays && has < had {
				return agent.Errorf(agent.CodeInternal, "The history was not brought up to date for this Parley: of %d rows of its table %s, %d would have been lost. Nothing was changed; the Parley that you had before opens it.", had, table, had-has)
			}
		}
		return nil
	})
}

// countRows gives how many rows each table has; those of the full-text indexes are their own.
func (s *Store) countRows(ctx context.Context) (map[string]int64, error) {
	rows, err := s.writer.QueryContext(ctx, `SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite_%'`)
	tables, err := list(rows, err, scanColumn[string])
	if err != nil {
		return nil, err
	}
	counts := map[string]int64{}
	for _, table := range tables {
		var n int64
		if err := s.writer.QueryRowContext(ctx, fmt.Sprintf("SELECT count(*) FROM %q", table)).Scan(&n); err != nil {
			return nil, err
		}
		counts[table] = n
	}
	return counts, nil
}

// copyAside makes a sealed copy of the history as it is at a schema, and removes the oldest ones. One of the same
// schema was made before a migration that failed, and holds the same or less.
func (s *Store) copyAside(ctx context.Context, path string, schema int, key *sealed.Key) error {
	fresh := fmt.Sprintf("%s.schema-%04d", path, schema)
	if err := os.Remove(fresh); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := s.Backup(ctx, fresh, key); err != nil {
		return err
	}
	copies, err := filepath.Glob(path + ".schema-*")
	if err != nil {
		return err
	}
	slices.Sort(copies)
	for _, old := range copies[:max(0, len(copies)-keptCopies)] {
		if err := os.Remove(old); err != nil {
			return err
		}
	}
	return nil
}
