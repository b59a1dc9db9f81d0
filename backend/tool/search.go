package tool

import (
	"context"
	"io/fs"
	"os"
	"path"
	"runtime"
	"slices"
	"strings"
	"sync"
)

// search is one through the files below place, or through that file. One goroutine walks, others read, and what they find is
// put together in the order of the walk: the same search gives the same, however they are scheduled.
type search struct {
	root    *os.Root
	wanted  *wanted
	glob    string
	context int
	place   string
	isFile  bool
}

// batch is some files of one directory.
type batch struct {
	dir   string
	names []string

	found   []foundFile
	skipped int
	done    chan struct{} // closed once found and skipped are there
}

// maxBatch keeps a directory of many files from being searched by one goroutine alone.
const maxBatch = 64

func (s *search) run(ctx context.Context) (searchFilesData, error) {
	d := searchFilesData{Files: []foundFile{}}
	ctx, stop := context.WithCancel(ctx)
	var running sync.WaitGroup
	defer running.Wait()
	defer stop()
	var unread error
	work, order := make(chan *batch), make(chan *batch, 4*runtime.GOMAXPROCS(0))
	running.Go(func() {
		defer close(work)
		defer close(order)
		unread = s.walk(ctx, func(b *batch) {
			for _, next := range []chan *batch{order, work} {
				select {
				case next <- b:
				case <-ctx.Done():
				}
			}
		})
	})
	for range runtime.GOMAXPROCS(0) {
		running.Go(func() {
			var buffer []byte
			for b := range work {
				buffer = s.read(ctx, b, buffer)
				close(b.done)
			}
		})
	}
	for b := range order {
		select {
		case <-b.done:
		case <-ctx.Done():
			return d, nil
		}
		d.Searched += len(b.names) - b.skipped
		d.Skipped += b.skipped
		for _, f := range b.found {
			if d.take(f); d.Truncated {
				return d, nil
			}
		}
	}
	return d, unread
}

// take adds what was found in a file, or as much of it as there is room for.
func (d *searchFilesData) take(f foundFile) {
	for i, l := range f.Lines {
		if !l.matches() {
			continue
		}
		if d.Matches == maxMatches {
			d.Truncated = true
			f.Lines = f.Lines[:i]
			break
		}
		d.Matches++
	}
	if len(f.Lines) > 0 {
		d.Files = append(d.Files, f)
	}
}

// readFolder lists a directory, in the order of the names.
func readFolder(root *os.Root, place string) ([]fs.DirEntry, error) {
	dir, err := openFolder(root, place)
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	items, err := dir.list()
	slices.SortFunc(items, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return items, err
}

// walk gives every file that is to be searched, depth first: those of a directory before what is in its subdirectories.
func (s *search) walk(ctx context.Context, give func(*batch)) error {
	if s.isFile {
		give(&batch{dir: path.Dir(s.place), names: []string{path.Base(s.place)}, done: make(chan struct{})})
		return nil
	}
	return s.walkDir(ctx, s.place, ignoredAbove(s.root, s.place), give)
}

func (s *search) walkDir(ctx context.Context, dir string, rules ignored, give func(*batch)) error {
	items, err := readFolder(s.root, dir)
	if err != nil {
		return err
	}
	if slices.ContainsFunc(items, func(item fs.DirEntry) bool { return item.Name() == ".gitignore" }) {
		rules = rules.with(s.root, dir)
	}
	var files, dirs []string
	for _, item := range items {
		name := item.Name()
		at := path.Join(dir, name)
		isDir := item.IsDir()
		switch {
		case !isDir && !item.Type().IsRegular(), protect(name, at, reading) != nil, rules.match(at, isDir):
		case isDir && fold(name) != ".git":
			dirs = append(dirs, at)
		case !isDir && selects(s.glob, strings.TrimPrefix(at, s.place+"/")):
			files = append(files, name)
		}
	}
	for names := range slices.Chunk(files, maxBatch) {
		give(&batch{dir: dir, names: names, done: make(chan struct{})})
	}
	for _, sub := range dirs {
		if ctx.Err() != nil {
			return nil
		}
		_ = s.walkDir(ctx, sub, rules, give) // one that cannot be read, or is gone, has nothing to give
	}
	return nil
}

// read searches the files of b. The buffer is used for each in turn; it is given back, larger if need be.
func (s *search) read(ctx context.Context, b *batch, buffer []byte) []byte {
	dir, err := openFolder(s.root, b.dir)
	if err != nil {
		b.skipped = len(b.names)
		return buffer
	}
	defer dir.Close()
	for _, name := range b.names {
		if ctx.Err() != nil {
			return buffer
		}
		var content []byte
		if content, buffer, err = dir.load(name, buffer); err != nil {
			b.skipped++
		} else if binary(content) {
			continue
		} else if lines := s.wanted.in(content, s.context); len(lines) > 0 {
			b.found = append(b.found, foundFile{path.Join(b.dir, name), lines})
		}
	}
	return buffer
}
