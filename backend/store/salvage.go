package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"parley/backend/agent"
	"parley/backend/store/sealed"
)

// Salvaged says what could be kept of a damaged history, and what not.
type Salvaged struct {
	sealed.Report
	Summary
	Tables     []TableLoss
	Incomplete []Incomplete
}

// TableLoss is what is known to be missing of a table. Of rows on a lost page nothing is known.
type TableLoss struct {
	Table string
	Rows  int  // that were there, and cannot be read
	All   bool // it is lost where the table was
}

// Incomplete is a session that lacks something.
type Incomplete struct {
	Key      agent.SessionKey
	Title    string
	Messages int64 // that are gone, of those that a model was told
	Records  int64 // that are gone, of its log
	Remade   bool  // its own row is gone, and with it what it was called and how much it held
}

// Salvage makes a history at out, under the same key, of everything in the damaged one at path that is authentic. The
// damaged one is not touched. header is the copy of its header that was kept elsewhere, for when its own is damaged. A
// session or a turn whose own row is lost is made anew, as well as can be told, when something of it is left. Search reads
// everything again.
func Salvage(ctx context.Context, path string, key *sealed.Key, header sealed.Header, out string) (found Salvaged, err error) {
	if _, err := os.Lstat(out); !errors.Is(err, fs.ErrNotExist) {
		return found, errors.Join(fs.ErrExist, err)
	}
	pages := out + "-pages"
	if err := removeSealed(pages); err != nil { // of a salvage that was ended
		return found, err
	}
	defer func() {
		if err = errors.Join(err, removeSealed(pages)); err != nil {
			err = errors.Join(err, removeSealed(out))
		}
	}()
	found.Report, err = sealed.Salvage(path, key, nil, pages)
	if errors.Is(err, sealed.ErrWrongKeyOrDamaged) || errors.Is(err, sealed.ErrNotSealed) {
		found.Report, err = sealed.Salvage(path, key, &header, pages)
	}
	if err != nil {
		return found, err
	}
	file, err := sealed.Open(pages, key, 0)
	if err != nil {
		return found, err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	db, err := connect(pages, salvaging)
	if err != nil {
		return found, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	damaged, err := db.Conn(ctx)
	if err != nil {
		return found, err
	}
	defer func() { err = errors.Join(err, damaged.Close()) }()
	s, err := Open(ctx, out, key, 0)
	if err != nil {
		return found, err
	}
	err = s.salvage(ctx, damaged, func() { file.Withhold(found.Bad) }, &found)
	if err == nil {
		found.Summary, err = s.Summary(ctx)
	}
	return found, errors.Join(err, s.Close(), os.Remove(out+"-lock"))
}

// removeSealed removes a sealed file that is not in use.
func removeSealed(path string) (failed error) {
	for _, end := range []string{"", "-wal", "-lock"} {
		if err := os.Remove(path + end); !errors.Is(err, fs.ErrNotExist) {
			failed = errors.Join(failed, err)
		}
	}
	return failed
}

// salvage fills an empty history from one that has pages without their rows, until it is told to withhold them.
func (s *Store) salvage(ctx context.Context, damaged *sql.Conn, withhold func(), found *Salvaged) error {
	s.rest() // nobody else has the writer, and it is in no transaction
	// Tables refer to each other.
	if _, err := s.writer.ExecContext(ctx, "PRAGMA foreign_keys = 0"); err != nil {
		return err
	}
	from := prepareOn(damaged)
	defer from.close()
	return s.update(ctx, flushed, func(tx tx) error {
		// Tables without row ids come last: the others say what to ask them for.
		tables, err := values(tx.query(ctx, `SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table'
			AND name NOT LIKE 'sqlite%' AND name NOT LIKE 'search%' AND name <> 'word' ORDER BY wr, name`))
		if err != nil {
			return err
		}
		rescues := make([]*rescue, len(tables))
		for i, table := range names(tables) {
			if rescues[i], err = newRescue(ctx, from, tx, table); err != nil {
				return fmt.Errorf("salvage table %s: %w", table, err)
			}
		}
		withhold()
		for _, r := range rescues {
			if err := r.run(ctx); err != nil {
				return fmt.Errorf("salvage table %s: %w", r.table, err)
			}
			if all := r.columns == nil; all || r.unread > 0 {
				found.Tables = append(found.Tables, TableLoss{r.table, r.unread, all})
			}
		}
		remade, err := remake(ctx, tx)
		if err != nil {
			return fmt.Errorf("make anew what is lost: %w", err)
		}
		found.Incomplete, err = incomplete(ctx, tx, remade)
		return err
	})
}

// rescue takes the rows of one table.
type rescue struct {
	from    *statements
	to      tx
	table   string
	columns []string // that both histories have; none if nobody knows where it was
	key     []string // the columns of the key, if the table has no row ids
	rows    [][]any  // the row ids, if it has
	unread  int
}

func newRescue(ctx context.Context, from *statements, to tx, table string) (*rescue, error) {
	const columns = `SELECT name FROM pragma_table_info(?)`
	r := &rescue{from: from, to: to, table: table}
	there, err := values(from.query(ctx, columns, table))
	if err != nil || len(there) == 0 {
		return r, err
	}
	here, err := values(to.query(ctx, columns, table))
	if err != nil {
		return nil, err
	}
	for _, name := range names(here) {
		if slices.Contains(names(there), name) {
			r.columns = append(r.columns, name)
		}
	}
	key, err := values(to.query(ctx, `SELECT info.name FROM pragma_table_list AS list JOIN pragma_table_info(list.name) AS info
		WHERE list.schema = 'main' AND list.name = ? AND list.wr AND info.pk ORDER BY info.pk`, table))
	if err != nil {
		return nil, err
	}
	if r.key = names(key); len(key) == 0 {
		r.rows, err = values(from.query(ctx, `SELECT rowid FROM `+table+` NOT INDEXED WHERE +rowid > 0`))
	}
	if Damaged(err) {
		err = nil
	}
	return r, err
}

// known are the values that the first column of a key may have, told by other tables: a table without row ids cannot be
// read past a page that is lost, but it can be asked for what lies behind.
var known = map[string]string{
	"log":  `SELECT key FROM session UNION SELECT session FROM message`,
	"turn": `SELECT turn FROM message UNION SELECT turn FROM log WHERE turn IS NOT NULL UNION SELECT head FROM session WHERE head IS NOT NULL`,
}

func (r *rescue) run(ctx context.Context) error {
	if r.columns == nil {
		return nil
	}
	if len(r.key) == 0 {
		return r.take(ctx, "rowid = ?", r.rows)
	}
	whole, err := r.fromBothEnds(ctx, "true")
	if err != nil || whole || known[r.table] == "" {
		return err
	}
	first, err := values(r.to.query(ctx, known[r.table]))
	for _, v := range first {
		if err == nil {
			_, err = r.fromBothEnds(ctx, r.key[0]+" = ?", v...)
		}
	}
	return err
}

// fromBothEnds takes a range of rows, or what of it is before the first page that is lost and behind the last.
func (r *rescue) fromBothEnds(ctx context.Context, where string, args ...any) (whole bool, err error) {
	for _, order := range []string{" ASC", " DESC"} {
		query := fmt.Sprintf(`SELECT %s FROM %s WHERE %s ORDER BY %s`, strings.Join(r.key, ", "), r.table, where, strings.Join(r.key, order+", ")+order)
		rows, err := values(r.from.query(ctx, query, args...))
		if err != nil && !Damaged(err) {
			return false, err
		}
		if err := r.take(ctx, strings.Join(r.key, " = ? AND ")+" = ?", rows); err != nil {
			return false, err
		}
		if err == nil {
			return true, nil
		}
	}
	return false, nil
}

// take copies rows one by one: one that goes on where a page is lost keeps no other.
func (r *rescue) take(ctx context.Context, where string, keys [][]any) error {
	columns := strings.Join(r.columns, ", ")
	read := fmt.Sprintf(`SELECT %s FROM %s WHERE %s`, columns, r.table, where)
	write := fmt.Sprintf(`INSERT OR IGNORE INTO %s (%s) VALUES (?%s)`, r.table, columns, strings.Repeat(", ?", len(r.columns)-1))
	for _, key := range keys {
		rows, err := values(r.from.query(ctx, read, key...))
		if Damaged(err) {
			r.unread++
			continue
		}
		for _, row := range rows {
			if err == nil {
				_, err = r.to.exec(ctx, write, row...)
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}
