package store

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"parley/backend/agent"
)

// Piece is a piece of an excerpt. Hit says that it is what was searched for.
type Piece struct {
	Text string
	Hit  bool
}

// How long an excerpt is, and how much of it stands before the first hit, in bytes and about.
const (
	excerptLength = 200
	excerptLead   = 48
	excerptLeeway = 16 // to end between words
)

// excerpt gives the part of a text that shows why it was found: the one with the most hits, of those the first.
func (q query) excerpt(text string) []Piece {
	spans := q.find(text)
	first, most := 0, 0
	for i, end := 0, 0; i < len(spans); i++ {
		for end < len(spans) && spans[end].end <= spans[i].start+excerptLength-excerptLead {
			end++
		}
		if end-i > most {
			first, most = i, end-i
		}
	}
	from, to := 0, len(text)
	if len(spans) > 0 && len(text) > excerptLength {
		spans = spans[first:]
		from = beginning(text, spans[0].start)
	}
	if to > from+excerptLength {
		to = ending(text, from+excerptLength)
	}
	var pieces []Piece
	add := func(part string, hit bool) {
		if part = squeeze(part); part != "" {
			pieces = append(pieces, Piece{part, hit})
		}
	}
	lead := ""
	if from > 0 {
		lead = "… "
	}
	for _, s := range spans {
		if s.end > to {
			break
		}
		add(lead+text[from:s.start], false)
		add(text[s.start:s.end], true)
		lead, from = "", s.end
	}
	rest := lead + text[from:to]
	if to < len(text) {
		rest = strings.TrimRight(rest, " \n") + " …"
	}
	add(rest, false)
	return pieces
}

// beginning is where an excerpt begins that shows what is at i.
func beginning(text string, i int) int {
	from := i - excerptLead
	if from <= 0 {
		return 0
	}
	for !utf8.RuneStart(text[from]) {
		from++
	}
	if space := strings.IndexAny(text[from:i], " \n"); space >= 0 && space < excerptLeeway {
		from += space + 1
	}
	return from
}

// ending is where an excerpt ends that may go to i.
func ending(text string, i int) int {
	for !utf8.RuneStart(text[i]) {
		i--
	}
	if space := strings.LastIndexAny(text[:i], " \n"); space >= i-excerptLeeway {
		i = space
	}
	return i
}

// squeeze makes one space of each run of white space.
func squeeze(text string) string {
	var b strings.Builder
	wasSpace := false
	for _, r := range text {
		isSpace := r == ' ' || r == '\n' || r == '\t' || r == '\r'
		switch {
		case !isSpace:
			b.WriteRune(r)
		case !wasSpace:
			b.WriteByte(' ')
		}
		wasSpace = isSpace
	}
	return b.String()
}

// searchText is what search reads of a message: what was said, and what went into tools and came out of them. A row that
// cannot be read has none; whoever opens its session is told.
func searchText(content []byte) string {
	parts, err := agent.DecodeParts(content)
	if err != nil {
		return ""
	}
	var b strings.Builder
	for _, part := range parts {
		switch p := part.(type) {
		case agent.TextPart:
			b.WriteString(p.Text)
		case agent.ReasoningPart:
			b.WriteString(p.Text)
		case agent.ToolCallPart:
			b.WriteString(p.Name)
			writeValues(&b, p.Args)
		case agent.ToolResultPart:
			writeValues(&b, p.Result)
		case agent.MediaPart:
			b.WriteString(p.Name)
		}
		b.WriteByte('\n')
	}
	return strings.TrimSpace(b.String())
}

// writeValues writes the values of some JSON. Its names are not what anybody said.
func writeValues(b *strings.Builder, raw json.RawMessage) {
	var value any
	if json.Unmarshal(raw, &value) == nil {
		writeValue(b, value)
	}
}

func writeValue(b *strings.Builder, value any) {
	switch v := value.(type) {
	case string:
		b.WriteByte('\n')
		b.WriteString(v)
	case float64:
		number, _ := json.Marshal(v)
		b.WriteByte('\n')
		b.Write(number)
	case []any:
		for _, member := range v {
			writeValue(b, member)
		}
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			writeValue(b, v[name])
		}
	}
}
