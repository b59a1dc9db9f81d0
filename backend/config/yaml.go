package config

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"
)

// Problem is something that is wrong with a file.
type Problem struct {
	Line, Column int    // from 1
	Key          string // permissions.rules[1].pattern; empty if it is about the whole
	Message      string
}

func (p Problem) String() string {
	if p.Key == "" {
		return fmt.Sprintf("%d:%d: %s", p.Line, p.Column, p.Message)
	}
	return fmt.Sprintf("%d:%d: %s: %s", p.Line, p.Column, p.Key, p.Message)
}

// value is one of a document, and where it stands there.
type value struct {
	*yaml.Node
	key string
	in  *document
}

// document collects all that is wrong with a file, not only the first.
type document struct{ problems []Problem }

func (v value) fail(format string, args ...any) {
	v.in.problems = append(v.in.problems, Problem{v.Line, v.Column, v.key, fmt.Sprintf(format, args...)})
}

// Document reads a file that holds one YAML document, or says why it does not.
func Document(src []byte) (*yaml.Node, *Problem) {
	loader, err := yaml.NewLoader(bytes.NewReader(src), yaml.WithUniqueKeys(false)) // who reads the nodes tells where
	var node yaml.Node
	if err == nil {
		err = loader.Load(&node)
	}
	var wrong *yaml.LoadError
	switch {
	case errors.Is(err, io.EOF):
		return nil, &Problem{1, 1, "", "The file is empty."}
	case errors.As(err, &wrong):
		return nil, &Problem{max(wrong.Mark.Line, 1), max(wrong.Mark.Column, 1), "", fmt.Sprintf("This is not YAML: %s.", wrong.Message)}
	case err != nil:
		return nil, &Problem{1, 1, "", "This is not YAML."}
	}
	root := node.Content[0]
	var second yaml.Node
	if err := loader.Load(&second); !errors.Is(err, io.EOF) {
		return nil, &Problem{max(second.Line, root.Line), 1, "", "A file holds one document. Remove what follows the second ---."}
	}
	return root, nil
}

// read reads a file. Aliases and merge keys are not taken: what a file says stands where it says it.
func read(src []byte) (value, *document) {
	d := &document{}
	node, wrong := Document(src)
	if wrong != nil {
		d.problems = []Problem{*wrong}
	}
	return value{node, "", d}, d
}

// field is a key that an object may have, and what reads its value; nothing does if the key is for later.
type field struct {
	name string
	take func(value)
}

// object reads a mapping, and gives the values of the fields that it has. A key that is none of them is an error with the
// nearest one.
func (v value) object(fields ...field) map[string]value {
	given := map[string]value{}
	if v.Kind != yaml.MappingNode {
		v.fail("This must be a mapping: keys with values.")
		return given
	}
	var seen []string
	for i := 0; i < len(v.Content); i += 2 {
		name := value{v.Content[i], v.below(v.Content[i].Value), v.in}
		at := slices.IndexFunc(fields, func(f field) bool { return f.name == name.Value })
		switch {
		case name.Kind != yaml.ScalarNode || name.ShortTag() == "!!merge":
			name.key = v.key
			name.fail("A key must be a plain name. Write out what it stands for.")
		case slices.Contains(seen, name.Value):
			name.fail("This key is there twice. Remove one.")
		case at < 0:
			name.fail("There is no such key. %s", Instead(name.Value, names(fields)))
		case fields[at].take == nil:
			name.fail("Parley does not do this yet. Remove the key.")
		default:
			given[name.Value] = value{v.Content[i+1], name.key, v.in}
			fields[at].take(given[name.Value])
		}
		seen = append(seen, name.Value)
	}
	return given
}

func (v value) below(name string) string {
	if v.key == "" {
		return name
	}
	return v.key + "." + name
}

func names(fields []field) (list []string) {
	for _, f := range fields {
		if f.take != nil {
			list = append(list, f.name)
		}
	}
	return list
}

// texts reads a mapping from any keys to texts.
func (v value) texts() map[string]string {
	all := map[string]string{}
	var fields []field
	if v.Kind == yaml.MappingNode {
		for i := 0; i < len(v.Content); i += 2 {
			name := v.Content[i].Value
			fields = append(fields, field{name, func(entry value) { all[name] = entry.text() }})
		}
	}
	v.object(fields...)
	return all
}

// list reads a sequence.
func (v value) list(take func(value)) {
	if v.Kind != yaml.SequenceNode {
		v.fail("This must be a list.")
		return
	}
	for i, node := range v.Content {
		take(value{node, fmt.Sprintf("%s[%d]", v.key, i), v.in})
	}
}

// text reads a text that is not empty. What YAML takes for something else is none: false, 4 and null have to be quoted.
func (v value) text() string {
	switch {
	case v.Kind == yaml.AliasNode:
		v.fail("An alias is not taken. Write out what it stands for.")
	case v.Kind != yaml.ScalarNode:
		v.fail("This must be text.")
	case v.ShortTag() == "!!null" || v.ShortTag() == "!!str" && strings.TrimSpace(v.Value) == "":
		v.fail("This is empty. Say something, or leave the key out.")
	case v.ShortTag() != "!!str":
		v.fail("This must be text, and YAML reads it as something else. Put it in quotes.")
	default:
		return v.Value
	}
	return ""
}

// oneOf reads a text that must be one of a list.
func (v value) oneOf(list []string) string {
	before := len(v.in.problems)
	text := v.text()
	if len(v.in.problems) == before && !slices.Contains(list, text) {
		v.fail("There is no %q here. %s", text, Instead(text, list))
	}
	return text
}

// into gives what reads a text to somewhere.
func into[T ~string](place *T) func(value) {
	return func(v value) { *place = T(v.text()) }
}

// texts gives what reads a list of texts to somewhere.
func texts(place *[]string) func(value) {
	return func(v value) { v.list(func(entry value) { *place = append(*place, entry.text()) }) }
}

// choice gives what reads one of a list to somewhere.
func choice[T ~string](place *T, list ...string) func(value) {
	return func(v value) { *place = T(v.oneOf(list)) }
}

// Instead says what could be meant, or all that there is.
func Instead(text string, list []string) string {
	nearest, least := "", len(text)/3+2
	for _, other := range list {
		if d := distance(text, other); d < least {
			nearest, least = other, d
		}
	}
	if nearest != "" {
		return fmt.Sprintf("Do you mean %q?", nearest)
	}
	return "There are: " + strings.Join(list, ", ") + "."
}

// distance is by how many letters two words differ.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			changed := diagonal
			if a[i] != b[j] {
				changed++
			}
			diagonal = row[j+1]
			row[j+1] = min(changed, diagonal+1, row[j]+1)
		}
	}
	return row[len(b)]
}
