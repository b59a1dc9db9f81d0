package tool

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"
)

func searchFor(t testing.TB, set *Set, arguments given) (d searchFilesData) {
	t.Helper()
	r := call(t, set, "search_files", arguments)
	if r.IsError {
		t.Fatalf("%v: %s", arguments, r.Output)
	}
	if err := json.Unmarshal(r.Data, &d); err != nil {
		t.Fatal(err)
	}
	return d
}

// What is looked for first must never change what is found: every pattern finds the lines that the expression alone matches.
func TestShortcutsFindTheSame(t *testing.T) {
	const content = "KELVIN\nmask\nTask \u212aelvin \u017fun\r\nfoo bar\n\nabcabc\nx\tfoo\nbar baz\nÄhre ähre\nlast foo"
	for _, pattern := range []string{
		"foo", "(?i)FOO", "(?i)kelvin", "(?i)SUN", "(?i)task|foo", "foo|ba[rz]", "(foo|bar)+ b", "(?:abc)+$", "a.c", "^$", "^", "$", `\s`, "(?i)ä", "x*", "b?",
		"fo{1,2}", "(?:foo){0}", "foo\n", `foo\sbar`, "(?s)foo.bar", "[^x]foo", `\bbar\b`, "a|b|c|d|e|f|g|h|i|j", "()", "(?i)mas",
	} {
		w, err := compile(pattern, false)
		if err != nil {
			t.Fatal(err)
		}
		want := []string{}
		for i, line := range strings.Split(content, "\n") {
			if line = strings.TrimSuffix(line, "\r"); regexp.MustCompile(pattern).MatchString(line) {
				want = append(want, fmt.Sprint(i+1, line))
			}
		}
		got := []string{}
		for _, l := range w.in([]byte(content), 0) {
			got = append(got, fmt.Sprint(l.Number, strings.Join(l.Pieces, "")))
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%q finds %q, not %q", pattern, got, want)
		}
	}
}

func TestASearchGivesTheSameEveryTimeAndEnds(t *testing.T) {
	set, root := open(t)
	for i := range 30 {
		put(t, filepath.Join(root, fmt.Sprintf("d%02d/f.txt", i)), strings.Repeat("needle\nhay\n", 10))
	}
	first := searchFor(t, set, given{"pattern": "needle"})
	if !first.Truncated || first.Matches != maxMatches || len(first.Files) != 20 || first.Files[0].Path != "d00/f.txt" || first.Files[19].Path != "d19/f.txt" {
		t.Errorf("%d matches in %d files, truncated: %v", first.Matches, len(first.Files), first.Truncated)
	}
	for range 20 {
		if again := searchFor(t, set, given{"pattern": "needle"}); !reflect.DeepEqual(again.Files, first.Files) {
			t.Fatal("it found something else")
		}
	}
	put(t, filepath.Join(root, "many.txt"), strings.Repeat("needle\n", maxMatches+50))
	if d := searchFor(t, set, given{"pattern": "needle", "path": "many.txt"}); !d.Truncated || d.Matches != maxMatches {
		t.Errorf("%d matches in one file, truncated: %v", d.Matches, d.Truncated)
	}
}

func TestASearchLeavesOutWhatIsNotText(t *testing.T) {
	set, root := open(t)
	put(t, filepath.Join(root, "binary"), "needle\x00")
	put(t, filepath.Join(root, "large"), "needle"+strings.Repeat("x", maxFile))
	put(t, filepath.Join(root, "empty"), "")
	put(t, filepath.Join(filepath.Dir(root), "outside"), "needle")
	if err := os.Link(filepath.Join(root, "../outside"), filepath.Join(root, "hard")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("../outside", filepath.Join(root, "link")); err != nil {
		t.Fatal(err)
	}
	put(t, filepath.Join(root, "minified"), strings.Repeat("y", 5000)+"needle"+strings.Repeat("z", 5000)+"needle")
	d := searchFor(t, set, given{"pattern": "needle"})
	if len(d.Files) != 1 || d.Files[0].Path != "minified" || d.Skipped != 2 {
		t.Fatalf("%+v", d)
	}
	if p := d.Files[0].Lines[0].Pieces; len(p) != 3 || p[1] != "needle" || len(p[0])+len(p[2]) > maxShown+2*len("…") || p[0][0] == 'y' {
		t.Errorf("a long line is shown as %q", p)
	}
}
