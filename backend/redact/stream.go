package redact

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"
)

// Stream is a text that comes in pieces. What it gives does not depend on where they are cut.
type Stream struct {
	known    *Known
	readings []reading
	held     string // what may belong to a value
	at       int    // where it begins in the text
	found    []span
	covered  int // where the last value that was replaced ends
	last     string
}

// span is where a value stands in the text.
type span struct {
	start, end int
	word       int32
}

// reading reads a text in one of the ways in which it may hold values.
type reading interface {
	// read goes on with the text, of which piece begins at a place, and adds what it finds to s.
	read(s *Stream, piece string, at int)
	// pending gives where the value begins that the text may end in the middle of, or end if there is none.
	pending(s *Stream, end int) int
	reset()
}

// Write takes the next piece and gives what is safe to show: all but an end that may be the beginning of a value.
func (s *Stream) Write(piece string) string {
	if s.known == nil || piece == "" {
		return piece
	}
	end := s.at + len(s.held)
	safe := end + len(piece)
	for _, r := range s.readings {
		r.read(s, piece, end)
		safe = min(safe, r.pending(s, end+len(piece)))
	}
	s.held += piece
	return s.release(runeStart(s.held, max(safe-s.at, 0))) // the end of a value that was shown may begin another
}

// Learn goes on with other values, also in what is held back.
func (s *Stream) Learn(known *Known) {
	if known == s.known || known == nil {
		return
	}
	held := s.Flush()
	*s = *known.Stream()
	for _, r := range s.readings {
		r.read(s, held, 0)
	}
	s.held = held
}

// Flush gives what was held back: the text has ended. Another may follow.
func (s *Stream) Flush() string {
	for _, r := range s.readings {
		r.reset()
	}
	rest := s.release(len(s.held))
	s.at, s.covered = 0, 0
	return rest
}

// runeStart gives where the character begins that i is in the middle of.
func runeStart(text string, i int) int {
	for from := i; from < len(text) && from >= max(0, i-utf8.UTFMax+1); from-- {
		if utf8.RuneStart(text[from]) {
			return from
		}
	}
	return i
}

// release gives the first n bytes that are held, without the values that begin there. Of values that overlap each has its name
// there, unless it is the same one again; one within another is a part of that.
func (s *Stream) release(n int) string {
	to := s.at + n
	if len(s.found) == 0 && s.covered <= s.at {
		out := s.held[:n]
		s.held, s.at = s.held[n:], to
		return out
	}
	slices.SortFunc(s.found, func(a, b span) int { return cmp.Or(a.start-b.start, b.end-a.end, int(a.word-b.word)) })
	var out strings.Builder
	from := max(s.at, s.covered)
	later := len(s.found)
	for i, f := range s.found {
		if f.start >= to {
			later = i
			break
		}
		if f.end <= s.covered {
			continue
		}
		if f.start > from {
			out.WriteString(s.held[from-s.at : f.start-s.at])
		}
		name := s.known.names[f.word]
		if f.start >= s.covered || name != s.last {
			out.WriteString(mark(name))
		}
		from, s.covered, s.last = f.end, f.end, name
	}
	if from < to {
		out.WriteString(s.held[from-s.at : n])
	}
	s.found = slices.Delete(s.found, 0, later)
	s.held, s.at = s.held[n:], to
	return out.String()
}
