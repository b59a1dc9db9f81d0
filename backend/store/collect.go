package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"
)

// collect removes what nobody needs any more whenever it is told to, until ctx ends. It reports the last failure.
func (s *Store) collect(ctx context.Context, now func() time.Time) error {
	var failed error
	for {
		more, err := s.collectMedia(ctx, now())
		if err == nil && !more {
			more, err = s.forget(ctx)
		}
		if ctx.Err() != nil {
			return failed
		}
		failed = err
		if more && err == nil {
			continue
		}
		select {
		case <-s.uncollected:
		case <-ctx.Done():
			return failed
		}
	}
}

// While a step of forgetting is stored, turns wait. So steps are small.
const (
	wordsToForget = 64
	pagesToMerge  = 16
)

// The steps after the words.
const (
	stepMergeAll = -1 // begin to write the indexes anew, without what was deleted
	stepMerge    = -2 // go on with that
)

// forget takes one step to remove from the index what only purged messages had, and reports whether there was one to
// take. A row that goes leaves its words in the full-text indexes until these are written anew, and in the table of words.
func (s *Store) forget(ctx context.Context) (more bool, err error) {
	var step int64
	err = s.read.row(ctx, `SELECT step FROM search_forgetting`).Scan(&step)
	if errors.Is(err, sql.ErrNoRows) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	err = s.erase(ctx, func(tx tx) error {
		var next int64
		var err error
		switch step {
		case stepMergeAll:
			_, err = mergeIndexes(ctx, tx, -pagesToMerge)
			next = stepMerge
		case stepMerge:
			var done bool
			if done, err = mergeIndexes(ctx, tx, pagesToMerge); err == nil && done {
				_, err = tx.exec(ctx, `DELETE FROM search_forgetting WHERE step = ?`, step)
				return err
			}
			return err
		default:
			next, err = s.forgetWords(ctx, tx, step)
		}
		if err == nil { // unless a purge began it anew meanwhile
			_, err = tx.exec(ctx, `UPDATE search_forgetting SET step = ? WHERE step = ?`, next, step)
		}
		return err
	})
	return true, err
}

// forgetWords removes words after the one with key from that nothing holds any more, and gives the next step.
func (s *Store) forgetWords(ctx context.Context, tx tx, from int64) (next int64, err error) {
	rows, err := tx.query(ctx, `SELECT key, text FROM word WHERE key > ? ORDER BY key LIMIT ?`, from, wordsToForget)
	if err != nil {
		return 0, err
	}
	defer rows.Close()
	next = stepMergeAll
	words := map[int64]string{}
	for rows.Next() {
		var text string
		if err := rows.Scan(&next, &text); err != nil {
			return 0, err
		}
		words[next] = text
	}
	if err := errors.Join(rows.Err(), rows.Close()); err != nil {
		return 0, err
	}
	for key, text := range words {
		var held bool
		err := tx.row(ctx, `SELECT EXISTS (SELECT 1 FROM search WHERE search MATCH ?1) OR EXISTS (SELECT 1 FROM search_title WHERE search_title MATCH ?1)`,
			fmt.Sprintf(`body : "%s"`, text)).Scan(&held)
		if err != nil {
			return 0, err
		}
		if held {
			continue
		}
		s.forgotten.Store(true)
		if _, err := tx.exec(ctx, `INSERT INTO word_inside (word_inside, rowid, text) VALUES ('delete', ?, ?)`, key, text); err != nil {
			return 0, err
		}
		if _, err := tx.exec(ctx, `DELETE FROM word WHERE key = ?`, key); err != nil {
			return 0, err
		}
	}
	return next, nil
}

// mergeIndexes writes some pages of each full-text index anew, all that there are in the end if the first number is
// negative, and reports whether nothing was left to write.
func mergeIndexes(ctx context.Context, tx tx, pages int) (done bool, err error) {
	var before, after int64
	if err := tx.row(ctx, `SELECT total_changes()`).Scan(&before); err != nil {
		return false, err
	}
	statements := []string{
		`INSERT INTO search (search, rank) VALUES ('merge', ?)`,
		`INSERT INTO search_title (search_title, rank) VALUES ('merge', ?)`,
		`INSERT INTO word_inside (word_inside, rank) VALUES ('merge', ?)`,
	}
	for _, text := range statements {
		if _, err := tx.exec(ctx, text, pages); err != nil {
			return false, err
		}
	}
	err = tx.row(ctx, `SELECT total_changes()`).Scan(&after)
	return after-before <= int64(len(statements)), err // each counts as one, also where it changes nothing
}
