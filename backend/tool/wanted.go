package tool

import (
	"bytes"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
)

// wanted is what a search looks for.
type wanted struct {
	line *regexp.Regexp
	// Texts of which at least one is in every line that matches, if there are such: they are found many times faster than
	// the line is matched. If folded they are in lower case, and so is what they are looked for in.
	texts  [][]byte
	folded bool
}

// compile reads a pattern.
func compile(pattern string, literal bool) (*wanted, error) {
	if literal {
		pattern = regexp.QuoteMeta(pattern)
	}
	line, err := regexp.Compile(pattern)
	if err != nil {
		return nil, refuse("The pattern is not a regular expression: %s. Set literal to true to search for it as it is.", strings.TrimPrefix(err.Error(), "error parsing regexp: "))
	}
	w := &wanted{line: line}
	parsed, _ := syntax.Parse(pattern, syntax.Perl) // it was compiled
	for _, t := range required(parsed.Simplify()) {
		w.texts = append(w.texts, []byte(t.text))
		w.folded = w.folded || t.folded
	}
	if w.folded {
		for i, t := range w.texts {
			w.texts[i] = lower(nil, t)
		}
	}
	return w, nil
}

// needed is a text that must be in a line, in any case if folded.
type needed struct {
	text   string
	folded bool
}

// maxTexts is how many texts are faster to look for than the expression itself.
const maxTexts = 8

// required gives texts of which one is in whatever matches; none if there is nothing to say.
func required(re *syntax.Regexp) (texts []needed) {
	switch re.Op {
	case syntax.OpLiteral:
		t := needed{string(re.Rune), re.Flags&syntax.FoldCase != 0}
		if t.folded {
			t.text = foldable(t.text)
		}
		if t.text != "" {
			texts = []needed{t}
		}
	case syntax.OpCapture, syntax.OpPlus:
		texts = required(re.Sub[0])
	case syntax.OpConcat:
		for _, sub := range re.Sub {
			if t := required(sub); shortest(t) > shortest(texts) {
				texts = t
			}
		}
	case syntax.OpAlternate:
		for _, sub := range re.Sub {
			t := required(sub)
			if texts = append(texts, t...); t == nil || len(texts) > maxTexts {
				return nil
			}
		}
	}
	return texts
}

// foldable is the longest part of a text of which each character has an upper and a lower case in ASCII, and no other: k and
// s have one beyond it.
func foldable(text string) (longest string) {
	for part := range strings.FieldsFuncSeq(text, func(r rune) bool { return r >= 0x80 || strings.ContainsRune("kKsS", r) }) {
		if len(part) > len(longest) {
			longest = part
		}
	}
	return longest
}

func shortest(texts []needed) (n int) {
	for i, t := range texts {
		if i == 0 || len(t.text) < n {
			n = len(t.text)
		}
	}
	return n
}

// lower appends text to dst, with the letters of ASCII in lower case.
func lower(dst, text []byte) []byte {
	for _, c := range text {
		if 'A' <= c && c <= 'Z' {
			c |= 0x20
		}
		dst = append(dst, c)
	}
	return dst
}

// span is a part of a text.
type span struct{ start, end int }

// hit is a line that matches: where it is, its number, and what of it matches.
type hit struct {
	span
	number int
	parts  [][]int
}

// in gives the lines of content that match, and so many around each.
func (w *wanted) in(content []byte, around int) (lines []foundLine) {
	hits := w.hits(content)
	shown := 0 // content is shown, or passed over, up to here
	for i, h := range hits {
		start, n := h.start, h.number
		for range around {
			if start > shown {
				start = bytes.LastIndexByte(content[:start-1], '\n') + 1
				n--
			}
		}
		end := h.end
		limit := len(content)
		if i+1 < len(hits) {
			limit = hits[i+1].start
		}
		for range around {
			if end < limit {
				end = lineEnd(content, end)
			}
		}
		for ; start < end; n++ {
			line := span{start, lineEnd(content, start)}
			var parts [][]int
			if n == h.number {
				parts = h.parts
			}
			lines = append(lines, foundLine{n, pieces(text(content, line), parts)})
			start = line.end
		}
		shown = end
	}
	return lines
}

// hits gives no more lines than a search does, and one to see that there are more.
func (w *wanted) hits(content []byte) (hits []hit) {
	hay := content
	if w.folded {
		hay = lower(make([]byte, 0, len(content)), content)
	}
	next := make([]int, len(w.texts)) // where each of the texts is, from pos on
	for i, t := range w.texts {
		next[i] = indexFrom(hay, t, 0)
	}
	counted, number := 0, 1 // the line at counted has this number
	for pos := 0; pos < len(content) && len(hits) <= maxMatches; {
		if len(w.texts) > 0 {
			for i, t := range w.texts {
				if next[i] < pos {
					next[i] = indexFrom(hay, t, pos)
				}
			}
			if pos = slices.Min(next); pos == len(content) {
				break
			}
		}
		line := span{bytes.LastIndexByte(content[:pos], '\n') + 1, lineEnd(content, pos)}
		if parts := w.line.FindAllIndex(text(content, line), -1); parts != nil {
			number += bytes.Count(content[counted:line.start], []byte{'\n'})
			counted = line.start
			hits = append(hits, hit{line, number, parts})
		}
		pos = line.end
	}
	return hits
}

// indexFrom is where t is in hay, from pos on; the end of hay if it is not.
func indexFrom(hay, t []byte, pos int) int {
	if i := bytes.Index(hay[pos:], t); i >= 0 {
		return pos + i
	}
	return len(hay)
}

// lineEnd is where the line that goes on at pos ends, with its line break.
func lineEnd(content []byte, pos int) int {
	if i := bytes.IndexByte(content[pos:], '\n'); i >= 0 {
		return pos + i + 1
	}
	return len(content)
}

// text is a line without its line break.
func text(content []byte, line span) []byte {
	return bytes.TrimSuffix(bytes.TrimSuffix(content[line.start:line.end], []byte{'\n'}), []byte{'\r'})
}

// maxShown is how much of a line is shown: minified files are one line.
const maxShown = 400

// pieces cuts a line where it matches. What is far from the first match is left out.
func pieces(line []byte, parts [][]int) []string {
	from, to := 0, len(line)
	before, after := "", ""
	if len(parts) > 0 {
		from = max(0, parts[0][0]-maxShown/4)
	}
	if to > from+maxShown {
		to, after = from+maxShown, "…"
	}
	if from > 0 {
		before = "…"
	}
	cut := func(start, end int) string {
		return strings.ToValidUTF8(string(line[min(max(start, from), to):min(max(end, from), to)]), "\uFFFD")
	}
	var list []string
	at := 0
	for i, p := range parts {
		if i > 0 && (p[0] >= to || p[0] == p[1]) {
			continue
		}
		list = append(list, cut(at, p[0]), cut(p[0], p[1]))
		at = p[1]
	}
	list = append(list, cut(at, len(line)))
	list[0] = before + list[0]
	list[len(list)-1] += after
	return list
}
