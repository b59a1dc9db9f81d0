package sealed

import (
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// mutate changes a state as the input says: records of six bytes, each a place and what to do there. The places that
// matter most, headers and counters, are hit more often than their share.
func mutate(c copyOf, input []byte) copyOf {
	c = c.clone()
	for ; len(input) >= 6; input = input[6:] {
		b := &c.main
		if input[0]&1 == 1 {
			b = &c.log
		}
		if len(*b) == 0 {
			continue
		}
		at := int(binary.BigEndian.Uint32(input[2:]) % uint32(len(*b)))
		if input[0]&2 != 0 {
			at %= min(len(*b), prologue+200)
		}
		switch input[0] >> 2 % 8 {
		case 0:
			*b = (*b)[:at]
		case 1:
			if len(*b) > 1<<20 {
				continue // doubled often enough
			}
			*b = append(*b, (*b)[at:]...)
		case 2:
			copy((*b)[at:], (*b)[:min(at, pageSize)])
		case 3:
			clear((*b)[at:min(len(*b), at+pageSize)])
		default:
			(*b)[at] ^= input[1] | 1
		}
	}
	return c
}

// FuzzFile changes a small file and its log: what opens gives the turns that were written, from the first, and no more;
// and if some are missing, says so. A changed page that the log or nobody needs may go unseen.
func FuzzFile(f *testing.F) {
	states := make([]copyOf, 2)
	folder := f.TempDir()
	path := filepath.Join(folder, "history.db")
	must(f, Create(path, &testKey, XAES256GCM))
	file := openFile(f, path)
	db := writer(f, file, "wal_autocheckpoint(0)", "synchronous(FULL)")
	run(f, db, "CREATE TABLE m(id INTEGER PRIMARY KEY, body)")
	for i := range 6 {
		run(f, db, "INSERT INTO m(body) VALUES (?)", turnBody(i, 0))
		if i == 2 {
			run(f, db, "PRAGMA wal_checkpoint(TRUNCATE)")
		}
	}
	states[0] = copyFiles(f, path)
	must(f, db.Close())
	must(f, file.Close())
	states[1] = copyFiles(f, path)
	for _, seed := range []string{"", "\x10\x01\x00\x00\x00\x05", "\x11\x80\x00\x00\x20\x05", "\x01\x00\x00\x00\x40\x00", "\x12\x01\x00\x00\x10\x08\x12\x01\x00\x00\x20\x08"} {
		f.Add([]byte(seed), false)
		f.Add([]byte(seed), true)
	}
	work := filepath.Join(memoryFolder(f), "history.db")
	f.Fuzz(func(t *testing.T, input []byte, clean bool) {
		state := states[0]
		if clean {
			state = states[1]
		}
		mutate(state, input).lay(t, work)
		file, err := Open(work, &testKey, 0)
		if err != nil {
			for _, known := range []error{ErrNotSealed, ErrNewerFormat, ErrWrongKeyOrDamaged, ErrDamaged} {
				if errors.Is(err, known) {
					return
				}
			}
			t.Fatal(err)
		}
		defer file.Close()
		report, err := file.Verify(t.Context())
		must(t, err)
		db := connect(t, work)
		defer db.Close()
		db.SetMaxOpenConns(1)
		n := 0
		rows, err := db.Query("SELECT id, body FROM m ORDER BY id")
		if err == nil {
			for ; rows.Next(); n++ {
				var id int
				var body string
				must(t, rows.Scan(&id, &body))
				if id != n+1 || body != turnBody(n, 0) {
					t.Fatalf("row %d is not what was written", id)
				}
			}
			err = errors.Join(rows.Err(), rows.Close())
		}
		if err == nil && n != 6 && file.Lost() == 0 || err != nil && report.Whole() {
			t.Fatalf("%d rows, %d lost, %+v, %v", n, file.Lost(), report, err)
		}
	})
}

// memoryFolder is where ten thousand small files are quick.
func memoryFolder(f *testing.F) string {
	folder, err := os.MkdirTemp("/dev/shm", "sealed-fuzz-")
	if err != nil {
		return f.TempDir()
	}
	f.Cleanup(func() { os.RemoveAll(folder) })
	return folder
}
