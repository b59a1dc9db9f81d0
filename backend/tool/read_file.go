package tool

import (
	"bytes"
	"cmp"
	"context"
	_ "embed"
	"fmt"
	"net/http"
	"strings"
)

//go:embed read_file.md
var readFileText string

var readFile = define(Definition{Name: "read_file", Description: readFileText}, runReadFile)

type readFileArguments struct {
	Path   string `json:"path" about:"The file, relative to the folder you work in."`
	Offset int    `json:"offset,omitempty" about:"The first line to read, counted from 1." min:"1"`
	Limit  int    `json:"limit,omitempty" about:"How many lines to read; 2000 if left out." min:"1" max:"2000"`
}

// readFileData is what the card of a call shows. Text is what the model saw: Lines lines from line From on, of Total.
type readFileData struct {
	Path      string `json:"path"`
	Text      string `json:"text"`
	From      int    `json:"from"`
	Lines     int    `json:"lines"`
	Total     int    `json:"total"`
	Truncated bool   `json:"truncated"` // the file goes on after Text
}

func runReadFile(_ context.Context, files *Files, in readFileArguments) (string, any, error) {
	data, err := read(files, in)
	if err != nil {
		return "", nil, explain(err, in.Path)
	}
	output := data.Text
	switch next := data.From + data.Lines; {
	case data.Total == 0:
		output = fmt.Sprintf("[%s is empty.]", data.Path)
	case data.Truncated:
		output += fmt.Sprintf("[Lines %d to %d of %d. Go on with offset %d.]", data.From, next-1, data.Total, next)
	}
	return output, data, nil
}

func read(files *Files, in readFileArguments) (d readFileData, err error) {
	p, err := files.find(in.Path, reading)
	if err != nil {
		return d, err
	}
	defer p.close()
	content, _, err := p.load()
	if err != nil {
		return d, err
	}
	if binary(content) {
		return d, refuse("%s is not text (%s, %d bytes), so it was not read.", in.Path, http.DetectContentType(content), len(content))
	}
	d = window(string(content), max(in.Offset, 1), cmp.Or(in.Limit, maxLines))
	d.Path = p.at()
	if d.Lines == 0 && d.Total > 0 {
		return d, refuse("%s has %d lines; offset %d is past its end.", in.Path, d.Total, in.Offset)
	}
	return d, nil
}

// window cuts out at most limit lines from line from on, and no more of them than a model is given at once.
func window(text string, from, limit int) readFileData {
	const room = maxOutput - len("[Lines 0000000 to 0000000 of 0000000. Go on with offset 0000000.]")
	d := readFileData{From: from}
	at, start, end := 0, 0, 0
	for line := range strings.Lines(text) {
		d.Total++
		next := at + len(line)
		if d.Total == from {
			start, end = at, at
		}
		if d.Total == from+d.Lines && d.Lines < limit && (next-start <= room || d.Lines == 0) {
			end = next
			d.Lines++
		}
		at = next
	}
	d.Text = bound(text[start:end], room)
	d.Truncated = d.Lines > 0 && end < len(text)
	return d
}

// binary tells by a NUL near the start, as git does.
func binary(content []byte) bool {
	return bytes.IndexByte(content[:min(len(content), 8<<10)], 0) >= 0
}
