package store

import (
	"database/sql"
	"errors"
	"net/url"
	"os"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// access is what a connection may do.
type access []string

var (
	writing = access{"journal_mode(WAL)", "synchronous(NORMAL)"}
	reading = access{"query_only(1)"}
)

// maxConnections is how many read at once. Of those that write there is one.
const maxConnections = 4

// openFile is the one place that names the history's file to SQLite: whatever stands between SQL and the disk is put
// in here.
func openFile(path string, a access) (*sql.DB, error) {
	// SQLite would create the file with the process's umask; a history is its owner's alone from its first byte.
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	f.Close()

	query := url.Values{"_txlock": {"immediate"}, "_pragma": {"busy_timeout(10000)", "foreign_keys(1)", "temp_store(MEMORY)", "cache_size(-16384)"}}
	query["_pragma"] = append(query["_pragma"], a...)
	db, err := sql.Open("sqlite", (&url.URL{Scheme: "file", Opaque: url.PathEscape(path), RawQuery: query.Encode()}).String())
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(maxConnections)
	db.SetMaxIdleConns(maxConnections) // one that comes and goes would prepare its statements again
	return db, nil
}

func isUniqueViolation(err error) bool {
	var e *sqlite.Error
	if !errors.As(err, &e) {
		return false
	}
	return e.Code() == sqlite3.SQLITE_CONSTRAINT_UNIQUE || e.Code() == sqlite3.SQLITE_CONSTRAINT_PRIMARYKEY
}
