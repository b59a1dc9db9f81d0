package sealed

import (
	"errors"
	"os"
	"path/filepath"
)

// disk is a file as the power-cut simulator sees it: it can watch every change that reaches the operating system.
type disk struct {
	file  *os.File
	watch func(change)
}

// change is one write, one truncation (data is nil, off the new size), one sync, or the file's removal or new name.
type change struct {
	path          string
	off           int64
	data          []byte
	sync, removed bool
	renamed       string // to what, if it was
}

func openDisk(path string, flag int, watch func(change)) (*disk, error) {
	f, err := os.OpenFile(path, flag, 0o600)
	if err != nil {
		return nil, err
	}
	return &disk{f, watch}, nil
}

func (d *disk) ReadAt(b []byte, off int64) (int, error) { return d.file.ReadAt(b, off) }

func (d *disk) WriteAt(b []byte, off int64) (int, error) {
	if d.watch != nil {
		d.watch(change{path: d.file.Name(), off: off, data: append([]byte{}, b...)})
	}
	return d.file.WriteAt(b, off)
}

func (d *disk) Truncate(size int64) error {
	if d.watch != nil {
		d.watch(change{path: d.file.Name(), off: size})
	}
	return d.file.Truncate(size)
}

// Sync returns when everything written before it is on the disk.
func (d *disk) Sync() error {
	if d.watch != nil {
		d.watch(change{path: d.file.Name(), sync: true})
		return nil // the simulator's disk is not this one
	}
	return flushFile(d.file)
}

// remove closes the file as well. That it is gone already is no error.
func (d *disk) remove() error {
	if d.watch != nil {
		d.watch(change{path: d.file.Name(), removed: true})
	}
	if err := d.file.Close(); err != nil {
		return err
	}
	if err := os.Remove(d.file.Name()); !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return nil
}

func (d *disk) size() (int64, error) {
	info, err := d.file.Stat()
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}

// createWhole makes a file that appears at path whole or not at all. An existing one is not replaced.
func createWhole(path string, fill func(*disk) error) (err error) {
	part := path + "-part"
	d, err := openDisk(part, os.O_CREATE|os.O_TRUNC|os.O_RDWR, nil)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			d.file.Close()
			os.Remove(part)
		}
	}()
	if err := fill(d); err != nil {
		return err
	}
	if err := d.Sync(); err != nil {
		return err
	}
	if err := d.file.Close(); err != nil {
		return err
	}
	return putInPlace(part, path, false)
}

// putInPlace gives part its name, for good. What has the name already is replaced only if asked.
func putInPlace(part, path string, replace bool) error {
	if !replace {
		if _, err := os.Lstat(path); err == nil {
			return &os.PathError{Op: "create", Path: path, Err: os.ErrExist}
		}
	}
	if err := os.Rename(part, path); err != nil {
		return err
	}
	return flushFolder(filepath.Dir(path))
}
