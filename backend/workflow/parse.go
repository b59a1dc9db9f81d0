package workflow

import (
	"encoding/json"
	"math"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"

	"parley/backend/config"
)

// Parsed is what a workflow's file says.
type Parsed struct {
	Graph       *Graph // nil if it would lack something of the file: a key that there is not, or that has another type
	HasComments bool   // which Write would not write again
	Problems    []config.Problem
}

// Parse reads a workflow's file. It gives all that is wrong with it, in the order of its lines and without repeating what it
// says. Of a file that is unfinished there is a graph, with what is missing empty.
func Parse(src []byte) (p Parsed) {
	root, in := open(src)
	if len(in.problems) == 0 {
		p.HasComments = hasComments(src, root)
		g := Graph{Nodes: Nodes{}, Edges: []Edge{}}
		value{root, "", in}.object(
			must("schema_version", value.version),
			must("workflow", func(v value) { g.read(v) }),
		)
		if !in.lossy {
			p.Graph = &g
		}
	}
	if p.Graph != nil {
		read := in.problems
		check(*p.Graph, func(key, format string, args ...any) {
			told := slices.ContainsFunc(read, func(p config.Problem) bool { return p.Key == key })
			if at := in.places[key]; at != nil && !told {
				in.fail(at, key, format, args...)
			}
		})
	}
	slices.SortStableFunc(in.problems, func(a, b config.Problem) int {
		if a.Line != b.Line {
			return a.Line - b.Line
		}
		return a.Column - b.Column
	})
	p.Problems = in.problems
	return p
}

// version reads which schema a file follows. Of another one nothing is known.
func (v value) version() {
	if v.oneOf(schemaVersion) != schemaVersion {
		v.in.lossy = true
	}
}

func (g *Graph) read(v value) {
	v.object(
		must("id", into(&g.ID, value.kebab)),
		may("version", maybe(&g.Version, value.text)),
		may("name", maybe(&g.Name, value.text)),
		may("description", maybe(&g.Description, value.text)),
		may("tags", into(&g.Tags, list(value.text))),
		may("metadata", into(&g.Metadata, value.mapping)),
		may("trigger", maybe(&g.Trigger, readTrigger)),
		may("inputs", into(&g.Inputs, list(readInput))),
		may("context", into(&g.Context, list(readEntry))),
		may("agents", into(&g.Agents, list(readAgent))),
		may("tools", maybe(&g.Tools, readToolPolicy)),
		may("budget", maybe(&g.Budget, readBudget)),
		may("timeout_ms", maybe(&g.TimeoutMS, value.positive)),
		may("max_parallel", maybe(&g.MaxParallel, value.positive)),
		must("nodes", into((*[]Node)(&g.Nodes), some(readNode))),
		must("edges", into(&g.Edges, list(readEdge))),
	)
}

func readTrigger(v value) (t Trigger) {
	var own []field
	switch kind := v.peek("type"); {
	case kind == nil:
	case kind.Value == "webhook":
		own = []field{must("webhook", maybe(&t.Webhook, func(v value) (w Webhook) {
			v.object(must("path", into(&w.Path, value.word)), must("secret_env", into(&w.SecretEnv, value.word)))
			return w
		}))}
	case kind.Value == "schedule":
		own = []field{must("schedule", maybe(&t.Schedule, value.word))}
	case kind.Value == "file_change":
		own = []field{must("file_change", maybe(&t.FileChange, func(v value) (c FileChange) {
			v.object(must("glob", into(&c.Glob, value.word)), must("debounce_ms", into(&c.DebounceMS, value.natural)))
			return c
		}))}
	}
	v.object(append(own, must("type", into(&t.Type, oneOf("manual", "webhook", "schedule", "file_change", "mcp_call"))))...)
	return t
}

// validations are the keys of a validation by the type of its input. A type that is not there has those of a string.
var validations = map[string][]string{
	"number":  {"min", "max", "enum"},
	"boolean": {},
	"string":  {"format", "pattern", "enum", "min_length", "max_length"},
}

func readInput(v value) (i Input) {
	keys := validations["string"]
	if kind := v.peek("type"); kind != nil && validations[kind.Value] != nil {
		keys = validations[kind.Value]
	}
	v.object(
		must("name", into(&i.Name, value.name)),
		must("type", into(&i.Type, oneOf("string", "number", "boolean", "file_path", "code_diff", "secret"))),
		may("required", maybe(&i.Required, value.boolean)),
		may("default", into(&i.Default, value.any)),
		may("description", maybe(&i.Description, value.text)),
		may("validation", maybe(&i.Validation, func(v value) Validation { return readValidation(v, keys) })),
	)
	return i
}

func readValidation(v value, keys []string) (w Validation) {
	fields := []field{
		may("format", maybe(&w.Format, value.word)),
		may("pattern", maybe(&w.Pattern, value.word)),
		may("enum", into(&w.Enum, list(value.any))),
		may("min", maybe(&w.Min, value.number)),
		may("max", maybe(&w.Max, value.number)),
		may("min_length", maybe(&w.MinLength, value.natural)),
		may("max_length", maybe(&w.MaxLength, value.natural)),
	}
	for i, f := range fields {
		if !slices.Contains(keys, f.name) {
			fields[i].take = func(v value) {
				f.take(v)
				v.fail("An input of this type has no such check. Remove the key.")
			}
		}
	}
	v.object(fields...)
	if w.Min != nil && w.Max != nil && *w.Min > *w.Max {
		v.fail("min must not be more than max.")
	}
	if w.MinLength != nil && w.MaxLength != nil && *w.MinLength > *w.MaxLength {
		v.fail("min_length must not be more than max_length.")
	}
	return w
}

func readEntry(v value) (e Entry) {
	v.object(must("key", into(&e.Key, value.name)), must("value", into(&e.Value, value.text)))
	return e
}

func readToolPolicy(v value) (p ToolPolicy) {
	v.object(
		may("allowedCommands", into(&p.AllowedCommands, list(value.word))),
		may("allowedCommandGlobs", into(&p.AllowedCommandGlobs, list(value.word))),
		may("allowedDomains", into(&p.AllowedDomains, list(value.word))),
	)
	return p
}

func readBudget(v value) (b Budget) {
	v.object(
		must("max_cost_microcents", into(&b.MaxCostMicrocents, value.positive)),
		must("on_exceed", into(&b.OnExceed, oneOf("fail", "pause_for_approval", "warn"))),
		may("strict_cost_cap", maybe(&b.StrictCostCap, value.boolean)),
	)
	return b
}

func readEdge(v value) (e Edge) {
	v.object(
		must("from", into(&e.From, value.end)),
		must("to", into(&e.To, value.kebab)),
		may("label", maybe(&e.Label, value.text)),
		may("condition", maybe(&e.Condition, value.text)),
	)
	return e
}

// text reads any text.
func (v value) text() string {
	meant, _ := scalar(v.node)
	text, ok := meant.(string)
	switch {
	case v.node.Kind != yaml.ScalarNode:
		v.lose("This must be text.")
	case meant == nil:
		v.fail("This is empty. Say something, or leave the key out.")
	case !ok:
		v.lose("This must be text, and YAML reads it as something else. Put it in quotes.")
	}
	return text
}

// word reads a text that is not empty.
func (v value) word() string {
	before := len(v.in.problems)
	text := v.text()
	if text == "" && len(v.in.problems) == before {
		v.fail("This is empty. Say something, or leave the key out.")
	}
	return text
}

const kebab = `[a-z0-9]+(?:-[a-z0-9]+)*`

var (
	kebabID   = regexp.MustCompile(`^` + kebab + `$`)
	edgeEnd   = regexp.MustCompile(`^` + kebab + `(?::(?s:.+))?$`)
	plainName = regexp.MustCompile(`^[A-Za-z0-9_-]+$`)
)

// matching reads a text that a pattern matches.
func (v value) matching(pattern *regexp.Regexp, otherwise string) string {
	text := v.word()
	if text != "" && !pattern.MatchString(text) {
		v.fail("%s", otherwise)
	}
	return text
}

func (v value) kebab() string {
	return v.matching(kebabID, "This must be small letters and digits, with single hyphens between them.")
}

func (v value) name() string {
	return v.matching(plainName, "This must be letters, digits, _ and - only, for {{ }} to be able to name it.")
}

func (v value) end() string {
	return v.matching(edgeEnd, "This must be the id of a node, or node:handle.")
}

// oneOf reads one of a list of texts.
func (v value) oneOf(all ...string) string {
	before := len(v.in.problems)
	text := v.text()
	if len(v.in.problems) == before && !slices.Contains(all, text) {
		v.fail("This is none of what it may be. %s", instead(text, all))
	}
	return text
}

func oneOf(all ...string) func(value) string {
	return func(v value) string { return v.oneOf(all...) }
}

func (v value) boolean() bool {
	meant, _ := scalar(v.node)
	is, ok := meant.(bool)
	if v.node.Kind != yaml.ScalarNode || !ok {
		v.lose("This must be true or false, without quotes.")
	}
	return is
}

// number reads any number.
func (v value) number() float64 {
	meant, _ := scalar(v.node)
	n, ok := meant.(json.Number)
	if v.node.Kind != yaml.ScalarNode || !ok {
		v.lose("This must be a number, without quotes.")
		return 0
	}
	f, err := n.Float64()
	if err != nil {
		v.lose("This number is too large.")
	}
	return f
}

// whole reads a whole number that every reader of the format can hold.
func (v value) whole(least int64) int64 {
	const wrong = "This must be a whole number, %d or more."
	before := len(v.in.problems)
	f := v.number()
	switch {
	case len(v.in.problems) > before: // said already
	case f != math.Trunc(f), math.Abs(f) > 1<<53-1:
		v.lose(wrong, least)
		return 0
	case f < float64(least):
		v.fail(wrong, least)
	}
	return int64(f)
}

func (v value) positive() int64 { return v.whole(1) }
func (v value) natural() int64  { return v.whole(0) }

func (v value) temperature() float64 {
	f := v.number()
	if f < 0 || f > 2 {
		v.fail("This must be from 0 to 2.")
	}
	return f
}

func (v value) duration() float64 {
	before := len(v.in.problems)
	f := v.number()
	if len(v.in.problems) == before && f <= 0 {
		v.fail("This must be more than 0.")
	}
	return f
}

// path reads where an output goes: a place below the folder of the run.
func (v value) path() string {
	text := v.word()
	switch {
	case strings.HasPrefix(text, "/"), strings.HasPrefix(text, `\`), drive.MatchString(text):
		v.fail("This must be a relative path: it may not begin with / or \\, or with a drive.")
	case slices.Contains(strings.FieldsFunc(text, func(r rune) bool { return r == '/' || r == '\\' }), ".."):
		v.fail("This may not lead out of its folder. Remove the .. from it.")
	case strings.Contains(runID.ReplaceAllString(text, ""), "{{"):
		v.fail("A path may have {{ run.id }} in it, and nothing else that is filled in.")
	}
	return text
}

var (
	drive = regexp.MustCompile(`^[A-Za-z]:`)
	runID = regexp.MustCompile(`\{\{\s*run\.id\s*\}\}`)
)
