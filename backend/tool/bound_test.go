package tool

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestBound(t *testing.T) {
	long := strings.Repeat("é", maxOutput)
	lines := strings.Repeat("xy\n", 10_000)
	for name, text := range map[string]string{"empty": "", "short": "a\nb", "exact": strings.Repeat("x", maxOutput), "lines": strings.Repeat("\n", maxLines)} {
		if got := bound(text, maxOutput); got != text {
			t.Errorf("%s: changed to %q", name, got)
		}
	}
	for name, text := range map[string]string{"long": long, "odd": "x" + long, "lines": lines, "no last end": lines + "end"} {
		got := bound(text, maxOutput)
		first, last, cut := strings.Cut(got, " are left out here …]\n")
		first, _, _ = strings.Cut(first, "\n[… ")
		if !cut || len(got) > maxOutput || strings.Count(got, "\n") > maxLines || !utf8.ValidString(got) {
			t.Errorf("%s: %d bytes, %d lines, marked %v", name, len(got), strings.Count(got, "\n"), cut)
		}
		if !strings.HasPrefix(text, first) || !strings.HasSuffix(text, last) || len(first) < len(got)/3 || len(last) < len(got)/3 {
			t.Errorf("%s: %d bytes of the head, %d of the tail", name, len(first), len(last))
		}
	}
	if got := bound(lines, maxOutput); !strings.Contains(got, "[… 8002 lines, 24006 bytes are left out here …]") {
		t.Errorf("the marker is wrong: %q", got[len(got)/2-40:len(got)/2+40])
	}
}

func TestAResultThatIsCutSaysWhereTheWholeIs(t *testing.T) {
	for _, text := range []string{strings.Repeat("x", maxOutput+1), strings.Repeat("\n", maxLines+1), strings.Repeat("\xffx", maxOutput/2)} {
		if got := shorten(text); len(got) > maxOutput || strings.Count(got, "\n") > maxLines+1 || !strings.HasSuffix(got, whole) {
			t.Errorf("%d bytes: %.50q", len(got), got[max(0, len(got)-50):])
		}
	}
	if text := strings.Repeat("x", maxOutput); shorten(text) != text {
		t.Error("what fits is cut")
	}
}

func FuzzBound(f *testing.F) {
	f.Add("a\nb\nc", 200)
	f.Add(strings.Repeat("é\n", 300), 200)
	f.Add("\xff\xfe\n", 150)
	f.Fuzz(func(t *testing.T, text string, bytes int) {
		bytes = 150 + max(0, bytes)%maxOutput
		got := bound(text, bytes)
		if len(got) > bytes || strings.Count(got, "\n") > maxLines || !utf8.ValidString(got) {
			t.Errorf("%d bytes, %d lines for %d", len(got), strings.Count(got, "\n"), bytes)
		}
	})
}
