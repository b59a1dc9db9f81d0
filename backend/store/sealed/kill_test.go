package sealed

import (
	"bufio"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// TestMain is the program that is killed, when it is told which file to write.
func TestMain(m *testing.M) {
	if path := os.Getenv("SEALED_WRITE"); path != "" {
		fmt.Println(writeUntilKilled(path))
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// keyOf are the two keys that a rekey goes between.
func keyOf(i int) *Key { return &Key{byte(i), 0x55} }

// openEither opens the file with the key that fits, as an app does that may have died in a rekey.
func openEither(path string) (f *File, which int, err error) {
	for which = range 2 {
		if f, err = Open(path, keyOf(which), 0); !errors.Is(err, ErrWrongKeyOrDamaged) {
			return f, which, err
		}
	}
	return nil, 0, err
}

// writeUntilKilled writes turns and says so, and between them checkpoints, rekeys, vacuums and changes the schema. It
// returns only when something fails.
func writeUntilKilled(path string) error {
	f, which, err := openEither(path)
	if err != nil {
		return err
	}
	db, err := sql.Open("sqlite", "file:"+path+"?vfs="+VFS+"&_txlock=immediate&_pragma=synchronous("+os.Getenv("SEALED_SYNC")+")&_pragma=wal_autocheckpoint(30)&_pragma=cache_size(40)")
	if err != nil {
		return err
	}
	db.SetMaxOpenConns(1)
	n, err := countTurns(db)
	if err != nil {
		return err
	}
	if f.Lost() > 0 {
		return fmt.Errorf("%d commits lost without a power cut", f.Lost())
	}
	for ; ; n++ {
		if err := writeTurn(db, n); err != nil {
			return err
		}
		fmt.Println("acked", n)
		switch n % 8 {
		case 1:
			which = 1 - which
			err = f.Rekey(context.Background(), keyOf(which), truncateLog(db))
		case 3:
			_, err = db.Exec("BEGIN; CREATE TABLE t2 AS SELECT * FROM m; DROP TABLE t2; ALTER TABLE turns RENAME COLUMN sum TO sum2; ALTER TABLE turns RENAME COLUMN sum2 TO sum; COMMIT")
		case 5:
			_, err = db.Exec("PRAGMA wal_checkpoint(TRUNCATE)")
		case 6:
			if n%16 == 6 {
				_, err = db.Exec("VACUUM")
			}
		}
		if err != nil {
			return err
		}
	}
}

// TestKill: a process that is killed at any moment leaves a whole file with everything that it had acknowledged.
func TestKill(t *testing.T) {
	self, err := os.Executable()
	must(t, err)
	path := filepath.Join(t.TempDir(), "history.db")
	must(t, Create(path, keyOf(0), XAES256GCM))
	f, err := Open(path, keyOf(0), 0)
	must(t, err)
	db := writer(t, f)
	run(t, db, turnSchema)
	must(t, db.Close())
	must(t, f.Close())
	random := rand.New(rand.NewPCG(3, 3))
	acked, logs, parts := 0, 0, 0
	for i := range times(20, 1000) {
		// The child is killed a moment after it acknowledged some turn: how much later is up to the machine.
		last := runAndKill(t, self, path, random)
		acked = max(acked, last+1)
		if s, err := os.Stat(path + "-wal"); err == nil && s.Size() > 0 {
			logs++
		}
		if _, err := os.Stat(path + "-part"); err == nil {
			parts++
		}
		f, _, err := openEither(path)
		if err != nil {
			t.Fatalf("kill %d: %v", i, err)
		}
		db := writer(t, f)
		n, err := countTurns(db)
		if err != nil || n < acked || f.Lost() > 0 {
			t.Fatalf("kill %d: %d turns of %d, %d lost, %v", i, n, acked, f.Lost(), err)
		}
		if r, err := f.Verify(t.Context()); err != nil || !r.Whole() {
			t.Fatalf("kill %d: %+v %v", i, r, err)
		}
		if n > 60 { // start over, or checking takes the whole time
			run(t, db, "BEGIN; DELETE FROM m; DELETE FROM turns; INSERT INTO words(words) VALUES ('rebuild'); COMMIT")
			acked = 0
		}
		must(t, db.Close())
		must(t, f.Close())
	}
	t.Logf("%d with a log, %d in the middle of a rekey", logs, parts)
}

func runAndKill(t *testing.T, self, path string, random *rand.Rand) (last int) {
	child := exec.Command(self)
	// What has reached the system survives a kill, whether or not it has reached the disk.
	child.Env = append(os.Environ(), "SEALED_WRITE="+path, "SEALED_SYNC="+[]string{"FULL", "NORMAL"}[random.IntN(2)])
	out, err := child.StdoutPipe()
	must(t, err)
	must(t, child.Start())
	lines := bufio.NewScanner(out)
	last = -1
	stop := 1 + random.IntN(20)
	spin := random.IntN(4_000_000)
	for lines.Scan() {
		n, err := strconv.Atoi(strings.TrimPrefix(lines.Text(), "acked "))
		if err != nil {
			t.Fatal(lines.Text())
		}
		last = n
		if stop--; stop == 0 {
			for range spin { // a moment, not a time: some part of what the child does next
				last = n
			}
			must(t, child.Process.Kill())
		}
	}
	rest, _ := io.ReadAll(out)
	child.Wait()
	if len(rest) > 0 {
		t.Fatalf("%s", rest)
	}
	return last
}
