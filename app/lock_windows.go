package app

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

// tryLock takes the lock on f, which the kernel gives back when this process ends, however it ends. It reports false if
// another process has it.
func tryLock(f *os.File) (bool, error) {
	err := windows.LockFileEx(windows.Handle(f.Fd()), windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, new(windows.Overlapped))
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) {
		return false, nil
	}
	return err == nil, err
}
