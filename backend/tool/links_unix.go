//go:build unix

package tool

import (
	"io/fs"
	"os"
	"syscall"
)

// links counts the names of an open file.
func links(_ *os.File, info fs.FileInfo) uint64 {
	return uint64(info.Sys().(*syscall.Stat_t).Nlink)
}
