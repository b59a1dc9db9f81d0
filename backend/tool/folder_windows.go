package tool

import (
	"io/fs"
	"os"
)

// folder is an open directory of a root.
type folder struct{ *os.Root }

func openFolder(root *os.Root, place string) (folder, error) {
	dir, err := root.OpenRoot(place)
	return folder{dir}, err
}

func (d folder) list() ([]fs.DirEntry, error) { return fs.ReadDir(d.FS(), ".") }

// load is load; it has no use for the buffer.
func (d folder) load(name string, buffer []byte) (content, grown []byte, err error) {
	content, _, err = load(d.Root, name, name)
	return content, buffer, err
}
