//go:build unix

package tool

import (
	"io/fs"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// folder is an open directory of a root. It is for going through very many files: what it opens is found without the way
// there, never through a link, and costs a third of the system calls that an os.Root takes.
type folder struct{ *os.File }

func openFolder(root *os.Root) (folder, error) {
	opened, err := root.Open(".")
	if err != nil {
		return folder{}, err
	}
	defer opened.Close()
	fd, err := unix.FcntlInt(opened.Fd(), unix.F_DUPFD_CLOEXEC, 0)
	return folder{os.NewFile(uintptr(fd), root.Name())}, err // which, unlike opened, does not ask for the size of all that it lists
}

func (d folder) list() ([]fs.DirEntry, error) { return d.ReadDir(-1) }

// load is load, into a buffer that it makes larger if need be. Of what is not text it gives nothing.
func (d folder) load(name string, buffer []byte) (content, grown []byte, err error) {
	fd, err := unix.Openat(int(d.Fd()), name, unix.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, buffer, err
	}
	defer unix.Close(fd)
	var info unix.Stat_t
	switch err := unix.Fstat(fd, &info); {
	case err != nil:
		return nil, buffer, err
	case info.Mode&unix.S_IFMT != unix.S_IFREG:
		return nil, buffer, fs.ErrInvalid
	case info.Size > maxFile:
		return nil, buffer, tooLarge(name, info.Size)
	case info.Nlink > 1:
		return nil, buffer, hardLink(name, uint64(info.Nlink))
	}
	if need := int(info.Size); need > len(buffer) {
		buffer = make([]byte, max(need, 64<<10))
	}
	n := 0
	for n < int(info.Size) {
		got, err := unix.Read(fd, buffer[n:info.Size])
		if err == syscall.EINTR {
			continue
		}
		if err != nil || got == 0 { // it is shorter by now
			return buffer[:n], buffer, err
		}
		n += got
	}
	return buffer[:n], buffer, nil
}
