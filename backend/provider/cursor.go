package provider

import (
	"encoding/json"
	"strconv"
	"unicode/utf8"
)

// cursor reads one JSON text from front to back, once. A model server sends an object of three hundred bytes for every
// word, of which we need one string: encoding/json takes five times as long for it as everything else together.
//
// A value of another type than the one asked for is passed over and reads as the zero value, null above all. Every
// text that encoding/json accepts is read alike; of others, some are read as far as they make sense. After a text that
// does not, bad is set and nothing more is read.
type cursor struct {
	text []byte
	at   int
	bad  bool
}

// fields visits the keys of an object. The body must read each value, or skip it. Keys with escapes are given raw.
func (c *cursor) fields(yield func(key []byte) bool) {
	c.list('{', '}', func() bool {
		if c.peek() != '"' {
			c.bad = true
			return false
		}
		quoted, _ := c.quoted()
		if c.peek() != ':' {
			c.bad = true
			return false
		}
		c.at++
		return yield(quoted[1 : len(quoted)-1])
	})
}

// elements visits the elements of an array. The body must read each, or skip it.
func (c *cursor) elements(yield func() bool) { c.list('[', ']', yield) }

func (c *cursor) list(open, end byte, item func() bool) {
	if c.peek() != open {
		c.skip()
		return
	}
	c.at++
	if c.peek() == end {
		c.at++
		return
	}
	for item() && !c.bad {
		switch c.peek() {
		case ',':
			c.at++
		case end:
			c.at++
			return
		default:
			c.bad = true
		}
	}
}

// string reads a string. It gives old, without allocating, if that is what the text says.
func (c *cursor) string(old string) string {
	if c.peek() != '"' {
		c.skip()
		return ""
	}
	quoted, escaped := c.quoted()
	if escaped || !utf8.Valid(quoted) {
		var s string
		c.bad = json.Unmarshal(quoted, &s) != nil
		return s
	}
	if inner := quoted[1 : len(quoted)-1]; string(inner) != old {
		return string(inner)
	}
	return old
}

// count reads a number that counts something, cut to an integer. What cannot be one is zero.
func (c *cursor) count() int64 {
	f, err := strconv.ParseFloat(string(c.raw()), 64)
	if err != nil || f < 0 || f > 1<<53 {
		return 0
	}
	return int64(f)
}

// raw reads a value of any type as it is written.
func (c *cursor) raw() []byte {
	c.peek()
	start := c.at
	c.skip()
	return c.text[start:c.at]
}

// skip passes over one value. It does not recurse: how deep a stranger nests is no concern of our stack.
func (c *cursor) skip() {
	for depth := 0; !c.bad; {
		switch c.peek() {
		case 0:
			c.bad = true
		case '"':
			c.quoted()
		case '{', '[':
			c.at++
			depth++
		case '}', ']':
			c.at++
			depth--
		case ',', ':':
			c.at++
			c.bad = depth == 0
		default:
			c.word()
		}
		if depth <= 0 {
			c.bad = c.bad || depth < 0
			return
		}
	}
}

// word passes over a number, true, false or null.
func (c *cursor) word() {
	for ; c.at < len(c.text); c.at++ {
		switch c.text[c.at] {
		case ' ', '\t', '\r', '\n', ',', ':', '[', ']', '{', '}', '"':
			return
		}
	}
}

// end reports whether the whole text has been read, and made sense.
func (c *cursor) end() bool { return c.peek() == 0 && !c.bad && c.at == len(c.text) }

// peek gives the next byte that is not white space, or 0 at the end and after what made no sense.
func (c *cursor) peek() byte {
	for ; c.at < len(c.text) && !c.bad; c.at++ {
		switch b := c.text[c.at]; b {
		case ' ', '\t', '\r', '\n':
		default:
			return b
		}
	}
	return 0
}

// quoted reads a string as it is written, with its quotes.
func (c *cursor) quoted() (text []byte, escaped bool) {
	start := c.at
	for i := start + 1; i < len(c.text); i++ {
		switch c.text[i] {
		case '\\':
			escaped = true
			i++
		case '"':
			c.at = i + 1
			return c.text[start:c.at], escaped
		}
	}
	c.bad = true
	return []byte(`""`), false
}
