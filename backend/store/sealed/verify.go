package sealed

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"sync"
)

// Report is what Verify or Salvage found.
type Report struct {
	Pages  int      // of the database
	Frames int      // of the log
	Bad    []uint32 // pages that nothing has, or that are not authentic; in order
	Log    []int    // frames that belong to commits and are not authentic
	Lost   uint64   // commits that the counter knows of and that are not there; Salvage only, File.Lost says it for Verify
}

// Whole reports whether nothing is bad.
func (r Report) Whole() bool { return len(r.Bad) == 0 && len(r.Log) == 0 }

// verifyRun is how many pages are read at once.
const verifyRun = 64

// Verify authenticates every page and every frame of a file in use. It is as fast as the disk or two cores allow, and
// stands in nobody's way. What it does not see is an older state of a page that was once authentic in the same place.
func (f *File) Verify(ctx context.Context) (Report, error) {
	f.mu.RLock()
	if f.main == nil {
		f.mu.RUnlock()
		return Report{}, os.ErrClosed
	}
	r := Report{Pages: int(f.pages), Frames: f.log.frames}
	// A page that the log has too may be torn until the log is moved into the pages; SQLite does not read it.
	newest, badFrames := f.log.newest(f.keys)
	f.mu.RUnlock()
	r.Log = badFrames

	var mu sync.Mutex
	var failed error
	var workers sync.WaitGroup
	next := uint32(1)
	take := func() (first uint32) {
		mu.Lock()
		defer mu.Unlock()
		first, next = next, next+verifyRun
		return first
	}
	for range min(2, runtime.GOMAXPROCS(0)) {
		workers.Go(func() {
			buf := make([]byte, verifyRun*pageSize)
			for first := take(); first <= uint32(r.Pages) && ctx.Err() == nil; first = take() {
				bad, err := f.verifyPages(buf, first)
				mu.Lock()
				failed = errors.Join(failed, err)
				for _, number := range bad {
					if _, logged := newest[number]; !logged {
						r.Bad = append(r.Bad, number)
					}
				}
				mu.Unlock()
			}
		})
	}
	workers.Wait()
	slices.Sort(r.Bad)
	return r, errors.Join(failed, ctx.Err())
}

// verifyPages gives those of a run of pages that are not authentic. A page is never half written while mu is held.
func (f *File) verifyPages(buf []byte, first uint32) (bad []uint32, err error) {
	f.mu.RLock()
	defer f.mu.RUnlock()
	if f.main == nil {
		return nil, os.ErrClosed
	}
	n := min(verifyRun, int(f.pages)-int(first)+1)
	if n <= 0 {
		return nil, nil // it has become shorter
	}
	got, err := readRange(f.main, buf[:n*pageSize], pageOffset(first))
	if err != nil {
		return nil, fmt.Errorf("read pages %d to %d: %w", first, int(first)+n-1, err)
	}
	for i := range n {
		number := first + uint32(i)
		page := buf[i*pageSize : (i+1)*pageSize]
		if (i+1)*pageSize > got || !f.keys.openPage(page, page, number) {
			bad = append(bad, number)
		}
	}
	return bad, nil
}
