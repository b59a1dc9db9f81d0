package tool

import (
	"io/fs"
	"os"
)

// folder is an open directory of a root.
type folder struct{ *os.Root }

func openFolder(root *os.Root) (folder, error) {
	dir, err := root.OpenRoot(".")
	return folder{dir}, err
}

func (d folder) list() ([]fs.DirEntry, error) { return fs.ReadDir(d.FS(), ".") }

// load is load; it has no use for the buffer.
func (d folder) load(name string, buffer []byte) (content, grown []byte, err error) {
	content, _, err = dir{layers: layers{d.Root}}.load(name, name)
	return content, buffer, err
}
