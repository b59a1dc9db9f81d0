package sealed

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	_ "modernc.org/sqlite"
)

var testKey = Key{1, 2, 3}

// create makes a file and opens it; both ends are closed with the test.
func newFile(t testing.TB) *File {
	t.Helper()
	path := filepath.Join(t.TempDir(), "history.db")
	must(t, Create(path, &testKey, XAES256GCM))
	return openFile(t, path)
}

func openFile(t testing.TB, path string) *File {
	t.Helper()
	f, err := Open(path, &testKey, 0)
	must(t, err)
	t.Cleanup(func() { f.Close() })
	return f
}

// connect opens a database on a file as backend/store does.
func connect(t testing.TB, path string, pragmas ...string) *sql.DB {
	t.Helper()
	query := url.Values{"vfs": {VFS}, "_txlock": {"immediate"}, "_pragma": append([]string{"busy_timeout(10000)", "temp_store(FILE)"}, pragmas...)}
	db, err := sql.Open("sqlite", (&url.URL{Scheme: "file", Opaque: url.PathEscape(path), RawQuery: query.Encode()}).String())
	must(t, err)
	t.Cleanup(func() { db.Close() })
	return db
}

// writer is the one connection that writes.
func writer(t testing.TB, f *File, pragmas ...string) *sql.DB {
	db := connect(t, f.path, pragmas...)
	db.SetMaxOpenConns(1)
	return db
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func run(t testing.TB, db *sql.DB, text string, args ...any) {
	t.Helper()
	if _, err := db.Exec(text, args...); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
}

func one[T any](t testing.TB, db *sql.DB, text string, args ...any) T {
	t.Helper()
	var v T
	if err := db.QueryRow(text, args...).Scan(&v); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return v
}

func isWhole(t testing.TB, db *sql.DB) {
	t.Helper()
	if got := one[string](t, db, "PRAGMA integrity_check"); got != "ok" {
		t.Fatal(got)
	}
}

func TestWhatIsWrittenIsRead(t *testing.T) {
	f := newFile(t)
	db := writer(t, f)
	run(t, db, "CREATE TABLE m(id INTEGER PRIMARY KEY, body)")
	run(t, db, "INSERT INTO m(body) VALUES ('kept'), (zeroblob(3000000))")
	if mode := one[string](t, db, "PRAGMA journal_mode"); mode != "wal" {
		t.Fatalf("journal_mode %s", mode)
	}
	must(t, db.Close())
	must(t, f.Close())
	if _, err := os.Stat(f.path + "-wal"); !errors.Is(err, os.ErrNotExist) {
		t.Fatalf("a log is left after a clean end: %v", err)
	}
	db = writer(t, openFile(t, f.path))
	if got := one[string](t, db, "SELECT body FROM m WHERE id = 1"); got != "kept" {
		t.Fatal(got)
	}
	if got := one[int](t, db, "SELECT length(body) FROM m WHERE id = 2"); got != 3000000 {
		t.Fatal(got)
	}
	isWhole(t, db)
}

func TestOpenTellsWhyNot(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "history.db")
	must(t, Create(path, &testKey, XAES256GCM))
	good, err := os.ReadFile(path)
	must(t, err)
	changed := func(at int) []byte {
		b := bytes.Clone(good)
		b[at]++
		return b
	}
	for name, c := range map[string]struct {
		bytes []byte
		key   Key
		want  error
	}{
		"another key":              {good, Key{9}, ErrWrongKeyOrDamaged},
		"plain SQLite":             {[]byte("SQLite format 3\x00" + strings.Repeat("x", 9000)), testKey, ErrNotSealed},
		"empty":                    {nil, testKey, ErrNotSealed},
		"from later":               {changed(19), testKey, ErrNewerFormat},
		"another cipher":           {changed(23), testKey, ErrWrongKeyOrDamaged},
		"no such cipher":           {changed(20), testKey, ErrWrongKeyOrDamaged},
		"another salt":             {changed(40), testKey, ErrWrongKeyOrDamaged},
		"a broken counter":         {changed(block), testKey, ErrDamaged},
		"a broken second counter":  {changed(2*block + 5), testKey, ErrDamaged},
		"something in the padding": {changed(block - 1), testKey, ErrDamaged},
		"a broken first page":      {changed(prologue + 7), testKey, ErrDamaged},
		"cut short":                {good[:prologue+pageSize-1], testKey, ErrDamaged},
		"cut in the header":        {good[:block], testKey, ErrDamaged},
		"too long":                 {append(bytes.Clone(good), 0), testKey, ErrDamaged},
		"whole":                    {good, testKey, nil},
	} {
		t.Run(name, func(t *testing.T) {
			must(t, os.WriteFile(path, c.bytes, 0o600))
			f, err := Open(path, &c.key, 0)
			if !errors.Is(err, c.want) {
				t.Fatalf("got %v, want %v", err, c.want)
			}
			if err == nil {
				must(t, f.Close())
			}
		})
	}
	must(t, os.WriteFile(path, good, 0o600))
	if err := Create(path, &testKey, XAES256GCM); !errors.Is(err, os.ErrExist) {
		t.Fatalf("created over a history: %v", err)
	}
	f := openFile(t, path)
	if _, err := Open(path, &testKey, 0); !errors.Is(err, ErrLocked) {
		t.Fatalf("opened twice: %v", err)
	}
	db := writer(t, f)
	run(t, db, "CREATE TABLE a(b)")
	if err := f.Close(); !errors.Is(err, ErrInUse) {
		t.Fatalf("closed under SQLite: %v", err)
	}
	must(t, db.Close())
	must(t, f.Close())
	must(t, f.Close())
	db = connect(t, path)
	if err := db.Ping(); err == nil {
		t.Fatal("SQLite opened a file that Open had not")
	}
}

func TestKeyIsNeverPrinted(t *testing.T) {
	k := Key{0x41, 0x42}
	for _, format := range []string{"%v", "%+v", "%#v", "%s", "%x", "%d", "%q"} {
		for _, v := range []any{k, &k, struct{ Key Key }{k}, []Key{k}} {
			if got := fmt.Sprintf(format, v); strings.ContainsAny(got, "41AB6") && strings.Contains(got, "41") {
				t.Errorf("%s of %T gives %s", format, v, got)
			}
		}
	}
}

// TestEverythingSQLiteDoes drives what moves pages in unusual ways, on both ciphers, and checks the result against the
// same statements on an ordinary database.
func TestEverythingSQLiteDoes(t *testing.T) {
	for _, c := range []Cipher{XAES256GCM, XChaCha20Poly1305} {
		t.Run(fmt.Sprint(c), func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "history.db")
			must(t, Create(path, &testKey, c))
			f := openFile(t, path)
			sealed := writer(t, f, "cache_size(20)", "wal_autocheckpoint(50)")
			plain, err := sql.Open("sqlite", "file:"+filepath.Join(t.TempDir(), "plain.db")+"?_pragma=journal_mode(WAL)&_txlock=immediate")
			must(t, err)
			defer plain.Close()
			plain.SetMaxOpenConns(1)
			for _, db := range []*sql.DB{sealed, plain} {
				everything(t, db)
			}
			const state = "SELECT group_concat(id || ':' || length(body) || ':' || hex(substr(body, 1, 20))) FROM (SELECT * FROM m ORDER BY id)"
			if a, b := one[string](t, sealed, state), one[string](t, plain, state); a != b {
				t.Fatal("the sealed and the ordinary database differ")
			}
			isWhole(t, sealed)
			run(t, sealed, "INSERT INTO words(words, rank) VALUES ('integrity-check', 1)")
			if r, err := f.Verify(context.Background()); err != nil || !r.Whole() {
				t.Fatalf("%+v %v", r, err)
			}
		})
	}
}

func everything(t *testing.T, db *sql.DB) {
	random := rand.New(rand.NewPCG(1, 2))
	text := func(n int) string {
		var b strings.Builder
		for b.Len() < n {
			fmt.Fprintf(&b, "word%d ", random.IntN(3000))
		}
		return b.String()
	}
	run(t, db, `CREATE TABLE m(id INTEGER PRIMARY KEY, body);
		CREATE INDEX by_body ON m(substr(body, 1, 30));
		CREATE VIRTUAL TABLE words USING fts5(body, content='m', content_rowid='id', prefix='2 3');
		CREATE TRIGGER added AFTER INSERT ON m BEGIN INSERT INTO words(rowid, body) VALUES (new.id, new.body); END`)
	for range 60 { // many commits, checkpoints between
		run(t, db, "INSERT INTO m(body) VALUES (?)", text(500+random.IntN(20000)))
	}
	tx, err := db.Begin() // spills out of the cache, with pages changed again after they spilled
	must(t, err)
	for i := range 150 {
		_, err := tx.Exec("INSERT INTO m(body) VALUES (?)", text(4000))
		must(t, err)
		if i%10 == 5 {
			_, err = tx.Exec(fmt.Sprintf("SAVEPOINT s; UPDATE m SET body = body || 'x' WHERE id %% 3 = %d; %s s; RELEASE s", i%3, []string{"ROLLBACK TO", "RELEASE s; SAVEPOINT"}[i/10%2]))
			must(t, err)
		}
	}
	must(t, tx.Commit())
	tx, err = db.Begin()
	must(t, err)
	_, err = tx.Exec("UPDATE m SET body = 'gone'")
	must(t, err)
	must(t, tx.Rollback())
	for range 20 { // over frames that the rollback left
		run(t, db, "INSERT INTO m(body) VALUES (?)", text(3000))
	}
	run(t, db, "INSERT INTO words(words) VALUES ('optimize')")
	run(t, db, "DELETE FROM m WHERE id % 2")
	run(t, db, "INSERT INTO words(words) VALUES ('rebuild')")
	run(t, db, "VACUUM")
	run(t, db, "INSERT INTO m(body) VALUES (?)", text(2_000_000))
	run(t, db, "CREATE TEMP TABLE sorted AS SELECT * FROM m ORDER BY body")
	run(t, db, "PRAGMA wal_checkpoint(TRUNCATE)")
	run(t, db, "PRAGMA incremental_vacuum")
	run(t, db, "UPDATE m SET body = upper(body) WHERE id % 5 = 0")
	if n := one[int](t, db, "SELECT count(*) FROM words WHERE words MATCH 'word1*'"); n == 0 {
		t.Fatal("search finds nothing")
	}
}

func TestVacuumInto(t *testing.T) {
	f := newFile(t)
	db := writer(t, f)
	everything(t, db)
	path := filepath.Join(t.TempDir(), "copy.db")
	must(t, Prepare(path, &testKey, XAES256GCM))
	target := openFile(t, path)
	run(t, db, "VACUUM INTO ?", "file:"+url.PathEscape(target.path)+"?vfs="+VFS)
	must(t, target.Close())
	into := writer(t, openFile(t, path))
	isWhole(t, into)
	if a, b := one[int](t, db, "SELECT count(*) FROM m"), one[int](t, into, "SELECT count(*) FROM m"); a != b {
		t.Fatalf("%d rows became %d", a, b)
	}
	run(t, into, "DELETE FROM m")
	if mode := one[string](t, into, "PRAGMA journal_mode"); mode != "wal" {
		t.Fatal(mode)
	}
	if _, err := db.Exec("VACUUM INTO ?", "file:"+url.PathEscape(path+"2")+"?vfs="+VFS); err == nil {
		t.Fatal("VACUUM INTO made a file that nobody had prepared")
	}
	var mode string
	if err := into.QueryRow("PRAGMA journal_mode = DELETE").Scan(&mode); err == nil && mode != "wal" {
		t.Fatalf("the log was left for %s", mode)
	}
}

// TestReadersAndWriter: each reader sees whole transactions only, while they are written and checkpointed.
func TestReadersAndWriter(t *testing.T) {
	f := newFile(t)
	write := writer(t, f, "wal_autocheckpoint(30)", "synchronous(NORMAL)")
	run(t, write, "CREATE TABLE m(a, b, pad)")
	run(t, write, "INSERT INTO m SELECT value, -value, randomblob(2000) FROM (WITH RECURSIVE n(value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM n WHERE value < 50) SELECT value FROM n)")
	read := connect(t, f.path, "query_only(1)")
	read.SetMaxOpenConns(4)
	done := make(chan struct{})
	var readers sync.WaitGroup
	for range 4 {
		readers.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
				}
				var sum, n int
				if err := read.QueryRow("SELECT sum(a + b), count(*) FROM m").Scan(&sum, &n); err != nil || sum != 0 || n != 50 {
					t.Errorf("sum %d of %d rows, %v", sum, n, err)
					return
				}
			}
		})
	}
	for i := range times(300, 3000) {
		run(t, write, "UPDATE m SET a = a + ?, b = b - ?, pad = randomblob(2000)", i, i)
	}
	close(done)
	readers.Wait()
	isWhole(t, write)
}
