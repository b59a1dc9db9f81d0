package sealed

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"unsafe"

	"modernc.org/libc"
	sqlite3 "modernc.org/sqlite/lib"
)

// The VFS as SQLite calls it. C structures are in libc's memory, everything of ours is in Go's; a C file holds only the
// number of its handle.

var (
	opened  sync.Map // *File by path
	handles handleTable
	methods uintptr // *sqlite3_io_methods, for all files

	register = sync.OnceValue(func() error {
		tls := libc.NewTLS() // kept: SQLite may call with it for as long as the process lives
		if rc := sqlite3.Xsqlite3_initialize(tls); rc != sqlite3.SQLITE_OK {
			return fmt.Errorf("start SQLite: code %d", rc)
		}
		standard := sqlite3.Xsqlite3_vfs_find(tls, 0)
		if standard == 0 {
			return errors.New("SQLite has no VFS")
		}
		name, err := libc.CString(VFS)
		if err != nil {
			return err
		}
		methods = libc.Xcalloc(tls, 1, libc.Tsize_t(unsafe.Sizeof(sqlite3.Tsqlite3_io_methods{})))
		vfs := libc.Xcalloc(tls, 1, libc.Tsize_t(unsafe.Sizeof(sqlite3.Tsqlite3_vfs{})))
		if methods == 0 || vfs == 0 {
			return errors.New("register the VFS: out of memory")
		}
		*at[sqlite3.Tsqlite3_io_methods](methods) = sqlite3.Tsqlite3_io_methods{
			FiVersion: 2, // without memory mapping
			FxClose:   function(xClose), FxRead: function(xRead), FxWrite: function(xWrite),
			FxTruncate: function(xTruncate), FxSync: function(xSync), FxFileSize: function(xFileSize),
			FxLock: function(xLock), FxUnlock: function(xUnlock), FxCheckReservedLock: function(xCheckReservedLock),
			FxFileControl: function(xFileControl), FxSectorSize: function(xSectorSize),
			FxDeviceCharacteristics: function(xDeviceCharacteristics),
			FxShmMap:                function(xShmMap), FxShmLock: function(xShmLock),
			FxShmBarrier: function(xShmBarrier), FxShmUnmap: function(xShmUnmap),
		}
		v := *at[sqlite3.Tsqlite3_vfs](standard) // clock, randomness and sleep are the platform's
		v.FpNext, v.FzName = 0, name
		v.FszOsFile = int32(unsafe.Sizeof(cFile{}))
		v.FxOpen, v.FxDelete = function(xOpen), function(xDelete)
		v.FxAccess, v.FxFullPathname = function(xAccess), function(xFullPathname)
		*at[sqlite3.Tsqlite3_vfs](vfs) = v
		if rc := sqlite3.Xsqlite3_vfs_register(tls, vfs, 0); rc != sqlite3.SQLITE_OK {
			return fmt.Errorf("register the VFS: code %d", rc)
		}
		return nil
	})
)

// at is what a C pointer points to.
func at[T any](p uintptr) *T { return *(**T)(unsafe.Pointer(&p)) }

// bytesAt are n bytes of C memory.
func bytesAt(p uintptr, n int32) []byte { return unsafe.Slice(at[byte](p), n) }

// function is a Go function as transpiled C calls it.
func function[F any](f F) uintptr { return *(*uintptr)(unsafe.Pointer(&f)) }

// cFile is a sqlite3_file of ours.
type cFile struct {
	methods uintptr
	handle  uintptr
}

// handle is one file that a connection of SQLite's has open. SQLite never uses one twice at the same time.
type handle struct {
	kind  kind
	file  *File   // nil for memory
	bytes *memory // for memory only
	level int32   // of SQLite's lock on the database
	shm   shmLocks
}

type kind int

const (
	pagesFile kind = iota
	logFile
	memoryFile
)

// handleTable is read at every call of SQLite's, and changed when it opens or closes a file.
type handleTable struct {
	mu  sync.Mutex
	now atomic.Pointer[[]*handle]
}

func (t *handleTable) add(h *handle) uintptr {
	t.mu.Lock()
	defer t.mu.Unlock()
	var next []*handle
	if now := t.now.Load(); now != nil {
		next = append(next, *now...)
	}
	for i, old := range next {
		if old == nil {
			next[i] = h
			t.now.Store(&next)
			return uintptr(i)
		}
	}
	next = append(next, h)
	t.now.Store(&next)
	return uintptr(len(next) - 1)
}

func (t *handleTable) remove(i uintptr) {
	t.mu.Lock()
	defer t.mu.Unlock()
	next := append([]*handle(nil), *t.now.Load()...)
	next[i] = nil
	t.now.Store(&next)
}

func of(file uintptr) *handle { return (*handles.now.Load())[at[cFile](file).handle] }

// openedAt gives the File that Open has opened at a path.
func openedAt(path string) (*File, bool) {
	f, ok := opened.Load(path)
	if !ok {
		return nil, false
	}
	return f.(*File), true
}

// xOpen opens only what Open has opened, and keeps every temporary file in memory. A rollback journal is refused, but
// for the file that VACUUM INTO makes: until that is done there is nothing to roll back to.
func xOpen(_ *libc.TLS, _, name, file uintptr, flags int32, outFlags uintptr) int32 {
	c := at[cFile](file)
	c.methods = 0
	h := &handle{}
	path := ""
	if name != 0 {
		path = libc.GoString(name)
	}
	var found bool
	switch {
	case flags&sqlite3.SQLITE_OPEN_MAIN_DB != 0:
		h.kind = pagesFile
		h.file, found = openedAt(path)
	case flags&sqlite3.SQLITE_OPEN_WAL != 0:
		h.kind = logFile
		h.file, found = openedAt(strings.TrimSuffix(path, "-wal"))
	case flags&sqlite3.SQLITE_OPEN_MAIN_JOURNAL != 0:
		f, ok := openedAt(strings.TrimSuffix(path, "-journal"))
		h.kind, h.bytes, found = memoryFile, new(memory), ok && f.fresh
	case flags&(sqlite3.SQLITE_OPEN_TEMP_DB|sqlite3.SQLITE_OPEN_TRANSIENT_DB|sqlite3.SQLITE_OPEN_TEMP_JOURNAL|sqlite3.SQLITE_OPEN_SUBJOURNAL) != 0:
		h.kind, h.bytes, found = memoryFile, new(memory), true
	}
	if !found {
		return sqlite3.SQLITE_CANTOPEN
	}
	if h.file != nil {
		if err := h.file.attach(h.kind); err != nil {
			return code(err, sqlite3.SQLITE_CANTOPEN)
		}
	}
	c.handle = handles.add(h)
	c.methods = methods
	if outFlags != 0 {
		*at[int32](outFlags) = flags
	}
	return sqlite3.SQLITE_OK
}

func (f *File) attach(k kind) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.main == nil {
		return os.ErrClosed
	}
	if k == logFile {
		if err := f.log.create(); err != nil {
			return err
		}
	}
	f.users++
	return nil
}

func xClose(tls *libc.TLS, file uintptr) int32 {
	h := of(file)
	handles.remove(at[cFile](file).handle)
	at[cFile](file).methods = 0
	if h.file == nil {
		return sqlite3.SQLITE_OK
	}
	h.file.index.unmap(tls, h)
	h.file.locks.set(h, sqlite3.SQLITE_LOCK_NONE)
	h.file.mu.Lock()
	defer h.file.mu.Unlock()
	h.file.users--
	return sqlite3.SQLITE_OK
}

// xDelete ends the log; a journal is only ever in memory.
func xDelete(_ *libc.TLS, _, name uintptr, _ int32) int32 {
	path, isLog := strings.CutSuffix(libc.GoString(name), "-wal")
	if f, ok := openedAt(path); ok && isLog {
		return code(f.emptyLog(true), sqlite3.SQLITE_IOERR_DELETE)
	}
	return sqlite3.SQLITE_OK
}

func xAccess(_ *libc.TLS, _, name uintptr, _ int32, out uintptr) int32 {
	path := libc.GoString(name)
	*at[int32](out) = 0
	if strings.HasSuffix(path, "-journal") {
		return sqlite3.SQLITE_OK // someone else's; ours are in memory
	}
	if _, err := os.Stat(path); err == nil {
		*at[int32](out) = 1
	}
	return sqlite3.SQLITE_OK
}

func xFullPathname(_ *libc.TLS, _, name uintptr, size int32, out uintptr) int32 {
	path, err := canonical(libc.GoString(name))
	if err != nil || len(path) >= int(size) {
		return sqlite3.SQLITE_CANTOPEN
	}
	b := bytesAt(out, size)
	b[copy(b, path)] = 0
	return sqlite3.SQLITE_OK
}

func xRead(_ *libc.TLS, file, buf uintptr, n int32, off int64) int32 {
	h, dst := of(file), bytesAt(buf, n)
	var err error
	switch h.kind {
	case pagesFile:
		err = h.file.read(dst, off)
	case logFile:
		err = h.file.readLog(dst, off)
	case memoryFile:
		err = h.bytes.read(dst, off)
	}
	if errors.Is(err, errShort) && h.kind != memoryFile {
		clear(dst)
	}
	return code(err, sqlite3.SQLITE_IOERR_READ)
}

// read answers SQLite, which reads pages, and of page 1 its start before it knows how large a page is. When a power cut
// has torn page 1, the log has it whole: the start is then answered with our layout, which is always the same.
func (f *File) read(dst []byte, off int64) error {
	number, at := uint32(off/pageSize)+1, off%pageSize
	if at == 0 && len(dst) == pageSize {
		return f.readPage(dst, number)
	}
	if at+int64(len(dst)) > pageSize {
		return errLayout
	}
	page := make([]byte, pageSize)
	err := f.readPage(page, number)
	if number == 1 && errors.Is(err, ErrDamaged) {
		page, err = emptyDatabase(), nil
	}
	copy(dst, page[at:])
	return err
}

func xWrite(_ *libc.TLS, file, buf uintptr, n int32, off int64) int32 {
	h, src := of(file), bytesAt(buf, n)
	var err error
	switch h.kind {
	case pagesFile:
		if len(src) != pageSize || off%pageSize != 0 {
			return sqlite3.SQLITE_IOERR_WRITE
		}
		err = h.file.writePage(src, uint32(off/pageSize)+1)
	case logFile:
		err = h.file.writeLog(src, off)
	case memoryFile:
		h.bytes.write(src, off)
	}
	return code(err, sqlite3.SQLITE_IOERR_WRITE)
}

func xTruncate(_ *libc.TLS, file uintptr, size int64) int32 {
	h := of(file)
	var err error
	switch {
	case h.kind == memoryFile:
		h.bytes.truncate(size)
	case h.kind == pagesFile:
		err = h.file.truncatePages(uint32(size / pageSize))
	case size == 0:
		err = h.file.emptyLog(false)
	}
	return code(err, sqlite3.SQLITE_IOERR_TRUNCATE)
}

func xSync(_ *libc.TLS, file uintptr, _ int32) int32 {
	h := of(file)
	var err error
	switch h.kind {
	case pagesFile:
		err = h.file.syncPages()
	case logFile:
		err = h.file.syncLog()
	}
	return code(err, sqlite3.SQLITE_IOERR_FSYNC)
}

func xFileSize(_ *libc.TLS, file, out uintptr) int32 {
	h := of(file)
	if h.kind == memoryFile {
		*at[int64](out) = h.bytes.size()
		return sqlite3.SQLITE_OK
	}
	h.file.mu.RLock()
	defer h.file.mu.RUnlock()
	if h.kind == logFile {
		*at[int64](out) = h.file.log.sizeForSQLite()
	} else {
		*at[int64](out) = int64(h.file.pages) * pageSize
	}
	return sqlite3.SQLITE_OK
}

func xFileControl(_ *libc.TLS, _ uintptr, _ int32, _ uintptr) int32 { return sqlite3.SQLITE_NOTFOUND }

func xSectorSize(_ *libc.TLS, _ uintptr) int32 { return block }

// xDeviceCharacteristics: pages are written whole, so a power cut hurts no page but the one that is written. Nothing is
// promised that would let SQLite read or write less than a page, or believe that a write is atomic.
func xDeviceCharacteristics(_ *libc.TLS, _ uintptr) int32 {
	return sqlite3.SQLITE_IOCAP_POWERSAFE_OVERWRITE
}

// code is err as SQLite knows it.
func code(err error, otherwise int32) int32 {
	switch {
	case err == nil:
		return sqlite3.SQLITE_OK
	case errors.Is(err, errShort):
		return sqlite3.SQLITE_IOERR_SHORT_READ
	case errors.Is(err, ErrDamaged):
		return sqlite3.SQLITE_IOERR_DATA
	case isFull(err):
		return sqlite3.SQLITE_FULL
	}
	return otherwise
}
