package tool

import (
	"cmp"
	"context"
	_ "embed"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"parley/backend/agent"
)

//go:embed list_directory.md
var listDirectoryText string

var listDirectory = define(Definition{Name: "list_directory", Description: listDirectoryText}, runListDirectory)

const defaultEntries = 200

type listDirectoryArguments struct {
	Path      string `json:"path" about:"The directory, relative to the folder you work in."`
	Recursive bool   `json:"recursive,omitempty" about:"List its subdirectories too."`
	Glob      string `json:"glob,omitempty" about:"Keep only entries that match this pattern."`
	Limit     int    `json:"limit,omitempty" about:"How many entries to list; 200 if left out." min:"1" max:"1000"`
}

// listDirectoryData is what the card of a call shows.
type listDirectoryData struct {
	Path      string  `json:"path"`
	Entries   []entry `json:"entries"`
	Truncated bool    `json:"truncated"` // there is more
}

// entry is one of a directory. Name is slash-separated, from the directory listed.
type entry struct {
	Name string `json:"name"`
	Type string `json:"type"` // file, directory, symlink or other
	Size int64  `json:"size"` // in bytes; 0 for what is not a file
}

func runListDirectory(ctx context.Context, files *Files, in listDirectoryArguments) (string, any, error) {
	data, err := list(ctx, files, in)
	if err != nil {
		return "", nil, explain(err, in.Path)
	}
	var out strings.Builder
	for _, e := range data.Entries {
		switch e.Type {
		case "file":
			fmt.Fprintf(&out, "%s  %d bytes\n", e.Name, e.Size)
		case "directory":
			fmt.Fprintf(&out, "%s/\n", e.Name)
		default:
			fmt.Fprintf(&out, "%s  %s\n", e.Name, e.Type)
		}
	}
	switch {
	case data.Truncated:
		out.WriteString("[There is more. Narrow it down with glob, or list a subdirectory.]")
	case len(data.Entries) == 0:
		out.WriteString("[There is nothing to list.]")
	}
	return out.String(), data, nil
}

// list goes through place level by level, so that what a limit cuts off is what is deepest.
func list(ctx context.Context, files *Files, in listDirectoryArguments) (d listDirectoryData, err error) {
	if !doublestar.ValidatePattern(in.Glob) {
		return d, refuse("The glob %q is not a valid pattern.", in.Glob)
	}
	p, err := files.find(in.Path, reading)
	if err != nil {
		return d, err
	}
	defer p.close()
	if _, info, err := p.look(p.name); err == nil && !info.IsDir() {
		return d, refuse("%s is not a directory. read_file reads files.", in.Path)
	}
	d = listDirectoryData{Path: p.at(), Entries: []entry{}}
	rules := ignoredAbove(files, d.Path)
	for dirs := []string{d.Path}; len(dirs) > 0 && !d.Truncated; dirs = dirs[1:] {
		if ctx.Err() != nil {
			return d, refuse("The listing of %s was stopped.", in.Path)
		}
		at, err := files.dir(dirs[0])
		if err == nil {
			rules = rules.with(at)
			var subs []string
			subs, err = d.list(at, rules, in)
			dirs = append(dirs, subs...)
			at.close()
		}
		if err != nil && dirs[0] == d.Path {
			return d, err
		}
	}
	return d, nil
}

// list adds what is in a directory, and gives the directories there that are to be listed, too.
func (d *listDirectoryData) list(dir dir, rules ignored, in listDirectoryArguments) (subs []string, err error) {
	found, err := dir.entries()
	for _, item := range found {
		at := path.Join(dir.path, item.Name())
		if agent.FoldName(item.Name()) == ".git" || rules.match(at, item.IsDir()) {
			continue
		}
		if in.Recursive && item.IsDir() && protect(at, at, reading) == nil {
			subs = append(subs, at)
		}
		name := strings.TrimPrefix(at, d.Path+"/")
		if !selects(in.Glob, name) {
			continue
		}
		if len(d.Entries) == cmp.Or(in.Limit, defaultEntries) {
			d.Truncated = true
			break
		}
		d.Entries = append(d.Entries, describe(dir, name, item))
	}
	return subs, err
}

// selects reports whether glob, if there is one, wants name. Without a slash it speaks of the last element only.
func selects(glob, name string) bool {
	if !strings.Contains(glob, "/") {
		name = path.Base(name)
	}
	return glob == "" || doublestar.MatchUnvalidated(glob, name)
}

func describe(dir dir, name string, item fs.DirEntry) entry {
	e := entry{Name: name, Type: "other"}
	switch item.Type() {
	case 0:
		e.Type = "file"
		if _, info, err := dir.look(item.Name()); err == nil { // it may be gone by now
			e.Size = info.Size()
		}
	case fs.ModeDir:
		e.Type = "directory"
	case fs.ModeSymlink:
		e.Type = "symlink"
	}
	return e
}
