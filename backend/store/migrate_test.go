package store

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"parley/backend/agent"
)

// later is the migrations that there are, and some of versions to come.
func later(t *testing.T, more ...string) fstest.MapFS {
	t.Helper()
	files := fstest.MapFS{}
	must(t, fs.WalkDir(migrations, ".", func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			var text []byte
			text, err = migrations.ReadFile(path)
			files[path] = &fstest.MapFile{Data: text}
		}
		return err
	}))
	for _, text := range more {
		files[fmt.Sprintf("migrations/%04d_more.sql", len(files)+1)] = &fstest.MapFile{Data: []byte(text)}
	}
	return files
}

// TestACopyIsMadeBeforeEachMigration: a history goes through five schemas; the last three copies stay, and each opens
// as what it was.
func TestACopyIsMadeBeforeEachMigration(t *testing.T) {
	path := filepath.Join(t.TempDir(), "history.db")
	s := open(t, path)
	must(t, s.CreateSession(t.Context(), home, spec, "/work"))
	now := len(later(t))
	var more []string
	for i := range 4 {
		more = append(more, fmt.Sprintf("CREATE TABLE more%d (x TEXT) STRICT", i))
		must(t, s.migrate(t.Context(), later(t, more...), path, &testKey))
	}
	must(t, s.migrate(t.Context(), later(t, more...), path, &testKey)) // nothing left to do
	copies, err := filepath.Glob(path + ".schema-????")
	must(t, err)
	var want []string
	for i := 1; i <= keptCopies; i++ {
		want = append(want, fmt.Sprintf("%s.schema-%04d", path, now+i))
	}
	if !slices.Equal(copies, want) {
		t.Fatalf("the copies are %v", copies)
	}
	must(t, s.Close())
	f, err := openSealed(copies[0], &testKey, 0)
	must(t, err)
	defer f.Close()
	db, err := connect(copies[0], reading)
	must(t, err)
	defer db.Close()
	var version, sessions int
	must(t, db.QueryRowContext(t.Context(), "PRAGMA user_version").Scan(&version))
	must(t, db.QueryRowContext(t.Context(), "SELECT count(*) FROM session").Scan(&sessions))
	if version != now+1 || sessions != 1 {
		t.Errorf("the copy has schema %d and %d sessions", version, sessions)
	}
}

func TestAMigrationThatLosesRowsChangesNothing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "history.db")
	s := open(t, path)
	must(t, s.CreateSession(t.Context(), home, spec, "/work"))
	before := schemaOf(t, s)
	for _, text := range []string{
		"CREATE TABLE better (x TEXT) STRICT; DELETE FROM log",
		"CREATE TABLE better AS SELECT * FROM log WHERE 0; DROP TABLE log; ALTER TABLE better RENAME TO log",
	} {
		err := s.migrate(t.Context(), later(t, text), path, &testKey)
		var said *agent.Error
		if !errors.As(err, &said) || !strings.Contains(said.Message, "1 rows of its table log") {
			t.Errorf("%s: %v", text, err)
		}
		if records, err := s.Log(t.Context(), home, 0, 10); err != nil || len(records) != 1 || schemaOf(t, s) != before {
			t.Errorf("%s: the log has %d records (%v)", text, len(records), err)
		}
	}
	must(t, s.migrate(t.Context(), later(t, "DROP TABLE media_unused; CREATE TABLE more (x TEXT); INSERT INTO more VALUES (1)"), path, &testKey))
}

// schemaOf is the whole schema as text, with its number.
func schemaOf(t *testing.T, s *Store) string {
	t.Helper()
	var version int
	var text string
	must(t, s.writer.QueryRowContext(t.Context(), "PRAGMA user_version").Scan(&version))
	must(t, s.writer.QueryRowContext(t.Context(), `SELECT group_concat(sql, char(10)) FROM (SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY name)`).Scan(&text))
	return fmt.Sprintf("%s\n%d", text, version)
}
