package sealed

import (
	"encoding/binary"
	"errors"
	"io"
	"iter"
	"os"
	"path/filepath"
	"sync"
)

// SQLite's log is a header of 32 bytes and frames of a header and a page. Ours has the same, in records of our own.
const (
	walHeader   = 32
	frameHeader = 24
	sqliteFrame = frameHeader + pageSize

	logHead    = walHeader + 3*8                      // + generation, last commit, pages
	framePlain = pageSize - reserve + frameHeader + 8 // + number of the commit
	frameSize  = framePlain + overhead                // on the disk
	maxPending = 128                                  // frames, a MiB
	headerAt   = pageSize - reserve                   // in a frame
	commitAt   = headerAt + frameHeader               // in a frame
)

var frameBuffers = sync.Pool{New: func() any { return new([frameSize]byte) }}

// frame is one frame of the log in plain: the page without its reserved end, SQLite's header, the commit's number.
type frame []byte

func (r frame) header() []byte { return r[headerAt:commitAt] }
func (r frame) page() uint32   { return binary.BigEndian.Uint32(r[headerAt:]) }
func (r frame) size() uint32   { return binary.BigEndian.Uint32(r[headerAt+4:]) } // of the database, if r ends a commit
func (r frame) salts() []byte  { return r[headerAt+8 : headerAt+16] }
func (r frame) commit() uint64 { return binary.BigEndian.Uint64(r[commitAt:]) }

// wal is the log. A generation of it begins when SQLite writes its header, and everything before that is in the pages.
type wal struct {
	path       string
	disk       *disk // nil while there is no file
	unnamed    bool  // the file was created and its folder not yet flushed
	head       [walHeader]byte
	generation uint64 // 0 until there is a header
	last       uint64 // commit, when loaded
	size       uint32 // of the database after it, in pages; 0 without a commit in this generation
	pages      uint64 // in the file, all of them durable, when the generation began
	frames     int    // in the file, as far as SQLite may see them
	pending    []byte // frames in plain that are not in the file yet, one every frameSize bytes
	watch      func(change)
}

func frameOffset(i int) int64 { return sector + int64(i)*frameSize }

func (w *wal) salts() []byte { return w.head[16:24] }

// bound ties a frame to its place, and to the generation.
func (w *wal) bound(i int) []byte {
	b := append(make([]byte, 0, 32), 'f')
	b = binary.BigEndian.AppendUint64(b, w.generation)
	b = append(b, w.salts()...)
	return binary.BigEndian.AppendUint64(b, uint64(i))
}

// ends reports whether r is the last frame of a commit. While SQLite rewrites checksums, the salts are zero.
func (w *wal) ends(r frame) bool { return r.size() != 0 && string(r.salts()) == string(w.salts()) }

// load opens the log at path, if there is one, and finds the last commit that is whole. It reports which pages the
// commits hold. A header that does not open counts as none: a power cut may leave that while the log holds nothing, and
// when it held something the mark knows.
func (w *wal) load(path string, k *keys, watch func(change)) (map[uint32]bool, error) {
	*w = wal{path: path, watch: watch}
	d, err := openDisk(path, os.O_RDWR, watch)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	w.disk = d
	start, err := readUpTo(d, logHead+overhead)
	if err != nil || len(start) < logHead+overhead || !k.log.open(start, start, []byte{'l'}) {
		return nil, err
	}
	copy(w.head[:], start)
	w.generation = binary.BigEndian.Uint64(start[walHeader:])
	w.last = binary.BigEndian.Uint64(start[walHeader+8:])
	w.pages = binary.BigEndian.Uint64(start[walHeader+16:])
	pages, unfinished := map[uint32]bool{}, []uint32{}
	for i, r := range w.all(k) {
		unfinished = append(unfinished, r.page())
		if !w.ends(r) || r.commit() <= w.last {
			continue // what a commit that failed or was lost has left behind the last one has a lower number
		}
		w.frames, w.last, w.size = i+1, r.commit(), r.size()
		for _, page := range unfinished {
			pages[page] = true
		}
		unfinished = unfinished[:0]
	}
	return pages, nil
}

// all gives the authentic frames of the file up to the first that is not. A frame is valid until the next.
func (w *wal) all(k *keys) iter.Seq2[int, frame] {
	return func(yield func(int, frame) bool) {
		buf := make([]byte, frameSize)
		for i := 0; w.disk != nil && w.generation != 0; i++ {
			r, err := w.readFrame(k, buf, i)
			if err != nil || !yield(i, r) {
				return
			}
		}
	}
}

// newest says for each page in the log, as SQLite may see it, which frame has its newest state, and which frames are not
// authentic.
func (w *wal) newest(k *keys) (pages map[uint32]int, bad []int) {
	pages = map[uint32]int{}
	buf := make([]byte, frameSize)
	for i := range w.frames {
		r, err := w.readFrame(k, buf, i)
		if err != nil {
			bad = append(bad, i)
			continue
		}
		pages[r.page()] = i
	}
	return pages, bad
}

// readFrame reads a frame of the file into buf.
func (w *wal) readFrame(k *keys, buf []byte, i int) (frame, error) {
	buf = buf[:frameSize]
	if _, err := w.disk.ReadAt(buf, frameOffset(i)); err != nil {
		if errors.Is(err, io.EOF) {
			return nil, errShort
		}
		return nil, err
	}
	if !k.log.open(buf, buf, w.bound(i)) {
		return nil, damage("frame %d of the log is damaged", i)
	}
	return frame(buf[:framePlain]), nil
}

func (w *wal) total() int { return w.frames + len(w.pending)/frameSize }

// frame gives a frame wherever it is. One that is pending is not a copy.
func (w *wal) frame(k *keys, buf []byte, i int) (frame, error) {
	switch {
	case i >= w.total():
		return nil, errShort
	case i >= w.frames:
		at := (i - w.frames) * frameSize
		return frame(w.pending[at : at+framePlain]), nil
	}
	return w.readFrame(k, buf, i)
}

// sizeForSQLite is how long the log is in SQLite's own format.
func (w *wal) sizeForSQLite() int64 {
	if w.generation == 0 {
		return 0
	}
	return walHeader + int64(w.total())*sqliteFrame
}

func (w *wal) create() (err error) {
	if w.disk == nil {
		w.disk, err = openDisk(w.path, os.O_RDWR|os.O_CREATE, w.watch)
		w.unnamed = true
	}
	return err
}

// restart begins a generation after the given commit.
func (w *wal) restart(k *keys, head []byte, generation, last uint64, pages uint32) error {
	copy(w.head[:], head)
	w.generation, w.last, w.pages = generation, last, uint64(pages)
	w.frames, w.pending = 0, w.pending[:0]
	b := append(make([]byte, 0, sector), head...)
	for _, n := range []uint64{w.generation, w.last, w.pages} {
		b = binary.BigEndian.AppendUint64(b, n)
	}
	b = b[:sector]
	k.log.seal(b, b[:logHead], []byte{'l'})
	_, err := w.disk.WriteAt(b, 0)
	return err
}

// begin takes the header of a new frame at the end.
func (w *wal) begin(k *keys, header []byte, commit uint64) error {
	if len(w.pending) >= maxPending*frameSize {
		if err := w.flush(k, commit); err != nil {
			return err
		}
	}
	if w.pending == nil {
		w.pending = make([]byte, 0, maxPending*frameSize)
	}
	at := len(w.pending)
	w.pending = w.pending[:at+frameSize]
	clear(w.pending[at:])
	copy(frame(w.pending[at:]).header(), header)
	return nil
}

// flush seals what is pending, as frames of the given commit, and writes it at once.
func (w *wal) flush(k *keys, commit uint64) error {
	if len(w.pending) == 0 {
		return nil
	}
	n := len(w.pending) / frameSize
	for j := range n {
		w.seal(k, w.pending[j*frameSize:(j+1)*frameSize], w.frames+j, commit)
	}
	_, err := w.disk.WriteAt(w.pending, frameOffset(w.frames))
	w.pending = w.pending[:0]
	if err == nil {
		w.frames += n
	}
	return err
}

func (w *wal) seal(k *keys, b []byte, i int, commit uint64) {
	binary.BigEndian.PutUint64(b[commitAt:], commit)
	k.log.seal(b, b[:framePlain], w.bound(i))
}

// replace writes a changed frame back to the file.
func (w *wal) replace(k *keys, b []byte, i int, commit uint64) error {
	w.seal(k, b[:frameSize], i, commit)
	_, err := w.disk.WriteAt(b[:frameSize], frameOffset(i))
	return err
}

func (w *wal) sync() error {
	if err := w.disk.Sync(); err != nil || !w.unnamed {
		return err
	}
	return flushFolder(filepath.Dir(w.path))
}

// forget drops everything: the pages have it.
func (w *wal) forget() {
	*w = wal{path: w.path, disk: w.disk, unnamed: w.unnamed, watch: w.watch, pending: w.pending[:0]}
}
