// Package store keeps the history: one SQLite file, one writer, any number of readers. It alone knows SQL.
//
// Every method is one transaction, so whoever calls it has either stored all of it or nothing. A method that takes what
// a turn said returns once the file has it; what a person is told is done (a message accepted, a turn settled) is also
// forced to the disk.
package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"parley/backend/store/sealed"
)

// ErrNotFound is returned for what does not exist in the given project, whether or not it does in another.
var ErrNotFound = errors.New("not found")

// ErrExists is returned when an id is already taken in its project or session.
var ErrExists = errors.New("already exists")

// Store is an open history. All methods may be called at once.
type Store struct {
	file  *sealed.File
	files []*sql.DB
	read  *statements
	now   func() time.Time

	readOnly bool // a newer Parley wrote it

	mu      sync.Mutex // held by the one writer
	writer  *sql.Conn
	write   *statements
	durable bool // whether the writer waits for the disk at commit

	writes    atomic.Int64  // how many there were; by it the indexer knows whether it is alone
	unindexed chan struct{} // something was stored that search does not know yet
	stopIndex context.CancelFunc
	indexing  sync.WaitGroup
	indexErr  error // how the indexer ended

	forgotten   atomic.Bool   // words went from the index that the indexer may take for known; set and looked at by who writes
	uncollected chan struct{} // there may be something that nobody needs
	stopCollect context.CancelFunc
	collecting  sync.WaitGroup
	collectErr  error // how the collector ended
}

// Open opens the history at path with its data key, makes it if there is none, and brings its schema up to date; see
// ReadOnly for one of a newer schema. anchor is what Durable said of it last, or 0: a history that has less is sealed.ErrRolledBack.
func Open(ctx context.Context, path string, key *sealed.Key, anchor uint64) (*Store, error) {
	s := &Store{now: time.Now, unindexed: make(chan struct{}, 1), stopIndex: func() {}, uncollected: make(chan struct{}, 1), stopCollect: func() {}}
	if err := s.open(ctx, path, key, anchor); err != nil {
		return nil, errors.Join(fmt.Errorf("open history: %w", err), s.Close())
	}
	return s, nil
}

func (s *Store) open(ctx context.Context, path string, key *sealed.Key, anchor uint64) (err error) {
	if s.file, err = openSealed(path, key, anchor); err != nil {
		return err
	}
	write, err := connect(path, writing)
	if err != nil {
		return err
	}
	s.files = append(s.files, write)
	if s.writer, err = write.Conn(ctx); err != nil {
		return err
	}
	s.write = prepareOn(s.writer)
	if err := s.migrate(ctx, migrations, path, key); err != nil {
		return err
	}
	read, err := connect(path, reading)
	if err != nil {
		return err
	}
	s.files = append(s.files, read)
	s.read = prepareOn(read)
	if !s.readOnly {
		s.startIndex()
		s.startCollect()
	}
	return nil
}

// startIndex lets the index of search follow what is stored, on its own and off the path of everything else.
func (s *Store) startIndex() {
	ctx, stop := context.WithCancel(context.Background())
	s.stopIndex = stop
	s.indexing.Go(func() { s.indexErr = s.index(ctx) })
}

// startCollect lets what nobody needs any more go, off the path of everything else.
func (s *Store) startCollect() {
	ctx, stop := context.WithCancel(context.Background())
	s.stopCollect = stop
	now := s.now
	s.collecting.Go(func() { s.collectErr = s.collect(ctx, now) })
}

// rest ends what the store does by itself. It begins again with the next Open.
func (s *Store) rest() {
	s.stopIndex()
	s.stopCollect()
	s.indexing.Wait()
	s.collecting.Wait()
}

// Close waits for what is being written. What search does not know yet it reads after the next Open.
func (s *Store) Close() error {
	s.rest()
	s.mu.Lock()
	defer s.mu.Unlock()
	failed := errors.Join(s.indexErr, s.collectErr)
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
	if s.file != nil {
		failed = errors.Join(failed, s.file.Close())
	}
	return failed
}

// Durable is how many commits are certainly on the disk: the anchor to keep elsewhere. It can be asked after Close too,
// when it is all of them.
func (s *Store) Durable() uint64 { return s.file.Counter().Durable }

// Lost is how many commits were begun before Open and are not there. None of them had been forced to the disk.
func (s *Store) Lost() uint64 { return s.file.Lost() }

// ReadOnly reports whether a newer Parley wrote the history: it can be read, and every write is ErrReadOnly.
func (s *Store) ReadOnly() bool { return s.readOnly }

// Header is what salvage needs when the file's own is damaged; keep it elsewhere. It is no secret.
func (s *Store) Header() sealed.Header { return s.file.Header() }

// Summary is what tells one history from another.
type Summary struct {
	Sessions, Messages int
	Newest             time.Time // zero without any session
}

// Summary counts what the history holds.
func (s *Store) Summary(ctx context.Context) (Summary, error) {
	var found Summary
	var newest int64
	err := s.read.row(ctx, `SELECT (SELECT count(*) FROM session WHERE deleted_at IS NULL), (SELECT count(*) FROM message),
		(SELECT coalesce(max(updated_at), 0) FROM session)`).Scan(&found.Sessions, &found.Messages, &newest)
	if newest > 0 {
		found.Newest = instant(newest)
	}
	return found, err
}

// Verify authenticates everything that the file holds, while it is in use.
func (s *Store) Verify(ctx context.Context) (sealed.Report, error) { return s.file.Verify(ctx) }

// Backup makes a sealed copy at path under the same data key, while the history is in use. It appears whole or not at all.
func (s *Store) Backup(ctx context.Context, path string, key *sealed.Key) error {
	return s.file.Backup(ctx, path, key, s.checkpoint)
}

// Rekey seals the history anew under another data key, while it is in use. Until it returns nil the file is under one of
// the two: keep both.
func (s *Store) Rekey(ctx context.Context, key *sealed.Key) error {
	return s.file.Rekey(ctx, key, s.checkpoint)
}

func (s *Store) checkpoint(ctx context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, err := s.writer.ExecContext(ctx, "PRAGMA wal_checkpoint(TRUNCATE)")
	return err
}

// durability says what a commit waits for. Both survive the death of this process.
type durability bool

const (
	written durability = false // the operating system has it
	flushed durability = true  // the disk has it
)

// update runs fn in the one writing transaction: either all of it is stored, or nothing.
func (s *Store) update(ctx context.Context, d durability, fn func(tx) error) error {
	if s.readOnly {
		return ErrReadOnly
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.writes.Add(1)
	// What goes around a transaction is not cancelled: it could have happened all the same, and nobody would know.
	whole := context.WithoutCancel(ctx)
	if err := s.setDurability(whole, d); err != nil {
		return err
	}
	if _, err := s.write.exec(whole, "BEGIN IMMEDIATE"); err != nil {
		return err
	}
	err := fn(tx{s.write})
	if err == nil {
		_, err = s.write.exec(whole, "COMMIT")
	}
	if err != nil {
		_, undone := s.write.exec(whole, "ROLLBACK")
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
