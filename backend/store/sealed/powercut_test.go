package sealed

import (
	"bytes"
	"database/sql"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

var long = flag.Bool("long", false, "run the suites at the counts that find what is rare")

var rounds = 1 // what counts are divided by

func times(short, inLong int) int {
	if *long {
		return inLong
	}
	return short / rounds
}

const turnSchema = `BEGIN; CREATE TABLE m(id INTEGER PRIMARY KEY, turn INTEGER, body TEXT);
	CREATE TABLE turns(turn INTEGER PRIMARY KEY, sum INTEGER);
	CREATE VIRTUAL TABLE words USING fts5(body, content='m', content_rowid='id');
	CREATE TRIGGER added AFTER INSERT ON m BEGIN INSERT INTO words(rowid, body) VALUES (new.id, new.body); END; COMMIT`

func turnBody(turn, i int) string {
	random := rand.New(rand.NewPCG(uint64(turn), uint64(i)))
	var b bytes.Buffer
	for range 30 + random.IntN(300) {
		fmt.Fprintf(&b, "word%d ", random.IntN(5000))
	}
	return b.String()
}

func writeTurn(db *sql.DB, turn int) error {
	tx, err := db.Begin()
	if err != nil {
		return err
	}
	defer tx.Rollback()
	sum := 0
	for i := range 3 {
		body := turnBody(turn, i)
		sum += len(body)
		if _, err := tx.Exec("INSERT INTO m(turn, body) VALUES (?, ?)", turn, body); err != nil {
			return err
		}
	}
	if _, err := tx.Exec("INSERT INTO turns(turn, sum) VALUES (?, ?)", turn, sum); err != nil {
		return err
	}
	return tx.Commit()
}

// countTurns checks everything there is, and gives how many turns there are. They must be the first ones, and whole.
func countTurns(db *sql.DB) (int, error) {
	var state string
	if err := db.QueryRow("PRAGMA integrity_check").Scan(&state); err != nil || state != "ok" {
		return 0, fmt.Errorf("integrity_check: %s %w", state, err)
	}
	var tables int
	if err := db.QueryRow("SELECT count(*) FROM sqlite_schema WHERE name = 'turns'").Scan(&tables); err != nil || tables == 0 {
		return 0, err
	}
	if _, err := db.Exec("INSERT INTO words(words, rank) VALUES ('integrity-check', 1)"); err != nil {
		return 0, err
	}
	rows, err := db.Query("SELECT turn, body FROM m ORDER BY id")
	if err != nil {
		return 0, err
	}
	defer rows.Close()
	n := 0
	for ; rows.Next(); n++ {
		var turn int
		var body string
		if err := rows.Scan(&turn, &body); err != nil {
			return 0, err
		}
		if turn != n/3 || body != turnBody(turn, n%3) {
			return 0, fmt.Errorf("message %d is not what was written", n)
		}
	}
	var turns int
	if err := errors.Join(rows.Err(), db.QueryRow("SELECT count(*) FROM turns").Scan(&turns)); err != nil {
		return 0, err
	}
	if n != 3*turns {
		return 0, fmt.Errorf("%d messages of %d turns", n, turns)
	}
	return turns, nil
}

// simulation is everything that a run did to its files, from which any power cut can be made.
type simulation struct {
	path    string
	start   []byte // the file when it began
	changes []change
	acked   []int    // how many changes there were when each turn was acknowledged
	rekeys  [][2]int // how many there were before and after each
}

// record writes turns; every so often it does what else an app does.
func record(t *testing.T, synchronous string, turns int) *simulation {
	path, which := filepath.Join(t.TempDir(), "history.db"), 0
	must(t, Create(path, keyOf(which), XAES256GCM))
	s := &simulation{path: path}
	s.start, _ = os.ReadFile(path)
	for session := range 2 {
		f, err := open(path, keyOf(which), 0, func(c change) { s.changes = append(s.changes, c) })
		must(t, err)
		s.path = f.path
		db := writer(t, f, "wal_autocheckpoint(40)", "synchronous("+synchronous+")", "cache_size(30)")
		if session == 0 {
			run(t, db, turnSchema)
		}
		for i := range turns / 2 {
			must(t, writeTurn(db, session*(turns/2)+i))
			s.acked = append(s.acked, len(s.changes))
			switch i % 40 {
			case 5, 30:
				before := len(s.changes)
				which = 1 - which
				must(t, f.Rekey(t.Context(), keyOf(which), truncateLog(db)))
				s.rekeys = append(s.rekeys, [2]int{before, len(s.changes)})
			case 15:
				run(t, db, "PRAGMA wal_checkpoint(TRUNCATE)")
			case 25:
				run(t, db, "BEGIN; CREATE TABLE gone AS SELECT randomblob(300000); DROP TABLE gone; CREATE TABLE last AS SELECT randomblob(20000); COMMIT")
				run(t, db, "DROP TABLE last")
			case 35:
				run(t, db, "VACUUM")
			}
		}
		must(t, db.Close()) // removes the log, which the next session begins anew
		must(t, f.Close())
	}
	return s
}

// cut gives the files as a power cut after n changes may leave them: what was synced is there, of the rest any part, in
// any order, torn at sectors.
func (s *simulation) cut(n int, random *rand.Rand) map[string][]byte {
	synced := map[string]int{}
	for i, c := range s.changes[:n] {
		if c.sync {
			synced[c.path] = i
		}
	}
	kind := random.IntN(3)
	files := map[string][]byte{s.path: bytes.Clone(s.start)}
	for i, c := range s.changes[:n] {
		if c.sync {
			continue
		}
		b := files[c.path]
		if c.removed {
			if i < synced[c.path] || random.IntN(2) == 0 {
				delete(files, c.path)
			}
			continue
		}
		if c.renamed != "" { // its folder is flushed before anything else happens
			if i+1 < n || random.IntN(2) == 0 {
				files[c.renamed] = b
				delete(files, c.path)
			}
			continue
		}
		if c.data == nil {
			files[c.path] = b[:min(int64(len(b)), c.off)] // a truncation is in the file system's journal, in order
			continue
		}
		unsynced := i > synced[c.path]
		sectors := slices.Collect(slices.Chunk(c.data, sector))
		if unsynced && kind != 0 && random.IntN(3) == 0 {
			continue
		}
		for j, part := range sectors {
			if unsynced && kind == 2 && random.IntN(4) == 0 {
				continue
			}
			at := int(c.off) + j*sector
			if grow := at + len(part) - len(b); grow > 0 {
				b = append(b, make([]byte, grow)...)
			}
			copy(b[at:], part)
		}
		files[c.path] = b
	}
	return files
}

// lay puts files into a folder and gives the path of the history.
func (s *simulation) lay(t testing.TB, folder string, files map[string][]byte) string {
	path := filepath.Join(folder, "history.db")
	for _, suffix := range []string{"", "-wal", "-part"} {
		os.Remove(path + suffix)
		if b, ok := files[s.path+suffix]; ok {
			must(t, os.WriteFile(path+suffix, b, 0o600))
		}
	}
	return path
}

// TestPowerCut: whatever a power cut leaves opens, is whole, has every turn that was acknowledged with synchronous=FULL,
// says what it lost, and is never taken for tampering, in the middle of a rekey either. It goes on working, and a scrub
// finds nothing.
func TestPowerCut(t *testing.T) {
	for _, synchronous := range []string{"FULL", "NORMAL"} {
		t.Run(synchronous, func(t *testing.T) {
			s := record(t, synchronous, max(14, times(100, 160))) // enough for a rekey in each half
			random := rand.New(rand.NewPCG(7, uint64(len(s.changes))))
			folder, most, lossy, inRekey := t.TempDir(), 0, 0, 0
			for i := range times(120, 3000) {
				n := 1 + random.IntN(len(s.changes))
				if i%3 == 0 {
					span := s.rekeys[random.IntN(len(s.rekeys))]
					n = span[0] + 1 + random.IntN(span[1]-span[0])
					inRekey++
				}
				path := s.lay(t, folder, s.cut(n, random))
				acked, found := s.ackedAt(n), 0
				lost := check(t, fmt.Sprintf("cut %d after change %d of %d", i, n, len(s.changes)), path, &found)
				most = max(most, acked-found)
				if lost > 0 {
					lossy++
				}
				if synchronous == "FULL" && found < acked {
					t.Fatalf("cut %d: %d turns were acknowledged, %d are there", i, acked, found)
				}
				if found < acked && lost == 0 && synchronous == "FULL" {
					t.Fatalf("cut %d: a loss was not reported", i)
				}
			}
			t.Logf("%d changes; %d cuts in the middle of a rekey; %d losses reported; most turns lost: %d", len(s.changes), inRekey, lossy, max(0, most))
		})
	}
}

func (s *simulation) ackedAt(n int) int {
	count, _ := slices.BinarySearch(s.acked, n+1)
	return count
}

// TestSkippedPages: SQLite skips the page at 1 GiB, where other systems lock. What it skips is sealed all the same; and if
// a power cut tears that, it is written again, because the log says that it was not there yet.
func TestSkippedPages(t *testing.T) {
	f := newFile(t)
	must(t, f.writePage(emptyDatabase(), 6))
	if r, err := f.Verify(t.Context()); err != nil || !r.Whole() || r.Pages != 6 {
		t.Fatalf("%+v %v", r, err)
	}
	must(t, f.Close())

	path, states := runningFile(t, "FULL")
	state := states[39]
	state.main = append(state.main, make([]byte, 200*pageSize)...)
	state.lay(t, path)
	if turns, lost, err := readAll(t, path, &testKey); err != nil || turns != 40 || lost > 0 {
		t.Fatalf("%d turns, %d lost, %v", turns, lost, err)
	}
}

// TestLostCommitsStayLost: a power cut takes a commit out of the middle of the log. Those behind it, whole as they are,
// must not count when a new one is written in its place, and the next crash comes.
func TestLostCommitsStayLost(t *testing.T) {
	f := newFile(t)
	db := writer(t, f, "wal_autocheckpoint(0)", "synchronous(NORMAL)")
	run(t, db, "CREATE TABLE m(v); INSERT INTO m VALUES (0)")
	frames := func() int { return f.log.frames }
	first := frames()
	for i := range 10 { // a frame each
		run(t, db, "UPDATE m SET v = ?", i+1)
	}
	if frames() != first+10 {
		t.Fatalf("%d commits have %d frames", 10, frames()-first)
	}
	state := copyFiles(t, f.path)
	clear(state.log[frameOffset(first+4):][:sector])
	path := filepath.Join(t.TempDir(), "history.db")
	state.lay(t, path)
	f = openFile(t, path)
	if f.Lost() != 6 {
		t.Fatalf("%d lost", f.Lost())
	}
	db = writer(t, f, "wal_autocheckpoint(0)", "synchronous(FULL)")
	run(t, db, "UPDATE m SET v = 'new'")
	want := f.Counter()

	state = copyFiles(t, path)
	path = filepath.Join(t.TempDir(), "history.db")
	state.lay(t, path)
	f = openFile(t, path)
	if f.Lost() > 0 || f.Counter() != want {
		t.Fatalf("%d lost, %+v, want %+v", f.Lost(), f.Counter(), want)
	}
	if got := one[string](t, writer(t, f), "SELECT v FROM m"); got != "new" {
		t.Fatal(got)
	}
}

func check(t *testing.T, what, path string, found *int) uint64 {
	t.Helper()
	f, _, err := openEither(path)
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	defer f.Close()
	db := writer(t, f)
	defer db.Close()
	if *found, err = countTurns(db); err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	if *found > 0 {
		if err := writeTurn(db, *found); err != nil {
			t.Fatalf("%s: going on: %v", what, err)
		}
	}
	if r, err := f.Verify(t.Context()); err != nil || !r.Whole() {
		t.Fatalf("%s: %+v %v", what, r, err)
	}
	run(t, db, "PRAGMA wal_checkpoint(TRUNCATE)")
	if r, err := f.Verify(t.Context()); err != nil || !r.Whole() {
		t.Fatalf("%s: after a checkpoint: %+v %v", what, r, err)
	}
	return f.Lost()
}
