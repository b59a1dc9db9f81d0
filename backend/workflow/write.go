package workflow

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf16"

	"parley/backend/agent"
)

// Write gives the file of a workflow, in the one form that it has: keys in the order of their code units, two spaces for each
// level, texts of several lines as blocks. What Parse reads of it, Write writes as the same bytes again. A graph need not be
// valid, but one that no file could hold is refused.
func Write(g Graph) ([]byte, error) {
	type workflow struct {
		Graph
		Metadata json.RawMessage `json:"metadata,omitempty"`
	}
	b, err := json.Marshal(struct {
		Version  string   `json:"schema_version"`
		Workflow workflow `json:"workflow"`
	}{schemaVersion, workflow{g, g.Metadata}})
	if err != nil {
		return nil, err
	}
	tree, err := decode(b)
	if err != nil {
		return nil, err
	}
	var w writer
	w.value(tree, 0)
	switch {
	case w.tooDeep:
		return nil, agent.Errorf(agent.CodeValidation, "The workflow cannot be written: something in it is nested too deeply. A file takes %d levels.", maxDepth)
	case w.tooLarge():
		return nil, agent.Errorf(agent.CodeValidation, "The workflow cannot be written: it is too large. A file may have %d characters at most.", maxSource)
	}
	return bytes.TrimPrefix(w.Bytes(), []byte("\n")), nil
}

// decode reads one JSON value without changing its numbers.
func decode(b []byte) (tree any, err error) {
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	return tree, d.Decode(&tree)
}

// writer writes values as YAML, until it is clear that no file could hold them.
type writer struct {
	bytes.Buffer
	tooDeep bool
}

func (w *writer) tooLarge() bool { return w.Len() > MaxFile }

// value writes what follows a key, or the dash of an entry: its line, and those below it that are indented by depth.
func (w *writer) value(v any, depth int) {
	w.tooDeep = w.tooDeep || depth > maxDepth
	if w.tooDeep || w.tooLarge() {
		return
	}
	switch v := v.(type) {
	case map[string]any:
		if len(v) == 0 {
			w.WriteString(" {}\n")
			return
		}
		w.WriteByte('\n')
		w.object(v, depth, false)
	case []any:
		if len(v) == 0 {
			w.WriteString(" []\n")
			return
		}
		w.WriteByte('\n')
		for _, entry := range v {
			w.indent(depth)
			w.WriteByte('-')
			if entries, ok := entry.(map[string]any); ok && len(entries) > 0 {
				w.WriteByte(' ')
				w.object(entries, depth+1, true)
			} else {
				w.value(entry, depth+1)
			}
		}
	case string:
		w.WriteByte(' ')
		w.text(v, depth)
	default:
		w.WriteByte(' ')
		w.WriteString(plainScalar(v))
		w.WriteByte('\n')
	}
}

// object writes the keys of an object. The first one may stand behind the dash of an entry.
func (w *writer) object(v map[string]any, depth int, behind bool) {
	for _, key := range sortedKeys(v) {
		if !behind {
			w.indent(depth)
		}
		behind = false
		if len(key) > maxSimpleKey {
			w.WriteString("? " + quote(key) + "\n")
			w.indent(depth)
			w.WriteByte(':')
		} else {
			w.WriteString(name(key) + ":")
		}
		w.value(v[key], depth+1)
	}
}

// maxSimpleKey is how long a key may be that stands before its colon: YAML wants less than 1024 characters, with its quotes.
const maxSimpleKey = 128

func (w *writer) indent(depth int) {
	if w.tooLarge() { // a text may have many lines
		return
	}
	for range depth {
		w.WriteString("  ")
	}
}

// text writes a text whose further lines are indented by depth.
func (w *writer) text(s string, depth int) {
	switch {
	case blocky(s):
		w.WriteByte('|')
		if s[0] == ' ' || s[0] == '\t' || s[0] == '\n' { // some readers take a tab for indentation
			w.WriteByte('2')
		}
		body := strings.TrimSuffix(s, "\n")
		switch {
		case body == s:
			w.WriteByte('-')
		case strings.HasSuffix(body, "\n"):
			w.WriteByte('+')
		}
		w.WriteByte('\n')
		for line := range strings.SplitSeq(body, "\n") {
			if line != "" {
				w.indent(depth)
				w.WriteString(line)
			}
			w.WriteByte('\n')
		}
	case isPlainText(s):
		w.WriteString(s + "\n")
	default:
		w.WriteString(quote(s) + "\n")
	}
}

var (
	blankLine = regexp.MustCompile(`(?m)^[ \t]+$`)
	reserved  = []string{"null", "true", "false", "yes", "no", "on", "off", "y", "n"} // in any version of YAML
)

// isPlain reports whether a text is one without quotes: it begins with a letter or one of the marks in first, and goes on with
// letters, digits and those in more.
func isPlain(s, first, more string) bool {
	for i := range len(s) {
		c := s[i] | 0x20
		letter := c >= 'a' && c <= 'z'
		if !letter && (i > 0 || strings.IndexByte(first, s[i]) < 0) && (i == 0 || strings.IndexByte(more, s[i]) < 0) {
			return false
		}
	}
	return s != "" && !slices.ContainsFunc(reserved, func(word string) bool { return len(word) == len(s) && strings.EqualFold(word, s) })
}

func isPlainText(s string) bool {
	return isPlain(s, "", "0123456789_./()+=;,@$*^~<>- ") && !strings.HasSuffix(s, " ") && !strings.Contains(s, "  ")
}

func name(key string) string {
	if isPlain(key, "_$", "0123456789_$-") {
		return key
	}
	return quote(key)
}

// blocky reports whether a text is written as a block: it has lines, and nothing that a reader could take for the block's own.
func blocky(s string) bool {
	return strings.Contains(s, "\n") && strings.Trim(s, "\n") != "" && !blankLine.MatchString(s) && !strings.ContainsFunc(s, func(r rune) bool {
		return r != '\n' && r != '\t' && !printable(r)
	})
}

// printable reports whether a character may stand for itself. Those that break lines, or turn them around, may not.
func printable(r rune) bool {
	switch {
	case r == '\u2028', r == '\u2029', r == '\ufeff', r == '\ufffe', r == '\uffff', unicode.Is(unicode.Bidi_Control, r):
		return false
	}
	return r >= ' ' && r <= '~' || r >= '\u00a0'
}

// quote is a text in double quotes. Of its escapes YAML has those of JSON.
func quote(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteRune('\\')
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\r':
			b.WriteString(`\r`)
		case r == '\t':
			b.WriteString(`\t`)
		case printable(r):
			b.WriteRune(r)
		default:
			fmt.Fprintf(&b, `\U%08x`, r)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// plainScalar is what is neither text nor of several values.
func plainScalar(v any) string {
	switch v := v.(type) {
	case nil:
		return "null"
	case bool:
		if v {
			return "true"
		}
		return "false"
	}
	return canonical(v.(json.Number))
}

var wholeJSON = regexp.MustCompile(`^(0|-?[1-9][0-9]*)$`)

// canonical is the one form of a number. One that no reader could hold is a text.
func canonical(n json.Number) string {
	if len(n) <= maxDigits && wholeJSON.MatchString(string(n)) {
		return string(n)
	}
	f, err := n.Float64()
	if err != nil || len(n) > maxDigits {
		return quote(string(n))
	}
	return string(number(f))
}

func sortedKeys(v map[string]any) []string {
	keys := make([]string, 0, len(v))
	for key := range v {
		keys = append(keys, key)
	}
	slices.SortFunc(keys, func(a, b string) int { return slices.Compare(utf16.Encode([]rune(a)), utf16.Encode([]rune(b))) })
	return keys
}
