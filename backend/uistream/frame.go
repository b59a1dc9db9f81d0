package uistream

import "strconv"

// Framer writes the chunks of one turn as Server-Sent Events. The id of a frame is the index of its last chunk in the
// whole turn, from 0, whether chunks were merged or not: a client that gives it back gets exactly what comes after.
type Framer struct {
	after int
	merge bool
	next  int // the index of the next chunk
}

// NewFramer makes a Framer that begins after the chunk with the index after; -1 is before the first. With merge, the
// consecutive deltas of a block that are given at once become one frame.
func NewFramer(after int, merge bool) *Framer { return &Framer{after: after, merge: merge} }

// Append writes the turn's next chunks, which it must be given from the first one on: it skips those it must not write.
func (f *Framer) Append(dst []byte, chunks []Chunk) []byte {
	skip := min(max(f.after+1-f.next, 0), len(chunks))
	f.next += skip
	for chunks = chunks[skip:]; len(chunks) > 0; {
		n := 1
		if f.merge {
			n = mergeable(chunks)
		}
		f.next += n
		dst = append(dst, "id: "...)
		dst = strconv.AppendInt(dst, int64(f.next-1), 10)
		dst = append(dst, "\ndata: "...)
		dst = appendMerged(dst, chunks[:n])
		dst = append(dst, "\n\n"...)
		chunks = chunks[n:]
	}
	return dst
}

// Done writes the end of a turn that came to its last chunk. A stream without it was cut.
func (f *Framer) Done(dst []byte) []byte { return append(dst, "data: [DONE]\n\n"...) }
