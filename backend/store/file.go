package store

import (
	"database/sql"
	"errors"
	"io/fs"
	"net/url"
	"slices"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"parley/backend/store/sealed"
)

// access is what a connection may do.
type access []string

var (
	writing = access{"journal_mode(WAL)", "synchronous(NORMAL)"}
	reading = access{"query_only(1)"}
	// salvaging takes what there is of a schema, and reads only.
	salvaging = access{"cell_size_check(1)", "query_only(1)", "trusted_schema(0)", "writable_schema(1)"}
)

// maxConnections is how many read at once. Of those that write there is one.
const maxConnections = 4

// openSealed opens the history's file, or makes it.
func openSealed(path string, key *sealed.Key, anchor uint64) (*sealed.File, error) {
	f, err := sealed.Open(path, key, anchor)
	if !errors.Is(err, fs.ErrNotExist) {
		return f, err
	}
	if err := sealed.Create(path, key, sealed.Fastest()); err != nil {
		return nil, err
	}
	return sealed.Open(path, key, anchor)
}

// connect is the one place that names the history's file to SQLite: what is sealed beneath is all that reaches the disk.
func connect(path string, a access) (*sql.DB, error) {
	query := url.Values{"vfs": {sealed.VFS}, "_defensive": {"1"}, "_txlock": {"immediate"}, "_pragma": {
		"busy_timeout(10000)", "foreign_keys(1)", "temp_store(MEMORY)", "cache_size(-16384)",
		"trusted_schema(0)", "cell_size_check(1)", "secure_delete(FAST)",
	}}
	query["_pragma"] = append(query["_pragma"], a...)
	if slices.Equal(a, salvaging) {
		query.Set("_defensive", "0") // which would insist on all of the schema
		query["_pragma"] = a         // the driver sorts them, and some of the others read the schema
	}
	db, err := sql.Open("sqlite", (&url.URL{Scheme: "file", Opaque: url.PathEscape(path), RawQuery: query.Encode()}).String())
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(maxConnections)
	db.SetMaxIdleConns(maxConnections) // one that comes and goes would prepare its statements again
	return db, nil
}

// Damaged reports whether err says that the file is not as it was written. Nothing of what could not be read is ever
// given as data.
func Damaged(err error) bool {
	if errors.Is(err, sealed.ErrDamaged) || errors.Is(err, sealed.ErrWrongKeyOrDamaged) {
		return true
	}
	var e *sqlite.Error
	if !errors.As(err, &e) {
		return false
	}
	switch e.Code() {
	case sqlite3.SQLITE_IOERR_DATA, sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB:
		return true
	}
	return false
}

// Full reports whether err says that there was no room for what was to be stored. What was stored before is there.
func Full(err error) bool {
	var e *sqlite.Error
	return errors.As(err, &e) && e.Code() == sqlite3.SQLITE_FULL
}

func isUniqueViolation(err error) bool {
	var e *sqlite.Error
	if !errors.As(err, &e) {
		return false
	}
	return e.Code() == sqlite3.SQLITE_CONSTRAINT_UNIQUE || e.Code() == sqlite3.SQLITE_CONSTRAINT_PRIMARYKEY
}
