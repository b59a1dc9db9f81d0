//go:build !linux

package sealed

import "os"

func flushFile(f *os.File) error { return f.Sync() }
