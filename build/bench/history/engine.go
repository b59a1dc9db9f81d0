package main

import (
	"database/sql"
	"fmt"

	_ "github.com/mutecomm/go-sqlcipher/v4"
	ncruces "github.com/ncruces/go-sqlite3/driver"
	_ "github.com/ncruces/go-sqlite3/vfs/adiantum"
	_ "modernc.org/sqlite"

	"parley/backend/store/sealed"
)

// engine is one way to have SQLite.
type engine struct {
	name     string
	open     func(path, synchronous string, create bool) (*history, error)
	fullText bool // is built with FTS5
}

// history is an open database with one connection.
type history struct {
	db    *sql.DB
	after func() error
}

func (h *history) close() error {
	err := h.db.Close()
	if h.after != nil {
		return h.after()
	}
	return err
}

var key = sealed.Key{0x5e, 0xa1, 0xed}

var engines = []engine{
	{"plain", openPlain(8192), true},
	{"sealed", openSealed, true},
	{"plain, pages of 4 KiB", openPlain(4096), true}, // what SQLite takes by itself; all others have pages of 8 KiB
	{"adiantum", openAdiantum, false},
	{"sqlcipher", openSQLCipher, false},
}

func one(db *sql.DB, err error, synchronous string, after func() error) (*history, error) {
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1)
	for _, p := range []string{"journal_mode=WAL", "synchronous=" + synchronous, "cache_size=-16384", "temp_store=MEMORY"} {
		if _, err := db.Exec("PRAGMA " + p); err != nil {
			return nil, err
		}
	}
	return &history{db, after}, nil
}

func openPlain(pageSize int) func(path, synchronous string, create bool) (*history, error) {
	return func(path, synchronous string, _ bool) (*history, error) {
		db, err := sql.Open("sqlite", fmt.Sprintf("file:%s?_pragma=page_size(%d)", path, pageSize))
		return one(db, err, synchronous, nil)
	}
}

func openSealed(path, synchronous string, create bool) (*history, error) {
	if create {
		if err := sealed.Create(path, &key, sealed.XAES256GCM); err != nil {
			return nil, err
		}
	}
	f, err := sealed.Open(path, &key, 0)
	if err != nil {
		return nil, err
	}
	db, err := sql.Open("sqlite", "file:"+path+"?vfs="+sealed.VFS)
	return one(db, err, synchronous, f.Close)
}

func openAdiantum(path, synchronous string, _ bool) (*history, error) {
	db, err := ncruces.Open(fmt.Sprintf("file:%s?vfs=adiantum&hexkey=%x&_pragma=page_size(8192)", path, key[:]))
	return one(db, err, synchronous, nil)
}

func openSQLCipher(path, synchronous string, _ bool) (*history, error) {
	db, err := sql.Open("sqlite3", fmt.Sprintf("file:%s?_pragma_key=x'%x'&_pragma_cipher_page_size=8192", path, key[:]))
	return one(db, err, synchronous, nil)
}
