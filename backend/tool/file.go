package tool

import (
	"cmp"
	"context"
	"crypto/rand"
	"io"
	"io/fs"
	"os"
	"path"
)

// maxFile is the size of the largest file that a tool reads or leaves behind.
const maxFile = 8 << 20

// load reads the file at place, which the model calls name. Nothing but an ordinary file with one name is opened: a pipe
// would block, and the other name of a hard link may lie outside.
func load(root *os.Root, place, name string) ([]byte, fs.FileInfo, error) {
	info, err := root.Lstat(place)
	if err == nil {
		err = ordinary(info, name)
	}
	if err != nil {
		return nil, nil, err
	}
	f, err := root.Open(place)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	if info, err = f.Stat(); err == nil { // what is open may be another file by now
		err = ordinary(info, name)
	}
	if err != nil {
		return nil, nil, err
	}
	if n := links(f, info); n > 1 {
		return nil, nil, hardLink(name, n)
	}
	content, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err != nil {
		return nil, nil, err
	}
	if len(content) > maxFile {
		return nil, nil, tooLarge(name, info.Size())
	}
	return content, info, nil
}

func ordinary(info fs.FileInfo, name string) error {
	switch {
	case info.IsDir():
		return refuse("%s is a directory. list_directory shows what is in it.", name)
	case !info.Mode().IsRegular():
		return refuse("%s is not an ordinary file.", name)
	case info.Size() > maxFile:
		return tooLarge(name, info.Size())
	}
	return nil
}

func hardLink(name string, names uint64) error {
	return refuse("%s is a hard link: the same file has %d names, and some may be outside the folder that you work in.", name, names)
}

func tooLarge(name string, size int64) error {
	return refuse("%s has %d bytes; a tool reads or writes at most %d.", name, size, maxFile)
}

// replace puts a file at place in one step: whoever looks sees all of content or what was there before. Its mode is mode,
// or for a new file, without old, what the system gives.
func replace(ctx context.Context, root *os.Root, place string, content []byte, old fs.FileInfo) (err error) {
	mode := fs.FileMode(0o666)
	if old != nil {
		mode = old.Mode().Perm()
	}
	temp := path.Join(path.Dir(place), ".parley-"+rand.Text())
	f, err := root.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = root.Remove(temp)
		}
	}()
	_, err = f.Write(content)
	if err == nil && old != nil {
		err = f.Chmod(mode) // the umask may have taken something away
	}
	if err == nil {
		err = f.Sync()
	}
	if err = cmp.Or(err, f.Close(), ctx.Err()); err != nil {
		return err
	}
	return root.Rename(temp, place)
}
