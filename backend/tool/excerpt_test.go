package tool

import (
	"strings"
	"testing"
)

// TestNoHalfOfAValueIsKept where an output is cut: no half line or, of a line that is long, no half word.
func TestNoHalfOfAValueIsKept(t *testing.T) {
	for name, c := range map[string]struct{ written, want string }{
		"lines":             {strings.Repeat("two words\n", 9), "two words\ntwo words\n\n[… 50 bytes were not kept …]\ntwo words\ntwo words\n"},
		"words":             {strings.Repeat("word ", 18), "word word word word word \n[… 40 bytes were not kept …]\nword word word word word "},
		"one word":          {strings.Repeat("x", 60), strings.Repeat("x", 29) + "\n[… 2 bytes were not kept …]\n" + strings.Repeat("x", 29)},
		"all of it is kept": {strings.Repeat("two words\n", 5) + "the end", strings.Repeat("two words\n", 5) + "the end"},
	} {
		e := excerpt{room: 58}
		_, _ = e.Write([]byte(c.written)) // it takes everything
		if got := e.String(); got != c.want {
			t.Errorf("%s: %q", name, got)
		}
	}
}
