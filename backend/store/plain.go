package store

import (
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"runtime"

	"parley/backend/store/sealed"
)

const plainMagic = "SQLite format 3\x00"

// IsPlain reports whether there is an unencrypted history at path, as the first builds of Parley kept one.
func IsPlain(path string) (bool, error) {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	defer f.Close()
	start := make([]byte, len(plainMagic))
	if _, err := io.ReadFull(f, start); err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return false, err
	}
	return string(start) == plainMagic, nil
}

// ImportPlain puts a sealed history in the place of a plain one, and overwrites and removes what was plain. If there is
// none it only removes what an earlier import left. It may be ended at any point and called again: at path there is
// always one whole history, and what kind it is says how far the import had come.
func ImportPlain(ctx context.Context, path string, key *sealed.Key) error {
	plain, err := IsPlain(path)
	if err == nil && plain {
		err = importPlain(ctx, path, key)
	}
	if err != nil {
		return fmt.Errorf("import the plain history: %w", err)
	}
	return errors.Join(wipe(path+"-plain"), wipe(path+"-plain-wal"))
}

func importPlain(ctx context.Context, path string, key *sealed.Key) error {
	part := path + "-sealing"
	for _, left := range []string{part, part + "-wal", path + "-plain"} { // of an import that was ended; plain is path's second name
		if err := os.Remove(left); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	// SQLite removes its log by name. Under a second one it can be overwritten.
	if err := os.Link(path+"-wal", path+"-plain-wal"); err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, fs.ErrExist) {
		return err
	}
	if err := sealCopy(ctx, path, part, key); err != nil {
		return err
	}
	if err := os.Link(path, path+"-plain"); err != nil {
		return err
	}
	if err := os.Remove(part + "-lock"); err != nil { // before the last step, after which nobody would
		return err
	}
	return os.Rename(part, path)
}

// sealCopy makes a sealed copy of the plain database at from. When it returns, from's log is part of from.
func sealCopy(ctx context.Context, from, to string, key *sealed.Key) error {
	f, err := openSealed(to, key, 0)
	if err != nil {
		return err
	}
	db, err := connect(to, access{"journal_mode(WAL)", "synchronous(FULL)"})
	if err != nil {
		return errors.Join(err, f.Close())
	}
	conn, err := db.Conn(ctx)
	if err == nil {
		err = errors.Join(copyAll(ctx, conn, from), conn.Close())
	}
	return errors.Join(err, db.Close(), f.Close())
}

// platformVFS is the name of SQLite's own way to the disk.
func platformVFS() string {
	if runtime.GOOS == "windows" {
		return "win32"
	}
	return "unix"
}

// copyAll copies tables, rows and indexes as they are, and checks that all arrived.
func copyAll(ctx context.Context, conn *sql.Conn, from string) error {
	source := url.URL{Scheme: "file", Opaque: url.PathEscape(from), RawQuery: "vfs=" + platformVFS()}
	if _, err := conn.ExecContext(ctx, "ATTACH ? AS plain", source.String()); err != nil {
		return err
	}
	var version int
	if err := conn.QueryRowContext(ctx, "PRAGMA plain.user_version").Scan(&version); err != nil {
		return err
	}
	tables, err := schema(ctx, conn, "type = 'table'")
	if err != nil {
		return err
	}
	others, err := schema(ctx, conn, "type <> 'table'")
	if err != nil {
		return err
	}
	script := []string{"PRAGMA foreign_keys = 0", "BEGIN IMMEDIATE"} // tables refer to each other
	for _, t := range tables {
		script = append(script, t.text)
	}
	for _, t := range tables {
		script = append(script, fmt.Sprintf(`INSERT INTO main.%[1]q SELECT * FROM plain.%[1]q`, t.name))
	}
	for _, o := range others {
		script = append(script, o.text)
	}
	for _, text := range append(script, fmt.Sprintf("PRAGMA main.user_version = %d", version), "COMMIT") {
		if _, err := conn.ExecContext(ctx, text); err != nil {
			return err
		}
	}
	for _, t := range tables {
		var there, here int64
		err := conn.QueryRowContext(ctx, fmt.Sprintf(`SELECT (SELECT count(*) FROM plain.%[1]q), (SELECT count(*) FROM main.%[1]q)`, t.name)).Scan(&there, &here)
		if err != nil || there != here {
			return errors.Join(err, fmt.Errorf("%d of %d rows of %s arrived", here, there, t.name))
		}
	}
	var verdict string
	if err := conn.QueryRowContext(ctx, "PRAGMA main.integrity_check").Scan(&verdict); err != nil || verdict != "ok" {
		return errors.Join(err, fmt.Errorf("the copy is not whole: %s", verdict))
	}
	_, err = conn.ExecContext(ctx, "DETACH plain")
	return err
}

type schemaEntry struct{ name, text string }

func schema(ctx context.Context, conn *sql.Conn, which string) ([]schemaEntry, error) {
	rows, err := conn.QueryContext(ctx, "SELECT name, sql FROM plain.sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%' AND "+which)
	return list(rows, err, func(row scanner) (e schemaEntry, err error) {
		err = row.Scan(&e.name, &e.text)
		return e, err
	})
}

// wipe overwrites a file and removes it. What a disk or a file system keeps of it elsewhere is beyond us.
func wipe(path string) error {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	info, err := f.Stat()
	if err == nil {
		_, err = io.CopyN(f, rand.Reader, info.Size())
	}
	return errors.Join(err, f.Sync(), f.Close(), os.Remove(path))
}
