package workflow

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"parley/backend/redact"
)

// TestForPeople: sessions as Markdown and as a page, beside the workflows of the same sessions.
func TestForPeople(t *testing.T) {
	for _, name := range []string{"split-rows", "foreign-tools", "known-secret", "markup", "no-rows"} {
		path := "testdata/export/" + name
		s, known := readSession(t, path+".txt")
		golden(t, path+".md", ToMarkdown(s, known))
		page, err := ToHTML(s, known)
		if err != nil {
			t.Fatal(err)
		}
		golden(t, path+".html", page)
	}
}

// TestPageIsInert: whatever was said, the page has the tags of its template and no others.
func TestPageIsInert(t *testing.T) {
	s, known := readSession(t, "testdata/export/markup.txt")
	page, err := ToHTML(s, known)
	if err != nil {
		t.Fatal(err)
	}
	for _, bad := range []string{"<script", "<img", "<b>", "<model"} {
		if strings.Contains(string(page), bad) {
			t.Errorf("the page has %s", bad)
		}
	}
}

// TestBundle: what a bundle is, and that its parts come back as they were.
func TestBundle(t *testing.T) {
	part, err := NewPart("session", map[string]any{"id": "sess_1", "title": "<İ> \u2028"})
	if err != nil {
		t.Fatal(err)
	}
	parts := []Part{part, part}
	file, err := WriteBundle(parts, "1.2.3")
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "testdata/bundle.golden", file)
	again, err := ReadBundle(file)
	if err != nil || !reflect.DeepEqual(again, parts) || !IsBundle(file) || IsBundle([]byte(`{"id":"u1"}`)) {
		t.Errorf("got %+v (%v)", again, err)
	}
}

// TestJSONL: a line for each message, and nothing known to be secret in it.
func TestJSONL(t *testing.T) {
	known := redact.New([]redact.Value{{Name: "deploy", Text: "hunter2-hunter2"}})
	file := ToJSONL([]json.RawMessage{[]byte(`{"id":"u1"}`), []byte(`{"text":"hunter2-hunter2"}`)}, known)
	if want := "{\"id\":\"u1\"}\n{\"text\":\"[secret:deploy]\"}\n"; string(file) != want {
		t.Errorf("got %s", file)
	}
	if lines := ReadJSONL(bytes.ReplaceAll(append(file, '\n'), []byte("\n"), []byte("\r\n"))); len(lines) != 2 || string(lines[0]) != `{"id":"u1"}` {
		t.Errorf("got %q", lines)
	}
}
