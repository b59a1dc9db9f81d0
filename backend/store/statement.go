package store

import (
	"context"
	"database/sql"
	"errors"
	"sync"
)

// preparer is what statements are prepared on: a pool of connections, or one.
type preparer interface {
	PrepareContext(ctx context.Context, text string) (*sql.Stmt, error)
}

// statements prepares each text of SQL once: compiling costs more than most of ours take to run.
type statements struct {
	on preparer

	mu       sync.Mutex
	prepared map[string]*sql.Stmt
}

func prepareOn(on preparer) *statements {
	return &statements{on: on, prepared: map[string]*sql.Stmt{}}
}

func (s *statements) get(ctx context.Context, text string) (*sql.Stmt, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if stmt, ok := s.prepared[text]; ok {
		return stmt, nil
	}
	stmt, err := s.on.PrepareContext(ctx, text)
	if err == nil {
		s.prepared[text] = stmt
	}
	return stmt, err
}

func (s *statements) exec(ctx context.Context, text string, args ...any) (sql.Result, error) {
	stmt, err := s.get(ctx, text)
	if err != nil {
		return nil, err
	}
	return stmt.ExecContext(ctx, args...)
}

func (s *statements) query(ctx context.Context, text string, args ...any) (*sql.Rows, error) {
	stmt, err := s.get(ctx, text)
	if err != nil {
		return nil, err
	}
	return stmt.QueryContext(ctx, args...)
}

// scanner is a row of a result, or why there is none.
type scanner interface{ Scan(into ...any) error }

func (s *statements) row(ctx context.Context, text string, args ...any) scanner {
	stmt, err := s.get(ctx, text)
	if err != nil {
		return noRow{err}
	}
	return stmt.QueryRowContext(ctx, args...)
}

type noRow struct{ err error }

func (r noRow) Scan(...any) error { return r.err }

func (s *statements) close() error {
	var failed error
	for _, stmt := range s.prepared {
		failed = errors.Join(failed, stmt.Close())
	}
	return failed
}

// list gives what scan makes of each row that a query found.
func list[T any](rows *sql.Rows, err error, scan func(scanner) (T, error)) ([]T, error) {
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var all []T
	for rows.Next() {
		one, err := scan(rows)
		if err != nil {
			return nil, err
		}
		all = append(all, one)
	}
	return all, rows.Err()
}

// scanColumn reads a row of one column.
func scanColumn[T any](row scanner) (value T, err error) {
	err = row.Scan(&value)
	return value, err
}

// tx is the writing transaction. Whoever has one is alone with the writing connection.
type tx struct{ *statements }

// change is an exec that has to change something: else it is ErrNotFound.
func (t tx) change(ctx context.Context, text string, args ...any) error {
	result, err := t.exec(ctx, text, args...)
	if err != nil {
		return err
	}
	if n, err := result.RowsAffected(); err != nil || n == 0 {
		return errors.Join(err, ErrNotFound)
	}
	return nil
}
