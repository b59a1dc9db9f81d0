package uistream

import (
	"strconv"
	"strings"

	"parley/backend/agent"
)

// Dialect says which chunks a client knows.
type Dialect int

// The dialects.
const (
	Common Dialect = iota // what every client knows
	V7                    // and what those of the AI SDK 7 know: how an approval was decided
)

// DialectOf reads the header x-ai-sdk, in which a client says which version of the AI SDK it is made with.
func DialectOf(header string) Dialect {
	major, _, _ := strings.Cut(strings.TrimSpace(header), ".")
	if n, err := strconv.Atoi(major); err == nil && n >= 7 {
		return V7
	}
	return Common
}

func (d Dialect) knows(c Chunk) bool {
	switch c := c.(type) {
	case decisionChunk:
		return d == V7
	case approvalChunk:
		return d == V7 || !c.automatic
	}
	return true
}

// response is the share of a turn that goes to one client: what comes after the chunk with the index after, as far as it
// knows it. A response has one ending, so of a pause that it goes past neither the end nor the start again is in it.
type response struct {
	dialect Dialect
	after   int
	next    int  // the index of the next chunk
	merge   bool // whether consecutive deltas of a block become one
	paused  bool // whether the last chunk was that of a pause, which is held back
}

// cut gives the chunks to write as one, the last of which has the index next-1, and those that come after them. There is
// nothing to write if it gives none.
func (r *response) cut(chunks []Chunk) (one, rest []Chunk) {
	skip := min(max(r.after+1-r.next, 0), len(chunks))
	r.next += skip
	for chunks = chunks[skip:]; len(chunks) > 0; chunks = rest {
		n := 1
		if r.merge {
			n = mergeable(chunks)
		}
		one, rest = chunks[:n], chunks[n:]
		r.next += n
		past := r.paused
		_, r.paused = one[0].(pauseChunk)
		_, starts := one[0].(startChunk)
		if !r.paused && !(past && starts) && r.dialect.knows(one[0]) {
			return one, rest
		}
	}
	return nil, nil
}

// ChunkCount says how many chunks records have, which are a turn from its start on: the response to what continues a
// turn begins after those.
func ChunkCount(records []agent.Record) int {
	n := 0
	for range NewEncoder("").chunks(records) {
		n++
	}
	return n
}
