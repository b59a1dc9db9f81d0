package workflow

import (
	"strings"
	"testing"
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
