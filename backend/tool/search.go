package tool

import (
	"context"
	"io/fs"
	"path"
	"runtime"
	"slices"
	"strings"
	"sync"

	"parley/backend/agent"
)

// search is one through the files below place, or through that file. One goroutine walks, others read, and what they find is
// put together in the order of the walk: the same search gives the same, however they are scheduled.
type search struct {
	place   *place
	isFile  bool
	wanted  *wanted
	glob    string
	context int
}

// batch is some files of one directory.
type batch struct {
	dir   string
	open  folders // of it
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
					b.open.close() // nobody reads it any more; to close it twice is nothing
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

// walk gives every file that is to be searched, depth first: those of a directory before what is in its subdirectories.
func (s *search) walk(ctx context.Context, give func(*batch)) error {
	if s.isFile {
		return s.give(s.place.dir, []string{s.place.name}, give)
	}
	d, err := s.place.open()
	if err != nil {
		return err
	}
	defer d.close()
	return s.walkDir(ctx, d, ignoredAbove(d.files, d.path), give)
}

// give gives files of a directory.
func (s *search) give(d dir, names []string, give func(*batch)) error {
	open, err := d.folders()
	if err == nil {
		give(&batch{dir: d.path, open: open, names: names, done: make(chan struct{})})
	}
	return err
}

func (s *search) walkDir(ctx context.Context, d dir, rules ignored, give func(*batch)) error {
	items, err := d.entries()
	if err != nil {
		return err
	}
	if slices.ContainsFunc(items, func(item fs.DirEntry) bool { return item.Name() == ".gitignore" }) {
		rules = rules.with(d)
	}
	var files, dirs []string
	for _, item := range items {
		name := item.Name()
		at := path.Join(d.path, name)
		isDir := item.IsDir()
		switch {
		case !isDir && !item.Type().IsRegular(), protect(name, at, reading) != nil, rules.match(at, isDir):
		case isDir && agent.FoldName(name) != ".git":
			dirs = append(dirs, name)
		case !isDir && selects(s.glob, strings.TrimPrefix(at, s.place.at()+"/")):
			files = append(files, name)
		}
	}
	for names := range slices.Chunk(files, maxBatch) {
		if err := s.give(d, names, give); err != nil {
			return err
		}
	}
	for _, name := range dirs {
		if ctx.Err() != nil {
			return nil
		}
		sub, err := d.sub(name)
		if err != nil {
			continue // one that cannot be read, or is gone, has nothing to give
		}
		_ = s.walkDir(ctx, sub, rules, give)
		sub.close()
	}
	return nil
}

// read searches the files of b. The buffer is used for each in turn; it is given back, larger if need be.
func (s *search) read(ctx context.Context, b *batch, buffer []byte) []byte {
	defer b.open.close()
	for _, name := range b.names {
		if ctx.Err() != nil {
			return buffer
		}
		var content []byte
		var err error
		if content, buffer, err = b.open.load(name, buffer); err != nil {
			b.skipped++
		} else if binary(content) {
			continue
		} else if lines := s.wanted.in(content, s.context); len(lines) > 0 {
			b.found = append(b.found, foundFile{path.Join(b.dir, name), lines})
		}
	}
	return buffer
}
