package sealed

import (
	"context"
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"testing"
)

func truncateLog(db *sql.DB) func(context.Context) error {
	return func(ctx context.Context) error {
		_, err := db.ExecContext(ctx, "PRAGMA wal_checkpoint(TRUNCATE)")
		return err
	}
}

// TestRekey: a writer and a reader never notice that the file under them becomes another, under another key.
func TestRekey(t *testing.T) {
	f := newFile(t)
	db := writer(t, f, "wal_autocheckpoint(20)")
	run(t, db, turnSchema)
	for i := range 30 {
		must(t, writeTurn(db, i))
	}
	read := connect(t, f.path, "query_only(1)")
	written := make(chan int)
	stop := make(chan struct{})
	go func() {
		n := 30
		defer func() { written <- n }()
		for {
			select {
			case <-stop:
				return
			default:
			}
			if err := writeTurn(db, n); err != nil {
				t.Error(err)
				return
			}
			n++
			if n%17 == 0 {
				if _, err := db.Exec("VACUUM"); err != nil {
					t.Error(err)
				}
			}
		}
	}()
	old, was := testKey, f.Header()
	for i := range 5 {
		key := Key{byte(i), 7}
		must(t, f.Rekey(t.Context(), &key, truncateLog(db)))
		if f.Header() == was {
			t.Fatal("the salt is the same")
		}
		was = f.Header()
		if n := one[int](t, read, "SELECT count(*) FROM turns"); n < 30 {
			t.Fatalf("%d turns", n)
		}
		old = key
	}
	close(stop)
	n := <-written
	counter := f.Counter()
	must(t, read.Close())
	must(t, db.Close())
	must(t, f.Close())
	if _, err := Open(f.path, &testKey, 0); !errors.Is(err, ErrWrongKeyOrDamaged) {
		t.Fatalf("the first key: %v", err)
	}
	g, err := Open(f.path, &old, counter.Durable)
	must(t, err)
	defer g.Close()
	db = writer(t, g)
	if got, err := countTurns(db); err != nil || got != n {
		t.Fatalf("%d of %d turns, %v", got, n, err)
	}
	onlyFiles(t, filepath.Dir(f.path), "history.db", "history.db-lock", "history.db-wal")
	must(t, db.Close())
}

// TestRekeyOfAFileThatShrinks: the copy is complete, and then the file is another size, and another again.
func TestRekeyOfAFileThatShrinks(t *testing.T) {
	f := newFile(t)
	db := writer(t, f)
	run(t, db, "CREATE TABLE m(body); INSERT INTO m VALUES (randomblob(1000000))")
	calls := 0
	must(t, f.Rekey(t.Context(), &Key{9}, func(ctx context.Context) error {
		if calls++; calls == 2 {
			run(t, db, "INSERT INTO m VALUES (randomblob(2000000))")
			run(t, db, "PRAGMA wal_checkpoint")
			run(t, db, "DELETE FROM m; VACUUM; PRAGMA wal_checkpoint")
		}
		return truncateLog(db)(ctx)
	}))
	isWhole(t, db)
	if r, err := f.Verify(t.Context()); err != nil || !r.Whole() {
		t.Fatal(r, err)
	}
	must(t, db.Close())
	must(t, f.Close())
	g, err := Open(f.path, &Key{9}, 0)
	must(t, err)
	defer g.Close()
	db = writer(t, g)
	isWhole(t, db)
	must(t, db.Close())
}

func onlyFiles(t *testing.T, folder string, names ...string) {
	t.Helper()
	entries, err := os.ReadDir(folder)
	must(t, err)
	for i, e := range entries {
		if i >= len(names) || e.Name() != names[i] {
			t.Fatalf("%s is there", e.Name())
		}
	}
}

// TestRekeyGivesUp: a reader in the way, a checkpoint that fails and a damaged page leave the file as it was.
func TestRekeyGivesUp(t *testing.T) {
	f := newFile(t)
	db := writer(t, f)
	run(t, db, "PRAGMA busy_timeout = 1")
	run(t, db, turnSchema)
	must(t, writeTurn(db, 0))
	read := connect(t, f.path, "query_only(1)")
	rows, err := read.Query("SELECT * FROM m")
	must(t, err)
	rows.Next()
	must(t, writeTurn(db, 1))
	if err := f.Rekey(t.Context(), &Key{9}, truncateLog(db)); !errors.Is(err, ErrBusy) {
		t.Fatalf("under a reader: %v", err)
	}
	must(t, rows.Close())
	must(t, read.Close())
	broken := errors.New("no checkpoint today")
	if err := f.Rekey(t.Context(), &Key{9}, func(context.Context) error { return broken }); !errors.Is(err, broken) {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := f.Rekey(ctx, &Key{9}, func(context.Context) error { return nil }); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	must(t, truncateLog(db)(t.Context()))
	_, err = f.main.WriteAt([]byte{1, 2, 3}, pageOffset(3)+50)
	must(t, err)
	if err := f.Rekey(t.Context(), &Key{9}, truncateLog(db)); !errors.Is(err, ErrDamaged) {
		t.Fatalf("of a damaged file: %v", err)
	}
	must(t, db.Close())
	must(t, f.Close())
	onlyFiles(t, filepath.Dir(f.path), "history.db", "history.db-lock")
	must(t, openFile(t, f.path).Close())
}

// TestBackup: a copy of a running history is whole, opens by itself, and shares no page with the original.
func TestBackup(t *testing.T) {
	f := newFile(t)
	db := writer(t, f)
	run(t, db, turnSchema)
	for i := range 30 {
		must(t, writeTurn(db, i))
	}
	path := filepath.Join(t.TempDir(), "backup.db")
	must(t, f.Backup(t.Context(), path, &testKey, truncateLog(db)))
	must(t, writeTurn(db, 30))
	if err := f.Backup(t.Context(), path, &testKey, truncateLog(db)); !errors.Is(err, os.ErrExist) {
		t.Fatalf("over another backup: %v", err)
	}
	must(t, writeTurn(db, 31))
	b, err := Open(path, &testKey, f.Counter().Durable-2)
	must(t, err)
	defer b.Close()
	copied := writer(t, b)
	if n, err := countTurns(copied); err != nil || n != 30 {
		t.Fatalf("%d turns, %v", n, err)
	}
	if b.Header() == f.Header() {
		t.Fatal("the salt is the same")
	}
	must(t, copied.Close())
	if n, err := countTurns(db); err != nil || n != 32 {
		t.Fatalf("%d turns, %v", n, err)
	}
}
