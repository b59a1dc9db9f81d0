package tool

import (
	"bytes"
	"fmt"
	"strings"
	"sync"
)

const (
	maxStream   = 1 << 20  // kept of each output of a command
	maxRecent   = 2 << 10  // of it is shown while it runs: the log keeps all that is shown
	maxSearched = 32 << 10 // is searched for what is secret before: of half a value the rest is not found
)

// excerpt keeps the first and the last half of room of what is written to it. Its methods may be called at once.
type excerpt struct {
	room int

	mu    sync.Mutex
	first []byte
	last  []byte // at most twice of what counts
	total int64
}

func (e *excerpt) Write(b []byte) (int, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	n := len(b)
	e.total += int64(n)
	fits := min(n, e.room/2-len(e.first))
	e.first = append(e.first, b[:fits]...)
	if e.last = append(e.last, b[fits:]...); len(e.last) > e.room {
		e.last = append(e.last[:0], e.last[len(e.last)-e.room/2:]...)
	}
	return n, nil
}

func (e *excerpt) written() int64 {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.total
}

// String is what was kept, as text, with a marker where something is left out.
func (e *excerpt) String() string {
	e.mu.Lock()
	defer e.mu.Unlock()
	last := e.last[max(0, len(e.last)-e.room/2):]
	gap := ""
	if lost := e.total - int64(len(e.first)+len(last)); lost > 0 {
		gap = fmt.Sprintf("\n[… %d bytes were not kept …]\n", lost)
	}
	return strings.ToValidUTF8(string(e.first)+gap+string(last), "\uFFFD")
}

// tail is the end of it, half of room at most.
func (e *excerpt) tail() string {
	e.mu.Lock()
	defer e.mu.Unlock()
	end := e.last
	if len(end) < e.room/2 {
		end = append(bytes.Clone(e.first), end...)
	}
	return strings.ToValidUTF8(string(end[max(0, len(end)-e.room/2):]), "\uFFFD")
}

// ending is the end of a text, from the start of a line on if there is one.
func ending(text string, most int) string {
	if from := len(text) - most; from > 0 {
		text = text[from:]
		text = strings.ToValidUTF8(text[strings.IndexByte(text, '\n')+1:], "\uFFFD")
	}
	return text
}

// both writes to each of two.
type both [2]*excerpt

func (b both) Write(p []byte) (int, error) {
	for _, e := range b {
		_, _ = e.Write(p) // it takes everything
	}
	return len(p), nil
}
