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
	"sync/atomic"
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
	files []*sql.DB
	read  *statements
	now   func() time.Time

	mu      sync.Mutex // held by the one writer
	writer  *sql.Conn
	write   *statements
	durable bool // whether the writer waits for the disk at commit

	writes    atomic.Int64  // how many there were; by it the indexer knows whether it is alone
	unindexed chan struct{} // something was stored that search does not know yet
	stopIndex context.CancelFunc
	indexing  sync.WaitGroup
	indexErr  error // how the indexer ended
}

// Open opens the history at path, makes it if there is none, and brings its schema up to date.
func Open(ctx context.Context, path string) (*Store, error) {
	s := &Store{now: time.Now, unindexed: make(chan struct{}, 1), stopIndex: func() {}}
	if err := s.open(ctx, path); err != nil {
		return nil, errors.Join(fmt.Errorf("open history: %w", err), s.Close())
	}
	return s, nil
}

func (s *Store) open(ctx context.Context, path string) error {
	write, err := openFile(path, writing)
	if err != nil {
		return err
	}
	s.files = append(s.files, write)
	if s.writer, err = write.Conn(ctx); err != nil {
		return err
	}
	s.write = prepareOn(s.writer)
	if err := s.migrate(ctx); err != nil {
		return err
	}
	read, err := openFile(path, reading)
	if err != nil {
		return err
	}
	s.files = append(s.files, read)
	s.read = prepareOn(read)
	s.startIndex()
	return nil
}

// startIndex lets the index of search follow what is stored, on its own and off the path of everything else.
func (s *Store) startIndex() {
	ctx, stop := context.WithCancel(context.Background())
	s.stopIndex = stop
	s.indexing.Go(func() { s.indexErr = s.index(ctx) })
}

// Close waits for what is being written. What search does not know yet it reads after the next Open.
func (s *Store) Close() error {
	s.stopIndex()
	s.indexing.Wait()
	s.mu.Lock()
	defer s.mu.Unlock()
	failed := s.indexErr
	for _, statements := range []*statements{s.read, s.write} {
		if statements != nil {
			failed = errors.Join(failed, statements.close())
		}
	}
	if s.writer != nil {
		failed = errors.Join(failed, s.writer.Close())
	}
	for _, file := range s.files {
		failed = errors.Join(failed, file.Close())
	}
	return failed
}

// migrate applies the numbered files that the history has not seen yet, each in its own transaction.
func (s *Store) migrate(ctx context.Context) error {
	names, err := fs.Glob(migrations, "migrations/*.sql")
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
	for i, name := range names[have:] {
		version := have + i + 1
		if !strings.HasPrefix(name, fmt.Sprintf("migrations/%04d_", version)) {
			return fmt.Errorf("migration %s is not number %d", name, version)
		}
		text, err := migrations.ReadFile(name)
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

// durability says what a commit waits for. Both survive the death of this process.
type durability bool

const (
	written durability = false // the operating system has it
	flushed durability = true  // the disk has it
)

// update runs fn in the one writing transaction: either all of it is stored, or nothing.
func (s *Store) update(ctx context.Context, d durability, fn func(tx) error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.writes.Add(1)
	if err := s.setDurability(ctx, d); err != nil {
		return err
	}
	if _, err := s.write.exec(ctx, "BEGIN IMMEDIATE"); err != nil {
		return err
	}
	err := fn(tx{s.write})
	if err == nil {
		_, err = s.write.exec(ctx, "COMMIT")
	}
	if err != nil {
		// Also when ctx has ended: the connection must be free of this transaction.
		_, undone := s.write.exec(context.WithoutCancel(ctx), "ROLLBACK")
		return errors.Join(err, undone)
	}
	return nil
}

func (s *Store) setDurability(ctx context.Context, d durability) error {
	if s.durable == bool(d) {
		return nil
	}
	mode := "PRAGMA synchronous = NORMAL"
	if d == flushed {
		mode = "PRAGMA synchronous = FULL"
	}
	if _, err := s.writer.ExecContext(ctx, mode); err != nil {
		return err
	}
	s.durable = bool(d)
	return nil
}

func milliseconds(t time.Time) int64 { return t.UnixMilli() }

func instant(ms int64) time.Time { return time.UnixMilli(ms) }
