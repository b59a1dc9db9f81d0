package redact

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// cursor is how far one reading has come in finding words: each byte that it reads has a place in the text.
type cursor struct {
	at     int32 // a node
	starts []int // where the last bytes begin in the text: all that may belong to a word, at least
}

// step reads a byte that stands in the text from start to end.
func (c *cursor) step(s *Stream, b byte, start, end int) {
	if c.at = s.known.words.next(c.at, b); c.at == 0 {
		c.starts = c.starts[:0]
		return
	}
	n := &s.known.words.nodes[c.at]
	if kept := int(n.depth) - 1; len(c.starts) == cap(c.starts) && kept <= len(c.starts)/2 {
		c.starts = append(c.starts[:0], c.starts[len(c.starts)-kept:]...)
	}
	c.starts = append(c.starts, start)
	if n.word != 0 {
		s.found = append(s.found, span{c.starts[len(c.starts)-int(n.length)], end, n.word - 1})
	}
}

// pending gives where the word begins that may go on after end. At the end of a word that is the beginning of none, what another
// may begin with is a part of that one.
func (c *cursor) pending(s *Stream, end int) int {
	if n := &s.known.words.nodes[c.at]; n.depth > 0 && n.child != 0 {
		return c.starts[len(c.starts)-int(n.depth)]
	}
	return end
}

// same reports whether what c has read that may belong to a word is what other has, at the same places.
func (c *cursor) same(s *Stream, other *cursor) bool {
	return c.at == other.at && slices.Equal(c.tail(s), other.tail(s))
}

func (c *cursor) set(s *Stream, other *cursor) {
	c.at, c.starts = other.at, append(c.starts[:0], other.tail(s)...)
}

func (c *cursor) tail(s *Stream) []int {
	return c.starts[len(c.starts)-int(s.known.words.nodes[c.at].depth):]
}

func (c *cursor) reset() { c.at, c.starts = 0, c.starts[:0] }

// plain reads a text as it is.
type plain struct{ cursor }

func (r *plain) read(s *Stream, piece string, at int) {
	for i := range len(piece) {
		r.step(s, piece[i], at+i, at+i+1)
	}
}

// escape decodes one escape. It appends what is meant by begun to dst; or else says whether that is only the beginning of one.
type escape func(dst, begun []byte) (meant []byte, more bool)

// percent is that of a URL.
func percent(dst, begun []byte) ([]byte, bool) {
	if begun[0] != '%' {
		return append(dst, begun[0]), false
	}
	v, ok := hexadecimal(begun[1:])
	if !ok || len(begun) < 3 {
		return dst, ok
	}
	return append(dst, byte(v)), false
}

// form is that of a form, in which a space is a plus sign.
func form(dst, begun []byte) ([]byte, bool) {
	if begun[0] == '+' {
		return append(dst, ' '), false
	}
	return percent(dst, begun)
}

// backslash is that of JSON.
func backslash(dst, begun []byte) ([]byte, bool) {
	if begun[0] != '\\' {
		return append(dst, begun[0]), false
	}
	if len(begun) == 1 {
		return dst, true
	}
	switch c := begun[1]; c {
	case '"', '\\', '/':
		return append(dst, c), false
	case 'b':
		return append(dst, '\b'), false
	case 'f':
		return append(dst, '\f'), false
	case 'n':
		return append(dst, '\n'), false
	case 'r':
		return append(dst, '\r'), false
	case 't':
		return append(dst, '\t'), false
	case 'u':
		return unicodeEscape(dst, begun)
	}
	return dst, false
}

// unicodeEscape decodes \uXXXX, or two of them if they are one character together.
func unicodeEscape(dst, begun []byte) ([]byte, bool) {
	v, ok := hexadecimal(begun[2:min(len(begun), 6)])
	if !ok || len(begun) < 6 {
		return dst, ok
	}
	if v < 0xd800 || v > 0xdbff {
		return utf8.AppendRune(dst, rune(v)), false
	}
	if len(begun) == 6 || len(begun) == 7 && begun[6] == '\\' {
		return dst, true
	}
	if begun[6] != '\\' || begun[7] != 'u' {
		return dst, false
	}
	low, ok := hexadecimal(begun[8:])
	if !ok || len(begun) < 12 {
		return dst, ok
	}
	if low < 0xdc00 || low > 0xdfff {
		return dst, false
	}
	return utf8.AppendRune(dst, rune(0x10000+(v-0xd800)<<10+low-0xdc00)), false
}

func hexadecimal(digits []byte) (v int, ok bool) {
	for _, d := range digits {
		switch {
		case '0' <= d && d <= '9':
			v = v<<4 + int(d-'0')
		case 'a' <= d|0x20 && d|0x20 <= 'f':
			v = v<<4 + int(d|0x20-'a') + 10
		default:
			return 0, false
		}
	}
	return v, true
}

// escaped reads a text with escapes. Where the text has none it leaves the work to the plain reading, which it goes before.
type escaped struct {
	cursor
	units
	plain *plain
	marks string // what an escape begins with
	apart bool   // whether it has read something else than the plain one
}

func readEscaped(e escape, marks string, as *plain) *escaped {
	return &escaped{units: units{escape: e}, marks: marks, plain: as}
}

func (r *escaped) read(s *Stream, piece string, at int) {
	if r.apart = r.apart && (len(r.begun) > 0 || !r.cursor.same(s, &r.plain.cursor)); !r.apart {
		if !strings.ContainsAny(piece, r.marks) {
			return
		}
		r.apart = true
		r.cursor.set(s, &r.plain.cursor)
	}
	r.decode(piece, at, func(b byte, start, end int) { r.step(s, b, start, end) })
}

func (r *escaped) pending(s *Stream, end int) int {
	if !r.apart {
		return end
	}
	return min(r.cursor.pending(s, end), r.units.pending(end))
}

func (r *escaped) reset() {
	r.apart = false
	r.units.reset()
}

// units are the bytes that a text with escapes means, each with its place in the text.
type units struct {
	escape escape
	begun  []byte // of an escape
}

// decode goes on with the text.
func (u *units) decode(piece string, at int, unit func(b byte, start, end int)) {
	for i := range len(piece) {
		if b := piece[i]; len(u.begun) > 0 || b == '%' || b == '\\' || b == '+' {
			u.take(b, at+i+1, unit)
		} else {
			unit(b, at+i, at+i+1)
		}
	}
}

// take takes the byte before end. What turns out to be no escape is as it stands there.
func (u *units) take(b byte, end int, unit func(b byte, start, end int)) {
	var buffer [utf8.UTFMax]byte
	u.begun = append(u.begun, b)
	meant, more := u.escape(buffer[:0], u.begun)
	if more {
		return
	}
	start := end - len(u.begun)
	if len(meant) == 0 {
		literal := slices.Clone(u.begun)
		u.reset()
		unit(literal[0], start, start+1)
		for i, b := range literal[1:] {
			u.take(b, start+i+2, unit)
		}
		return
	}
	u.reset()
	for _, b := range meant {
		unit(b, start, end)
	}
}

func (u *units) pending(end int) int { return end - len(u.begun) }

func (u *units) reset() { u.begun = u.begun[:0] }
