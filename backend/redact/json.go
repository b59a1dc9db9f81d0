package redact

import (
	"bytes"
	"encoding/json"
	"strings"
)

// rewriteJSON gives a JSON value with each string, and each number, as rewrite has it. What that leaves as it is stays so byte by
// byte. What is not JSON is rewritten as a whole.
func rewriteJSON(value []byte, rewrite func(string) string) []byte {
	if len(value) == 0 {
		return value
	}
	if !json.Valid(value) {
		return []byte(rewrite(string(value)))
	}
	var out []byte
	kept := 0 // what of value out has
	for from := 0; from < len(value); {
		end := from + scalar(value[from:])
		if end == from {
			from++
			continue
		}
		meant := string(value[from:end])
		if value[from] == '"' {
			json.Unmarshal(value[from:end], &meant)
		}
		if rewritten := rewrite(meant); rewritten != meant {
			out = append(append(out, value[kept:from]...), quote(rewritten)...)
			kept = end
		}
		from = end
	}
	if kept == 0 {
		return value
	}
	return append(out, value[kept:]...)
}

// scalar gives how long the string or number is that a part of valid JSON begins with; 0 if there is none.
func scalar(b []byte) int {
	if b[0] == '"' {
		for i := 1; ; i++ {
			switch b[i] {
			case '\\':
				i++
			case '"':
				return i + 1
			}
		}
	}
	if b[0] != '-' && (b[0] < '0' || b[0] > '9') {
		return 0
	}
	n := bytes.IndexFunc(b, func(c rune) bool { return !strings.ContainsRune("+-.0123456789Ee", c) })
	if n < 0 {
		return len(b)
	}
	return n
}

func quote(text string) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.Encode(text)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}
