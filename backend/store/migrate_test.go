package store

import (
	"fmt"
	"path/filepath"
	"slices"
	"testing"
	"testing/fstest"
)

// TestACopyIsMadeBeforeEachMigration: a history goes through five schemas; the last three copies stay, and each opens
// as what it was.
func TestACopyIsMadeBeforeEachMigration(t *testing.T) {
	path := filepath.Join(t.TempDir(), "history.db")
	s := open(t, path)
	must(t, s.CreateSession(t.Context(), home, spec, "/work"))
	first, err := migrations.ReadFile("migrations/0001_history.sql")
	must(t, err)
	files := fstest.MapFS{"migrations/0001_history.sql": {Data: first}, "migrations/0002_search.sql": {}}
	for version := 3; version <= 7; version++ {
		files[fmt.Sprintf("migrations/%04d_more.sql", version)] = &fstest.MapFile{Data: fmt.Appendf(nil, "CREATE TABLE more%d (x TEXT) STRICT", version)}
		must(t, s.migrate(t.Context(), files, path, &testKey))
	}
	must(t, s.migrate(t.Context(), files, path, &testKey)) // nothing left to do
	copies, err := filepath.Glob(path + ".schema-????")
	must(t, err)
	want := []string{path + ".schema-0004", path + ".schema-0005", path + ".schema-0006"}
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
	if version != 4 || sessions != 1 {
		t.Errorf("the copy has schema %d and %d sessions", version, sessions)
	}
}
