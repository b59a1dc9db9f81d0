// Command history prints what sealing the history costs: ratios to modernc.org/sqlite without it, measured in the same
// run on the same statements, data and pragmas, and beside two other ways to encrypt SQLite. It needs cgo, for one of
// those. Two of the drivers want the same name, so:
//
//	go run -ldflags '-X github.com/ncruces/go-sqlite3/driver.driverName=' ./history
package main

import (
	"database/sql"
	"flag"
	"fmt"
	"log"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

func main() {
	log.SetFlags(0)
	rounds := flag.Int("rounds", 7, "how often each measurement is made; its median counts")
	turns := flag.Int("turns", 2000, "turns that are appended in one measurement")
	folder := flag.String("folder", "", "where the files are; a temporary folder if empty")
	flag.Parse()
	dir, err := os.MkdirTemp(*folder, "parley-history-")
	if err != nil {
		log.Fatal(err)
	}
	b := &bench{dir: dir, rounds: *rounds, turns: *turns, files: map[string]string{}, figures: map[string]map[string]*figure{}}
	err = b.run()
	os.RemoveAll(dir)
	if err != nil {
		log.Fatal("history: ", err)
	}
	b.print()
}

type bench struct {
	dir           string
	rounds, turns int
	made          int
	files         map[string]string             // by engine: what is read
	names         []string                      // of the measurements, in order
	figures       map[string]map[string]*figure // by measurement and engine
}

// figure has one duration, and its ratio to plain, for each round.
type figure struct {
	took   []time.Duration
	ratios []float64
}

const search = "search, 9 kinds of query"

func (b *bench) run() error {
	for _, e := range engines {
		if err := b.prepare(e); err != nil {
			return fmt.Errorf("%s: %w", e.name, err)
		}
	}
	for range b.rounds {
		for _, m := range []struct {
			name string
			take func(engine) (time.Duration, error)
		}{
			{"append a turn, synchronous=NORMAL", func(e engine) (time.Duration, error) { return b.appendTurns(e, "NORMAL") }},
			{"append a turn, synchronous=FULL", func(e engine) (time.Duration, error) { return b.appendTurns(e, "FULL") }},
			{"end of a session of 10,000, connected", b.sessionEnd},
			{"end of a session of 10,000, connection and all", b.sessionEndCold},
			{search, b.search},
			{"open and check the key", b.open},
		} {
			if err := b.measure(m.name, m.take); err != nil {
				return err
			}
		}
	}
	return nil
}

// measure takes one round of every engine, each time in another order, and compares within the round.
func (b *bench) measure(name string, take func(engine) (time.Duration, error)) error {
	if b.figures[name] == nil {
		b.figures[name] = map[string]*figure{}
		b.names = append(b.names, name)
	}
	took := map[string]time.Duration{}
	for _, i := range rand.Perm(len(engines)) {
		e := engines[i]
		if name == search && !e.fullText {
			continue
		}
		d, err := take(e)
		if err != nil {
			return fmt.Errorf("%s: %s: %w", e.name, name, err)
		}
		took[e.name] = d
	}
	for engine, d := range took {
		f := b.figures[name][engine]
		if f == nil {
			f = &figure{}
			b.figures[name][engine] = f
		}
		f.took = append(f.took, d)
		f.ratios = append(f.ratios, float64(d)/float64(took["plain"]))
	}
	return nil
}

func (b *bench) print() {
	for _, name := range b.names {
		for _, e := range engines {
			f, measured := b.figures[name][e.name]
			if !measured {
				continue
			}
			fmt.Printf("%-50s %-10s %9.1f µs  %5.2f×\n", name, e.name, float64(median(f.took))/1e3, median(f.ratios))
		}
	}
}

func median[T int64 | float64 | time.Duration](s []T) T {
	s = slices.Sorted(slices.Values(s))
	return s[len(s)/2]
}

const schema = `CREATE TABLE messages(id INTEGER PRIMARY KEY, session INTEGER, seq INTEGER, role TEXT, body TEXT);
	CREATE UNIQUE INDEX by_session ON messages(session, seq);`

const fullText = `CREATE VIRTUAL TABLE words USING fts5(body, content='messages', content_rowid='id');
	INSERT INTO words(words) VALUES ('rebuild')`

var text = func() func() string {
	random := rand.New(rand.NewPCG(1, 1))
	zipf := rand.NewZipf(random, 1.1, 4, 30000)
	return func() string {
		var b strings.Builder
		for range 20 + random.IntN(250) {
			fmt.Fprintf(&b, "w%d ", zipf.Uint64())
		}
		return b.String()
	}
}()

func (b *bench) path() string {
	b.made++
	return filepath.Join(b.dir, fmt.Sprintf("%d.db", b.made))
}

// prepare makes the file that is read: one session of 10,000 messages among others, and an index of their words.
func (b *bench) prepare(e engine) error {
	path := b.path()
	b.files[e.name] = path
	h, err := e.open(path, "NORMAL", true)
	if err != nil {
		return err
	}
	defer h.close()
	if _, err := h.db.Exec(schema); err != nil {
		return err
	}
	tx, err := h.db.Begin()
	if err != nil {
		return err
	}
	for i := range 20_000 { // two sessions take turns, so that neither lies together
		if _, err := tx.Exec("INSERT INTO messages(session, seq, role, body) VALUES (?, ?, 'user', ?)", i%2, i/2, text()); err != nil {
			return err
		}
	}
	if err := tx.Commit(); err != nil {
		return err
	}
	if !e.fullText {
		return nil
	}
	_, err = h.db.Exec(fullText)
	return err
}

func (b *bench) appendTurns(e engine, synchronous string) (time.Duration, error) {
	path := b.path()
	h, err := e.open(path, synchronous, true)
	if err != nil {
		return 0, err
	}
	defer h.close()
	if _, err := h.db.Exec(schema); err != nil {
		return 0, err
	}
	insert, err := h.db.Prepare("INSERT INTO messages(session, seq, role, body) VALUES (1, ?, 'user', ?)")
	if err != nil {
		return 0, err
	}
	defer insert.Close()
	bodies := make([]string, 3*b.turns)
	for i := range bodies {
		bodies[i] = text()
	}
	start := time.Now()
	for i := range b.turns {
		tx, err := h.db.Begin()
		if err != nil {
			return 0, err
		}
		in := tx.Stmt(insert)
		for j := range 3 {
			if _, err := in.Exec(3*i+j, bodies[3*i+j]); err != nil {
				return 0, err
			}
		}
		if err := tx.Commit(); err != nil {
			return 0, err
		}
	}
	return time.Since(start) / time.Duration(b.turns), nil
}

const sessionEnd = "SELECT id, role, body FROM messages WHERE session = 1 ORDER BY seq DESC LIMIT 50"

func read(db *sql.DB, query string, args ...any) error {
	rows, err := db.Query(query, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var id int
		var role, body string
		if err := rows.Scan(&id, &role, &body); err != nil {
			return err
		}
	}
	return rows.Err()
}

func (b *bench) sessionEnd(e engine) (time.Duration, error) {
	h, err := e.open(b.files[e.name], "NORMAL", false)
	if err != nil {
		return 0, err
	}
	defer h.close()
	if err := read(h.db, sessionEnd); err != nil {
		return 0, err
	}
	const times = 100
	start := time.Now()
	for range times {
		if err := read(h.db, sessionEnd); err != nil {
			return 0, err
		}
	}
	return time.Since(start) / times, nil
}

func (b *bench) sessionEndCold(e engine) (time.Duration, error) {
	const times = 20
	return b.opened(e, times, func(db *sql.DB) error { return read(db, sessionEnd) })
}

func (b *bench) open(e engine) (time.Duration, error) {
	const times = 30
	return b.opened(e, times, func(db *sql.DB) error {
		var n int
		return db.QueryRow("SELECT count(*) FROM sqlite_schema").Scan(&n)
	})
}

// opened measures opening the file and a first use of it.
func (b *bench) opened(e engine, times int, use func(*sql.DB) error) (time.Duration, error) {
	var took []time.Duration
	for range times {
		start := time.Now()
		h, err := e.open(b.files[e.name], "NORMAL", false)
		if err != nil {
			return 0, err
		}
		err = use(h.db)
		took = append(took, time.Since(start))
		h.close()
		if err != nil {
			return 0, err
		}
	}
	return median(took), nil
}

func (b *bench) search(e engine) (time.Duration, error) {
	h, err := e.open(b.files[e.name], "NORMAL", false)
	if err != nil {
		return 0, err
	}
	defer h.close()
	const query = `SELECT rowid, '', snippet(words, 0, '', '', '…', 12) FROM words WHERE words MATCH ? ORDER BY rank LIMIT 20`
	queries := []string{"w9", "w40", "w500", "w3000", "w20000", "w12 w80", "w300 w7", `"w5 w9"`, "w77*"}
	pass := func() error {
		for _, q := range queries {
			if err := read(h.db, query, q); err != nil {
				return fmt.Errorf("%s: %w", q, err)
			}
		}
		return nil
	}
	if err := pass(); err != nil {
		return 0, err
	}
	start := time.Now()
	for range 3 {
		if err := pass(); err != nil {
			return 0, err
		}
	}
	return time.Since(start) / time.Duration(3*len(queries)), nil
}
