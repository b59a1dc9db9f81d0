package uistream

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
	"unicode/utf8"
)

// TestValues holds the table of JSON texts to what the real client makes of them: a vitest test asks the client the same.
func TestValues(t *testing.T) {
	const path = "testdata/values.txt"
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	prose, table, _ := strings.Cut(string(b), "\n\n")
	var out strings.Builder
	out.WriteString(prose + "\n\n")
	for line := range strings.Lines(table) {
		var columns []*string
		if err := json.Unmarshal([]byte(line), &columns); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		out.Write(valueLine(*columns[0]))
	}
	if *update {
		if err := os.WriteFile(path, []byte(out.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	got, want := strings.Split(out.String(), "\n"), strings.Split(string(b), "\n")
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("got  %s\nwant %s", got[i], want[i])
		}
	}
}

// valueLine is a text, how it was read, and what it is worth.
func valueLine(text string) []byte {
	how := "successful-parse"
	if p := (printer{text: text}); !p.document() || p.renamed {
		how = "repaired-parse"
	}
	line := appendString([]byte("["), text)
	value := partialValue(text)
	if value == nil {
		return append(line, ",\"failed-parse\"]\n"...)
	}
	line = appendString(append(line, ','), how)
	line = appendString(append(line, ','), string(value))
	return append(line, "]\n"...)
}

func TestParseValue(t *testing.T) {
	deep := strings.Repeat("[", maxDepth) + strings.Repeat("]", maxDepth)
	for _, c := range []struct {
		raw, want string
		ok        bool
	}{
		{"", "null", true},
		{" \n", "null", true},
		{" [ 1 , 2 ] ", "[1,2]", true},
		{`{"__proto__":1,"a":{"constructor":{"prototype":2,"x":3},"prototype":4}}`, `{"$__proto__":1,"a":{"constructor":{"$prototype":2,"x":3},"prototype":4}}`, true},
		{`{"__\u0070roto__":1,"$__proto__":2}`, `{"$__proto__":2}`, true},
		{`{"constructor":[{"prototype":1}]}`, `{"constructor":[{"prototype":1}]}`, true},
		{`{"a":1,}`, `"{\"a\":1,}"`, false},
		{`{"a":1} x`, `"{\"a\":1} x"`, false},
		{"\"\x01\"", `"\"\u0001\""`, false},
		{"\"\xff\"", `"` + "\uFFFD" + `"`, true},
		{deep, deep, true},
		{"[" + deep + "]", `"[` + deep + `]"`, false},
	} {
		got, ok := parseValue(json.RawMessage(c.raw))
		if string(got) != c.want || ok != c.ok {
			t.Errorf("%s gave %s, %v\nwant %s, %v", c.raw, got, ok, c.want, c.ok)
		}
	}
}

// FuzzValue: whatever comes, what goes out is JSON that a client takes, and prints as it got it.
func FuzzValue(f *testing.F) {
	for _, seed := range []string{`{"b":[1e5,-0.0],"1":"\ud83d\u2028"}`, `{"__proto__":{},"constructor":{"prototype":0}}`, `[tru`, "\xff"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		value, ok := parseValue(json.RawMessage(text))
		deep := strings.Count(text, "[")+strings.Count(text, "{") > maxDepth
		if isJSON := json.Valid([]byte(text)) || strings.TrimSpace(text) == ""; !deep && ok != isJSON {
			t.Fatalf("%q: ok=%v", text, ok)
		}
		again := printer{text: string(value)}
		if !again.document() || again.renamed || string(again.out) != string(value) || !json.Valid(value) || !utf8.Valid(value) {
			t.Fatalf("%q gave %s", text, value)
		}
		if partial := partialValue(clean(text)); partial != nil && !json.Valid(partial) {
			t.Fatalf("%q is half of %s", text, partial)
		}
	})
}
