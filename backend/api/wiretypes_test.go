package api

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"parley/backend/workflow"
)

// wireTypes are the structs and enums of everything that goes through the door, each after those it needs.
func wireTypes() (types []reflect.Type) {
	var add func(reflect.Type)
	add = func(t reflect.Type) {
		switch {
		case t == reflect.TypeFor[json.RawMessage]() || t == reflect.TypeFor[noBody]() || slices.Contains(types, t):
			return
		case t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice || t.Kind() == reflect.Map:
			add(t.Elem())
		case t.Kind() == reflect.Struct:
			for _, f := range members(t) {
				add(f.of)
			}
		case t == reflect.TypeFor[workflow.Node]():
			for _, variant := range nodes {
				add(variant)
			}
		}
		if isNamed(t) {
			types = append(types, t)
		}
	}
	for _, r := range routes {
		for _, body := range []reflect.Type{r.request, r.response} {
			if body != nil {
				add(body)
			}
		}
	}
	for _, other := range []any{QueuedReply{}, Failure{}, SessionNotice{}, VaultNotice{}, AgentsNotice{}, WorkflowsNotice{}} {
		add(reflect.TypeOf(other))
	}
	return types
}

// isNamed reports whether a type is declared by its name.
func isNamed(t reflect.Type) bool {
	return t.Kind() == reflect.Struct || t == reflect.TypeFor[workflow.Node]() || t.Kind() == reflect.String && t.Name() != "string" && len(constants(t)) > 0
}

// nameOf is what a type is declared as. Workflows have words of their own, which mean something else elsewhere.
func nameOf(t reflect.Type) string {
	if t.PkgPath() == reflect.TypeFor[workflow.Graph]().PkgPath() {
		return "Workflow" + t.Name()
	}
	return t.Name()
}

// nodes are what a node of a workflow can be, as its decoder knows them: the variants of the one sum of the door.
var nodes = func() (all []reflect.Type) {
	for _, name := range nodeTypes {
		var list workflow.Nodes
		if err := json.Unmarshal(fmt.Appendf(nil, `[{"type":%q}]`, name), &list); err != nil {
			panic(err)
		}
		all = append(all, reflect.TypeOf(list[0]))
	}
	return all
}()

// nodeTypes say which of the nodes one is, in their order.
var nodeTypes = constants(reflect.TypeFor[workflow.NodeType]())

// member is a field as JSON has it.
type member struct {
	name     string
	of       reflect.Type
	only     string // the one value that it has here, if it says which type of a sum this is
	optional bool
}

func members(t reflect.Type) (list []member) {
	for field := range t.Fields() {
		name, options, _ := strings.Cut(field.Tag.Get("json"), ",")
		switch {
		case field.Anonymous:
			list = append(list, members(field.Type)...)
		case name != "-":
			list = append(list, member{name, field.Type, "", strings.Contains(options, "omitempty") || strings.Contains(options, "omitzero")})
		}
	}
	if n := slices.Index(nodes, t); n >= 0 {
		list[slices.IndexFunc(list, func(m member) bool { return m.name == "type" })].only = nodeTypes[n]
	}
	return list
}

// sources are the parsed files of one of our packages, its tests excepted.
func sources(pkg string) (files []*ast.File) {
	if parsed[pkg] != nil {
		return parsed[pkg]
	}
	dir := "../" + strings.TrimPrefix(pkg, "parley/backend/")
	entries, err := os.ReadDir(dir)
	if err != nil {
		panic(err)
	}
	for _, entry := range entries {
		if !strings.HasSuffix(entry.Name(), ".go") || strings.HasSuffix(entry.Name(), "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), path.Join(dir, entry.Name()), nil, parser.ParseComments)
		if err != nil {
			panic(err)
		}
		files = append(files, file)
	}
	parsed[pkg] = files
	return files
}

var parsed = map[string][]*ast.File{}

// constants gives the values of a closed enum as its package declares them; nothing for another string.
func constants(t reflect.Type) (values []string) {
	for _, file := range sources(t.PkgPath()) {
		ast.Inspect(file, func(n ast.Node) bool {
			spec, ok := n.(*ast.ValueSpec)
			if !ok || len(spec.Values) != 1 {
				return true
			}
			if typ, ok := spec.Type.(*ast.Ident); ok && typ.Name == t.Name() {
				if lit, ok := spec.Values[0].(*ast.BasicLit); ok && lit.Kind == token.STRING {
					value, _ := strconv.Unquote(lit.Value)
					values = append(values, value)
				}
			}
			return true
		})
	}
	// DefaultProject and the like: one constant is a default, not an enum.
	if len(values) < 2 {
		return nil
	}
	return slices.Compact(values)
}
