package sealed

import (
	"errors"
	"fmt"
	"io"
)

var (
	errShort   = errors.New("past the end")
	errReserve = errors.New("sealed: SQLite wrote into the reserved end of a page")
	errLayout  = errors.New("sealed: a write that is not of whole pages of our size")
)

func pageOffset(number uint32) int64 { return prologue + int64(number-1)*pageSize }

// readPage reads a page as SQLite knows it.
func (f *File) readPage(dst []byte, number uint32) error {
	f.mu.RLock()
	defer f.mu.RUnlock()
	if number > f.pages {
		return errShort
	}
	if f.withheld[number] {
		return damage("page %d is lost", number)
	}
	_, err := f.readSealed(dst, number)
	return err
}

// readSealed needs mu. It reports the page's bytes; on damage dst holds nothing of use.
func (f *File) readSealed(dst []byte, number uint32) ([]byte, error) {
	dst = dst[:pageSize]
	if _, err := f.main.ReadAt(dst, pageOffset(number)); err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	if !f.keys.openPage(dst, dst, number) {
		clear(dst)
		return nil, damage("page %d is damaged", number)
	}
	return dst, nil
}

// writePage takes one page from SQLite. Pages that it skips are filled: on the disk no page is ever just zero.
func (f *File) writePage(page []byte, number uint32) error {
	if !allZero(page[pageSize-reserve:]) {
		return errReserve
	}
	if number == 1 && page[20] != reserve {
		return errLayout
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if number > f.pages+1 {
		empty := make([]byte, pageSize)
		for f.pages+1 < number {
			if err := f.writeSealed(empty, f.pages+1); err != nil {
				return err
			}
		}
	}
	return f.writeSealed(page, number)
}

func (f *File) writeSealed(page []byte, number uint32) error {
	sealed := f.scratch[:pageSize]
	if f.mirror != nil {
		copy(sealed, page)
		f.mirror.follow(sealed, number)
	}
	copy(sealed, page)
	if number == 1 {
		sealed[18], sealed[19] = 2, 2 // VACUUM INTO uses a rollback journal; from then on the file has a log
	}
	f.keys.sealPage(sealed, sealed, number)
	if _, err := f.main.WriteAt(sealed, pageOffset(number)); err != nil {
		return err
	}
	f.pages = max(f.pages, number)
	return nil
}

func (f *File) truncatePages(pages uint32) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.pages = pages
	if f.mirror != nil {
		f.mirror.truncate(pages)
	}
	return f.main.Truncate(pageOffset(pages + 1))
}

func (f *File) syncPages() error {
	f.mu.RLock()
	main := f.main
	f.mu.RUnlock()
	return main.Sync()
}

// writeMark needs mu.
func (f *File) writeMark() error {
	f.mark.seq++
	_, err := f.main.WriteAt(f.mark.seal(f.keys), f.mark.place())
	return err
}

// settle notes, for good, that the pages hold every commit, so that the log may go. It needs mu.
func (f *File) settle() error {
	m := &f.mark
	m.durable, m.settled, m.pages = m.commits, m.commits, uint64(f.pages)
	m.generation = max(m.generation, f.log.generation)
	if err := f.writeMark(); err != nil {
		return fmt.Errorf("settle: %w", err)
	}
	return f.main.Sync()
}

func allZero(b []byte) bool {
	for _, c := range b {
		if c != 0 {
			return false
		}
	}
	return true
}

func readUpTo(d *disk, n int) ([]byte, error) {
	b := make([]byte, n)
	got, err := readRange(d, b, 0)
	return b[:got], err
}

// readRange reads as much as there is.
func readRange(d *disk, b []byte, off int64) (int, error) {
	n, err := d.ReadAt(b, off)
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return n, err
}
