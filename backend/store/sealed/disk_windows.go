package sealed

import (
	"errors"
	"os"
	"syscall"
)

const (
	sharingViolation = syscall.Errno(32)
	handleDiskFull   = syscall.Errno(39)
	diskFull         = syscall.Errno(112)
)

// lockFile gives the one lock on path that any process may hold: the file is opened and shared with nobody. It ends
// with the returned file, or with the process.
func lockFile(path string) (*os.File, error) {
	name, err := syscall.UTF16PtrFromString(path)
	if err != nil {
		return nil, err
	}
	h, err := syscall.CreateFile(name, syscall.GENERIC_READ|syscall.GENERIC_WRITE, 0, nil, syscall.OPEN_ALWAYS, syscall.FILE_ATTRIBUTE_NORMAL, 0)
	if errors.Is(err, sharingViolation) {
		return nil, ErrLocked
	}
	if err != nil {
		return nil, err
	}
	return os.NewFile(uintptr(h), path), nil
}

// flushFolder does nothing: Windows writes a rename through with the file.
func flushFolder(string) error { return nil }

// isFull reports whether a write failed for want of space.
func isFull(err error) bool { return errors.Is(err, diskFull) || errors.Is(err, handleDiskFull) }
