// Package redact takes known secret values out of any text, and what looks like a credential out of what tools say.
package redact

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
)

// Value is a secret and the name that stands for it.
type Value struct{ Name, Text string }

// Known is a set of secret values to be taken out of texts. It never changes and may be used by many at once; nil has none.
type Known struct {
	values  []Value // the longest first
	longest int
}

// New makes a set of values, and gives nil if none of them is searched for. Several may have one name.
func New(values []Value) *Known {
	k := &Known{}
	for _, v := range values {
		if v.Text = strings.TrimSpace(v.Text); Searched(v.Text) {
			k.values = append(k.values, v)
			k.longest = max(k.longest, len(v.Text))
		}
	}
	if len(k.values) == 0 {
		return nil
	}
	slices.SortFunc(k.values, func(a, b Value) int { return len(b.Text) - len(a.Text) })
	return k
}

// Searched reports whether New searches for a value: not for one of less than four bytes, nor for the words of JSON, which
// cannot be told from chance.
func Searched(value string) bool {
	value = strings.TrimSpace(value)
	return len(value) >= 4 && value != "true" && value != "false" && value != "null"
}

// Text gives text with [secret:name] in the place of each value.
func (k *Known) Text(text string) string {
	if k == nil {
		return text
	}
	for _, v := range k.values {
		text = strings.ReplaceAll(text, v.Text, "[secret:"+v.Name+"]")
	}
	return text
}

// JSON gives a JSON value with the same done to all its strings. What is no JSON is taken as text.
func (k *Known) JSON(value []byte) []byte {
	if k == nil {
		return value
	}
	if redacted := []byte(k.Text(string(value))); json.Valid(redacted) && !bytes.Equal(redacted, value) {
		return redacted
	}
	return value
}

// Stream takes the values out of a text that comes in pieces. A stream is for one goroutine.
func (k *Known) Stream() *Stream { return &Stream{known: k} }

// Stream is a text that comes in pieces.
type Stream struct {
	known *Known
	held  string
}

// Write takes the next piece and gives what is safe to show: all but an end that may be the beginning of a value.
func (s *Stream) Write(piece string) string {
	if s.known == nil {
		return piece
	}
	text := s.known.Text(s.held + piece)
	safe := max(0, len(text)-s.known.longest)
	s.held = text[safe:]
	return text[:safe]
}

// Flush gives what was held back: the text has ended. Another may follow.
func (s *Stream) Flush() string {
	text := s.held
	s.held = ""
	return text
}
