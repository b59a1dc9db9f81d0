package uistream

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// jsonValue is parseValue for whoever takes a string as well as any other value.
func jsonValue(raw json.RawMessage) []byte {
	value, _ := parseValue(raw)
	return value
}

// parseValue gives raw as a client prints it after parsing, with the keys that would kill its stream renamed. Nothing is
// null. What is not JSON becomes a string, seen and not lost, and is not ok.
func parseValue(raw json.RawMessage) (value []byte, ok bool) {
	if len(bytes.TrimSpace(raw)) == 0 {
		return []byte("null"), true
	}
	p := printer{text: string(raw), out: make([]byte, 0, len(raw))}
	if !p.document() {
		return appendString(nil, p.text), false
	}
	return p.out, true
}

// maxDepth is how deep a value may be. JSON.stringify overflows its stack at a few thousand.
const maxDepth = 256

// printer reads one JSON value from text and writes it to out as JavaScript would print it. Its methods report whether
// what they read was JSON; after false nothing that was written counts.
type printer struct {
	text    string
	at      int
	out     []byte
	depth   int
	members []member // of the objects that are being read, innermost last
	renamed bool     // whether the value had a key that clients refuse
}

// member is where one "key":value of an object stands in out.
type member struct{ start, colon, end int }

func (p *printer) document() bool {
	if !p.value(false) {
		return false
	}
	p.space()
	return p.at == len(p.text)
}

// value reads any value. inConstructor says that it belongs to the key "constructor".
func (p *printer) value(inConstructor bool) bool {
	p.space()
	if p.at == len(p.text) {
		return false
	}
	switch p.text[p.at] {
	case '{', '[':
		p.depth++
		defer func() { p.depth-- }()
		switch {
		case p.depth > maxDepth:
			return false
		case p.text[p.at] == '{':
			return p.object(inConstructor)
		}
		return p.array()
	case '"':
		return p.string()
	case 't':
		return p.literal("true")
	case 'f':
		return p.literal("false")
	case 'n':
		return p.literal("null")
	}
	return p.number()
}

func (p *printer) array() bool {
	p.take('[')
	p.out = append(p.out, '[')
	if p.space(); p.take(']') {
		p.out = append(p.out, ']')
		return true
	}
	for {
		if !p.value(false) {
			return false
		}
		p.space()
		switch {
		case p.take(','):
			p.out = append(p.out, ',')
		case p.take(']'):
			p.out = append(p.out, ']')
			return true
		default:
			return false
		}
	}
}

func (p *printer) object(inConstructor bool) bool {
	p.take('{')
	p.out = append(p.out, '{')
	if p.space(); p.take('}') {
		p.out = append(p.out, '}')
		return true
	}
	first := len(p.members)
	defer func() { p.members = p.members[:first] }()
	for {
		m := member{start: len(p.out)}
		p.space()
		if !p.string() {
			return false
		}
		isConstructor := string(p.out[m.start:]) == `"constructor"`
		p.rename(m.start, inConstructor)
		m.colon = len(p.out)
		if p.space(); !p.take(':') {
			return false
		}
		p.out = append(p.out, ':')
		if !p.value(isConstructor) {
			return false
		}
		m.end = len(p.out)
		p.members = append(p.members, m)
		p.space()
		switch {
		case p.take(','):
			p.out = append(p.out, ',')
		case p.take('}'):
			p.order(p.members[first:])
			p.out = append(p.out, '}')
			return true
		default:
			return false
		}
	}
}

// rename gives the key that was just written at start another name if clients refuse it.
func (p *printer) rename(start int, inConstructor bool) {
	key := p.out[start:]
	if string(key) == `"__proto__"` || inConstructor && string(key) == `"prototype"` {
		p.renamed = true
		p.out = slices.Insert(p.out, start+1, '$')
	}
}

// order puts the members of an object as a JavaScript object has them: array indices first, in their order, and of
// those with the same key the place of the first and the value of the last.
func (p *printer) order(members []member) {
	if p.inOrder(members) {
		return
	}
	type entry struct {
		index int64 // -1 unless the key is an array index
		text  []byte
	}
	var entries []entry
	place := map[string]int{}
	for _, m := range members {
		key := string(p.out[m.start:m.colon])
		e := entry{arrayIndex(key), bytes.Clone(p.out[m.start:m.end])}
		if i, again := place[key]; again {
			entries[i] = e
			continue
		}
		place[key] = len(entries)
		entries = append(entries, e)
	}
	slices.SortStableFunc(entries, func(a, b entry) int {
		return cmp.Compare(uint64(a.index), uint64(b.index)) // -1 is the greatest
	})
	p.out = p.out[:members[0].start]
	for i, e := range entries {
		if i > 0 {
			p.out = append(p.out, ',')
		}
		p.out = append(p.out, e.text...)
	}
}

// inOrder reports whether no key is an array index or comes twice: then the members stay as they are.
func (p *printer) inOrder(members []member) bool {
	const few = 16 // keys are compared one by one before a map is worth its making
	var seen map[string]bool
	if len(members) > few {
		seen = make(map[string]bool, len(members))
	}
	for i, m := range members {
		key := p.out[m.start:m.colon]
		same := func(n member) bool { return bytes.Equal(key, p.out[n.start:n.colon]) }
		switch {
		case key[1] >= '0' && key[1] <= '9':
			return false
		case seen == nil && slices.ContainsFunc(members[:i], same), seen[string(key)]:
			return false
		case seen != nil:
			seen[string(key)] = true
		}
	}
	return true
}

// arrayIndex gives the number that a key in quotes spells, if JavaScript takes it for an array index, or -1.
func arrayIndex(quoted string) int64 {
	key := quoted[1 : len(quoted)-1]
	n, err := strconv.ParseUint(key, 10, 32)
	if err != nil || n == math.MaxUint32 || strconv.FormatUint(n, 10) != key {
		return -1
	}
	return int64(n)
}

func (p *printer) string() bool {
	if !p.take('"') {
		return false
	}
	p.out = append(p.out, '"')
	from := p.at
	for p.at < len(p.text) {
		switch c := p.text[p.at]; {
		case c == '"':
			p.out = appendText(p.out, p.text[from:p.at])
			p.at++
			p.out = append(p.out, '"')
			return true
		case c < ' ':
			return false
		case c == '\\':
			p.out = appendText(p.out, p.text[from:p.at])
			if !p.escape() {
				return false
			}
			from = p.at
		default:
			p.at++
		}
	}
	return false
}

// escape reads one escape sequence.
func (p *printer) escape() bool {
	if unit, ok := p.unit(); ok {
		p.appendUnit(unit)
		return true
	}
	const letters, means = `"\/bfnrt`, "\"\\/\b\f\n\r\t"
	if p.at+1 == len(p.text) {
		return false
	}
	i := strings.IndexByte(letters, p.text[p.at+1])
	if i < 0 {
		return false
	}
	p.at += 2
	p.out = appendASCII(p.out, means[i])
	return true
}

// appendUnit writes the character of a \u escape, and of the next one if the two are a pair. Half a pair stays an escape.
func (p *printer) appendUnit(unit rune) {
	switch {
	case unit < utf8.RuneSelf:
		p.out = appendASCII(p.out, byte(unit))
		return
	case !utf16.IsSurrogate(unit):
		p.out = utf8.AppendRune(p.out, unit)
		return
	}
	mark := p.at
	low, _ := p.unit()
	if pair := utf16.DecodeRune(unit, low); pair != utf8.RuneError {
		p.out = utf8.AppendRune(p.out, pair)
		return
	}
	p.at = mark
	p.out = fmt.Appendf(p.out, `\u%04x`, unit)
}

// unit reads \uXXXX.
func (p *printer) unit() (rune, bool) {
	if len(p.text)-p.at < 6 || !strings.HasPrefix(p.text[p.at:], `\u`) {
		return 0, false
	}
	n, err := strconv.ParseUint(p.text[p.at+2:p.at+6], 16, 16)
	if err != nil {
		return 0, false
	}
	p.at += 6
	return rune(n), true
}

func (p *printer) number() bool {
	from := p.at
	p.take('-')
	if !p.take('0') && !p.digits() {
		return false
	}
	whole := true
	if p.take('.') {
		whole = false
		if !p.digits() {
			return false
		}
	}
	if p.take('e') || p.take('E') {
		whole = false
		if !p.take('+') {
			p.take('-')
		}
		if !p.digits() {
			return false
		}
	}
	text := p.text[from:p.at]
	if whole && len(text) <= 15 && text[0] != '-' {
		p.out = append(p.out, text...)
		return true
	}
	f, _ := strconv.ParseFloat(text, 64) // out of range is ±Inf, as it is there
	p.out = appendNumber(p.out, f)
	return true
}

func (p *printer) digits() bool {
	from := p.at
	for p.at < len(p.text) && p.text[p.at] >= '0' && p.text[p.at] <= '9' {
		p.at++
	}
	return p.at > from
}

func (p *printer) literal(word string) bool {
	if !strings.HasPrefix(p.text[p.at:], word) {
		return false
	}
	p.at += len(word)
	p.out = append(p.out, word...)
	return true
}

func (p *printer) space() {
	for p.at < len(p.text) {
		switch p.text[p.at] {
		case ' ', '\t', '\n', '\r':
			p.at++
		default:
			return
		}
	}
}

func (p *printer) take(c byte) bool {
	if p.at < len(p.text) && p.text[p.at] == c {
		p.at++
		return true
	}
	return false
}
