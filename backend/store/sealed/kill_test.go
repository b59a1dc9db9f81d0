package sealed

import (
	"bufio"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
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

// writeUntilKilled writes turns, and between them does what else an app does. Before each step it says how many turns
// there are and what comes next. It returns only when something fails.
func writeUntilKilled(path string) error {
	f, which, err := openEither(path)
	if err != nil {
		return err
	}
	if f.Lost() > 0 {
		return fmt.Errorf("%d commits lost without a power cut", f.Lost())
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
	ctx := context.Background()
	steps := map[int]struct {
		name string
		do   func() error
	}{
		1: {"rekey", func() error {
			which = 1 - which
			return f.Rekey(ctx, keyOf(which), truncateLog(db))
		}},
		3: {"migrate", func() error { return migrateTurns(ctx, f, db, keyOf(which)) }},
		5: {"checkpoint", func() error { return truncateLog(db)(ctx) }},
		7: {"vacuum", func() error { _, err := db.Exec("VACUUM"); return err }},
	}
	for ; ; n++ {
		fmt.Println(n, "insert")
		if err := writeTurn(db, n); err != nil {
			return err
		}
		if step, ok := steps[n%8]; ok {
			fmt.Println(n+1, step.name)
			if err := step.do(); err != nil {
				return fmt.Errorf("%s: %w", step.name, err)
			}
		}
	}
}

// migrateTurns does what the store does to change a schema: a copy aside, then one transaction that rebuilds a table and
// counts the version up.
func migrateTurns(ctx context.Context, f *File, db *sql.DB, key *Key) error {
	aside := f.path + ".before"
	if err := os.Remove(aside); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	if err := f.Backup(ctx, aside, key, truncateLog(db)); err != nil {
		return err
	}
	var version int
	if err := db.QueryRow("PRAGMA user_version").Scan(&version); err != nil {
		return err
	}
	_, err := db.Exec(fmt.Sprintf(`BEGIN; CREATE TABLE next(turn INTEGER PRIMARY KEY, sum INTEGER, version INTEGER DEFAULT %[1]d);
		INSERT INTO next(turn, sum) SELECT turn, sum FROM turns; DROP TABLE turns; ALTER TABLE next RENAME TO turns;
		CREATE TABLE copied AS SELECT * FROM m; DROP TABLE copied; PRAGMA user_version = %[1]d; COMMIT`, version+1))
	return err
}

// TestKill: a process that is killed at any moment leaves a whole file with everything that it had acknowledged, and the
// copy that it was making is whole or not there.
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
	logs, parts, copies, killedIn := 0, 0, 0, map[string]int{}
	for i := range times(20, 1000) {
		acked, step := runAndKill(t, self, path, random)
		killedIn[step]++
		if s, err := os.Stat(path + "-wal"); err == nil && s.Size() > 0 {
			logs++
		}
		if _, err := os.Stat(path + "-part"); err == nil {
			parts++
		}
		f, db := afterKill(t, i, path)
		n, err := countTurns(db)
		if err != nil || n < acked || f.Lost() > 0 {
			t.Fatalf("kill %d in %s: %d turns of %d, %d lost, %v", i, step, n, acked, f.Lost(), err)
		}
		if n > 60 { // start over, or checking takes the whole time
			run(t, db, "BEGIN; DELETE FROM m; DELETE FROM turns; INSERT INTO words(words) VALUES ('rebuild'); COMMIT")
		}
		must(t, db.Close())
		must(t, f.Close())
		if _, err := os.Stat(path + ".before"); err == nil {
			copies++
			f, db := afterKill(t, i, path+".before")
			_, err := countTurns(db)
			must(t, errors.Join(err, db.Close(), f.Close()))
		}
	}
	t.Logf("killed in %v; %d with a log, %d with a rekey unfinished, %d with a copy", killedIn, logs, parts, copies)
	for _, step := range []string{"insert", "rekey", "migrate", "checkpoint", "vacuum"} {
		if *long && killedIn[step] == 0 {
			t.Errorf("never killed in %s", step)
		}
	}
}

// afterKill opens what is left and verifies every page of it.
func afterKill(t *testing.T, kill int, path string) (*File, *sql.DB) {
	t.Helper()
	f, _, err := openEither(path)
	if err != nil {
		t.Fatalf("kill %d: %v", kill, err)
	}
	if r, err := f.Verify(t.Context()); err != nil || !r.Whole() {
		t.Fatalf("kill %d: %+v %v", kill, r, err)
	}
	return f, writer(t, f)
}

// runAndKill gives how many turns were acknowledged, and which step came next when the kill was on its way.
func runAndKill(t *testing.T, self, path string, random *rand.Rand) (acked int, step string) {
	child := exec.Command(self)
	// What has reached the system survives a kill, whether or not it has reached the disk.
	child.Env = append(os.Environ(), "SEALED_WRITE="+path, "SEALED_SYNC="+[]string{"FULL", "NORMAL"}[random.IntN(2)])
	out, err := child.StdoutPipe()
	must(t, err)
	must(t, child.Start())
	lines := bufio.NewScanner(out)
	stop := 1 + random.IntN(30)
	spin := random.IntN(1 << (12 + random.IntN(12)))
	for lines.Scan() {
		if _, err := fmt.Sscan(lines.Text(), &acked, &step); err != nil {
			t.Fatal(lines.Text())
		}
		if stop--; stop == 0 {
			for range spin { // a moment, not a time: some part of what the child does next
				stop = 0
			}
			must(t, child.Process.Kill())
		}
	}
	child.Wait()
	if stop > 0 {
		t.Fatal("it ended by itself")
	}
	return acked, step
}
