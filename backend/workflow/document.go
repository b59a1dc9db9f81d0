package workflow

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"

	"parley/backend/config"
)

const (
	maxDepth    = 200
	maxProblems = 100
	maxEntries  = 10_000
)

// document collects what is wrong with a file, and knows where what it says stands.
type document struct {
	problems []config.Problem
	lossy    bool                  // something that it says is not in what was read of it
	places   map[string]*yaml.Node // by key
}

func (d *document) fail(at *yaml.Node, key, format string, args ...any) {
	if len(d.problems) < maxProblems {
		d.problems = append(d.problems, config.Problem{Line: at.Line, Column: at.Column, Key: key, Message: fmt.Sprintf(format, args...)})
	}
}

// open reads a file as YAML that has no meaning besides what it says: no anchors, aliases, tags and merge keys, and keys that
// are texts, each once.
func open(src []byte) (*yaml.Node, *document) {
	d := &document{places: map[string]*yaml.Node{}}
	start := &yaml.Node{Line: 1, Column: 1}
	text := string(src)
	if len(src) > MaxFile || characters(text) > maxSource || pieces(text) > maxPieces { // from the quickest to count on
		d.fail(start, "", "The file is too large. It may have %d characters at most, and not too many entries.", maxSource)
		return nil, d
	}
	root, wrong := config.Document(src)
	if wrong != nil {
		if strings.Contains(wrong.Message, "anchor") { // it repeats what the file says
			wrong.Message = "Aliases are not taken. Write out what it stands for."
		}
		d.problems = append(d.problems, *wrong)
		return nil, d
	}
	d.inspect(root, nil)
	return root, d
}

// step is a way into a document, from its end.
type step struct {
	before *step // nil at the root
	name   string
	depth  int
}

func (s *step) into(name string) *step {
	if s == nil {
		return &step{nil, name, 1}
	}
	return &step{s, name, s.depth + 1}
}

func (s *step) String() string {
	var names []string
	for ; s != nil; s = s.before {
		names = append(names, s.name)
	}
	slices.Reverse(names)
	return strings.ReplaceAll(strings.Join(names, "."), ".[", "[")
}

// inspect fails for what no file may have, whatever it is about.
func (d *document) inspect(n *yaml.Node, at *step) {
	wrong := ""
	switch {
	case at != nil && at.depth > maxDepth:
		d.fail(n, "", "This is nested too deeply. %d levels are taken.", maxDepth)
		return
	case n.Kind == yaml.AliasNode:
		wrong = "Aliases are not taken. Write out what it stands for."
	case n.Anchor != "":
		wrong = "Anchors are not taken. Remove it, and write out what refers to it."
	case n.Style&yaml.TaggedStyle != 0:
		wrong = "Tags are not taken. Remove it; texts that look like something else are put in quotes."
	case n.Kind == yaml.ScalarNode:
		_, wrong = scalar(n)
	}
	if wrong != "" {
		d.fail(n, at.String(), "%s", wrong)
	}
	switch n.Kind {
	case yaml.MappingNode:
		seen := map[string]bool{}
		for i := 0; i < len(n.Content); i += 2 {
			key := n.Content[i]
			below := at.into(keyName(key.Value))
			if wrong := inspectKey(key, seen); wrong != "" {
				d.fail(key, below.String(), "%s", wrong)
			}
			d.inspect(n.Content[i+1], below)
		}
	case yaml.SequenceNode:
		for i, child := range n.Content {
			d.inspect(child, at.into(fmt.Sprintf("[%d]", i)))
		}
	}
}

// inspectKey says what is wrong with a key of a mapping that has others.
func inspectKey(key *yaml.Node, seen map[string]bool) string {
	meant, _ := scalar(key)
	_, isText := meant.(string)
	again := seen[key.Value]
	seen[key.Value] = true
	switch {
	case key.Kind != yaml.ScalarNode || key.Anchor != "" || key.Style&yaml.TaggedStyle != 0:
		return "A key must be a plain name."
	case !isText:
		return "A key must be a text, and YAML reads this as something else. Put it in quotes."
	case key.Value == "<<" && key.Style == 0:
		return "Merge keys are not taken. Write out what it stands for."
	case again:
		return "This key is there twice. Remove one."
	}
	return ""
}

// value is one of a document.
type value struct {
	node *yaml.Node
	key  string // workflow.nodes[0].id
	in   *document
}

func (v value) fail(format string, args ...any) { v.in.fail(v.node, v.key, format, args...) }

// lose fails for a value that is not read as it stands there.
func (v value) lose(format string, args ...any) {
	v.fail(format, args...)
	v.in.lossy = true
}

// field is a key that an object may have, or must, and what reads its value.
type field struct {
	name     string
	required bool
	take     func(value)
}

func may(name string, take func(value)) field  { return field{name, false, take} }
func must(name string, take func(value)) field { return field{name, true, take} }

// object reads a mapping. A key that is none of the fields is an error with the nearest one.
func (v value) object(fields ...field) {
	if v.node.Kind != yaml.MappingNode {
		v.lose("This must be a mapping: keys with values.")
		return
	}
	names := make([]string, len(fields))
	for i, f := range fields {
		names[i] = f.name
	}
	given := map[string]bool{}
	for i := 0; i < len(v.node.Content); i += 2 {
		key := v.node.Content[i]
		at := value{v.node.Content[i+1], v.below(key.Value), v.in}
		n := slices.Index(names, key.Value)
		if n < 0 && len(v.in.problems) < maxProblems {
			v.in.fail(key, at.key, "There is no such key. %s", instead(key.Value, names))
		}
		if n < 0 {
			v.in.lossy = true
			continue
		}
		v.in.places[at.key] = at.node
		given[key.Value] = true
		fields[n].take(at)
	}
	for _, f := range fields {
		if f.required && !given[f.name] {
			v.in.fail(v.node, v.below(f.name), "This is missing.")
		}
	}
}

// instead says what could be meant by a text that may be of any length.
func instead(text string, all []string) string {
	if len(text) > 64 {
		text = ""
	}
	return config.Instead(text, slices.DeleteFunc(slices.Clone(all), func(name string) bool { return len(name) > 64 }))
}

var plainKey = regexp.MustCompile(`^[A-Za-z0-9_$-]{1,64}$`)

// keyName is how a key is called in what a person reads. One that does not look like a key may be anything.
func keyName(key string) string {
	if !plainKey.MatchString(key) {
		return "?"
	}
	return key
}

// below is the path of a key in v.
func (v value) below(key string) string {
	if v.key == "" {
		return keyName(key)
	}
	return v.key + "." + keyName(key)
}

// peek gives the value of a key, and nil if there is none.
func (v value) peek(name string) *yaml.Node {
	if v.node.Kind == yaml.MappingNode {
		for i := 0; i < len(v.node.Content); i += 2 {
			if v.node.Content[i].Value == name {
				return v.node.Content[i+1]
			}
		}
	}
	return nil
}

// list gives what reads a sequence. It is never nil, for one that is empty is there, too.
func list[T any](read func(value) T) func(value) []T {
	return func(v value) []T {
		all := []T{}
		if v.node.Kind != yaml.SequenceNode {
			v.lose("This must be a list.")
			return all
		}
		if len(v.node.Content) > maxEntries {
			v.lose("This list is too long. It may have %d entries at most.", maxEntries)
			return all
		}
		for i, node := range v.node.Content {
			entry := value{node, fmt.Sprintf("%s[%d]", v.key, i), v.in}
			v.in.places[entry.key] = node
			all = append(all, read(entry))
		}
		return all
	}
}

// some gives what reads a sequence that is not empty.
func some[T any](read func(value) T) func(value) []T {
	return func(v value) []T {
		all := list(read)(v)
		if v.node.Kind == yaml.SequenceNode && len(all) == 0 {
			v.fail("This is empty. It needs one entry at least.")
		}
		return all
	}
}

// into gives what puts what is read somewhere.
func into[T any](place *T, read func(value) T) func(value) {
	return func(v value) { *place = read(v) }
}

// maybe is into for what is nil if it is not there.
func maybe[T any](place **T, read func(value) T) func(value) {
	return func(v value) { *place = new(read(v)) }
}

// any gives the value as JSON.
func (v value) any() json.RawMessage {
	b, err := json.Marshal(plain(v.node))
	if err != nil {
		panic(err) // plain gives nothing that has no JSON
	}
	return b
}

// mapping is any for what has to be an object.
func (v value) mapping() json.RawMessage {
	if v.node.Kind != yaml.MappingNode {
		v.lose("This must be a mapping: keys with values.")
		return nil
	}
	return v.any()
}

// plain is a value that inspect let pass, as encoding/json decodes one.
func plain(n *yaml.Node) any {
	switch n.Kind {
	case yaml.MappingNode:
		all := make(map[string]any, len(n.Content)/2)
		for i := 0; i < len(n.Content); i += 2 {
			all[n.Content[i].Value] = plain(n.Content[i+1])
		}
		return all
	case yaml.SequenceNode:
		all := make([]any, len(n.Content))
		for i, entry := range n.Content {
			all[i] = plain(entry)
		}
		return all
	}
	meant, _ := scalar(n)
	return meant
}
