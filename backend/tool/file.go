package tool

import (
	"cmp"
	"context"
	"crypto/rand"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"
)

// maxFile is the size of the largest file that a tool reads or leaves behind.
const maxFile = 8 << 20

// place is where a path leads: a name in an open directory, which was not that of a symbolic link. It need not be there, and
// the last directories before it need not either: then name begins with theirs. Close it.
type place struct {
	dir
	name string
	said string // what the model calls it
}

// at is the path of the place, for reading.
func (p *place) at() string { return path.Join(p.path, p.name) }

// open gives the directory that the place is. Close it, too.
func (p *place) open() (dir, error) { return p.files.dir(p.at()) }

// load reads the file at the place. Nothing but an ordinary file with one name is opened: a pipe would block, and the other
// name of a hard link may lie outside.
func (p *place) load() ([]byte, fs.FileInfo, error) { return p.dir.load(p.name, p.said) }

// load is place's, for the file name in d, which the model calls said.
func (d dir) load(name, said string) ([]byte, fs.FileInfo, error) {
	layer, found, err := d.look(name)
	if err == nil {
		err = ordinary(found, said)
	}
	if err != nil {
		return nil, nil, err
	}
	f, err := layer.Open(name)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err == nil && !os.SameFile(found, info) {
		err = errSwap
	}
	if err == nil {
		err = ordinary(info, said)
	}
	if err != nil {
		return nil, nil, err
	}
	if n := links(f, info); n > 1 {
		return nil, nil, hardLink(said, n)
	}
	content, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err != nil {
		return nil, nil, err
	}
	if len(content) > maxFile {
		return nil, nil, tooLarge(said, info.Size())
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

// replace puts a file at the place in one step: whoever looks sees all of content or what was there before. Its mode is that
// of old, or for a new file, without old, what the system gives. The directories before it must be there, unless they are to
// be made. In a sandbox the file is written to the session's own folder, wherever it was read.
func (p *place) replace(ctx context.Context, content []byte, old fs.FileInfo, makeDirs bool) error {
	if strings.Contains(p.name, "/") && !makeDirs {
		return fs.ErrNotExist
	}
	d, name := p.dir, path.Base(p.name)
	if d.layers[0] == nil || name != p.name {
		var err error
		if d, err = p.files.make(path.Dir(p.at())); err != nil {
			return err
		}
		defer d.close()
	}
	return replace(ctx, d.layers[0], name, content, old)
}

func replace(ctx context.Context, root *os.Root, name string, content []byte, old fs.FileInfo) (err error) {
	mode := fs.FileMode(0o666)
	if old != nil {
		mode = old.Mode().Perm()
	}
	temp := ".parley-" + rand.Text()
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
	return root.Rename(temp, name)
}

// aside reports whether what is written at the place stays out of the working folder.
func (p *place) aside() bool { return p.files.layers[1] != nil }
