package tool

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	udiff "github.com/aymanbagabas/go-udiff"

	"parley/backend/agent"
)

//go:embed write_file.md
var writeFileText string

var writeFile = changing[writeFileArguments](define(Definition{Name: "write_file", Description: writeFileText}, runWriteFile))

type writeFileArguments struct {
	Path       string `json:"path" about:"The file, relative to the folder you work in."`
	Content    string `json:"content" about:"What the file will hold; with append, what is added to it."`
	Append     bool   `json:"append,omitempty" about:"Add to the end of the file instead of replacing it."`
	CreateDirs bool   `json:"create_dirs,omitempty" about:"Create the parent folders that do not exist."`
}

func (in writeFileArguments) action() string { return "fs_write" }

func (in writeFileArguments) preview() string {
	lines := strings.Count(in.Content, "\n")
	if in.Content != "" && !strings.HasSuffix(in.Content, "\n") {
		lines++
	}
	amount := counted(lines, "line", "lines")
	if in.Append {
		amount += " more"
	}
	return fmt.Sprintf("%s (%s)", in.Path, amount)
}

// counted is a number of things, as a person writes it.
func counted(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// writeFileData is what the card of a call shows. Diff is unified, with a/ and b/ before the path, and whole; it is empty
// if nothing changed, or if the file was not text before.
type writeFileData struct {
	Path    string `json:"path"`
	Bytes   int    `json:"bytes"` // of the whole file now
	Created bool   `json:"created"`
	Diff    string `json:"diff"`
	Aside   bool   `json:"aside,omitempty"` // it is in the session's own folder, and the working folder is as it was
}

func runWriteFile(ctx context.Context, files *Files, in writeFileArguments) (string, any, error) {
	data, err := write(ctx, files, in)
	if err != nil {
		return "", nil, explain(err, in.Path)
	}
	verb := "Replaced"
	switch {
	case data.Created:
		verb = "Created"
	case in.Append:
		verb = "Appended to"
	}
	return fmt.Sprintf("%s %s: it has %d bytes now.", verb, data.Path, data.Bytes) + data.where(), data, nil
}

// where is what a model is told about a write that it may think to be elsewhere.
func (d writeFileData) where() string {
	if !d.Aside {
		return ""
	}
	return " It is in your own scratch folder; the folder that the session is about is as it was."
}

func write(ctx context.Context, files *Files, in writeFileArguments) (d writeFileData, err error) {
	c, err := in.plan(files)
	if err != nil {
		return d, err
	}
	defer c.close()
	d, err = c.save(ctx, c.now, c.old, c.info, in.CreateDirs)
	if errors.Is(err, fs.ErrNotExist) {
		return d, refuse("The folder of %s does not exist. Set create_dirs to true to create it.", in.Path)
	}
	return d, err
}

// planned is a change of one file that was not made yet. Close its place.
type planned struct {
	*place
	old, now []byte
	info     fs.FileInfo // nil: there is no file yet
	edited   int         // places, by edit_file
}

// diff is empty for a new file, of which the call says everything, and for what is no text.
func (c planned) diff() string {
	if c.info == nil || binary(c.old) || binary(c.now) {
		return ""
	}
	return diff(c.at(), false, string(c.old), string(c.now))
}

func (in writeFileArguments) plan(files *Files) (c planned, err error) {
	p, err := files.find(in.Path, writing)
	if err != nil {
		return c, err
	}
	c = planned{place: p, now: []byte(in.Content)}
	if c.old, c.info, err = p.load(); err != nil && !errors.Is(err, fs.ErrNotExist) {
		p.close()
		return c, err
	}
	if in.Append {
		c.now = slices.Concat(c.old, c.now)
	}
	return c, nil
}

// save puts content at the place. old and info are what load gave of it; no info: there is nothing yet.
func (p *place) save(ctx context.Context, content, old []byte, info fs.FileInfo, makeDirs bool) (d writeFileData, err error) {
	if info != nil && info.Mode().Perm()&0o200 == 0 {
		return d, refuse("%s is read-only.", p.said)
	}
	if len(content) > maxFile {
		return d, tooLarge(p.said, int64(len(content)))
	}
	if err := p.replace(ctx, content, info, makeDirs); err != nil {
		return d, err
	}
	p.files.say(agent.FileWritten{Path: p.files.absolute(p.at()), Before: old, After: content, Created: info == nil})
	d = writeFileData{Path: p.at(), Bytes: len(content), Created: info == nil, Aside: p.aside()}
	if !binary(old) && !binary(content) {
		d.Diff = diff(d.Path, d.Created, string(old), string(content))
	}
	return d, nil
}

func diff(place string, created bool, old, now string) string {
	before := "a/" + place
	if created {
		before = "/dev/null"
	}
	return udiff.Unified(before, "b/"+place, old, now)
}
