package tool

import (
	"context"
	_ "embed"
	"fmt"
	"strings"
)

//go:embed edit_file.md
var editFileText string

var editFile = changing[editFileArguments](define(Definition{Name: "edit_file", Description: editFileText}, runEditFile))

type editFileArguments struct {
	Path  string `json:"path" about:"The file, relative to the folder you work in."`
	Edits []edit `json:"edits" about:"What to replace, in order." min:"1" max:"100"`
}

type edit struct {
	Old string `json:"old" about:"The text to replace, exactly as it is in the file."`
	New string `json:"new" about:"The text that takes its place; empty to remove it."`
	All bool   `json:"all,omitempty" about:"Replace every occurrence, not just the only one."`
}

func (in editFileArguments) action() string { return "fs_write" }

func (in editFileArguments) preview() string {
	return fmt.Sprintf("%s (%s)", in.Path, counted(len(in.Edits), "edit", "edits"))
}

// runEditFile gives what write_file gives.
func runEditFile(ctx context.Context, files *Files, in editFileArguments) (string, any, error) {
	data, places, err := editPlaces(ctx, files, in)
	if err != nil {
		return "", nil, explain(err, in.Path)
	}
	return fmt.Sprintf("Edited %s in %s: it has %d bytes now.", data.Path, counted(places, "place", "places"), data.Bytes) + data.where(), data, nil
}

func editPlaces(ctx context.Context, files *Files, in editFileArguments) (d writeFileData, places int, err error) {
	c, err := in.plan(files)
	if err != nil {
		return d, 0, err
	}
	defer c.close()
	d, err = c.save(ctx, c.now, c.old, c.info, false)
	return d, c.edited, err
}

func (in editFileArguments) plan(files *Files) (c planned, err error) {
	p, err := files.find(in.Path, writing)
	if err != nil {
		return c, err
	}
	c = planned{place: p}
	defer func() {
		if err != nil {
			p.close()
		}
	}()
	if c.old, c.info, err = p.load(); err != nil {
		return c, err
	}
	if binary(c.old) {
		return c, refuse("%s is not text, so it was not edited.", in.Path)
	}
	text, places, err := in.apply(string(c.old))
	c.now, c.edited = []byte(text), places
	return c, err
}

// apply makes the edits in a text, and gives how many places they have changed.
func (in editFileArguments) apply(text string) (now string, places int, err error) {
	for i, e := range in.Edits {
		n := strings.Count(text, e.Old)
		switch about := fmt.Sprintf("Edit %d of %d does not fit, so %s was not changed: ", i+1, len(in.Edits), in.Path); {
		case e.Old == "":
			return "", 0, refuse("%sold is empty. Give the text that is to be replaced.", about)
		case e.Old == e.New:
			return "", 0, refuse("%sold and new are the same.", about)
		case n == 0 && strings.Contains(text, "\r\n") && !strings.Contains(e.Old, "\r"):
			return "", 0, refuse("%sits text is not in the file, whose lines end with a carriage return and a line feed.", about)
		case n == 0:
			return "", 0, refuse("%sits text is not in the file. Read the file again and copy the text exactly.", about)
		case n > 1 && !e.All:
			return "", 0, refuse("%sits text is in the file %d times. Add what is around the place that you mean, or set all to true.", about, n)
		}
		if places += n; len(text)+n*(len(e.New)-len(e.Old)) > maxFile {
			return "", 0, tooLarge(in.Path, int64(len(text)+n*(len(e.New)-len(e.Old))))
		}
		text = strings.ReplaceAll(text, e.Old, e.New)
	}
	return text, places, nil
}
