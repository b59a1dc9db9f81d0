package sealed

import "slices"

// memory is a temporary file: it never was and never will be on a disk.
type memory struct{ b []byte }

func (m *memory) size() int64 { return int64(len(m.b)) }

func (m *memory) read(dst []byte, off int64) error {
	var n int
	if off < m.size() {
		n = copy(dst, m.b[off:])
	}
	if n < len(dst) {
		clear(dst[n:])
		return errShort
	}
	return nil
}

func (m *memory) write(src []byte, off int64) {
	if grow := int(off) + len(src) - len(m.b); grow > 0 {
		at := len(m.b)
		m.b = slices.Grow(m.b, grow)[:at+grow]
		clear(m.b[at:])
	}
	copy(m.b[off:], src)
}

func (m *memory) truncate(size int64) {
	if size < m.size() {
		m.b = m.b[:size]
	}
}
