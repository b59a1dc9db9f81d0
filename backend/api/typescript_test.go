package api

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path"
	"reflect"
	"strconv"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write generated files instead of comparing with them")

const typesFile = "../../frontend/src/api/types.gen.ts"

// TestTypeScript holds the page's types to those that the handlers decode and encode: it generates them from the routes
// and compares with the committed file.
func TestTypeScript(t *testing.T) {
	var declared []string
	for _, named := range wireTypes() {
		switch named.Kind() {
		case reflect.Struct:
			declared = append(declared, typescriptInterface(named))
		case reflect.Interface:
			declared = append(declared, typescriptUnion(named, names(nodes)))
		default:
			declared = append(declared, typescriptUnion(named, quoted(constants(named))))
		}
	}
	golden(t, typesFile, "// Generated from the types of backend/api by its tests; `make types` writes it anew.\n\n"+strings.Join(declared, "\n"))
}

// golden compares a generated file with the committed one or, with -update, writes it.
func golden(t *testing.T, name, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(name, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s is out of date: run make types", path.Base(name))
	}
}

func typescriptInterface(t reflect.Type) string {
	var b strings.Builder
	fmt.Fprintf(&b, "export interface %s {\n", nameOf(t))
	for _, f := range members(t) {
		optional := ""
		if f.optional {
			optional = "?"
		}
		of := typescript(f.of)
		if f.only != "" {
			of = strconv.Quote(f.only)
		}
		fmt.Fprintf(&b, "  %s%s: %s\n", f.name, optional, of)
	}
	b.WriteString("}\n")
	return b.String()
}

func typescriptUnion(t reflect.Type, of []string) string {
	return fmt.Sprintf("export type %s = %s\n", nameOf(t), strings.Join(of, " | "))
}

func typescript(t reflect.Type) string {
	switch {
	case t == reflect.TypeFor[json.RawMessage]():
		return "unknown"
	case isNamed(t):
		return nameOf(t)
	}
	switch t.Kind() {
	case reflect.Pointer:
		return typescript(t.Elem())
	case reflect.Map:
		return fmt.Sprintf("Record<%s, %s>", typescript(t.Key()), typescript(t.Elem()))
	case reflect.Slice:
		return typescript(t.Elem()) + "[]"
	case reflect.String:
		return "string"
	case reflect.Bool:
		return "boolean"
	case reflect.Int, reflect.Int64, reflect.Float64:
		return "number"
	}
	panic("no TypeScript for " + t.String())
}

func names(types []reflect.Type) []string {
	out := make([]string, len(types))
	for i, t := range types {
		out[i] = nameOf(t)
	}
	return out
}

func quoted(values []string) []string {
	out := make([]string, len(values))
	for i, v := range values {
		out[i] = strconv.Quote(v)
	}
	return out
}
