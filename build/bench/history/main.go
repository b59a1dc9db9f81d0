// Command history prints what sealing the history costs: ratios to modernc.org/sqlite without it, measured in the same
// run on the same statements, data and pragmas, and beside two other ways to encrypt SQLite. It needs cgo, for one of
// those. Two of the drivers want the same name, so:
//
//	go run -ldflags '-X github.com/ncruces/go-sqlite3/driver.driverName=' ./history
package main

import (
	"database/sql"
	"errors"
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
	b := &bench{dir: dir, rounds: *rounds, turns: *turns, files: map[string]string{}}
	err = b.run()
	os.RemoveAll(dir)
	if err != nil {
		log.Fatal("history: ", err)
	}
}

type bench struct {
	dir           string
	rounds, turns int
	made          int
	bodies        []string
	files         map[string]string // by engine: what is read
}

// measurement is one that takes many steps, so that all engines can take turns with them: what else the machine does
// meanwhile meets them all.
type measurement struct {
	name     string
	fullText bool // only of engines that are built with it
	steps    int
	each     int                                                // things done in a step
	open     func(engine) (*history, error)                     // before the first step; nil if steps open for themselves
	step     func(engine, *history, int) (time.Duration, error) // gives the time that counts
}

func (b *bench) run() error {
	next := newText()
	for range max(messages, 3*b.turns) {
		b.bodies = append(b.bodies, next())
	}
	for _, e := range engines {
		if err := b.prepare(e); err != nil {
			return fmt.Errorf("%s: %w", e.name, err)
		}
	}
	appending := func(synchronous string) measurement {
		open := func(e engine) (*history, error) { return b.fresh(e, synchronous) }
		return measurement{"append a turn, synchronous=" + synchronous, false, b.turns / slice, slice, open, b.appendTurns}
	}
	prepared := func(e engine) (*history, error) { return e.open(b.files[e.name], "NORMAL", false) }
	for _, m := range []measurement{
		appending("NORMAL"),
		appending("FULL"),
		{"end of a session of 10,000, connected", false, 20, 20, prepared, b.sessionEnd},
		{"end of a session of 10,000, connection and all", false, 30, 1, nil, b.sessionEndCold},
		{fmt.Sprintf("search, %d kinds of query", len(queries)), true, 3, len(queries), prepared, b.search},
		{"open and check the key", false, 50, 1, nil, b.open},
	} {
		if err := b.measure(m); err != nil {
			return fmt.Errorf("%s: %w", m.name, err)
		}
	}
	return nil
}

// measure makes some rounds, and prints the median of each engine, and of its ratios in the same round.
func (b *bench) measure(m measurement) error {
	measured := slices.DeleteFunc(slices.Clone(engines), func(e engine) bool { return m.fullText && !e.fullText })
	figures := make([]figure, len(measured))
	for range b.rounds {
		round, err := b.round(m, measured)
		if err != nil {
			return err
		}
		for i, d := range round {
			f := &figures[i]
			f.took = append(f.took, d/time.Duration(m.steps*m.each))
			f.toPlain = append(f.toPlain, float64(d)/float64(round[0]))
			f.toSealed = append(f.toSealed, float64(d)/float64(round[1]))
		}
	}
	for i, f := range figures {
		fmt.Printf("%-48s %-22s %9.1f µs %6.2f× plain %6.2f× sealed\n", m.name, measured[i].name,
			float64(median(f.took))/1e3, median(f.toPlain), median(f.toSealed))
	}
	return nil
}

// figure has one value for each round.
type figure struct {
	took              []time.Duration
	toPlain, toSealed []float64
}

// round lets the engines take a step each, every time in another order, until all have taken all.
func (b *bench) round(m measurement, measured []engine) ([]time.Duration, error) {
	total := make([]time.Duration, len(measured))
	histories := make([]*history, len(measured))
	defer func() {
		for _, h := range histories {
			if h != nil {
				h.close()
			}
		}
	}()
	for i, e := range measured {
		if m.open == nil {
			break
		}
		var err error
		if histories[i], err = m.open(e); err != nil {
			return nil, fmt.Errorf("%s: %w", e.name, err)
		}
	}
	for step := range m.steps {
		for _, i := range rand.Perm(len(measured)) {
			d, err := m.step(measured[i], histories[i], step)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", measured[i].name, err)
			}
			total[i] += d
		}
	}
	return total, nil
}

func median[T int64 | float64 | time.Duration](s []T) T {
	s = slices.Sorted(slices.Values(s))
	return s[len(s)/2]
}

const schema = `CREATE TABLE messages(id INTEGER PRIMARY KEY, session INTEGER, seq INTEGER, role TEXT, body TEXT);
	CREATE UNIQUE INDEX by_session ON messages(session, seq);`

const fullText = `CREATE VIRTUAL TABLE words USING fts5(body, content='messages', content_rowid='id');
	INSERT INTO words(words) VALUES ('rebuild')`

// messages is how many there are in what is read: two sessions.
const messages = 20_000

func newText() func() string {
	random := rand.New(rand.NewPCG(1, 1))
	zipf := rand.NewZipf(random, 1.1, 4, 30000)
	return func() string {
		var b strings.Builder
		for range 20 + random.IntN(250) {
			fmt.Fprintf(&b, "w%d ", zipf.Uint64())
		}
		return b.String()
	}
}

// fresh makes an empty history.
func (b *bench) fresh(e engine, synchronous string) (*history, error) {
	b.made++
	h, err := e.open(filepath.Join(b.dir, fmt.Sprintf("%d.db", b.made)), synchronous, true)
	if err != nil {
		return nil, err
	}
	if _, err := h.db.Exec(schema); err != nil {
		return nil, errors.Join(err, h.close())
	}
	return h, nil
}

// prepare makes the file that is read: one session of 10,000 messages among others, and an index of their words.
func (b *bench) prepare(e engine) error {
	h, err := b.fresh(e, "NORMAL")
	if err != nil {
		return err
	}
	defer h.close()
	b.files[e.name] = filepath.Join(b.dir, fmt.Sprintf("%d.db", b.made))
	tx, err := h.db.Begin()
	if err != nil {
		return err
	}
	for i := range messages { // the two take turns, so that neither lies together
		if _, err := tx.Exec("INSERT INTO messages(session, seq, role, body) VALUES (?, ?, 'user', ?)", i%2, i/2, b.bodies[i]); err != nil {
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

// slice is how many turns an engine appends before it is another's turn.
const slice = 50

// appendTurns appends the turns of one slice, of three messages each.
func (b *bench) appendTurns(_ engine, h *history, step int) (time.Duration, error) {
	insert, err := h.db.Prepare("INSERT INTO messages(session, seq, role, body) VALUES (1, ?, 'user', ?)")
	if err != nil {
		return 0, err
	}
	defer insert.Close()
	start := time.Now()
	for i := step * slice; i < (step+1)*slice; i++ {
		tx, err := h.db.Begin()
		if err != nil {
			return 0, err
		}
		in := tx.Stmt(insert)
		for j := range 3 {
			if _, err := in.Exec(3*i+j, b.bodies[3*i+j]); err != nil {
				return 0, err
			}
		}
		if err := tx.Commit(); err != nil {
			return 0, err
		}
	}
	return time.Since(start), nil
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

func (b *bench) sessionEnd(_ engine, h *history, _ int) (time.Duration, error) {
	if err := read(h.db, sessionEnd); err != nil { // as warm for the first as for the others
		return 0, err
	}
	start := time.Now()
	for range 20 {
		if err := read(h.db, sessionEnd); err != nil {
			return 0, err
		}
	}
	return time.Since(start), nil
}

func (b *bench) sessionEndCold(e engine, _ *history, _ int) (time.Duration, error) {
	return b.opened(e, func(db *sql.DB) error { return read(db, sessionEnd) })
}

func (b *bench) open(e engine, _ *history, _ int) (time.Duration, error) {
	return b.opened(e, func(db *sql.DB) error {
		var n int
		return db.QueryRow("SELECT count(*) FROM sqlite_schema").Scan(&n)
	})
}

// opened measures opening the file and a first use of it.
func (b *bench) opened(e engine, use func(*sql.DB) error) (time.Duration, error) {
	start := time.Now()
	h, err := e.open(b.files[e.name], "NORMAL", false)
	if err != nil {
		return 0, err
	}
	err = use(h.db)
	d := time.Since(start)
	return d, errors.Join(err, h.close())
}

var queries = []string{"w9", "w40", "w500", "w3000", "w20000", "w12 w80", "w300 w7", `"w5 w9"`, "w77*"}

// search asks every query once. The first time it is only a warm-up.
func (b *bench) search(_ engine, h *history, step int) (time.Duration, error) {
	const query = `SELECT rowid, '', snippet(words, 0, '', '', '…', 12) FROM words WHERE words MATCH ? ORDER BY rank LIMIT 20`
	pass := func() (time.Duration, error) {
		start := time.Now()
		for _, q := range queries {
			if err := read(h.db, query, q); err != nil {
				return 0, fmt.Errorf("%s: %w", q, err)
			}
		}
		return time.Since(start), nil
	}
	if step == 0 {
		if _, err := pass(); err != nil {
			return 0, err
		}
	}
	return pass()
}
