package workflow

import (
	"regexp"
	"slices"
	"strings"
)

// reference is what a {{ }} in a text stands for.
type reference struct {
	head    string // inputs, ctx, run.outputs, run.id or secrets; empty if it is none of them
	name    string // of the input, entry, node or secret
	filters []string
}

var (
	outputHead = regexp.MustCompile(`(?s)^run\.outputs\[\s*(?:'([^'"]*)'|"([^'"]*)")\s*\]`)
	namedHead  = regexp.MustCompile(`^(inputs|ctx|secrets)\.([A-Za-z0-9_-]+)`)
	filterName = regexp.MustCompile(`(?s)^([A-Za-z_]\w*)\s*(?:\(.*\))?$`)

	filters = []string{"json", "length", "default", "read_file"}
)

// references gives those of a text, in order. A {{ without its }} is text.
func references(text string) (all []reference) {
	for {
		_, rest, found := strings.Cut(text, "{{")
		if !found {
			return all
		}
		parts, after, closed := split(rest)
		if !closed {
			return all
		}
		all = append(all, refer(parts))
		text = after
	}
}

// split takes the inside of a {{ apart at its bars. What is in quotes, brackets or parentheses is one piece, bars and }} too.
func split(text string) (parts []string, after string, closed bool) {
	depth, begin := 0, 0
	var quote byte
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case quote != 0 && c == '\\':
			i++
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'':
			quote = c
		case c == '[' || c == '(':
			depth++
		case c == ']' || c == ')':
			depth = max(0, depth-1)
		case depth > 0:
		case c == '|':
			parts = append(parts, text[begin:i])
			begin = i + 1
		case strings.HasPrefix(text[i:], "}}"):
			return append(parts, text[begin:i]), text[i+2:], true
		}
	}
	return nil, "", false
}

func refer(parts []string) (r reference) {
	head := strings.TrimSpace(parts[0])
	if m := outputHead.FindStringSubmatch(head); m != nil {
		r.head, r.name = "run.outputs", m[1]+m[2]
	} else if m := namedHead.FindStringSubmatch(head); m != nil {
		r.head, r.name = m[1], m[2]
	} else if head == "run.id" {
		r.head = head
	}
	for _, part := range parts[1:] {
		name := ""
		if m := filterName.FindStringSubmatch(strings.TrimSpace(part)); m != nil {
			name = m[1]
		}
		r.filters = append(r.filters, name)
	}
	return r
}

// badFilter reports whether there is a filter of r that nobody knows.
func (r reference) badFilter() bool {
	return slices.ContainsFunc(r.filters, func(name string) bool { return !slices.Contains(filters, name) })
}
