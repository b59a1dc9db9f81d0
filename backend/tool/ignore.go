package tool

import (
	"path"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// ignored is what the .gitignore files of some directories say; an outer directory comes before those in it. It agrees
// with git but for one thing that nobody writes: a class that starts with "]", as in "[]a]".
type ignored []ignoreRule

// ignoreRule is one line of such a file.
type ignoreRule struct {
	under   string // the directory of the file with a slash at the end; empty for the root
	pattern string // for paths from there
	keep    bool   // the line starts with "!"
	dirOnly bool   // the line ends with "/"
}

// ignoredAbove collects the rules of every directory that the one at a path is in.
func ignoredAbove(files *Files, at string) ignored {
	above := path.Dir(at)
	if above == at {
		return nil
	}
	rules := ignoredAbove(files, above)
	d, err := files.dir(above)
	if err != nil {
		return rules
	}
	defer d.close()
	return rules.with(d)
}

// with adds the rules of d's own .gitignore, which overrule those of the directories above. A file that is missing or
// cannot be read says nothing.
func (rules ignored) with(d dir) ignored {
	file := path.Join(d.path, ".gitignore")
	content, _, err := d.load(".gitignore", file)
	if err != nil {
		return rules
	}
	under := strings.TrimSuffix(file, ".gitignore")
	for line := range strings.Lines(string(content)) {
		if r, ok := parseIgnoreRule(under, strings.TrimRight(line, "\r\n")); ok {
			rules = append(rules, r)
		}
	}
	return rules
}

// braces are nothing special to git.
var braces = strings.NewReplacer(`\\`, `\\`, `\{`, `\{`, `\}`, `\}`, `{`, `\{`, `}`, `\}`)

func parseIgnoreRule(under, line string) (r ignoreRule, ok bool) {
	r.under = under
	if trimmed := strings.TrimRight(line, " "); strings.HasSuffix(trimmed, `\`) && trimmed != line {
		line = trimmed + " " // an escaped space belongs to the name
	} else {
		line = trimmed
	}
	if strings.HasPrefix(line, "#") {
		return r, false
	}
	line, r.keep = strings.CutPrefix(line, "!")
	line, r.dirOnly = strings.CutSuffix(line, "/")
	if line == "" {
		return r, false
	}
	if !strings.Contains(line, "/") {
		line = "**/" + line // a name without a path is meant at any depth
	}
	if strings.HasSuffix(line, "/**") {
		line += "/*" // what is in the directory, not the directory
	}
	r.pattern = braces.Replace(strings.TrimPrefix(line, "/"))
	return r, true
}

// match reports whether the last rule that speaks of place ignores it. It does not ask about the directories that place
// is in: nobody enters one that is ignored.
func (rules ignored) match(place string, isDir bool) bool {
	for _, r := range slices.Backward(rules) {
		rest, below := strings.CutPrefix(place, r.under)
		if below && (isDir || !r.dirOnly) && doublestar.MatchUnvalidated(r.pattern, rest) {
			return !r.keep
		}
	}
	return false
}
