package vault

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// replace puts data in path's place: after a crash the old or the new is there, whole. The old one goes only once the
// new one was flushed, read back, and found the same. The caller is the only one who writes path.
func replace(path string, data []byte) error {
	fresh := path + ".new"
	if err := os.Remove(fresh); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := writeFlushed(fresh, data); err != nil {
		return errors.Join(err, os.Remove(fresh))
	}
	if got, err := os.ReadFile(fresh); err != nil || !bytes.Equal(got, data) {
		return errors.Join(errors.New("what was written does not read back"), err, os.Remove(fresh))
	}
	if err := os.Rename(fresh, path); err != nil {
		return errors.Join(err, os.Remove(fresh))
	}
	return flushFolder(filepath.Dir(path))
}

// writeFlushed makes a file that is its owner's alone from its first byte.
func writeFlushed(path string, data []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	return errors.Join(err, f.Sync(), f.Close())
}

// readBounded reads a file that has no business being longer than most bytes.
func readBounded(path string, most int64) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, most+1))
	if err == nil && int64(len(data)) > most {
		err = errors.New("file is too long")
	}
	return data, err
}
