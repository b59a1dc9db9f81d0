// Package whole writes files that are there as a whole or not at all, also when the program or the machine dies meanwhile.
package whole

import (
	"cmp"
	"crypto/rand"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// What is written is first in a file of such a name, beside the one that it becomes.
const temporary = ".parley-"

// Write makes the file of a name, or takes the place of what has that name; a file that is there keeps its mode. mode is that of
// a new one, less what the system takes away.
func Write(root *os.Root, name string, content []byte, mode fs.FileMode) error {
	old, err := root.Lstat(name)
	if err != nil || !old.Mode().IsRegular() {
		old = nil
	} else {
		mode = old.Mode().Perm()
	}
	return write(root, name, content, mode, old != nil, root.Rename)
}

// Create is Write for a name that nothing has yet. If something has it, also since a moment ago, that is fs.ErrExist.
func Create(root *os.Root, name string, content []byte, mode fs.FileMode) error {
	return write(root, name, content, mode, false, func(from, to string) error {
		err := root.Link(from, to)
		if err == nil || errors.Is(err, fs.ErrExist) {
			return err
		}
		// A file system without links, as on memory sticks: who takes the name between these two loses it.
		if _, err := root.Lstat(to); !errors.Is(err, fs.ErrNotExist) {
			return cmp.Or(err, fs.ErrExist)
		}
		return root.Rename(from, to)
	})
}

// write writes a temporary file and gives it its name; exact is for its mode.
func write(root *os.Root, name string, content []byte, mode fs.FileMode, exact bool, become func(from, to string) error) error {
	temp := filepath.Join(filepath.Dir(name), temporary+rand.Text())
	f, err := root.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	defer root.Remove(temp) // if it is still there
	_, err = f.Write(content)
	if err == nil && exact {
		err = f.Chmod(mode)
	}
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	if err = become(temp, name); err == nil {
		flush(root, filepath.Dir(name))
	}
	return err
}

// flush makes the names in a folder outlive a power cut, where the system can.
func flush(root *os.Root, folder string) {
	if f, err := root.Open(folder); err == nil {
		f.Sync()
		f.Close()
	}
}

// abandoned is how old a temporary file is that nobody writes any more.
const abandoned = time.Hour

// Tidy removes from a folder what a program that died in the middle of a Write left there, as far as that can be removed.
func Tidy(root *os.Root, folder string) {
	entries, _ := fs.ReadDir(root.FS(), filepath.ToSlash(folder))
	for _, entry := range entries {
		if !strings.HasPrefix(entry.Name(), temporary) || len(entry.Name()) != len(temporary)+len(rand.Text()) {
			continue
		}
		if info, err := entry.Info(); err == nil && info.Mode().IsRegular() && time.Since(info.ModTime()) > abandoned {
			root.Remove(filepath.Join(folder, entry.Name()))
		}
	}
}
