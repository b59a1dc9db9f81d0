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

// migrate applies the numbered files that the history at path has not seen yet, each in its own transaction. Before it
// changes one that holds something, it makes a sealed copy beside it.
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
		return agent.Errorf(agent.CodeValidation, "This history was written by a newer Parley (schema %d, this one knows %d). Install the newer version; nothing was changed.", have, len(names))
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
		err = s.update(ctx, flushed, func(tx) error {
			_, err := s.writer.ExecContext(ctx, string(text)+fmt.Sprintf(";\nPRAGMA user_version = %d", version))
			return err
		})
		if err != nil {
			return fmt.Errorf("migration %s: %w", name, err)
		}
	}
	return nil
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
