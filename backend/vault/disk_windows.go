package vault

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

// tryLock takes the lock on f, which the kernel gives back when f is closed or this process ends. It reports false if
// another has it.
func tryLock(f *os.File) (bool, error) {
	err := windows.LockFileEx(windows.Handle(f.Fd()), windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, new(windows.Overlapped))
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) {
		return false, nil
	}
	return err == nil, err
}

// flushFolder does nothing: NTFS journals its renames, and a folder cannot be flushed there.
func flushFolder(string) error { return nil }
