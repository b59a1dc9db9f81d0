package sealed

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// TestNothingIsReadable: of everything written, in every way that SQLite and this package write, no 16 bytes are in any
// file of the folder or the temporary folder, nor in one that is deleted and still open.
func TestNothingIsReadable(t *testing.T) {
	folder, temporary := t.TempDir(), t.TempDir()
	t.Setenv("TMPDIR", temporary)
	t.Setenv("SQLITE_TMPDIR", temporary)
	path := filepath.Join(folder, "history.db")
	must(t, Create(path, &testKey, XAES256GCM))
	f := openFile(t, path)
	db := writer(t, f, "cache_size(10)", "temp_store(FILE)")
	texts := []string{"CREATE TABLE canarytable", "CREATE VIRTUAL TABLE", "SQLite format 3\x00", canary("row", 200), canary("big", 20000), canary("title", 40), canary("updated", 3000)}
	pieces := map[[16]byte]struct{}{}
	for _, text := range texts {
		for i := range len(text) - 15 {
			pieces[[16]byte([]byte(text[i:]))] = struct{}{}
		}
	}
	look := func(when string) {
		t.Helper()
		files := openDeleted()
		for _, root := range []string{folder, temporary} {
			must(t, filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
				if err == nil && !d.IsDir() {
					files = append(files, p)
				}
				return err
			}))
		}
		for _, p := range files {
			b, err := os.ReadFile(p)
			if errors.Is(err, fs.ErrNotExist) {
				continue
			}
			must(t, err)
			for i := range max(0, len(b)-15) {
				if _, readable := pieces[[16]byte(b[i:])]; readable {
					t.Fatalf("%s: %q is in %s", when, b[i:i+16], filepath.Base(p))
				}
			}
		}
	}
	run(t, db, "CREATE TABLE canarytable(id INTEGER PRIMARY KEY, title, body); CREATE VIRTUAL TABLE words USING fts5(body)")
	for range 60 {
		run(t, db, "INSERT INTO canarytable(title, body) VALUES (?, ?)", texts[5], texts[3])
		run(t, db, "INSERT INTO words VALUES (?)", texts[3])
	}
	run(t, db, "INSERT INTO canarytable(title, body) VALUES (?, ?)", texts[5], texts[4])
	look("with a log")
	tx, err := db.Begin() // spills, sorts on what would be disk, keeps statement journals
	must(t, err)
	_, err = tx.Exec("CREATE TEMP TABLE sorted AS SELECT a.body || b.body AS body FROM canarytable a, canarytable b ORDER BY 1")
	must(t, err)
	_, err = tx.Exec("UPDATE canarytable SET body = ?", texts[6])
	must(t, err)
	_, err = tx.Exec("SAVEPOINT s; UPDATE canarytable SET title = upper(title); ROLLBACK TO s")
	must(t, err)
	look("in a transaction")
	must(t, tx.Commit())
	run(t, db, "DELETE FROM canarytable WHERE id % 3 = 0; INSERT INTO words(words) VALUES ('optimize'); VACUUM")
	look("after VACUUM")
	must(t, f.Backup(t.Context(), filepath.Join(folder, "backup.db"), &testKey, func(ctx context.Context) error {
		defer look("in a backup")
		return truncateLog(db)(ctx)
	}))
	must(t, f.Rekey(t.Context(), &Key{8}, truncateLog(db)))
	look("after a rekey")
	must(t, Prepare(filepath.Join(folder, "into.db"), &testKey, XAES256GCM))
	into := openFile(t, filepath.Join(folder, "into.db"))
	run(t, db, "VACUUM INTO ?", "file:"+into.path+"?vfs="+VFS)
	look("after VACUUM INTO")
	must(t, db.Close())
	must(t, f.Close())
	_, err = Salvage(path, &Key{8}, nil, filepath.Join(folder, "salvaged.db"))
	must(t, err)
	look("at the end")
}

// canary is n bytes of text that no other canary has.
func canary(what string, n int) string {
	var b strings.Builder
	for i := 0; b.Len() < n; i++ {
		fmt.Fprintf(&b, "canary %s %06d sings ", what, i)
	}
	return b.String()[:n]
}

// openDeleted are the files that this process holds and that have no name any more.
func openDeleted() (paths []string) {
	entries, _ := os.ReadDir("/proc/self/fd")
	for _, e := range entries {
		p := filepath.Join("/proc/self/fd", e.Name())
		if to, err := os.Readlink(p); err == nil && strings.HasSuffix(to, "(deleted)") {
			paths = append(paths, p)
		}
	}
	return paths
}

// TestNothingIsLeft: many files opened, used and closed leave no handle, no descriptor, no memory of SQLite's.
func TestNothingIsLeft(t *testing.T) {
	path := filepath.Join(t.TempDir(), "history.db")
	must(t, Create(path, &testKey, XAES256GCM))
	use := func() {
		f, err := Open(path, &testKey, 0)
		must(t, err)
		db := connect(t, path)
		db.SetMaxIdleConns(3)
		run(t, db, "CREATE TABLE IF NOT EXISTS m(a)")
		run(t, db, "INSERT INTO m VALUES (randomblob(30000))")
		run(t, db, "DELETE FROM m")
		if _, err := Open(path, &Key{9}, 0); !errors.Is(err, ErrLocked) {
			t.Fatal(err)
		}
		must(t, db.Close())
		must(t, f.Close())
		if _, err := Open(path, &Key{9}, 0); !errors.Is(err, ErrWrongKeyOrDamaged) {
			t.Fatal(err)
		}
	}
	use()
	goroutines, descriptors, held := runtime.NumGoroutine(), countDescriptors(), countHandles()
	for range 100 {
		use()
	}
	runtime.GC()
	if n := countDescriptors(); n > descriptors {
		t.Errorf("%d descriptors became %d", descriptors, n)
	}
	if n := countHandles(); n > held {
		t.Errorf("%d handles became %d", held, n)
	}
	if n := runtime.NumGoroutine(); n > goroutines+1 {
		t.Errorf("%d goroutines became %d", goroutines, n)
	}
	if _, still := opened.Load(path); still {
		t.Error("the file is still known")
	}
}

func countDescriptors() int {
	entries, _ := os.ReadDir("/proc/self/fd")
	return len(entries)
}

func countHandles() (n int) {
	for _, h := range *handles.now.Load() {
		if h != nil {
			n++
		}
	}
	return n
}
