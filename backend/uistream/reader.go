package uistream

import (
	"bytes"
	"encoding/json"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"

	"parley/backend/agent"
)

// reader reads JSON by hand, to say where it is wrong, and in place: what it gives are pieces of one body, which may be
// large. It keeps the first error; after it, what it gives means nothing. What is optional may be absent or null, and is
// zero then.
type reader struct {
	err   error
	media []agent.Media
}

func (r *reader) fail(format string, args ...any) {
	if r.err == nil {
		r.err = agent.Errorf(agent.CodeValidation, format, args...)
	}
}

func given(raw json.RawMessage) bool { return len(raw) > 0 && string(raw) != "null" }

// document reads the body that the rest are pieces of.
func (r *reader) document(name string, b []byte) map[string]json.RawMessage {
	b = bytes.TrimSpace(b)
	if len(b) > 0 && !json.Valid(b) { // which bounds how deep it is
		r.fail("%s must be JSON", name)
		return nil
	}
	return r.object(name, b)
}

// maxMembers bounds what an object costs to read; no request of ours has more than twenty.
const maxMembers = 1000

func (r *reader) object(path string, raw json.RawMessage) map[string]json.RawMessage {
	if !r.begins(path, raw, '{', "an object") {
		return nil
	}
	o := map[string]json.RawMessage{}
	for at, rest := nextPiece(raw[1:]); len(at) > 0; at, rest = nextPiece(rest) {
		var key string
		json.Unmarshal(at, &key)
		o[key], rest = nextPiece(rest)
		if len(o) > maxMembers {
			r.fail("%s may have %d members at most", path, maxMembers)
			break
		}
	}
	return o
}

// only refuses members that are not known.
func (r *reader) only(path string, o map[string]json.RawMessage, known ...string) {
	for _, key := range slices.Sorted(maps.Keys(o)) {
		if !slices.Contains(known, key) {
			r.fail("%s.%s is not known; there are %s", path, key, strings.Join(known, ", "))
		}
	}
}

// list gives the elements of a list with their paths, until one is wrong or too many.
func (r *reader) list(path string, raw json.RawMessage, most int) iter.Seq2[string, json.RawMessage] {
	return func(yield func(string, json.RawMessage) bool) {
		if !r.begins(path, raw, '[', "a list") {
			return
		}
		i := 0
		for at, rest := nextPiece(raw[1:]); len(at) > 0; at, rest = nextPiece(rest) {
			if i == most {
				r.fail("%s may have %d elements at most", path, most)
			}
			if r.err != nil || !yield(fmt.Sprintf("%s[%d]", path, i), at) {
				return
			}
			i++
		}
	}
}

// last gives the last element of a list that must have one, and its path.
func (r *reader) last(path string, raw json.RawMessage) (string, json.RawMessage) {
	var last json.RawMessage
	n := 0
	if r.begins(path, raw, '[', "a list that is not empty") {
		for at, rest := nextPiece(raw[1:]); len(at) > 0; at, rest = nextPiece(rest) {
			last = at
			n++
		}
	}
	if n == 0 {
		r.fail("%s must be a list that is not empty", path)
	}
	return fmt.Sprintf("%s[%d]", path, n-1), last
}

// begins reports whether raw, which may be absent, is what begins with the given byte.
func (r *reader) begins(path string, raw json.RawMessage, with byte, want string) bool {
	if r.err != nil || !given(raw) {
		return false
	}
	if raw[0] != with {
		r.fail("%s must be %s", path, want)
		return false
	}
	return true
}

func (r *reader) read(path string, raw json.RawMessage, dst any, want string) {
	if given(raw) && json.Unmarshal(raw, dst) != nil {
		r.fail("%s must be %s", path, want)
	}
}

func (r *reader) text(path string, raw json.RawMessage) (s string) {
	r.read(path, raw, &s, "a string")
	return s
}

// optional is text that may be absent.
func (r *reader) optional(path string, raw json.RawMessage) *string {
	if !given(raw) {
		return nil
	}
	s := r.text(path, raw)
	return &s
}

func (r *reader) flag(path string, raw json.RawMessage) (b bool) {
	r.read(path, raw, &b, "true or false")
	return b
}

func (r *reader) session(path string, raw json.RawMessage) agent.SessionID {
	id := agent.SessionID(r.text(path, raw))
	if id != "" && id.Validate() != nil {
		r.fail("%s may have letters, digits and . _ : - only, at most 128, and be neither . nor ..", path)
	}
	return id
}

func (r *reader) message(path string, raw json.RawMessage) agent.MessageID {
	id := agent.MessageID(r.text(path, raw))
	if id != "" && id.Validate() != nil {
		r.fail("%s must have at most 128 bytes, and no ~", path)
	}
	return id
}

// nextPiece gives the next value of the inside of a list or an object in valid JSON, and what comes after it. There is none
// at the end.
func nextPiece(inside []byte) (piece, rest json.RawMessage) {
	inside = bytes.TrimLeft(inside, " \t\r\n,:")
	end := pieceEnd(inside)
	return inside[:end], inside[end:]
}

func pieceEnd(s []byte) int {
	depth := 0
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '"':
			for i++; s[i] != '"'; i++ {
				if s[i] == '\\' {
					i++
				}
			}
			if depth == 0 {
				return i + 1
			}
		case '{', '[':
			depth++
		case '}', ']':
			if depth == 0 {
				return i
			}
			if depth--; depth == 0 {
				return i + 1
			}
		case ',', ' ', '\t', '\r', '\n':
			if depth == 0 {
				return i
			}
		}
	}
	return len(s)
}
