package api

import (
	"encoding/json"
	"flag"
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
	"testing"
)

var update = flag.Bool("update", false, "write generated files instead of comparing with them")

const typesFile = "../../frontend/src/api/types.gen.ts"

// TestTypeScript holds the page's types to those that the handlers decode and encode: it generates them from the routes
// and compares with the committed file.
func TestTypeScript(t *testing.T) {
	g := generator{seen: map[reflect.Type]bool{}}
	for _, r := range routes {
		for _, body := range []reflect.Type{r.request, r.response} {
			if body != nil && body != reflect.TypeFor[noBody]() {
				g.name(body)
			}
		}
	}
	g.name(reflect.TypeFor[QueuedReply]())
	g.name(reflect.TypeFor[Failure]())
	g.name(reflect.TypeFor[SessionNotice]())
	g.name(reflect.TypeFor[VaultNotice]())
	got := "// Generated from the types of backend/api by its tests; `make types` writes it anew.\n\n" + strings.Join(g.declared, "\n")
	if *update {
		if err := os.WriteFile(typesFile, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(typesFile)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s is out of date: run make types", path.Base(typesFile))
	}
}

// generator writes TypeScript declarations, each after those it needs.
type generator struct {
	seen     map[reflect.Type]bool
	declared []string
}

// name gives the TypeScript type of a Go type and declares it if it has a name of its own.
func (g *generator) name(t reflect.Type) string {
	switch {
	case t == reflect.TypeFor[json.RawMessage]():
		return "unknown"
	case t.Kind() == reflect.Pointer:
		return g.name(t.Elem())
	case t.Kind() == reflect.Map:
		return fmt.Sprintf("Record<%s, %s>", g.name(t.Key()), g.name(t.Elem()))
	case t.Kind() == reflect.Slice:
		return g.name(t.Elem()) + "[]"
	case t.Kind() == reflect.Struct:
		g.declare(t, g.structure)
		return t.Name()
	case t.Kind() == reflect.String && t.Name() != "string":
		values := constants(t)
		if len(values) == 0 {
			return "string"
		}
		g.declare(t, func(t reflect.Type) string {
			return fmt.Sprintf("export type %s = %s\n", t.Name(), strings.Join(values, " | "))
		})
		return t.Name()
	}
	switch t.Kind() {
	case reflect.String:
		return "string"
	case reflect.Bool:
		return "boolean"
	case reflect.Int, reflect.Int64:
		return "number"
	}
	panic("no TypeScript for " + t.String())
}

func (g *generator) declare(t reflect.Type, write func(reflect.Type) string) {
	if !g.seen[t] {
		g.seen[t] = true
		g.declared = append(g.declared, write(t))
	}
}

func (g *generator) structure(t reflect.Type) string {
	var b strings.Builder
	fmt.Fprintf(&b, "export interface %s {\n", t.Name())
	for field := range t.Fields() {
		name, options, _ := strings.Cut(field.Tag.Get("json"), ",")
		optional := ""
		if strings.Contains(options, "omitempty") {
			optional = "?"
		}
		fmt.Fprintf(&b, "  %s%s: %s\n", name, optional, g.name(field.Type))
	}
	b.WriteString("}\n")
	return b.String()
}

// constants gives the values of a closed enum as its package declares them.
func constants(t reflect.Type) []string {
	dir := "../" + strings.TrimPrefix(t.PkgPath(), "parley/backend/")
	entries, err := os.ReadDir(dir)
	if err != nil {
		panic(err)
	}
	var values []string
	for _, entry := range entries {
		if !strings.HasSuffix(entry.Name(), ".go") || strings.HasSuffix(entry.Name(), "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), path.Join(dir, entry.Name()), nil, 0)
		if err != nil {
			panic(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			spec, ok := n.(*ast.ValueSpec)
			if !ok || len(spec.Values) != 1 {
				return true
			}
			if typ, ok := spec.Type.(*ast.Ident); ok && typ.Name == t.Name() {
				if lit, ok := spec.Values[0].(*ast.BasicLit); ok && lit.Kind == token.STRING {
					value, _ := strconv.Unquote(lit.Value)
					values = append(values, strconv.Quote(value))
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
