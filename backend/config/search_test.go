package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestASearchEngineIsRead(t *testing.T) {
	path := filepath.Join(t.TempDir(), "search.json")
	if _, err := ReadSearch(path); err == nil || !strings.Contains(err.Error(), "no search engine is set up") {
		t.Errorf("without a file: %v", err)
	}
	for text, want := range map[string]string{
		`{"url":"https://example.org/search","api":"searxng"}`:                                               "",
		`{"url":"http://localhost:8888/search","api":"searxng"}`:                                             "",
		`{"url":"https://example.org/","api":"brave","headers":{"X-Subscription-Token":"{{secret:brave}}"}}`: "",
		`{"url":"https://example.org/","api":"brave","headers":{"X-Subscription-Token":"abc"}}`:              "Store it on the page Secrets",
		`{"url":"https://example.org/","api":"brave","headers":{"X-Subscription-Token":"{{secret:Brave}}"}}`: "{{secret",
		`{"url":"https://example.org/","api":"brave","headers":{"X A":"b"}}`:                                 "no name for one",
		`{"url":"http://example.org/","api":"brave"}`:                                                        "Write one with https",
		`{"url":"https://user@example.org/","api":"brave"}`:                                                  "Write one with https",
		`{"url":"https://example.org/","api":"other"}`:                                                       "There are: brave, searxng",
		"{\n  \"url\": \"https://example.org/\",\n  \"api\": \"brave\",\n  \"key\": \"abc\"\n}":              "line 4, column",
	} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := ReadSearch(path)
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
	}
}
