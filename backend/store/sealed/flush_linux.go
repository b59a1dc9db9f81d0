package sealed

import (
	"errors"
	"os"
	"syscall"
)

// flushFile leaves out what is not needed to read the file again, such as its time of change.
func flushFile(f *os.File) error {
	for {
		if err := syscall.Fdatasync(int(f.Fd())); !errors.Is(err, syscall.EINTR) {
			return err
		}
	}
}
