package sealed

import (
	"sync"

	"modernc.org/libc"
	sqlite3 "modernc.org/sqlite/lib"
)

// No other process has the file, so SQLite's locks and its index of the log need to be known in this one only.

// pageLocks are SQLite's five levels of locking a database, over the handles of one file.
type pageLocks struct {
	mu      sync.Mutex
	shared  int     // handles at SHARED or above
	writer  *handle // the one at RESERVED or above
	pending bool    // it waits for the others to go, and no new one may come
}

// raise is xLock: it gives h the level, or SQLITE_BUSY.
func (l *pageLocks) raise(h *handle, level int32) int32 {
	l.mu.Lock()
	defer l.mu.Unlock()
	if h.level >= level {
		return sqlite3.SQLITE_OK
	}
	if level == sqlite3.SQLITE_LOCK_SHARED {
		if l.pending {
			return sqlite3.SQLITE_BUSY
		}
		l.shared++
		h.level = level
		return sqlite3.SQLITE_OK
	}
	if l.writer != nil && l.writer != h {
		return sqlite3.SQLITE_BUSY
	}
	l.writer = h
	if level == sqlite3.SQLITE_LOCK_EXCLUSIVE {
		l.pending = true
		if l.shared > 1 {
			h.level = sqlite3.SQLITE_LOCK_PENDING
			return sqlite3.SQLITE_BUSY
		}
	}
	h.level = level
	return sqlite3.SQLITE_OK
}

// set is xUnlock: down to SHARED or NONE.
func (l *pageLocks) set(h *handle, level int32) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if h.level <= level {
		return
	}
	if l.writer == h {
		l.writer, l.pending = nil, false
	}
	if level == sqlite3.SQLITE_LOCK_NONE {
		l.shared--
	}
	h.level = level
}

func xLock(_ *libc.TLS, file uintptr, level int32) int32 {
	h := of(file)
	if h.file == nil {
		return sqlite3.SQLITE_OK
	}
	return h.file.locks.raise(h, level)
}

func xUnlock(_ *libc.TLS, file uintptr, level int32) int32 {
	if h := of(file); h.file != nil {
		h.file.locks.set(h, level)
	}
	return sqlite3.SQLITE_OK
}

func xCheckReservedLock(_ *libc.TLS, file, out uintptr) int32 {
	h := of(file)
	*at[int32](out) = 0
	if h.file == nil {
		return sqlite3.SQLITE_OK
	}
	h.file.locks.mu.Lock()
	defer h.file.locks.mu.Unlock()
	if h.file.locks.writer != nil {
		*at[int32](out) = 1
	}
	return sqlite3.SQLITE_OK
}

const indexLocks = sqlite3.SQLITE_SHM_NLOCK

// walIndex is what other VFSs keep in a -shm file: where in the log each page is. Ours is in memory.
type walIndex struct {
	mu        sync.Mutex
	regions   []uintptr // of C memory
	users     int
	shared    [indexLocks]int
	exclusive [indexLocks]*handle
}

// shmLocks is what one handle holds of a walIndex.
type shmLocks struct {
	mapped bool
	shared uint16 // a bit for each lock
}

func xShmMap(tls *libc.TLS, file uintptr, region, size, extend int32, out uintptr) int32 {
	h := of(file)
	x := &h.file.index
	x.mu.Lock()
	defer x.mu.Unlock()
	if !h.shm.mapped {
		h.shm.mapped = true
		x.users++
	}
	*at[uintptr](out) = 0
	for len(x.regions) <= int(region) {
		if extend == 0 {
			return sqlite3.SQLITE_OK
		}
		p := libc.Xcalloc(tls, 1, libc.Tsize_t(size))
		if p == 0 {
			return sqlite3.SQLITE_NOMEM
		}
		x.regions = append(x.regions, p)
	}
	*at[uintptr](out) = x.regions[region]
	return sqlite3.SQLITE_OK
}

func xShmLock(_ *libc.TLS, file uintptr, first, n, flags int32) int32 {
	h := of(file)
	x := &h.file.index
	x.mu.Lock()
	defer x.mu.Unlock()
	switch {
	case flags&sqlite3.SQLITE_SHM_UNLOCK != 0:
		x.release(h, first, n)
		return sqlite3.SQLITE_OK
	case flags&sqlite3.SQLITE_SHM_SHARED != 0:
		return x.share(h, first)
	}
	return x.exclude(h, first, n)
}

func (x *walIndex) share(h *handle, i int32) int32 {
	if x.exclusive[i] != nil && x.exclusive[i] != h {
		return sqlite3.SQLITE_BUSY
	}
	if h.shm.shared&(1<<i) == 0 {
		h.shm.shared |= 1 << i
		x.shared[i]++
	}
	return sqlite3.SQLITE_OK
}

func (x *walIndex) exclude(h *handle, first, n int32) int32 {
	for i := first; i < first+n; i++ {
		if x.exclusive[i] != nil && x.exclusive[i] != h || x.shared[i] > int(h.shm.shared>>i&1) {
			return sqlite3.SQLITE_BUSY
		}
	}
	for i := first; i < first+n; i++ {
		x.exclusive[i] = h
	}
	return sqlite3.SQLITE_OK
}

func (x *walIndex) release(h *handle, first, n int32) {
	for i := first; i < first+n; i++ {
		if x.exclusive[i] == h {
			x.exclusive[i] = nil
		}
		if h.shm.shared&(1<<i) != 0 {
			h.shm.shared &^= 1 << i
			x.shared[i]--
		}
	}
}

// xShmBarrier makes what one connection wrote to the index seen by the next.
func xShmBarrier(_ *libc.TLS, file uintptr) {
	x := &of(file).file.index
	x.mu.Lock()
	defer x.mu.Unlock()
}

func xShmUnmap(tls *libc.TLS, file uintptr, _ int32) int32 {
	h := of(file)
	h.file.index.unmap(tls, h)
	return sqlite3.SQLITE_OK
}

// unmap may be called again.
func (x *walIndex) unmap(tls *libc.TLS, h *handle) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if !h.shm.mapped {
		return
	}
	h.shm.mapped = false
	x.release(h, 0, indexLocks)
	if x.users--; x.users > 0 {
		return
	}
	for _, p := range x.regions {
		libc.Xfree(tls, p)
	}
	x.regions = nil
}
