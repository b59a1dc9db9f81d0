package redact

// armored reads a text as base64 of either alphabet, wherever in a run of its characters that begins: one cursor for each of the
// four places. Escapes are decoded, and a run goes on after the end of a line that is long enough to have been wrapped.
type armored struct {
	units
	cursors [4]cursor
	run     int  // how many characters it has so far
	line    int  // how many of them are in this line
	breaks  int  // how many characters the end of a line has had
	last    byte // the six bits of the last character
	start   int  // where that begins in the text
}

// shortestLine is how many characters a line of wrapped base64 has at least: PEM has 64 of them, MIME 76.
const shortestLine = 32

func readArmored() *armored {
	return &armored{units: units{escape: func(dst, begun []byte) ([]byte, bool) {
		if begun[0] == '%' {
			return percent(dst, begun)
		}
		return backslash(dst, begun)
	}}}
}

func (r *armored) read(s *Stream, piece string, at int) {
	r.decode(piece, at, func(b byte, start, end int) {
		switch bits := sextets[b]; {
		case bits < 1<<6:
			r.character(s, bits, start, end)
		case (b == '\r' || b == '\n') && (r.line >= shortestLine || r.breaks == 1):
			r.line = 0
			r.breaks++
		default:
			r.interrupt()
		}
	})
}

// character reads the next character: with the one before it, it makes a byte in three of the four ways to read the run.
func (r *armored) character(s *Stream, bits byte, start, end int) {
	if r.run >= 1 {
		r.before(1).step(s, r.last<<2|bits>>4, r.start, end)
	}
	if r.run >= 2 {
		r.before(2).step(s, r.last<<4|bits>>2, r.start, end)
	}
	if r.run >= 3 {
		r.before(3).step(s, r.last<<6|bits, r.start, end)
	}
	r.last, r.start = bits, start
	r.run++
	r.line++
	r.breaks = 0
}

// before gives the cursor that reads groups of four of which one began n characters ago.
func (r *armored) before(n int) *cursor { return &r.cursors[(r.run-n)&3] }

// pending is also where the last character begins, if a word begins with what it has of the next byte.
func (r *armored) pending(s *Stream, end int) int {
	from := r.units.pending(end)
	for n := 1; n <= min(r.run, 3); n++ {
		if s.known.first[n-1][r.last&(0xff>>(2*n))] {
			from = min(from, r.start)
		}
	}
	for i := range r.cursors {
		from = min(from, r.cursors[i].pending(s, end))
	}
	return from
}

func (r *armored) interrupt() {
	for i := range r.cursors {
		r.cursors[i].reset()
	}
	r.run, r.line, r.breaks = 0, 0, 0
}

func (r *armored) reset() {
	r.units.reset()
	r.interrupt()
}

// sextets are the bits that a character of base64 stands for; of any other they are 0xff.
var sextets = func() (table [256]byte) {
	for i := range table {
		table[i] = 0xff
	}
	for i, c := range "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/" {
		table[c] = byte(i)
	}
	table['-'], table['_'] = table['+'], table['/']
	return table
}()
