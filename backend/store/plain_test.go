package store

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"parley/backend/agent"
	"parley/backend/store/sealed"
)

// plainHistory is what the first builds left when they were killed: rows in the file, and rows only in its log.
func plainHistory(t *testing.T) string {
	t.Helper()
	made := filepath.Join(t.TempDir(), "history.db")
	db, err := sql.Open("sqlite", "file:"+made+"?_pragma=journal_mode(WAL)&_pragma=wal_autocheckpoint(0)")
	must(t, err)
	defer db.Close()
	schema, err := migrations.ReadFile("migrations/0001_history.sql")
	must(t, err)
	for _, text := range []string{
		string(schema), "PRAGMA user_version = 1",
		`INSERT INTO session (project, id, agent, agent_snapshot, title, working_dir, status, draft, created_at, updated_at)
			VALUES ('default', 'old', 'demo', '{}', 'title-canary-of-the-first', '', 'idle', 'x', 1, 1)`,
		"PRAGMA wal_checkpoint(TRUNCATE)",
		`INSERT INTO session (project, id, agent, agent_snapshot, title, working_dir, status, draft, created_at, updated_at)
			VALUES ('default', 'new', 'demo', '{}', 'title-canary-of-the-second', '', 'idle', 'x', 2, 2)`,
	} {
		_, err := db.Exec(text)
		must(t, err)
	}
	left := t.TempDir() // copied while open: as a kill leaves it
	must(t, os.CopyFS(left, os.DirFS(filepath.Dir(made))))
	return filepath.Join(left, "history.db")
}

// isImported wants every row at path, and nothing readable in its folder.
func isImported(t *testing.T, path string) {
	t.Helper()
	must(t, ImportPlain(t.Context(), path, &testKey))
	s := open(t, path)
	list, err := s.Sessions(t.Context(), agent.DefaultProject, Page{}, 10)
	if err != nil || len(list) != 2 || list[0].Title != "title-canary-of-the-second" {
		t.Errorf("imported %+v (%v)", list, err)
	}
	must(t, s.Close())
	must(t, filepath.WalkDir(filepath.Dir(path), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		if bytes.Contains(b, []byte("title-canary")) || strings.Contains(d.Name(), "-plain") || strings.Contains(d.Name(), "-sealing") {
			t.Errorf("%s is left", path)
		}
		return err
	}))
}

func TestAPlainHistoryIsSealed(t *testing.T) {
	path := plainHistory(t)
	if plain, err := IsPlain(path); err != nil || !plain {
		t.Fatalf("the fixture is not plain (%v)", err)
	}
	second := filepath.Join(t.TempDir(), "second name")
	must(t, os.Link(path, second))
	isImported(t, path)
	if b, err := os.ReadFile(second); err != nil || len(b) == 0 || bytes.Contains(b, []byte("canary")) {
		t.Errorf("the plain file was removed but not overwritten (%d bytes, %v)", len(b), err)
	}
	isImported(t, path) // again, and nothing happens
}

// TestAnImportThatIsKilledIsDoneAgain kills the import at each of its steps on the file system.
func TestAnImportThatIsKilledIsDoneAgain(t *testing.T) {
	const step, where = "PARLEY_TEST_IMPORT_STEP", "PARLEY_TEST_IMPORT"
	if path := os.Getenv(where); path != "" {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		killAt(ctx, os.Getenv(step), path)
		must(t, ImportPlain(ctx, path, &sealed.Key{1, 2, 3}))
		return
	}
	for _, at := range []string{"-sealing", "-plain-wal", "-plain", "sealed"} {
		t.Run(at, func(t *testing.T) {
			path := plainHistory(t)
			cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run", "^"+t.Name()[:strings.Index(t.Name(), "/")]+"$")
			cmd.Env = append(os.Environ(), where+"="+path, step+"="+at)
			var killed *exec.ExitError
			if err := cmd.Run(); err != nil && !errors.As(err, &killed) {
				t.Fatal(err)
			}
			isImported(t, path)
		})
	}
}

// killAt ends this process as soon as the import shows a trace.
func killAt(ctx context.Context, trace, path string) {
	there := func() bool {
		if trace == "sealed" {
			plain, err := IsPlain(path)
			return err == nil && !plain
		}
		_, err := os.Lstat(path + trace)
		return err == nil
	}
	go func() {
		for ctx.Err() == nil {
			if there() {
				process, _ := os.FindProcess(os.Getpid())
				process.Kill()
				return
			}
		}
	}()
}
