package redact

import "regexp"

// Found is where something in a text looks like a credential.
type Found struct {
	Start, End int
	Kind       string // what it looks like, for people: "an AWS access key"
}

var github = regexp.MustCompile(`\bgh[pousr]_[A-Za-z0-9]{36,}`)

// Find gives what looks like a credential, in order.
func Find(text string) (found []Found) {
	for _, at := range github.FindAllStringIndex(text, -1) {
		found = append(found, Found{at[0], at[1], "a GitHub token"})
	}
	return found
}

// Scrub gives text with [credential] in the place of what looks like one: a second net, for what tools are given and say.
func Scrub(text string) string {
	found := Find(text)
	if found == nil {
		return text
	}
	var out []byte
	from := 0
	for _, f := range found {
		out = append(append(out, text[from:f.Start]...), "[credential]"...)
		from = f.End
	}
	return string(append(out, text[from:]...))
}
