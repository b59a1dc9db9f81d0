// Package store keeps the history: one SQLite file, one writer, any number of readers. It alone knows SQL.
//
// Every method is one transaction, so whoever calls it has either stored all of it or nothing. A method that takes what
// a turn said returns once the file has it; what a person is told is done (a message accepted, a turn settled) is also
// forced to the disk.
package store

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"sync"
	"time"

	"parley/backend/agent"
)

// ErrNotFound is returned for what does not exist in the given project, whether or not it does in another.
var ErrNotFound = errors.New("not found")

// ErrExists is returned when an id is already taken in its project or session.
var ErrExists = errors.New("already exists")

//go:embed migrations/*.sql
var migrations embed.FS

// Store is an open history. All methods may be called at once.
type Store struct {
	mu      sync.Mutex // held by the one writer
	write   *sql.DB    // one connection
	durable bool       // whether that connection waits for the disk at commit
	read    *sql.DB
	now     func() time.Time
}

// Open opens the history at path, makes it if there is none, and brings its schema up to date.
func Open(ctx context.Context, path string) (*Store, error) {
	write, err := openFile(path, writing)
	if err != nil {
		return nil, fmt.Errorf("open history: %w", err)
	}
	write.SetMaxOpenConns(1)
	s := &Store{write: write, now: time.Now}
	if err := s.migrate(ctx); err != nil {
		write.Close()
		return nil, fmt.Errorf("open history: %w", err)
	}
	if s.read, err = openFile(path, reading); err != nil {
		write.Close()
		return nil, fmt.Errorf("open history: %w", err)
	}
	s.read.SetMaxOpenConns(4)
	return s, nil
}

// Close waits for what is being written.
func (s *Store) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return errors.Join(s.read.Close(), s.write.Close())
}

// migrate applies the numbered files that the history has not seen yet, each in its own transaction.
func (s *Store) migrate(ctx context.Context) error {
	names, err := fs.Glob(migrations, "migrations/*.sql")
	if err != nil {
		return err
	}
	var have int
	if err := s.write.QueryRowContext(ctx, "PRAGMA user_version").Scan(&have); err != nil {
		return err
	}
	if have > len(names) {
		return agent.Errorf(agent.CodeValidation, "This history was written by a newer Parley (schema %d, this one knows %d). Install the newer version; nothing was changed.", have, len(names))
	}
	for i, name := range names[have:] {
		version := have + i + 1
		if !strings.HasPrefix(name, fmt.Sprintf("migrations/%04d_", version)) {
			return fmt.Errorf("migration %s is not number %d", name, version)
		}
		text, err := migrations.ReadFile(name)
		if err != nil {
			return err
		}
		err = s.update(ctx, flushed, func(tx *sql.Tx) error {
			if _, err := tx.ExecContext(ctx, string(text)); err != nil {
				return err
			}
			_, err := tx.ExecContext(ctx, fmt.Sprintf("PRAGMA user_version = %d", version))
			return err
		})
		if err != nil {
			return fmt.Errorf("migration %s: %w", name, err)
		}
	}
	return nil
}

// durability says what a commit waits for. Both survive the death of this process.
type durability bool

const (
	written durability = false // the operating system has it
	flushed durability = true  // the disk has it
)

// update runs fn in the one writing transaction.
func (s *Store) update(ctx context.Context, d durability, fn func(*sql.Tx) error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.setDurability(ctx, d); err != nil {
		return err
	}
	tx, err := s.write.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	if err := fn(tx); err != nil {
		return errors.Join(err, ignoreDone(tx.Rollback()))
	}
	return tx.Commit()
}

func (s *Store) setDurability(ctx context.Context, d durability) error {
	if s.durable == bool(d) {
		return nil
	}
	mode := "NORMAL"
	if d == flushed {
		mode = "FULL"
	}
	if _, err := s.write.ExecContext(ctx, "PRAGMA synchronous = "+mode); err != nil {
		return err
	}
	s.durable = bool(d)
	return nil
}

// ignoreDone: a cancelled context has already rolled back.
func ignoreDone(err error) error {
	if errors.Is(err, sql.ErrTxDone) {
		return nil
	}
	return err
}

func milliseconds(t time.Time) int64 { return t.UnixMilli() }

func instant(ms int64) time.Time { return time.UnixMilli(ms) }
