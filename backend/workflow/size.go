package workflow

import (
	"regexp"
	"strings"
	"unicode/utf16"
)

// What a file may have. The pieces bound the memory that reading YAML takes: some 400 bytes for each line, and up to five times
// that for each thing in one.
const (
	MaxFile   = 3 * maxSource // in bytes
	maxSource = 2 << 20
	maxPieces = 500_000
	perInline = 5
)

// size is how large a file is, or a part of one that Write made.
type size struct {
	characters int // as UTF-16 counts them
	pieces     int
}

func sizeOf(src string) size { return size{characters(src), pieces(src)} }

func (s size) with(more size) size {
	return size{s.characters + more.characters, s.pieces + more.pieces}
}

func (s size) fits() bool { return s.characters <= maxSource && s.pieces <= maxPieces }

// characters counts as other readers of the format do.
func characters(text string) (n int) {
	for _, r := range text {
		n += max(utf16.RuneLen(r), 1)
	}
	return n
}

var (
	quoted   = regexp.MustCompile(`^ *(?:- +)*(?:[\w-]+: )?(?:"(?:[^"\\]|\\.)*"|'(?:[^']|'')*') *\r?\n?$`)
	textHead = regexp.MustCompile(`^( *(?:- +)*)(?:[\w-]+:|-) [|>]([1-9]?)[-+]? *\r?\n?$`)
	oneBreak = strings.NewReplacer("\r\n", "\n")
)

// textHeadOf is what textHead finds; most lines need not be searched.
func textHeadOf(line string) []string {
	if !strings.Contains(line, " |") && !strings.Contains(line, " >") {
		return nil
	}
	return textHead.FindStringSubmatch(line)
}

// pieces counts lines, and what may be several to a line: entries in brackets, anchors and tags. Texts are left out as long as
// it is sure what is one. In a file as Write makes it that is everywhere; in others a quote that a line does not close ends it.
func pieces(src string) (n int) {
	sure := !strings.ContainsAny(oneBreak.Replace(src), "\r\u0085\u2028\u2029") // YAML breaks lines there, too
	var text struct {
		open   bool
		above  int // how far what it belongs to is indented
		least  int // how far empty lines before the first one say that it is
		indent int // how far it is; 0 if that is not known yet
	}
	for line := range strings.Lines(src) {
		content := strings.TrimLeft(line, " ")
		indent, empty := len(line)-len(content), strings.Trim(content, "\r\n") == ""
		switch {
		case !text.open:
		case empty:
			text.least = max(text.least, indent)
		case text.indent == 0:
			text.indent = indent
			text.open = indent > text.above && indent >= text.least
		default:
			text.open = indent >= text.indent
		}
		if text.open || sure && strings.ContainsAny(line, `"'`) && quoted.MatchString(line) {
			continue
		}
		if head := textHeadOf(line); sure && head != nil {
			text.open, text.above, text.least, text.indent = true, len(head[1]), 0, 0
			if head[2] != "" {
				text.indent = text.above + int(head[2][0]-'0')
			}
			continue
		}
		sure = sure && !strings.ContainsAny(line, `"'`)
		n++
		for i := range len(line) {
			if strings.IndexByte(",[{&!", line[i]) >= 0 {
				n += perInline
			}
		}
	}
	return n
}
