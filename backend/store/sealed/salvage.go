package sealed

import (
	"encoding/binary"
	"fmt"
	"os"
)

// Salvage makes a sealed copy, at out and under the same key, of every page of a damaged file that is still authentic.
// The original is not touched. In place of a page that is lost the copy has one with a single row, all NULL, whose rowid
// is minus the page's number: SQLite reads a table past it. The copy is for reading rows out of, into a new file: first
// the row ids of each table, NOT INDEXED, WHERE +rowid > 0 (the plus keeps SQLite from searching by it); then, the lost
// pages Withheld, what each row holds, because of one that continued on such a page something else would be read. Indexes
// may lack entries. If page 1 is lost, so are the names of all tables, and the copy is an empty database.
//
// The counter of commits begins anew, so an anchor kept elsewhere has to as well.
//
// header is the copy of the file's Header that was kept elsewhere; nil means to trust the file's own.
func Salvage(path string, key *Key, header *Header, out string) (Report, error) {
	path, err := canonical(path)
	if err != nil {
		return Report{}, err
	}
	lock, err := lockFile(path + "-lock")
	if err != nil {
		return Report{}, err
	}
	defer lock.Close()
	s := &salvage{}
	defer s.close()
	if err := s.open(path, key, header); err != nil {
		return Report{}, err
	}
	h := newHeader(s.header.Cipher())
	k, err := deriveKeys(key, &h)
	if err != nil {
		return Report{}, err
	}
	var r Report
	err = createWhole(out, func(d *disk) error {
		if r, err = s.copyPages(d, k); err != nil {
			return err
		}
		_, err := d.WriteAt(newPrologue(k, &h, mark{pages: uint64(r.Pages)}), 0)
		return err
	})
	return r, err
}

// Withhold makes reading these pages a Damage from now on, where SQLite does not have them in memory.
func (f *File) Withhold(pages []uint32) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.withheld = map[uint32]bool{}
	for _, number := range pages {
		f.withheld[number] = true
	}
}

// salvage reads a file without believing any of it.
type salvage struct {
	main   *disk
	header Header
	keys   *keys
	log    wal
	lost   uint64
}

func (s *salvage) open(path string, key *Key, header *Header) (err error) {
	if s.main, err = openDisk(path, os.O_RDONLY, nil); err != nil {
		return err
	}
	start, err := readUpTo(s.main, prologue)
	if err != nil {
		return err
	}
	if header != nil {
		s.header = *header
		s.keys, err = deriveKeys(key, header)
	} else {
		var h *Header
		if h, s.keys, err = openHeader(start, key); err == nil {
			s.header = *h
		}
	}
	if err != nil {
		return err
	}
	if _, err := s.log.load(path+"-wal", s.keys, nil); err != nil {
		return err
	}
	if m, err := openMarks(s.keys, start); err == nil {
		s.lost = m.commits - min(m.commits, max(m.settled, s.log.last))
	}
	return nil
}

func (s *salvage) close() {
	for _, d := range []*disk{s.main, s.log.disk} {
		if d != nil {
			d.file.Close()
		}
	}
}

// copyPages takes the newest state of each page: from the log, up to its last whole commit, or from the file.
func (s *salvage) copyPages(out *disk, k *keys) (Report, error) {
	size, err := s.main.size()
	if err != nil {
		return Report{}, err
	}
	logged, _ := s.log.newest(s.keys)
	r := Report{Pages: int(max(0, size-prologue+pageSize-1) / pageSize), Frames: s.log.frames, Lost: s.lost}
	if s.log.size > 0 {
		r.Pages = int(s.log.size)
	}
	r.Pages = max(r.Pages, 1)
	buf := make([]byte, frameSize)
	for number := range uint32(r.Pages) {
		number++
		page, err := s.page(buf, number, logged)
		if err != nil {
			return r, err
		}
		if page == nil {
			r.Bad = append(r.Bad, number)
			page = lostPage(number)
		}
		k.sealPage(page, page, number)
		if _, err := out.WriteAt(page, pageOffset(number)); err != nil {
			return r, fmt.Errorf("salvage page %d: %w", number, err)
		}
	}
	return r, nil
}

// page is nil when there is no authentic one.
func (s *salvage) page(buf []byte, number uint32, logged map[uint32]int) ([]byte, error) {
	if i, ok := logged[number]; ok {
		if _, err := s.log.readFrame(s.keys, buf, i); err == nil {
			clear(buf[headerAt:])
			return buf[:pageSize:pageSize], nil
		}
	}
	page := buf[:pageSize]
	n, err := readRange(s.main, page, pageOffset(number))
	if err != nil {
		return nil, fmt.Errorf("salvage page %d: %w", number, err)
	}
	if n < pageSize || !s.keys.openPage(page, page, number) {
		return nil, nil
	}
	return page, nil
}

func lostPage(number uint32) []byte {
	if number == 1 {
		return emptyDatabase()
	}
	// A leaf without a row would be called malformed.
	row := make([]byte, 11)
	row[0] = 1 // byte of payload; the rowid follows, in nine
	rowid := -uint64(number)
	row[9] = byte(rowid)
	rowid >>= 8
	for i := 8; i > 0; i-- {
		row[i] = byte(rowid) | 0x80
		rowid >>= 7
	}
	row[10] = 1 // the payload: the length of its own header, and no column
	p := make([]byte, pageSize)
	start := uint16(pageSize - reserve - len(row))
	emptyLeaf(p, start)
	binary.BigEndian.PutUint16(p[3:], 1)
	binary.BigEndian.PutUint16(p[8:], start)
	copy(p[start:], row)
	return p
}
