package sealed

import (
	"testing"

	sqlite3 "modernc.org/sqlite/lib"
)

// TestIndexLocks: a lock is one handle's, or shared; a handle may have both, and gives back what it has only.
func TestIndexLocks(t *testing.T) {
	const ok, busy = sqlite3.SQLITE_OK, sqlite3.SQLITE_BUSY
	var x walIndex
	a, b := &handle{}, &handle{}
	for i, step := range []struct{ got, want int32 }{
		{x.share(a, 3), ok},
		{x.share(b, 3), ok},
		{x.exclude(a, 3, 1), busy},
		{x.exclude(a, 0, 4), busy},
		{x.exclude(b, 0, 3), ok},
		{x.share(a, 1), busy},
		{x.exclude(a, 2, 1), busy},
		{x.share(b, 1), ok},
	} {
		if step.got != step.want {
			t.Fatalf("step %d: %d, want %d", i, step.got, step.want)
		}
	}
	x.release(a, 0, indexLocks)
	if got := x.share(a, 0); got != busy {
		t.Fatal("a gave back what b has")
	}
	x.release(b, 0, indexLocks)
	if x.shared != [indexLocks]int{} || x.exclusive != [indexLocks]*handle{} {
		t.Fatalf("%v %v are left", x.shared, x.exclusive)
	}
}

// TestPageLocks: who waits to be alone keeps new ones out, and is alone when the others have gone.
func TestPageLocks(t *testing.T) {
	const shared, reserved, exclusive = sqlite3.SQLITE_LOCK_SHARED, sqlite3.SQLITE_LOCK_RESERVED, sqlite3.SQLITE_LOCK_EXCLUSIVE
	const ok, busy = sqlite3.SQLITE_OK, sqlite3.SQLITE_BUSY
	var l pageLocks
	a, b, c := &handle{}, &handle{}, &handle{}
	for i, step := range []struct {
		h           *handle
		level, want int32
	}{
		{a, shared, ok}, {b, shared, ok}, {a, reserved, ok}, {b, reserved, busy}, {a, exclusive, busy}, {c, shared, busy},
	} {
		if got := l.raise(step.h, step.level); got != step.want {
			t.Fatalf("step %d: %d, want %d", i, got, step.want)
		}
	}
	l.set(b, sqlite3.SQLITE_LOCK_NONE)
	if got := l.raise(a, exclusive); got != ok {
		t.Fatal("not alone")
	}
	l.set(a, shared)
	if got := l.raise(c, shared); got != ok {
		t.Fatal("kept out by nobody")
	}
	l.set(a, sqlite3.SQLITE_LOCK_NONE)
	l.set(c, sqlite3.SQLITE_LOCK_NONE)
	if l.shared != 0 || l.writer != nil || l.pending {
		t.Fatalf("%+v is left", &l)
	}
}
