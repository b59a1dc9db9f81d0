package uistream

import (
	"math"
	"strconv"
	"unicode/utf8"
)

// All JSON of this package is what JSON.stringify writes after JSON.parse read it, so that a message that was folded
// here and one that a client assembled are equal byte for byte.

// object is a JSON object that is being appended, member by member.
type object []byte

func newObject(dst []byte) object { return append(dst, '{') }

// newChunk begins what every chunk, and every part of a message, begins with.
func newChunk(dst []byte, typ string) object { return newObject(dst).string("type", typ) }

func (o object) key(key string) object {
	if o[len(o)-1] != '{' {
		o = append(o, ',')
	}
	o = append(o, '"')
	o = append(o, key...)
	return append(o, '"', ':')
}

func (o object) string(key, value string) object { return appendString(o.key(key), value) }

// said leaves out what is empty.
func (o object) said(key, value string) object {
	if value == "" {
		return o
	}
	return o.string(key, value)
}

func (o object) number(key string, value int64) object {
	return appendNumber(o.key(key), float64(value))
}

func (o object) bool(key string, value bool) object { return strconv.AppendBool(o.key(key), value) }

func (o object) json(key string, value []byte) object { return append(o.key(key), value...) }

// optional leaves out what is nil.
func (o object) optional(key string, value []byte) object {
	if value == nil {
		return o
	}
	return o.json(key, value)
}

func (o object) value(key string, value interface{ appendJSON([]byte) []byte }) object {
	return value.appendJSON(o.key(key))
}

func (o object) end() []byte { return append(o, '}') }

// appendString appends s as a JSON string.
func appendString(dst []byte, s string) []byte {
	dst = append(dst, '"')
	dst = appendText(dst, s)
	return append(dst, '"')
}

// appendText appends the inside of a JSON string. Bytes that are not UTF-8 become U+FFFD one by one, as in encoding/json.
func appendText(dst []byte, s string) []byte {
	from := 0
	for i := 0; i < len(s); {
		c := s[i]
		if c < utf8.RuneSelf {
			i++
			if c < ' ' || c == '"' || c == '\\' {
				dst = append(dst, s[from:i-1]...)
				dst = appendASCII(dst, c)
				from = i
			}
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		if r == utf8.RuneError && size == 1 {
			dst = append(dst, s[from:i]...)
			dst = append(dst, "\uFFFD"...)
			from = i + 1
		}
		i += size
	}
	return append(dst, s[from:]...)
}

const hexDigits = "0123456789abcdef"

func appendASCII(dst []byte, c byte) []byte {
	switch c {
	case '"', '\\':
		return append(dst, '\\', c)
	case '\b':
		return append(dst, '\\', 'b')
	case '\f':
		return append(dst, '\\', 'f')
	case '\n':
		return append(dst, '\\', 'n')
	case '\r':
		return append(dst, '\\', 'r')
	case '\t':
		return append(dst, '\\', 't')
	}
	if c < ' ' {
		return append(dst, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
	}
	return append(dst, c)
}

// appendNumber appends f as JavaScript prints it. What overflowed there is Infinity, which JSON.stringify prints as null.
func appendNumber(dst []byte, f float64) []byte {
	if math.IsInf(f, 0) {
		return append(dst, "null"...)
	}
	if f == 0 {
		return append(dst, '0') // -0 too
	}
	if abs := math.Abs(f); abs >= 1e-6 && abs < 1e21 {
		return strconv.AppendFloat(dst, f, 'f', -1, 64)
	}
	dst = strconv.AppendFloat(dst, f, 'e', -1, 64)
	if n := len(dst); dst[n-4] == 'e' && dst[n-2] == '0' { // 1e-07 is 1e-7 there
		dst[n-2] = dst[n-1]
		dst = dst[:n-1]
	}
	return dst
}
