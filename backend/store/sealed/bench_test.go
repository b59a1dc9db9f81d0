package sealed

import (
	"path/filepath"
	"testing"
)

// benchmarks beside other engines are in build/bench/history.

func BenchmarkVerify(b *testing.B) {
	f := newFile(b)
	db := writer(b, f, "synchronous(OFF)")
	run(b, db, "CREATE TABLE m(body)")
	run(b, db, "INSERT INTO m WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 128) SELECT randomblob(1 << 20) FROM n")
	run(b, db, "PRAGMA wal_checkpoint(TRUNCATE)")
	b.SetBytes(int64(f.pages) * pageSize)
	for b.Loop() {
		if r, err := f.Verify(b.Context()); err != nil || !r.Whole() {
			b.Fatal(r, err)
		}
	}
}

func BenchmarkBackup(b *testing.B) {
	f := newFile(b)
	db := writer(b, f, "synchronous(OFF)")
	run(b, db, "CREATE TABLE m(body)")
	run(b, db, "INSERT INTO m WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 64) SELECT randomblob(1 << 20) FROM n")
	b.SetBytes(int64(f.pages) * pageSize)
	for b.Loop() {
		must(b, f.Backup(b.Context(), filepath.Join(b.TempDir(), "backup.db"), &testKey, truncateLog(db)))
	}
}

func BenchmarkOpen(b *testing.B) {
	f := newFile(b)
	path := f.path
	must(b, f.Close())
	for b.Loop() {
		f, err := Open(path, &testKey, 0)
		must(b, err)
		must(b, f.Close())
	}
}

func BenchmarkCommit(b *testing.B) {
	f := newFile(b)
	db := writer(b, f, "synchronous(NORMAL)", "cache_size(-16384)")
	run(b, db, "CREATE TABLE m(id INTEGER PRIMARY KEY, session INTEGER, body); CREATE INDEX by_session ON m(session)")
	insert, err := db.Prepare("INSERT INTO m(session, body) VALUES (1, ?)")
	must(b, err)
	body := turnBody(1, 1)
	for b.Loop() {
		if _, err := insert.Exec(body); err != nil {
			b.Fatal(err)
		}
	}
}
