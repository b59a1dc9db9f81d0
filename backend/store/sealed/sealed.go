// Package sealed puts authenticated encryption between SQLite and the disk. It is a VFS for modernc.org/sqlite: every
// page and every frame of the log is sealed on its own, nothing else is ever written, and what comes back is what was
// written, or an error. testdata/format.md describes the file and argues why a crash is never taken for tampering.
//
//	f, err := sealed.Open(path, &key, 0)
//	db, err := sql.Open("sqlite", "file:"+path+"?vfs="+sealed.VFS)
//	…
//	db.Close()
//	f.Close()
package sealed

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
)

// VFS is the name by which SQLite knows this package. It opens only files that Open has opened before.
const VFS = "sealed"

var (
	// ErrNotSealed is returned for a file that this package has not written, an unencrypted database for one.
	ErrNotSealed = errors.New("this is not a sealed history")
	// ErrNewerFormat is returned for a file that only a newer version can read.
	ErrNewerFormat = errors.New("this history was sealed by a newer version")
	// ErrWrongKeyOrDamaged is returned when the header does not open. With a key that is known to be right, the header
	// is damaged: see Salvage.
	ErrWrongKeyOrDamaged = errors.New("the key does not open this history, or its header is damaged")
	// ErrLocked is returned while another process, or another File of this one, has the file open.
	ErrLocked = errors.New("this history is open elsewhere")
	// ErrDamaged is what every Damage is.
	ErrDamaged = errors.New("this history was changed outside the app, or its disk is failing")
	// ErrRolledBack is returned for a file that is whole, but older than what it is known to have held.
	ErrRolledBack = errors.New("this is an older copy of the history")
	// ErrBusy is returned when readers kept the log in use; nothing was changed, and it can be tried again.
	ErrBusy = errors.New("the history is being read; try again")
	// ErrInUse is returned when SQLite has connections to the file that must be closed first.
	ErrInUse = errors.New("the history still has open connections")
)

// Damage is what of a file is not as it was written. A crash or a power cut never leaves any.
type Damage struct{ What string }

func (d *Damage) Error() string { return ErrDamaged.Error() + ": " + d.What }
func (d *Damage) Unwrap() error { return ErrDamaged }

func damage(format string, args ...any) error { return &Damage{fmt.Sprintf(format, args...)} }

// Key is the data key. It prints as nothing.
type Key [32]byte

// Format keeps the key out of every log and error.
func (Key) Format(s fmt.State, _ rune) { s.Write([]byte("(key)")) }

// File is an open sealed file. All methods may be called at once. It does not keep the data key.
type File struct {
	path  string
	lock  *os.File
	watch func(change) // for the power-cut simulator; else nil
	lost  uint64

	mu     sync.RWMutex // held for reading while a page or frame is read
	main   *disk
	header Header
	keys   *keys
	mark   mark // as last written
	pages  uint32
	fresh  bool // never had a page: what VACUUM INTO fills
	log    wal
	mirror *mirror

	withheld map[uint32]bool // pages that are not what they were before a salvage

	users   int // open handles of SQLite
	locks   pageLocks
	index   walIndex
	scratch [framePlain + overhead]byte // of whoever holds mu for writing
}

// Create makes a sealed file at path with an empty database in it. The file appears whole or not at all; if there is
// one already, the error is os.ErrExist.
func Create(path string, key *Key, c Cipher) error {
	return create(path, key, c, emptyDatabase())
}

// Prepare makes a sealed file without a database, for VACUUM INTO 'file:…?vfs=sealed' to fill once it is open.
func Prepare(path string, key *Key, c Cipher) error { return create(path, key, c, nil) }

func create(path string, key *Key, c Cipher, page []byte) error {
	h := newHeader(c)
	k, err := deriveKeys(key, &h)
	if err != nil {
		return err
	}
	return createWhole(path, func(d *disk) error {
		m := mark{pages: uint64(len(page) / pageSize)}
		b := newPrologue(k, &h, m)
		if page != nil {
			b = append(b, page...)
			k.sealPage(b[prologue:], page, 1)
		}
		_, err := d.WriteAt(b, 0)
		return err
	})
}

// Open opens a sealed file for SQLite, and for nobody else until it is closed. It checks the key, the header, and that
// the file and its log together hold every commit that is known to have reached the disk; where they do not the error
// is a Damage. anchor is a Counter().Durable of the same file, kept elsewhere: a file that has less is ErrRolledBack.
// Without one it is 0.
func Open(path string, key *Key, anchor uint64) (*File, error) {
	return open(path, key, anchor, nil)
}

func open(path string, key *Key, anchor uint64, watch func(change)) (*File, error) {
	if err := register(); err != nil {
		return nil, err
	}
	path, err := canonical(path)
	if err != nil {
		return nil, err
	}
	lock, err := lockFile(path + "-lock")
	if err != nil {
		return nil, err
	}
	f := &File{path: path, lock: lock, watch: watch}
	if err := f.load(key, anchor); err != nil {
		f.closeFiles()
		return nil, err
	}
	opened.Store(path, f)
	return f, nil
}

func (f *File) load(key *Key, anchor uint64) (err error) {
	if f.main, err = openDisk(f.path, os.O_RDWR, f.watch); err != nil {
		return err
	}
	start, err := readUpTo(f.main, prologue)
	if err != nil {
		return err
	}
	h, k, err := openHeader(start, key)
	if err != nil {
		return err
	}
	f.header, f.keys = *h, k
	if f.mark, err = openMarks(k, start); err != nil {
		return err
	}
	logged, err := f.log.load(f.path+"-wal", k, f.watch)
	if err != nil {
		return err
	}
	// What a rekey or a backup left that a crash ended.
	if err := os.Remove(f.path + "-part"); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	if err := f.judge(anchor); err != nil {
		return err
	}
	return f.checkPages(logged)
}

// judge compares what there is with what the counter says there must be.
func (f *File) judge(anchor uint64) error {
	size, err := f.main.size()
	if err != nil {
		return err
	}
	pages := uint32(max(0, size-prologue) / pageSize)
	m, w := &f.mark, &f.log
	have := m.settled
	switch {
	case w.generation == 0:
		if size != prologue+int64(m.pages)*pageSize && m.durable == m.settled {
			return damage("it should have %d pages, and its size is not theirs", m.pages)
		}
		f.pages = pages
	case w.generation < m.generation:
		return damage("its log is older than the file")
	default:
		have = w.last
		// What is beyond was being written when the log was left; the log has it and will write it again.
		f.pages = min(pages, uint32(w.pages))
	}
	if have < m.durable {
		return damage("its log lacks the commits %d to %d", have+1, m.durable)
	}
	if have < anchor {
		return fmt.Errorf("%w: it ends at commit %d of %d", ErrRolledBack, have, anchor)
	}
	f.lost = max(have, m.commits) - have
	m.commits = max(have, m.commits)
	f.fresh = f.pages == 0 && m.commits == 0 && w.generation == 0
	return nil
}

// checkPages finds what SQLite would call "not a database", or read as zeros. A power cut may tear page 1, and shrinking
// may have begun, but then the log has what is missing.
func (f *File) checkPages(logged map[uint32]bool) error {
	if f.fresh {
		return nil
	}
	if !logged[1] {
		if _, err := f.readSealed(f.scratch[:], 1); err != nil {
			return damage("its first page is damaged")
		}
	}
	for number := f.pages + 1; number <= min(f.log.size, uint32(f.log.pages)); number++ {
		if !logged[number] {
			return damage("it ends before page %d", number)
		}
	}
	return nil
}

// Close ends the use of the file; it fails while SQLite has connections to it.
func (f *File) Close() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.users > 0 {
		return ErrInUse
	}
	if f.main == nil {
		return nil
	}
	var failed error
	if f.fresh && f.pages > 0 {
		failed = f.settle()
	}
	opened.Delete(f.path)
	return errors.Join(failed, f.closeFiles())
}

func (f *File) closeFiles() error {
	var failed error
	for _, d := range []*disk{f.main, f.log.disk} {
		if d != nil {
			failed = errors.Join(failed, d.file.Close())
		}
	}
	f.main, f.log, f.keys = nil, wal{}, nil
	clear(f.scratch[:])
	return errors.Join(failed, f.lock.Close())
}

// Counter is how many commits the file has seen since it was made.
type Counter struct {
	Commits uint64 // by SQLite
	Durable uint64 // of these, certainly on the disk; what an anchor outside the file may hold
}

// Counter is cheap enough to call after every commit.
func (f *File) Counter() Counter {
	f.mu.RLock()
	defer f.mu.RUnlock()
	return Counter{f.mark.commits, f.mark.durable}
}

// Lost is how many commits were begun before Open and are not there: a power cut came before they reached the disk, or
// someone took them away. None of them had been forced to the disk.
func (f *File) Lost() uint64 { return f.lost }

// Header is what Salvage needs when the file's own header is damaged. It is no secret.
func (f *File) Header() Header {
	f.mu.RLock()
	defer f.mu.RUnlock()
	return f.header
}

// canonical gives one file one name, whether or not it exists yet.
func canonical(path string) (string, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	if whole, err := filepath.EvalSymlinks(path); err == nil {
		return whole, nil
	}
	folder, err := filepath.EvalSymlinks(filepath.Dir(path))
	if err != nil {
		return "", err
	}
	return filepath.Join(folder, filepath.Base(path)), nil
}
