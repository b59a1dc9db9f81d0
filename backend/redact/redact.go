// Package redact takes known secret values out of any text, and what looks like a credential out of what tools say.
//
// A value is found as it is, and percent-encoded, JSON-escaped or in base64: also in the middle of a longer base64 text, and
// where that is wrapped or escaped once more. In its place stands [secret:name]. Of a base64 text every character goes that
// holds a bit of the value: with the first and the last of them up to four bits of each neighbour.
package redact

import (
	"net/url"
	"regexp"
	"strings"
)

// Value is a secret and the name that stands for it.
type Value struct{ Name, Text string }

// Known is a set of secret values to be taken out of texts. It never changes and may be used by many at once; nil has none.
type Known struct {
	words  words
	names  []string        // of words
	spaces bool            // a word has one
	first  [3][1 << 6]bool // whether a word begins with the bits: the first 6, 4 and 2 of a byte
}

// New makes a set of values, and gives nil if none of them is searched for. Several may have one name. Of a value that tells
// how to reach a database, the password is searched for alone too.
func New(values []Value) *Known {
	k := &Known{}
	for _, v := range values {
		for _, text := range append([]string{v.Text}, passwords(v.Text)...) {
			if !Searched(text) {
				continue
			}
			k.add(strings.TrimSpace(text), v.Name)
		}
	}
	if len(k.names) == 0 {
		return nil
	}
	for _, v := range values {
		k.add(mark(v.Name), v.Name) // a value is not looked for in what stands for one
	}
	k.words.link()
	return k
}

func (k *Known) add(text, name string) {
	k.words.add(text, len(k.names))
	k.names = append(k.names, name)
	k.spaces = k.spaces || strings.Contains(text, " ")
	for i := range k.first {
		k.first[i][text[0]>>(2+2*i)] = true
	}
}

// mark is what stands in the place of a value.
func mark(name string) string { return "[secret:" + name + "]" }

// Searched reports whether New searches for a value: not for one of less than four bytes, nor for the words of JSON, which
// cannot be told from chance. Space around a value does not count.
func Searched(value string) bool {
	value = strings.TrimSpace(value)
	return len(value) >= 4 && value != "true" && value != "false" && value != "null"
}

// userAndPassword is how they stand before a host, passwordField how they stand among other fields.
var (
	userAndPassword = regexp.MustCompile(`^(?:[A-Za-z][A-Za-z0-9+.-]*://)?([^:@/\s]*:([^\s]+))@[^@]+$`)
	passwordField   = regexp.MustCompile(`(?i)(?:^|[\s;?&])(?:password|pwd)\s*=\s*(?:'([^']+)'|([^\s;&']+))`)
)

// passwords gives what a value that tells how to reach a database has of a password, as it is written there and as it is.
func passwords(value string) (list []string) {
	value = strings.TrimSpace(value)
	if m := userAndPassword.FindStringSubmatch(value); m != nil {
		list = append(list, m[1], m[2])
	}
	if m := passwordField.FindStringSubmatch(value); m != nil {
		list = append(list, m[1]+m[2])
	}
	for _, written := range list {
		if meant, err := url.PathUnescape(written); err == nil && meant != written {
			list = append(list, meant)
		}
	}
	return list
}

// Text gives text with [secret:name] in the place of each value.
func (k *Known) Text(text string) string {
	s := k.Stream()
	safe := s.Write(text)
	if rest := s.Flush(); rest != "" {
		return safe + rest
	}
	return safe
}

// Stream takes the values out of a text that comes in pieces. A Stream is for one goroutine.
func (k *Known) Stream() *Stream {
	s := &Stream{known: k}
	if k == nil {
		return s
	}
	as := &plain{}
	s.readings = []reading{readEscaped(percent, "%", as), readEscaped(backslash, `\`, as), as, readArmored()}
	if k.spaces {
		s.readings = append([]reading{readEscaped(form, "%+", as)}, s.readings...)
	}
	return s
}

// JSON gives a JSON value with the same done to all its strings, the names of fields too. A number that is a value becomes a
// string. What is not JSON is taken as text.
func (k *Known) JSON(value []byte) []byte {
	if k == nil {
		return value
	}
	return rewriteJSON(value, k.Text)
}
