package revert

import (
	"bytes"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/aymanbagabas/go-udiff"
)

// Conflict is a place in a file that was changed again after the run, so that it is left as it is.
type Conflict struct {
	Line int    // counted from 1, in the file as it is
	Mine string // what is there
	Back string // what would be there
}

// merge takes the way from one content of a file to another, in a file that may have been changed since it had the first. nil
// is no file. What was changed since stays: where both ways change the same lines, or lines beside each other, it is a
// conflict. What is no text, or is or was no file, is a conflict as a whole.
func merge(from, to, now []byte) (merged []byte, conflicts []Conflict) {
	switch {
	case same(now, from):
		return to, nil
	case same(now, to):
		return now, nil
	case from == nil || to == nil || now == nil || !isText(from) || !isText(to) || !isText(now):
		return now, []Conflict{{Line: 1}}
	}
	since := udiff.Lines(string(from), string(now))
	var take []udiff.Edit
	for _, e := range udiff.Lines(string(from), string(to)) {
		i := slices.IndexFunc(since, func(s udiff.Edit) bool { return s.Start <= e.End && e.Start <= s.End })
		switch {
		case i < 0:
			take = append(take, e)
		case since[i] != e: // else the person has done it already
			conflicts = append(conflicts, conflict(string(from), since, i, e))
		}
	}
	all := slices.Concat(since, take)
	udiff.SortEdits(all)
	text, err := udiff.Apply(string(from), all)
	if err != nil {
		return now, []Conflict{{Line: 1}}
	}
	return []byte(text), conflicts
}

// conflict tells of the edit e, which meets the i-th of those that were made since.
func conflict(from string, since []udiff.Edit, i int, e udiff.Edit) Conflict {
	start, end := min(e.Start, since[i].Start), max(e.End, since[i].End)
	moved := 0 // by what was changed before
	for _, s := range since[:i] {
		moved += strings.Count(s.New, "\n") - strings.Count(from[s.Start:s.End], "\n")
	}
	within := func(edit udiff.Edit) string { return from[start:edit.Start] + edit.New + from[edit.End:end] }
	return Conflict{Line: 1 + strings.Count(from[:start], "\n") + moved, Mine: within(since[i]), Back: within(e)}
}

// same reports whether both are no file, or files with the same content.
func same(a, b []byte) bool { return (a == nil) == (b == nil) && bytes.Equal(a, b) }

func isText(content []byte) bool { return utf8.Valid(content) && bytes.IndexByte(content, 0) < 0 }
