package uistream

import "strconv"

// Framer writes a response as Server-Sent Events. The id of a frame is the index of its last chunk in the whole turn, from
// 0, whether chunks were merged or left out or not: a client that gives it back gets exactly what comes after.
type Framer struct{ response }

// NewFramer makes a Framer that begins after the chunk with the index after; -1 is before the first. With merge, the
// consecutive deltas of a block that are given at once become one frame.
func NewFramer(after int, merge bool, d Dialect) *Framer {
	return &Framer{response{after: after, merge: merge, dialect: d}}
}

// Append writes the turn's next chunks, which it must be given from the first one on: it skips those it must not write.
func (f *Framer) Append(dst []byte, chunks []Chunk) []byte {
	for one, rest := f.cut(chunks); len(one) > 0; one, rest = f.cut(rest) {
		dst = f.frame(dst, one)
	}
	return dst
}

func (f *Framer) frame(dst []byte, one []Chunk) []byte {
	dst = append(dst, "id: "...)
	dst = strconv.AppendInt(dst, int64(f.next-1), 10)
	dst = append(dst, "\ndata: "...)
	dst = appendMerged(dst, one)
	return append(dst, "\n\n"...)
}

// Done writes the end of the response: the turn came to its last chunk, or it is paused. A stream without it was cut.
func (f *Framer) Done(dst []byte) []byte {
	if f.paused {
		dst = f.frame(dst, []Chunk{pauseChunk{}})
	}
	return append(dst, "data: [DONE]\n\n"...)
}
