// Package schema checks JSON by the JSON Schemas that others write: of tools, and of forms.
package schema

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
)

// Schema is one that was read. The zero Schema takes every object.
type Schema struct{ resolved *jsonschema.Resolved }

// drafts are those that can be checked by; without a name it is the newest.
var drafts = []string{"", "https://json-schema.org/draft/2020-12/schema", "https://json-schema.org/draft-07/schema", "http://json-schema.org/draft-07/schema"}

// maxSchema is how long a schema may be, in bytes, and maxDepth how deeply it may be nested: reading takes the square of that.
const (
	maxSchema = 64 << 10
	maxDepth  = 64
)

// Read reads the schema of an object. It refuses one that refers to another, or to itself: following that might never end.
// Errors are the rest of a sentence about the schema, for whoever wrote it.
func Read(text []byte) (Schema, error) {
	switch {
	case len(text) > maxSchema:
		return Schema{}, fmt.Errorf("has more than %d KiB", maxSchema>>10)
	case depth(text) > maxDepth:
		return Schema{}, fmt.Errorf("is nested too deeply: at most %d levels", maxDepth)
	}
	var root jsonschema.Schema
	if err := json.Unmarshal(text, &root); err != nil {
		return Schema{}, errors.New("is no JSON Schema")
	}
	switch {
	case root.Type != "object":
		return Schema{}, errors.New("is not of the type object")
	case !slices.Contains(drafts, strings.TrimSuffix(root.Schema, "#")):
		return Schema{}, errors.New("is of a draft that Parley does not know. Leave $schema out")
	case refers(root):
		return Schema{}, errors.New("refers to a schema by $ref. Write out what it stands for")
	}
	resolved, err := root.Resolve(nil)
	if err != nil {
		return Schema{}, fmt.Errorf("is no JSON Schema: %s", reason(err))
	}
	return Schema{resolved}, nil
}

// depth is how deeply a text is nested, as far as it is JSON.
func depth(text []byte) (deepest int) {
	tokens, level := json.NewDecoder(bytes.NewReader(text)), 0
	for {
		token, err := tokens.Token()
		if err != nil {
			return deepest
		}
		switch token {
		case json.Delim('{'), json.Delim('['):
			level++
			deepest = max(deepest, level)
		case json.Delim('}'), json.Delim(']'):
			level--
		}
	}
}

// refers reports whether a key of a schema, wherever it is, refers to a schema. It looks at the schema as it was read: in the text
// a key may stand twice, or in other case.
func refers(root jsonschema.Schema) bool {
	text, err := json.Marshal(root)
	if err != nil {
		return true // nobody knows
	}
	var value any
	_ = json.Unmarshal(text, &value) // it was written just now
	var in func(value any) bool
	in = func(value any) bool {
		switch value := value.(type) {
		case map[string]any:
			for key, inner := range value {
				if key == "$ref" || key == "$dynamicRef" || in(inner) {
					return true
				}
			}
		case []any:
			for _, inner := range value {
				if in(inner) {
					return true
				}
			}
		}
		return false
	}
	return in(value)
}

// Check says what of a value does not fit, for whoever gave it; nil if it fits.
func (s Schema) Check(value []byte) error {
	var object map[string]any
	if json.Unmarshal(value, &object) != nil || object == nil {
		return errors.New("they must be one JSON object")
	}
	if s.resolved == nil {
		return nil
	}
	if err := s.resolved.Validate(object); err != nil {
		return errors.New(reason(err))
	}
	return nil
}

// reason is what the library says, shorter: not the way to where it says it, not the keyword, and numbers as they were given.
func reason(err error) string {
	text, at := strings.TrimPrefix(err.Error(), "jsonschema: "), ""
	for {
		rest, found := strings.CutPrefix(text, "validating ")
		if !found {
			break
		}
		at, text, _ = strings.Cut(rest, ": ")
	}
	if keyword, rest, _ := strings.Cut(text, ": "); at != "" && rest != "" && !strings.Contains(keyword, " ") {
		text = rest
	}
	for _, r := range readable {
		text = r.found.ReplaceAllString(text, r.with)
	}
	if at = strings.TrimPrefix(places.Replace(strings.TrimPrefix(at, "root")), "."); at != "" {
		text = at + ": " + text
	}
	return strings.ToValidUTF8(text[:min(len(text), maxReason)], "")
}

const maxReason = 300

var places = strings.NewReplacer("/properties/", ".", "/items", "[]")

var readable = []struct {
	found *regexp.Regexp
	with  string
}{
	{regexp.MustCompile(`(?s)(any|both|against) (of )?[^ ]*<anonymous schema>.*`), "what it may be"},
	{regexp.MustCompile(`(\d)/1\b`), "$1"},
	{regexp.MustCompile(`(\.\d*?)0+\b`), "$1"},
	{regexp.MustCompile(`(\d)\.( |$)`), "$1$2"},
	{regexp.MustCompile(`jsonschema.Schema: (<anonymous schema>: )?`), ""},
	{regexp.MustCompile(`<invalid reflect.Value>`), "null"},
}
