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
	first, last := string(e.first), string(e.last[max(0, len(e.last)-e.room/2):])
	gap := ""
	if e.total > int64(len(first)+len(last)) {
		first, last = beforeCut(first), afterCut(last)
		gap = fmt.Sprintf("\n[… %d bytes were not kept …]\n", e.total-int64(len(first)+len(last)))
	}
	return strings.ToValidUTF8(first+gap+last, "\uFFFD")
}

// beforeCut is a text that was cut at its end, without what may be half of a value there: its last line or, if that is long, its last
// word.
func beforeCut(text string) string {
	margin := max(0, len(text)-maxSearched)
	for _, ends := range []string{"\n", " \t"} {
		if i := strings.LastIndexAny(text[margin:], ends); i >= 0 {
			return text[:margin+i+1]
		}
	}
	return text
}

// afterCut is the same for one that was cut at its start.
func afterCut(text string) string {
	margin := text[:min(len(text), maxSearched)]
	for _, ends := range []string{"\n", " \t"} {
		if i := strings.IndexAny(margin, ends); i >= 0 {
			return text[i+1:]
		}
	}
	return text
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
