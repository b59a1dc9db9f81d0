package uistream

import (
	"slices"
	"strings"
)

// partialValue gives what a client shows of a call's arguments while they stream in: the value that text is, or the
// one that it becomes when it is closed where it was cut. Nil means undefined: neither is JSON.
func partialValue(text string) []byte {
	for _, text := range []string{text, closeJSON(text)} {
		p := printer{text: text}
		if p.document() && !p.renamed { // a client refuses to parse such keys
			return p.out
		}
	}
	return nil
}

// jsonState is where in a JSON text a closer stands.
type jsonState byte

const (
	inRoot jsonState = iota
	inFinish
	inString
	inEscape
	inUnicodeEscape
	inLiteral
	inNumber
	inObjectStart
	inKey
	afterKey
	beforeValue
	afterMember
	afterObjectComma
	inArrayStart
	afterElement
	afterArrayComma
)

// closer is the AI SDK's fixJson, state by state: a page shows half-written arguments as that function completes them,
// its quirks included. It reads by UTF-16 units, because the original does.
type closer struct {
	text    string
	stack   []jsonState
	valid   int // text[:valid] can be closed to something whole
	literal int // where the literal that is being read starts
	hex     int // digits of a unicode escape so far
}

// closeJSON cuts and completes text, the beginning of a JSON text in UTF-8, to one that may be parsed.
func closeJSON(text string) string {
	c := closer{text: text, stack: []jsonState{inRoot}}
	for i, r := range text {
		end := i + len(string(r))
		c.unit(r, i, end)
		if r > 0xFFFF {
			c.unit(r, i, end)
		}
	}
	var b strings.Builder
	b.WriteString(text[:c.valid])
	for _, state := range slices.Backward(c.stack) {
		switch state {
		case inString:
			b.WriteByte('"')
		case inKey, afterKey, afterObjectComma, inObjectStart, beforeValue, afterMember:
			b.WriteByte('}')
		case inArrayStart, afterArrayComma, afterElement:
			b.WriteByte(']')
		case inLiteral:
			begun := text[c.literal:]
			b.WriteString(literalFrom(begun)[len(begun):])
		}
	}
	return b.String()
}

func (c *closer) pop() { c.stack = c.stack[:len(c.stack)-1] }

func (c *closer) swap(s jsonState) { c.stack[len(c.stack)-1] = s }

func (c *closer) push(s jsonState) { c.stack = append(c.stack, s) }

func (c *closer) top() jsonState { return c.stack[len(c.stack)-1] }

// unit reads one UTF-16 unit of r, which stands at text[start:end].
func (c *closer) unit(r rune, start, end int) {
	switch c.top() {
	case inRoot:
		c.value(r, start, end, inFinish)
	case inString:
		c.inside(r, end)
	case inEscape:
		c.pop()
		if r == 'u' {
			c.hex = 0
			c.push(inUnicodeEscape)
		} else {
			c.valid = end
		}
	case inUnicodeEscape:
		if strings.ContainsRune("0123456789abcdefABCDEF", r) {
			if c.hex++; c.hex == 4 {
				c.pop()
				c.valid = end
			}
		}
	case inLiteral:
		if literalFrom(c.text[c.literal:end]) != "" {
			c.valid = end
		} else {
			c.pop()
			c.after(r, end)
		}
	case inNumber:
		c.number(r, end)
	default:
		c.structure(r, start, end)
	}
}

// structure reads what stands between the values of objects and arrays.
func (c *closer) structure(r rune, start, end int) {
	switch c.top() {
	case inObjectStart:
		if r == '"' {
			c.swap(inKey)
		} else if r == '}' {
			c.valid = end
			c.pop()
		}
	case afterObjectComma:
		if r == '"' {
			c.swap(inKey)
		}
	case inKey:
		if r == '"' {
			c.swap(afterKey)
		}
	case afterKey:
		if r == ':' {
			c.swap(beforeValue)
		}
	case beforeValue:
		c.value(r, start, end, afterMember)
	case afterMember:
		c.after(r, end)
	case inArrayStart:
		if r == ']' {
			c.valid = end
			c.pop()
		} else {
			c.value(r, start, end, afterElement)
		}
	case afterElement:
		if r != ',' && r != ']' {
			c.valid = end
		}
		c.after(r, end)
	case afterArrayComma:
		c.value(r, start, end, afterElement)
	}
}

// value reads the first unit of a value; then is the state once it has been read.
func (c *closer) value(r rune, start, end int, then jsonState) {
	inside := inNumber
	switch r {
	case '"':
		inside = inString
	case 'f', 't', 'n':
		inside, c.literal = inLiteral, start
	case '{':
		inside = inObjectStart
	case '[':
		inside = inArrayStart
	case '-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
	default:
		return
	}
	if r != '-' {
		c.valid = end
	}
	c.swap(then)
	c.push(inside)
}

func (c *closer) inside(r rune, end int) {
	switch r {
	case '"':
		c.pop()
		c.valid = end
	case '\\':
		c.push(inEscape)
	default:
		c.valid = end
	}
}

func (c *closer) number(r rune, end int) {
	switch {
	case r >= '0' && r <= '9':
		c.valid = end
	case r == 'e', r == 'E', r == '-', r == '.':
	default:
		c.pop()
		if r == ',' || r == '}' || r == ']' {
			c.after(r, end)
		}
	}
}

// after reads what may follow the value of a member or an element.
func (c *closer) after(r rune, end int) {
	switch {
	case c.top() == afterMember && r == ',':
		c.swap(afterObjectComma)
	case c.top() == afterElement && r == ',':
		c.swap(afterArrayComma)
	case c.top() == afterMember && r == '}', c.top() == afterElement && r == ']':
		c.valid = end
		c.pop()
	}
}

// literalFrom gives the literal that begins with start, or nothing.
func literalFrom(start string) string {
	for _, word := range []string{"true", "false", "null"} {
		if strings.HasPrefix(word, start) {
			return word
		}
	}
	return ""
}
