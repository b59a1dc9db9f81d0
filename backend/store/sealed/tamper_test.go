package sealed

import (
	"bytes"
	"database/sql"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// copyOf is the files of a history at one moment.
type copyOf struct{ main, log []byte }

func copyFiles(t testing.TB, path string) copyOf {
	main, err := os.ReadFile(path)
	must(t, err)
	log, err := os.ReadFile(path + "-wal")
	if !errors.Is(err, os.ErrNotExist) {
		must(t, err)
	}
	return copyOf{main, log}
}

func (c copyOf) clone() copyOf { return copyOf{bytes.Clone(c.main), bytes.Clone(c.log)} }

func (c copyOf) lay(t testing.TB, path string) {
	must(t, os.WriteFile(path, c.main, 0o600))
	os.Remove(path + "-wal")
	if c.log != nil {
		must(t, os.WriteFile(path+"-wal", c.log, 0o600))
	}
}

// readAll is everything an app would read, and a scrub.
func readAll(t testing.TB, path string, key *Key) (turns int, lost uint64, err error) {
	f, err := Open(path, key, 0)
	if err != nil {
		return 0, 0, err
	}
	defer f.Close()
	db := writer(t, f)
	defer db.Close()
	r, err := f.Verify(t.Context())
	must(t, err)
	if !r.Whole() {
		return 0, 0, damage("%+v", r)
	}
	turns, err = countTurns(db)
	return turns, f.Lost(), err
}

// runningFile is a history in use: 20 turns, then checkpointed, then 20 more in the log. The copy at the end is what a
// kill would leave.
func runningFile(t testing.TB, synchronous string) (path string, states []copyOf) {
	f := newFile(t)
	db := writer(t, f, "wal_autocheckpoint(0)", "synchronous("+synchronous+")")
	run(t, db, turnSchema)
	for i := range 40 {
		must(t, writeTurn(db, i))
		states = append(states, copyFiles(t, f.path))
		if i == 19 {
			run(t, db, "PRAGMA wal_checkpoint(RESTART)")
		}
	}
	return filepath.Join(t.TempDir(), "history.db"), states
}

func TestFlippedBits(t *testing.T) {
	for _, synchronous := range []string{"FULL", "NORMAL"} {
		t.Run(synchronous, func(t *testing.T) {
			path, states := runningFile(t, synchronous)
			last, before := states[len(states)-1], states[len(states)-2]
			random := rand.New(rand.NewPCG(1, 1))
			for range times(60, 5000) {
				c := last.clone()
				at := random.IntN(len(c.main))
				c.main[at] ^= 1 << random.IntN(8)
				c.lay(t, path)
				// A page that the log has too is repaired from it.
				if turns, lost, err := readAll(t, path, &testKey); !errors.Is(err, ErrDamaged) && !headerError(err, at) && (err != nil || turns != 40 || lost > 0 || !inLog(t, last, at)) {
					t.Fatalf("bit of byte %d of the file: %d turns, %d lost, %v", at, turns, lost, err)
				}
			}
			errs, losses := 0, 0
			for range times(60, 5000) {
				c := last.clone()
				at := random.IntN(len(c.log))
				c.log[at] ^= 1 << random.IntN(8)
				c.lay(t, path)
				turns, lost, err := readAll(t, path, &testKey)
				switch {
				case errors.Is(err, ErrDamaged):
					errs++
				case err != nil:
					t.Fatalf("bit of byte %d of the log: %v", at, err)
				case lost > 0 && synchronous == "NORMAL":
					losses++
				case turns != 40 || !bytes.Equal(c.log[min(len(before.log), sector):], last.log[min(len(before.log), sector):]) && at < len(last.log) && !stale(t, last, at):
					t.Fatalf("bit of byte %d of the log: %d turns, silently", at, turns)
				}
			}
			t.Logf("in the log: %d errors, %d reported losses", errs, losses)
			if synchronous == "FULL" && errs == 0 || synchronous == "NORMAL" && losses == 0 {
				t.Fatal("nothing was found")
			}
		})
	}
}

func headerError(err error, at int) bool {
	return at < headSize && (errors.Is(err, ErrNotSealed) || errors.Is(err, ErrNewerFormat) || errors.Is(err, ErrWrongKeyOrDamaged))
}

// opened reads a copy's log without a File.
func loadLog(t testing.TB, c copyOf) (*wal, *keys) {
	path := filepath.Join(t.TempDir(), "log")
	must(t, os.WriteFile(path, c.log, 0o600))
	_, k, err := openHeader(c.main, &testKey)
	must(t, err)
	w := new(wal)
	_, err = w.load(path, k, nil)
	must(t, err)
	t.Cleanup(func() { w.disk.file.Close() })
	return w, k
}

func inLog(t testing.TB, c copyOf, at int) bool {
	w, k := loadLog(t, c)
	pages, _ := w.newest(k)
	_, ok := pages[uint32((at-prologue)/pageSize)+1]
	return at >= prologue && ok
}

// stale reports whether a byte of the log belongs to no commit of this generation.
func stale(t testing.TB, c copyOf, at int) bool {
	w, _ := loadLog(t, c)
	return int64(at) >= frameOffset(w.frames) || at >= logHead+overhead && at < sector
}

// TestTampering: each row is what someone with the file but not the key may do to it.
func TestTampering(t *testing.T) {
	path, states := runningFile(t, "FULL")
	last := states[len(states)-1]
	settled, atCheckpoint := closedFile(t), states[19]
	other := closedFile(t)
	page := func(b []byte, n int) []byte { return b[prologue+(n-1)*pageSize : prologue+n*pageSize] }
	frameAt := func(b []byte, i int) []byte { return b[frameOffset(i):frameOffset(i+1)] }
	for name, c := range map[string]struct {
		from   copyOf
		tamper func(*copyOf)
		want   error
	}{
		"nothing":                            {last, func(*copyOf) {}, nil},
		"nothing, without a log":             {settled, func(*copyOf) {}, nil},
		"the log deleted":                    {last, func(c *copyOf) { c.log = nil }, ErrDamaged},
		"the log emptied":                    {last, func(c *copyOf) { c.log = []byte{} }, ErrDamaged},
		"the log's header":                   {last, func(c *copyOf) { clear(c.log[:sector]) }, ErrDamaged},
		"the log cut to earlier commits":     {last, func(c *copyOf) { c.log = c.log[:frameOffset(10)] }, ErrDamaged},
		"the log of an earlier moment":       {last, func(c *copyOf) { c.log = states[30].log }, ErrDamaged},
		"the log of an earlier generation":   {last, func(c *copyOf) { c.log = atCheckpoint.log }, ErrDamaged},
		"a log put back beside a clean file": {settled, func(c *copyOf) { c.log = last.log }, nil}, // another file's: ignored
		"two frames swapped": {last, func(c *copyOf) {
			a, b := frameAt(c.log, 3), frameAt(c.log, 5)
			swap(a, b)
		}, ErrDamaged},
		"a frame twice":               {last, func(c *copyOf) { copy(frameAt(c.log, 4), frameAt(c.log, 3)) }, ErrDamaged},
		"a page of the log in a file": {last, func(c *copyOf) { copy(page(c.main, 3), frameAt(c.log, 3)) }, nil},
		"two pages swapped":           {settled, func(c *copyOf) { swap(page(c.main, 4), page(c.main, 6)) }, ErrDamaged},
		"a page twice":                {settled, func(c *copyOf) { copy(page(c.main, 4), page(c.main, 6)) }, ErrDamaged},
		"a page of zeros":             {settled, func(c *copyOf) { clear(page(c.main, 5)) }, ErrDamaged},
		"another file's page":         {settled, func(c *copyOf) { copy(page(c.main, 5), page(other.main, 5)) }, ErrDamaged},
		"another file's first page":   {settled, func(c *copyOf) { copy(page(c.main, 1), page(other.main, 1)) }, ErrDamaged},
		"another file's counter":      {settled, func(c *copyOf) { copy(c.main[block:prologue], other.main[block:prologue]) }, ErrDamaged},
		"another file's header":       {settled, func(c *copyOf) { copy(c.main[:block], other.main[:block]) }, ErrDamaged},
		"the counters swapped":        {settled, func(c *copyOf) { swap(c.main[block:2*block], c.main[2*block:]) }, ErrDamaged},
		"one page less":               {settled, func(c *copyOf) { c.main = c.main[:len(c.main)-pageSize] }, ErrDamaged},
		"one page more":               {settled, func(c *copyOf) { c.main = append(c.main, page(c.main, 5)...) }, ErrDamaged},
	} {
		t.Run(name, func(t *testing.T) {
			state := c.from.clone()
			c.tamper(&state)
			state.lay(t, path)
			turns, lost, err := readAll(t, path, &testKey)
			if !errors.Is(err, c.want) || err == nil && lost > 0 {
				t.Fatalf("%d turns, %d lost, %v; want %v", turns, lost, err, c.want)
			}
		})
	}
}

func swap(a, b []byte) {
	was := bytes.Clone(a)
	copy(a, b[:len(a)])
	copy(b, was)
}

// closedFile is a history after a clean end.
func closedFile(t testing.TB) copyOf {
	f := newFile(t)
	db := writer(t, f)
	run(t, db, turnSchema)
	for i := range 20 {
		must(t, writeTurn(db, i))
	}
	must(t, db.Close())
	must(t, f.Close())
	return copyFiles(t, f.path)
}

// TestOlderCopy: an older copy of everything is authentic. What was known of the file elsewhere gives it away.
func TestOlderCopy(t *testing.T) {
	path, states := runningFile(t, "FULL")
	states[39].lay(t, path)
	f, err := Open(path, &testKey, 0)
	must(t, err)
	anchor := f.Counter().Durable
	must(t, f.Close())
	for i, s := range states {
		s.lay(t, path)
		f, err := Open(path, &testKey, anchor)
		if i == 39 {
			must(t, err)
			must(t, f.Close())
		} else if !errors.Is(err, ErrRolledBack) {
			t.Fatalf("state %d: %v", i, err)
		}
	}
}

// TestSalvage: what is not damaged comes out, and what is not is named.
func TestSalvage(t *testing.T) {
	good := closedFile(t)
	path := filepath.Join(t.TempDir(), "history.db")
	header := Header(good.main)
	var leaves []uint32 // of the table m
	pages := uint32(len(good.main)-prologue) / pageSize
	good.lay(t, path)
	f := openFile(t, path)
	db := writer(t, f)
	rows, err := db.Query("SELECT pageno FROM dbstat WHERE name = 'm' AND pagetype = 'leaf'")
	must(t, err)
	for rows.Next() {
		var n uint32
		must(t, rows.Scan(&n))
		leaves = append(leaves, n)
	}
	must(t, rows.Close())
	must(t, db.Close())
	must(t, f.Close())
	good = copyFiles(t, path)

	bad := good.clone()
	clear(bad.main[:block]) // the header, too
	lost := []uint32{leaves[2], leaves[3]}
	for _, n := range lost {
		bad.main[pageOffset(n)+99] ^= 4
	}
	bad.lay(t, path)
	out := filepath.Join(t.TempDir(), "salvaged.db")
	if _, err := Salvage(path, &testKey, nil, out); !errors.Is(err, ErrNotSealed) {
		t.Fatalf("without a header: %v", err)
	}
	r, err := Salvage(path, &testKey, &header, out)
	must(t, err)
	if !slices.Equal(r.Bad, lost) || r.Pages != int(pages) {
		t.Fatalf("%+v, want %v of %d", r, lost, pages)
	}
	if now := copyFiles(t, path); !bytes.Equal(now.main, bad.main) {
		t.Fatal("the original was touched")
	}
	db = writer(t, openFile(t, out))
	for _, n := range lost {
		if got := one[int](t, db, "SELECT count(*) FROM m NOT INDEXED WHERE +id = ?", -int(n)); got != 1 {
			t.Fatalf("the rows of page %d are missing silently", n)
		}
	}
	if n := rescued(t, db); n < 40 || n == 60 {
		t.Fatalf("%d of 60 messages", n)
	}

	bad.main[pageOffset(1)] ^= 1 // now the names of the tables, too
	bad.lay(t, path)
	r, err = Salvage(path, &testKey, &header, out+"2")
	must(t, err)
	if !slices.Contains(r.Bad, 1) {
		t.Fatalf("%+v", r)
	}
	isWhole(t, writer(t, openFile(t, out+"2")))
}

// TestSalvageOfACutLog: what the log still has is there, and the rest is counted.
func TestSalvageOfACutLog(t *testing.T) {
	path, states := runningFile(t, "FULL")
	state := states[39].clone()
	state.log = states[35].log
	state.lay(t, path)
	if _, err := Open(path, &testKey, 0); !errors.Is(err, ErrDamaged) {
		t.Fatal(err)
	}
	out := filepath.Join(t.TempDir(), "salvaged.db")
	r, err := Salvage(path, &testKey, nil, out)
	must(t, err)
	if r.Lost != 4 || !r.Whole() {
		t.Fatalf("%+v", r)
	}
	if n, err := countTurns(writer(t, openFile(t, out))); err != nil || n != 36 {
		t.Fatalf("%d turns, %v", n, err)
	}
}

// rescued counts the messages that can be read, each of which must be right.
func rescued(t *testing.T, db *sql.DB) (n int) {
	rows, err := db.Query("SELECT id, turn, body FROM m NOT INDEXED WHERE +id > 0")
	must(t, err)
	defer rows.Close()
	for ; rows.Next(); n++ {
		var id, turn int
		var body string
		must(t, rows.Scan(&id, &turn, &body))
		if body != turnBody(turn, (id-1)%3) {
			t.Fatalf("message %d is not what was written", id)
		}
	}
	must(t, rows.Err())
	return n
}
