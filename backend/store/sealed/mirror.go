package sealed

import (
	"context"
	"errors"
	"fmt"
	"os"
)

// mirror is a second file that follows the first page by page, under keys of its own, until the log is empty: then both
// hold the same, and the second is complete. The fields are guarded by the File's mu.
type mirror struct {
	disk   *disk
	header Header
	keys   *keys
	next   uint32 // the first page that is not there yet
	copied bool   // all are
	err    error

	place func(f *File, part string) error // puts the complete file where it belongs
	done  bool
}

// Backup makes a sealed copy of the file at path, under the same or another key, with a salt of its own. SQLite goes on
// working meanwhile. checkpoint must run PRAGMA wal_checkpoint(TRUNCATE) on the writing connection; Backup calls it
// twice. The copy appears whole or not at all, and holds every commit made before the second call.
func (f *File) Backup(ctx context.Context, path string, key *Key, checkpoint func(context.Context) error) error {
	return f.copyTo(ctx, path+"-part", key, checkpoint, func(_ *File, part string) error {
		return putInPlace(part, path, false)
	})
}

// Rekey seals the file anew, under another data key and salt, while SQLite works on it. checkpoint is as for Backup.
// Until Rekey returns nil the file may be under either key, never under both: whoever calls must keep the two until then,
// and open with the one that fits. After a crash the file is whole under one of them, and Rekey may be run again.
func (f *File) Rekey(ctx context.Context, key *Key, checkpoint func(context.Context) error) error {
	return f.copyTo(ctx, f.path+"-part", key, checkpoint, (*File).become)
}

func (f *File) copyTo(ctx context.Context, part string, key *Key, checkpoint func(context.Context) error, place func(*File, string) error) (err error) {
	m, err := f.startMirror(part, key, place)
	if err != nil {
		return err
	}
	defer func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.mirror = nil
		if !m.done {
			m.disk.file.Close()
			os.Remove(part)
		}
	}()
	// Pages that a crash tore are mended by this: the log has them.
	if err := checkpoint(ctx); err != nil {
		return err
	}
	for copied := false; !copied; {
		if err := ctx.Err(); err != nil {
			return err
		}
		if copied, err = f.copyRun(m); err != nil {
			return err
		}
	}
	if err := checkpoint(ctx); err != nil {
		return err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if m.err == nil && !m.done {
		return ErrBusy
	}
	return m.err
}

func (f *File) startMirror(part string, key *Key, place func(*File, string) error) (*mirror, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.main == nil {
		return nil, os.ErrClosed
	}
	if f.mirror != nil {
		return nil, ErrBusy
	}
	m := &mirror{header: newHeader(f.header.Cipher()), next: 1, place: place}
	var err error
	if m.keys, err = deriveKeys(key, &m.header); err != nil {
		return nil, err
	}
	if m.disk, err = openDisk(part, os.O_CREATE|os.O_TRUNC|os.O_RDWR, f.watch); err != nil {
		return nil, err
	}
	f.mirror = m
	return m, nil
}

// copyRun copies some pages, so few that nobody waits for long.
func (f *File) copyRun(m *mirror) (done bool, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for range 16 {
		if m.err != nil {
			return false, m.err
		}
		if m.next > f.pages {
			m.copied = true
			return true, nil
		}
		page, err := f.readSealed(f.scratch[:], m.next)
		if err != nil {
			return false, fmt.Errorf("copy: %w", err)
		}
		m.write(page, m.next)
		m.next++
	}
	return false, nil
}

// write seals page in place. An error is kept for the end: it is not the error of whoever writes to the first file.
func (m *mirror) write(page []byte, number uint32) {
	m.keys.sealPage(page, page, number)
	if _, err := m.disk.WriteAt(page, pageOffset(number)); err != nil {
		m.err = errors.Join(m.err, err)
	}
}

// follow takes a page that the first file was just given.
func (m *mirror) follow(page []byte, number uint32) {
	if number > m.next || !m.copied && number == m.next {
		return // its turn will come
	}
	m.write(page, number)
	m.next = max(m.next, number+1)
}

// truncate follows a file that has become shorter.
func (m *mirror) truncate(pages uint32) {
	if m.next <= pages+1 {
		return
	}
	m.next = pages + 1
	m.err = errors.Join(m.err, m.disk.Truncate(pageOffset(m.next)))
}

// finish completes the mirror if all of f is in it. It is called when f is settled.
func (m *mirror) finish(f *File) {
	if !m.copied || m.done || m.err != nil {
		return
	}
	if m.next != f.pages+1 {
		m.err = errors.New("copy: pages are missing")
		return
	}
	_, err := m.disk.WriteAt(newPrologue(m.keys, &m.header, f.mark), 0)
	if err == nil {
		err = m.disk.Sync()
	}
	if err == nil {
		err = m.disk.file.Close()
	}
	if err == nil {
		err = m.place(f, m.disk.file.Name())
	}
	m.err, m.done = err, err == nil
}

// become makes the copy the file itself. What is open is closed before it is renamed: some systems insist.
func (f *File) become(part string) error {
	if err := f.main.file.Close(); err != nil {
		return err
	}
	if f.watch != nil {
		f.watch(change{path: part, renamed: f.path})
	}
	moved := putInPlace(part, f.path, true)
	main, err := openDisk(f.path, os.O_RDWR, f.watch)
	if err != nil {
		return errors.Join(moved, err)
	}
	f.main = main
	if moved != nil {
		return moved
	}
	f.header, f.keys = f.mirror.header, f.mirror.keys
	f.mark.seq++ // newPrologue wrote two
	return nil
}
