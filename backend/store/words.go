package store

import (
	"iter"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
	"golang.org/x/text/unicode/rangetable"
)

// word is a word of a text as search sees it: without case and accents.
type word struct {
	text       string
	start, end int  // where it is in the text, in bytes
	tail       bool // the last character of an unspaced run, which the word before it holds, too
}

// longestWord is how much of a word counts, in bytes.
const longestWord = 64

// words gives the words of a text. Of scripts that put no spaces between words every two characters that follow each
// other are a word, and the last one by itself: so any part of a run is found, as the words of that part in a row, and
// a single character as the beginning of a word.
func words(text string) iter.Seq[word] {
	return func(yield func(word) bool) {
		s := splitter{text: text}
		for i, r := range text {
			if !s.add(i, r, yield) {
				return
			}
		}
		_ = s.end(len(text), yield)
	}
}

// splitter is what words knows while it goes through a text.
type splitter struct {
	text    string
	folded  []byte // the word or the character before
	start   int
	run     int  // how many characters the unspaced run has so far
	changed bool // whether folded is more than a part of the text
}

// add goes on to the next character, which is at byte i. Like end, it reports whether to go on.
func (s *splitter) add(i int, r rune, yield func(word) bool) bool {
	isASCII := r < utf8.RuneSelf
	switch {
	case !isASCII && isAccent(r):
		s.changed = true
		return true
	case !isASCII && unicode.Is(unspaced, r):
		last, lastStart, run := string(s.folded), s.start, s.run
		if run == 0 && !s.end(i, yield) {
			return false
		}
		s.folded, s.start, s.run, s.changed = fold(s.folded[:0], r), i, run+1, true
		return run == 0 || yield(word{text: last + string(s.folded), start: lastStart, end: i + utf8.RuneLen(r)})
	case isASCII && isLetterOrDigit(byte(r)), !isASCII && unicode.In(r, unicode.L, unicode.N, unicode.M):
		if s.run > 0 && !s.end(i, yield) {
			return false
		}
		if len(s.folded) == 0 {
			s.start = i
		}
		s.folded = fold(s.folded, r)
		s.changed = s.changed || !isASCII || 'A' <= r && r <= 'Z'
		return true
	default:
		return s.end(i, yield)
	}
}

// end finishes the word that was begun, if any, at byte i.
func (s *splitter) end(i int, yield func(word) bool) bool {
	if len(s.folded) == 0 {
		return true
	}
	w := word{text: s.text[s.start:i], start: s.start, end: i, tail: s.run > 1}
	if s.changed {
		w.text = string(s.folded)
	}
	if len(w.text) > longestWord {
		cut := longestWord
		for !utf8.RuneStart(w.text[cut]) {
			cut--
		}
		w.text = w.text[:cut]
	}
	s.folded, s.run, s.changed = s.folded[:0], 0, false
	return yield(w)
}

// unspaced are the scripts that are written without spaces between words, and Hangul, whose words carry their endings.
var unspaced = rangetable.Merge(unicode.Han, unicode.Hiragana, unicode.Katakana, rangetable.New('ー'), unicode.Hangul,
	unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar)

// alike are letters that people type another way and that Unicode does not take apart.
var alike = map[rune]string{'ß': "ss", 'æ': "ae", 'œ': "oe", 'ø': "o", 'ł': "l", 'đ': "d", 'ı': "i", 'ς': "σ"}

// fold appends a letter without its case, its accents and its width.
func fold(dst []byte, r rune) []byte {
	if r < utf8.RuneSelf {
		if 'A' <= r && r <= 'Z' {
			r += 'a' - 'A'
		}
		return append(dst, byte(r))
	}
	var buf [utf8.UTFMax]byte
	whole := buf[:utf8.EncodeRune(buf[:], r)]
	apart := norm.NFKD.Properties(whole).Decomposition()
	if apart == nil || !isLetters(apart) {
		apart = whole
	}
	for len(apart) > 0 {
		r, size := utf8.DecodeRune(apart)
		apart = apart[size:]
		if isAccent(r) {
			continue
		}
		r = unicode.ToLower(r)
		if same, ok := alike[r]; ok {
			dst = append(dst, same...)
		} else {
			dst = utf8.AppendRune(dst, r)
		}
	}
	return dst
}

// isLetters reports whether a character that was taken apart is still one word: the marks of kana and the like make
// other letters of them, and a sign may be short for two words.
func isLetters(apart []byte) bool {
	for len(apart) > 0 {
		r, size := utf8.DecodeRune(apart)
		if !isAccent(r) && !unicode.In(r, unicode.L, unicode.N) {
			return false
		}
		apart = apart[size:]
	}
	return true
}

func isLetterOrDigit(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9'
}

func isAccent(r rune) bool { return 0x300 <= r && r <= 0x36f }
