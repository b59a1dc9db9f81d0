package app

import (
	"bufio"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestEveryRuleOfTheProtocolHasATest: what is promised to the programmers of clients is looked at somewhere.
func TestEveryRuleOfTheProtocolHasATest(t *testing.T) {
	list, err := os.Open("testdata/protocol.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer list.Close()
	tests := testTexts(t)
	rules := 0
	for lines := bufio.NewScanner(list); lines.Scan(); {
		rule := lines.Text()
		if !strings.HasPrefix(rule, "§") {
			continue
		}
		rules++
		if !slices.ContainsFunc(tests, func(text string) bool { return strings.Contains(text, unbroken(rule)) }) {
			t.Errorf("no test names %q", rule)
		}
	}
	if rules == 0 {
		t.Error("the list is empty")
	}
}

// unbroken is text as rules are looked for in it: without case, backticks, and the marks of comments that are broken in lines.
func unbroken(text string) string {
	words := strings.Fields(strings.ToLower(strings.ReplaceAll(text, "`", "")))
	return strings.Join(slices.DeleteFunc(words, func(word string) bool { return word == "//" }), " ")
}

// testTexts gives every test and fixture that may name a rule, unbroken.
func testTexts(t *testing.T) (texts []string) {
	t.Helper()
	for _, root := range []string{"../backend", "../frontend/src", "../frontend/e2e", "."} {
		err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
			isTest := strings.HasSuffix(path, "_test.go") || strings.Contains(path, ".test.ts") ||
				strings.Contains(path, "testdata") && strings.HasSuffix(path, ".txt") && filepath.Base(path) != "protocol.txt"
			if err != nil || entry.IsDir() || !isTest {
				return err
			}
			b, err := os.ReadFile(path)
			texts = append(texts, unbroken(string(b)))
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return texts
}
