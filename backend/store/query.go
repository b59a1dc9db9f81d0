package store

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// What is beyond these is not looked at.
const (
	mostTerms     = 12
	mostTermWords = 64
)

// query is what a person typed: words that must occur, "words in a row", -words that must not. Any text is one: what
// means nothing is left out.
type query struct {
	terms   []term
	without []term
}

// term is something to look for: words in a row.
type term struct {
	text   string
	words  []string
	quoted bool
	open   bool     // the last word may go on
	others []string // words that will do instead of the last one
}

func parseQuery(text string) query {
	var q query
	var unfinished bool
	rest := trimSpace(text)
	for rest != "" && len(q.terms)+len(q.without) < mostTerms {
		var excluded, quoted, closed bool
		rest, excluded = strings.CutPrefix(rest, "-")
		rest, quoted = strings.CutPrefix(rest, `"`)
		part := rest
		if quoted {
			part, rest, closed = strings.Cut(rest, `"`)
		} else if end := strings.IndexFunc(rest, isBreak); end >= 0 {
			part, rest, closed = rest[:end], rest[end:], true
		} else {
			rest = ""
		}
		rest = trimSpace(rest)
		unfinished = !closed
		t := newTerm(part, unfinished && !excluded)
		t.quoted = quoted
		switch {
		case len(t.words) == 0:
		case excluded:
			q.without = append(q.without, t)
		default:
			q.terms = append(q.terms, t)
		}
	}
	// The first letter of a next word says nothing yet.
	if n := len(q.terms) - 1; n > 0 && unfinished && len(q.terms[n].text) == 1 {
		q.terms = q.terms[:n]
	}
	return q
}

func trimSpace(text string) string { return strings.TrimLeftFunc(text, unicode.IsSpace) }

func isBreak(r rune) bool { return r == '"' || unicode.IsSpace(r) }

// newTerm takes the words of a text. It is open if the text is not typed to its end, or ends in a script in which no
// space would say so.
func newTerm(text string, unfinished bool) term {
	t := term{text: text}
	var last word
	for last = range words(text) {
		t.words = append(t.words, last.text)
		if len(t.words) == mostTermWords {
			break
		}
	}
	if last.tail { // the word before says as much, wherever the run goes on
		t.words = t.words[:len(t.words)-1]
		return t
	}
	t.open = last.text != "" && (isUnspaced(last.text) || unfinished && last.end == len(text) && utf8.RuneCountInString(last.text) > 1)
	return t
}

func isUnspaced(word string) bool {
	r, _ := utf8.DecodeRuneInString(word)
	return unicode.Is(unspaced, r)
}

// exactly is the query for the same words in a row and complete; false if that is the same query, or none.
func (q query) exactly() (query, bool) {
	var texts []string
	open := false
	exact := query{without: q.without}
	for _, t := range q.terms {
		if t.quoted {
			exact.terms = append(exact.terms, t)
			continue
		}
		texts = append(texts, t.text)
		open = t.open
	}
	if len(texts) == 0 || len(texts) == 1 && !open {
		return query{}, false
	}
	exact.terms = append(exact.terms, newTerm(strings.Join(texts, " "), false))
	return exact, true
}

// match is the query in the language of FTS5, of which it uses strings alone: words hold nothing but letters and digits.
// All of the facets must be there, too, and one of the eras, if there are any.
func (q query) match(facets, eras []string) string {
	var b strings.Builder
	b.WriteString("(body : (" + joinMatches(q.terms, " AND ") + ")")
	if len(facets) > 0 {
		b.WriteString(` AND facet : ("` + strings.Join(facets, `" AND "`) + `")`)
	}
	if len(eras) > 0 {
		b.WriteString(` AND facet : ("` + strings.Join(eras, `" OR "`) + `")`)
	}
	b.WriteString(")")
	if len(q.without) > 0 {
		b.WriteString(" NOT body : (" + joinMatches(q.without, " OR ") + ")")
	}
	return b.String()
}

func joinMatches(terms []term, between string) string {
	all := make([]string, len(terms))
	for i, t := range terms {
		all[i] = t.match()
	}
	return strings.Join(all, between)
}

func (t term) match() string {
	last := len(t.words) - 1
	row := `"` + strings.Join(t.words[:last], " ") + " "
	m := row + t.words[last] + `"`
	if t.open {
		m += " *"
	}
	for _, other := range t.others {
		m += " OR " + row + other + `"`
	}
	return "(" + m + ")"
}

// span is a part of a text, in bytes.
type span struct{ start, end int }

// find gives where a query's terms are in a text, in order and apart from each other.
func (q query) find(text string) []span {
	var all []word
	for w := range words(text) {
		all = append(all, w)
	}
	var spans []span
	for i := range all {
		for _, t := range q.terms {
			if n := t.at(all[i:]); n > 0 {
				spans = append(spans, span{all[i].start, t.end(text, all[i+n-1])})
			}
		}
	}
	slices.SortFunc(spans, func(a, b span) int { return a.start - b.start })
	var apart []span
	for _, s := range spans {
		if n := len(apart) - 1; n >= 0 && s.start <= apart[n].end {
			apart[n].end = max(apart[n].end, s.end)
		} else {
			apart = append(apart, s)
		}
	}
	return apart
}

// end is where a term ends that has w as its last word. Of an unspaced script only the character that was meant is part
// of it.
func (t term) end(text string, w word) int {
	if t.open && isUnspaced(w.text) {
		_, size := utf8.DecodeRuneInString(text[w.start:])
		return w.start + size
	}
	return w.end
}

// at gives how many words the term takes at the beginning of some; none if it is not there.
func (t term) at(some []word) int {
	n := len(t.words)
	if n > len(some) {
		return 0
	}
	for i, w := range t.words {
		got := some[i].text
		isAlike := i == n-1 && (t.open && strings.HasPrefix(got, w) || slices.Contains(t.others, got))
		if got != w && !isAlike {
			return 0
		}
	}
	return n
}
