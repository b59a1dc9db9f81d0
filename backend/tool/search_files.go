package tool

import (
	"context"
	_ "embed"
	"fmt"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

//go:embed search_files.md
var searchFilesText string

var searchFiles = define(Definition{Name: "search_files", Description: searchFilesText}, runSearchFiles)

// maxMatches is how many lines that match are given at most.
const maxMatches = 200

type searchFilesArguments struct {
	Pattern string `json:"pattern" about:"What to search for."`
	Path    string `json:"path,omitempty" about:"Where to search, relative to the folder you work in; all of it if left out."`
	Glob    string `json:"glob,omitempty" about:"Search only files that match this pattern."`
	Literal bool   `json:"literal,omitempty" about:"The pattern is a plain text, not a regular expression."`
	Context int    `json:"context,omitempty" about:"How many lines around each match to give." min:"0" max:"10"`
}

// searchFilesData is what the card of a call shows.
type searchFilesData struct {
	Files     []foundFile `json:"files"`
	Matches   int         `json:"matches"`   // lines that match
	Searched  int         `json:"searched"`  // files
	Skipped   int         `json:"skipped"`   // files that are too large, or that hard links may lead out of
	Truncated bool        `json:"truncated"` // there is more
}

// foundFile is a file with something that matches.
type foundFile struct {
	Path  string      `json:"path"`
	Lines []foundLine `json:"lines"`
}

// foundLine is a line of it, without what is too long to show. Pieces are its text: every second one matches, so a line
// of context is one piece.
type foundLine struct {
	Number int      `json:"number"`
	Pieces []string `json:"pieces"`
}

func (l foundLine) matches() bool { return len(l.Pieces) > 1 }

func runSearchFiles(ctx context.Context, files *Files, in searchFilesArguments) (string, any, error) {
	data, err := searchIn(ctx, files, in)
	if err != nil {
		return "", nil, explain(err, in.Path)
	}
	var out strings.Builder
	for i, f := range data.Files {
		if i > 0 {
			out.WriteByte('\n')
		}
		fmt.Fprintf(&out, "%s\n", f.Path)
		for i, l := range f.Lines {
			if i > 0 && in.Context > 0 && l.Number != f.Lines[i-1].Number+1 {
				out.WriteString("--\n")
			}
			mark := '-'
			if l.matches() {
				mark = ':'
			}
			fmt.Fprintf(&out, "%d%c%s\n", l.Number, mark, strings.Join(l.Pieces, ""))
		}
	}
	switch {
	case data.Truncated:
		fmt.Fprintf(&out, "[There is more than these %d matches. Narrow it down with path, glob or a longer pattern.]", maxMatches)
	case data.Matches == 0:
		fmt.Fprintf(&out, "[Nothing matches in %s.]", counted(data.Searched, "file", "files"))
	}
	if data.Skipped > 0 {
		fmt.Fprintf(&out, "\n[%s not searched: too large, or hard links.]", counted(data.Skipped, "file was", "files were"))
	}
	return out.String(), data, nil
}

func searchIn(ctx context.Context, files *Files, in searchFilesArguments) (d searchFilesData, err error) {
	wanted, err := compile(in.Pattern, in.Literal)
	if err != nil {
		return d, err
	}
	if !doublestar.ValidatePattern(in.Glob) {
		return d, refuse("The glob %q is not a valid pattern.", in.Glob)
	}
	p, err := files.find(in.Path, reading)
	if err != nil {
		return d, err
	}
	defer p.close()
	_, info, err := p.look(p.name)
	if err != nil {
		return d, err
	}
	s := search{place: p, wanted: wanted, glob: in.Glob, context: in.Context, isFile: !info.IsDir()}
	d, err = s.run(ctx)
	if ctx.Err() != nil {
		return d, refuse("The search was stopped.")
	}
	return d, err
}
