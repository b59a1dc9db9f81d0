package sealed

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// TestFullDisk: what does not fit is refused by name, whatever was being done; nothing that was acknowledged is lost,
// then, after a crash, or once there is room again; and then everything goes on.
func TestFullDisk(t *testing.T) {
	for name, fill := range map[string]func(t *testing.T, path string) (makeRoom func()){
		"of a disk": fillDisk, "of a file": limitFiles,
	} {
		t.Run(name, func(t *testing.T) {
			folder := t.TempDir()
			if name == "of a disk" {
				if err := syscall.Mount("tmpfs", folder, "tmpfs", 0, "size=8m"); err != nil {
					t.Skip("a disk of our own takes root: ", err)
				}
				t.Cleanup(func() { must(t, syscall.Unmount(folder, syscall.MNT_DETACH)) })
			}
			path := filepath.Join(folder, "history.db")
			must(t, Create(path, keyOf(0), XAES256GCM))
			f, err := Open(path, keyOf(0), 0)
			must(t, err)
			db := writer(t, f, "wal_autocheckpoint(30)", "cache_size(40)")
			run(t, db, turnSchema)
			acked := 0
			write := func(most int) (err error) {
				for ; err == nil && most > 0; most-- {
					if err = writeTurn(db, acked); err == nil {
						acked++
					}
				}
				return err
			}
			must(t, write(20))
			makeRoom := fill(t, path)
			isFullDisk(t, "writing", write(1000))
			for _, large := range []string{"CREATE TABLE large AS SELECT randomblob(3000000)", "VACUUM"} {
				_, err := db.Exec(large)
				isFullDisk(t, large, err)
			}
			if err := f.Rekey(t.Context(), keyOf(1), truncateLog(db)); err == nil {
				t.Fatal("a rekey had room")
			}
			if err := f.Backup(t.Context(), path+".copy", keyOf(0), truncateLog(db)); err == nil {
				t.Fatal("a backup had room")
			}
			if left, _ := filepath.Glob(path + "*-part"); len(left) > 0 {
				t.Fatalf("%s is left", left)
			}
			if n, err := countTurns(db); err != nil || n != acked {
				t.Fatalf("%d turns of %d, %v", n, acked, err)
			}
			crashed := copyFiles(t, path)
			makeRoom()
			laid := filepath.Join(t.TempDir(), "history.db")
			crashed.lay(t, laid)
			if turns, lost, err := readAll(t, laid, keyOf(0)); err != nil || turns != acked || lost > 0 {
				t.Fatalf("after a crash: %d turns of %d, %d lost, %v", turns, acked, lost, err)
			}
			must(t, write(20))
			must(t, f.Rekey(t.Context(), keyOf(1), truncateLog(db)))
			must(t, db.Close())
			must(t, f.Close())
			if turns, lost, err := readAll(t, path, keyOf(1)); err != nil || turns != acked || lost > 0 {
				t.Fatalf("%d turns of %d, %d lost, %v", turns, acked, lost, err)
			}
		})
	}
}

// fillDisk takes all the space that is left where path is.
func fillDisk(t *testing.T, path string) func() {
	filler := filepath.Join(filepath.Dir(path), "filler")
	if err := os.WriteFile(filler, make([]byte, 16<<20), 0o600); !errors.Is(err, syscall.ENOSPC) {
		t.Fatal("the disk is larger than it should be: ", err)
	}
	return func() { must(t, os.Remove(filler)) }
}

// limitFiles lets no file of this process grow much beyond the one at path.
func limitFiles(t *testing.T, path string) func() {
	info, err := os.Stat(path)
	must(t, err)
	var was syscall.Rlimit
	must(t, syscall.Getrlimit(syscall.RLIMIT_FSIZE, &was))
	restore := func() { must(t, syscall.Setrlimit(syscall.RLIMIT_FSIZE, &was)) }
	t.Cleanup(restore)
	must(t, syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: uint64(info.Size()) + 100_001, Max: was.Max}))
	return restore
}

func isFullDisk(t *testing.T, what string, err error) {
	t.Helper()
	var e *sqlite.Error
	if !errors.As(err, &e) || e.Code() != sqlite3.SQLITE_FULL || !strings.Contains(err.Error(), "full") {
		t.Fatalf("%s: %v", what, err)
	}
}
