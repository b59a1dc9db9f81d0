//go:build !windows

package vault

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// tryLock takes the lock on f, which the kernel gives back when f is closed or this process ends. It reports false if
// another has it.
func tryLock(f *os.File) (bool, error) {
	err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	if errors.Is(err, unix.EWOULDBLOCK) {
		return false, nil
	}
	return err == nil, err
}

// flushFolder makes a rename in the folder outlive a power cut.
func flushFolder(path string) error {
	d, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
