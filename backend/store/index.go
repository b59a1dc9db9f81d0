package store

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"parley/backend/agent"
)

// While a batch is stored, turns wait. So batches are small when there are turns; while nobody else writes they grow,
// within a time, because large ones take half as long in all.
const (
	fewestInBatch = 16
	mostInBatch   = 256
	batchBytes    = 512 << 10
	batchTime     = 50 * time.Millisecond
)

// longestInside is how long a word may be, in bytes, to be found by what is inside of it: the keys and hashes that tools
// print are longer, are each of their own kind, and nobody looks for the middle of one.
const longestInside = 24

// index brings the index of search up to date whenever it is told to, until ctx ends. It reports the last failure, after
// which it goes on where it was when it is told again.
func (s *Store) index(ctx context.Context) error {
	known := map[string]bool{}
	var failed error
	for size := fewestInBatch; ; {
		before, began := s.writes.Load(), time.Now()
		more, err := s.indexBatch(ctx, size, known)
		if ctx.Err() != nil {
			return failed
		}
		failed = err
		switch {
		case s.writes.Load() > before+1:
			size = fewestInBatch
		case time.Since(began) < batchTime:
			size = min(2*size, mostInBatch)
		default:
			size = max(size/2, fewestInBatch)
		}
		if more && err == nil {
			continue
		}
		select {
		case <-s.unindexed:
		case <-ctx.Done():
			return failed
		}
	}
}

// wakeIndex tells the indexer that there is something to read.
func (s *Store) wakeIndex() { wake(s.unindexed) }

func wake(worker chan struct{}) {
	select {
	case worker <- struct{}{}:
	default:
	}
}

// entry is one row of the index, made ready.
type entry struct {
	key           int64
	words, facets string
}

// indexBatch reads some of what is not in the index yet and puts it there, together with how far it came. It reports
// whether there may be more.
func (s *Store) indexBatch(ctx context.Context, size int, known map[string]bool) (more bool, err error) {
	var from int64
	if err := s.read.row(ctx, `SELECT message FROM search_progress`).Scan(&from); err != nil {
		return false, err
	}
	fresh := freshWords{known: known}
	messages, err := s.unindexedMessages(ctx, from, size, &fresh)
	if err != nil {
		return false, err
	}
	titles, err := s.unindexedTitles(ctx, size, &fresh)
	if err != nil || len(messages)+len(titles) == 0 {
		return false, err
	}
	err = s.update(ctx, written, func(tx tx) error {
		if s.forgotten.Swap(false) { // words that were known when these were taken apart
			clear(known)
			return errPurged
		}
		if err := indexWords(ctx, tx, fresh.list); err != nil {
			return err
		}
		for _, e := range messages {
			if err := indexMessage(ctx, tx, e); err != nil {
				return err
			}
		}
		for _, e := range titles {
			if err := indexTitle(ctx, tx, e); err != nil {
				return err
			}
		}
		if len(messages) == 0 {
			return nil
		}
		result, err := tx.exec(ctx, `UPDATE search_progress SET message = ? WHERE message = ?`, messages[len(messages)-1].key, from)
		if err != nil {
			return err
		}
		if n, err := result.RowsAffected(); err != nil || n == 0 {
			return errors.Join(err, errPurged)
		}
		return nil
	})
	if errors.Is(err, errPurged) {
		return true, nil
	}
	if err == nil {
		fresh.learn()
	}
	return true, err
}

// errPurged says that messages or words went away while a batch was made ready, which has to be made anew.
var errPurged = errors.New("the index went back")

func indexMessage(ctx context.Context, tx tx, e entry) error {
	_, err := tx.exec(ctx, `INSERT INTO search (rowid, body, facet) VALUES (?, ?, ?)`, e.key, e.words, e.facets)
	return err
}

func indexTitle(ctx context.Context, tx tx, e entry) error {
	if _, err := tx.exec(ctx, `DELETE FROM search_retitled WHERE session = ?`, e.key); err != nil {
		return err
	}
	if _, err := tx.exec(ctx, `DELETE FROM search_title WHERE rowid = ?`, e.key); err != nil {
		return err
	}
	_, err := tx.exec(ctx, `INSERT INTO search_title (rowid, body) VALUES (?, ?)`, e.key, e.words)
	return err
}

// indexWords adds the words that are not there yet. It goes first, and does all at once: before a statement that
// changes several rows FTS5 writes what it has gathered so far to the file.
func indexWords(ctx context.Context, tx tx, list []string) error {
	if len(list) == 0 {
		return nil
	}
	array, err := json.Marshal(list)
	if err != nil {
		return err
	}
	var last int64
	if err := tx.row(ctx, `SELECT coalesce(max(key), 0) FROM word`).Scan(&last); err != nil {
		return err
	}
	if _, err = tx.exec(ctx, `INSERT INTO word (text) SELECT value FROM json_each(?) WHERE true ON CONFLICT DO NOTHING`, string(array)); err != nil {
		return err
	}
	_, err = tx.exec(ctx, `INSERT INTO word_inside (rowid, text) SELECT key, text FROM word WHERE key > ?`, last)
	return err
}

func (s *Store) unindexedMessages(ctx context.Context, from int64, size int, fresh *freshWords) ([]entry, error) {
	rows, err := s.read.query(ctx, `SELECT message.key, message.role, message.content, session.project, session.agent
		FROM message JOIN session ON session.key = message.session WHERE message.key > ? ORDER BY message.key LIMIT ?`, from, size)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var list []entry
	for bytes := 0; bytes < batchBytes && rows.Next(); {
		var key int64
		var role agent.Role
		var project agent.ProjectID
		var content []byte
		var agentID string
		if err := rows.Scan(&key, &role, &content, &project, &agentID); err != nil {
			return nil, err
		}
		list = append(list, messageEntry(fresh, key, role, content, project, agentID))
		bytes += len(content)
	}
	return list, rows.Err()
}

func messageEntry(fresh *freshWords, key int64, role agent.Role, content []byte, project agent.ProjectID, agentID string) entry {
	return entry{key, fresh.take(searchText(content)), strings.Join(append(facets(project, agentID, role), eras(key, key)...), " ")}
}

func (s *Store) unindexedTitles(ctx context.Context, size int, fresh *freshWords) ([]entry, error) {
	rows, err := s.read.query(ctx, `SELECT session.key, session.title FROM search_retitled
		JOIN session ON session.key = search_retitled.session LIMIT ?`, size)
	return list(rows, err, func(row scanner) (e entry, err error) {
		var title string
		err = row.Scan(&e.key, &title)
		e.words = fresh.take(title)
		return e, err
	})
}

// facets are the words by which messages are filtered. What is empty is none.
func facets(project agent.ProjectID, agentID string, role agent.Role) []string {
	list := []string{"p" + hex.EncodeToString([]byte(project))}
	if agentID != "" {
		list = append(list, "a"+hex.EncodeToString([]byte(agentID)))
	}
	if role != "" {
		list = append(list, "r"+string(role))
	}
	return list
}

// eraSize is how many messages make an era. FTS5 does not stop where a range of rows ends, but at the next match, so it
// is told the era by one more word.
const eraSize = 1 << 15

// eras are the words that the messages with these keys have, one each, and that nobody types the beginning of.
func eras(oldest, newest int64) []string {
	var list []string
	for n := oldest / eraSize; n <= newest/eraSize; n++ {
		list = append(list, "0e"+strconv.FormatInt(n, 36))
	}
	return list
}

// freshWords collects the words that may not be in the table of words yet.
type freshWords struct {
	known map[string]bool // those that are, as far as memory goes
	seen  map[string]bool
	list  []string
}

// mostKnown bounds the memory that known words take; with the common ones in it there is little left to ask the table.
const mostKnown = 50_000

// take gives the words of a text with a space between them.
func (f *freshWords) take(text string) string {
	if f.seen == nil {
		f.seen = map[string]bool{}
	}
	var b strings.Builder
	b.Grow(len(text))
	for w := range words(text) {
		b.WriteString(w.text)
		b.WriteByte(' ')
		if f.known[w.text] || f.seen[w.text] || !hasInside(w.text) {
			continue
		}
		text := strings.Clone(w.text)
		f.seen[text] = true
		f.list = append(f.list, text)
	}
	return b.String()
}

// learn notes that the words are in the table now.
func (f *freshWords) learn() {
	if len(f.known) > mostKnown {
		clear(f.known)
	}
	for _, w := range f.list {
		f.known[w] = true
	}
}

// hasInside reports whether a word can be found by what is inside of it. In unspaced scripts everything is found anyway.
func hasInside(word string) bool {
	return len(word) <= longestInside && utf8.RuneCountInString(word) > fewestInside && !isUnspaced(word)
}
