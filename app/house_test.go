package app

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "parley/"

// arrows is who may import whom. The left side is a room; the right side is all of Parley that its code, tests
// excepted, may import. app and main are the two that are not bound.
var arrows = map[string][]string{
	"backend/agent":           {},
	"backend/agent/agenttest": {"backend/agent"},
	"backend/redact":          {},
	"backend/schema":          {},
	"backend/watch":           {},
	"backend/whole":           {},
	// There is an agent for each program that the table of harness has; provider knows whether it can be given a model. Files of
	// agents are watched, and their rules have policy's patterns; what was made in the app, and whom the person trusts, store has.
	"backend/config":              {"backend/agent", "backend/harness", "backend/policy", "backend/provider", "backend/schema", "backend/store", "backend/watch", "backend/whole"},
	"backend/policy":              {"backend/agent"},
	"backend/provider":            {"backend/agent"},
	"backend/tool":                {"backend/agent", "backend/policy", "backend/process", "backend/schema", "backend/redact"},
	"backend/harness":             {"backend/agent", "backend/provider", "backend/schema"},
	"backend/native":              {"backend/agent", "backend/provider", "backend/tool"},
	"backend/scripted":            {"backend/agent", "backend/tool"},
	"backend/calls":               {"backend/agent", "backend/tool"},
	"backend/mcp":                 {"backend/agent", "backend/policy", "backend/process", "backend/redact", "backend/tool"},
	"backend/process":             {},
	"backend/confine":             {"backend/agent"},
	"backend/egress":              {"backend/agent"},
	"backend/program":             {"backend/agent", "backend/process", "backend/mcp", "backend/tool", "backend/harness"},
	"backend/program/pi":          {"backend/agent", "backend/program"},
	"backend/program/claude":      {"backend/agent", "backend/program"},
	"backend/program/acp":         {"backend/agent", "backend/program", "backend/process", "backend/tool"},
	"backend/program/programtest": {"backend/agent", "backend/program"},
	// What leaves a confined runner is decided on the app's side of it, by policy.
	"backend/runner":       {"backend/agent", "backend/process", "backend/confine", "backend/egress", "backend/policy", "backend/program", "backend/program/pi", "backend/program/claude", "backend/program/acp", "backend/native", "backend/scripted", "backend/calls", "backend/harness", "backend/tool", "backend/mcp", "backend/redact"},
	"backend/store":        {"backend/agent", "backend/store/sealed"},
	"backend/store/sealed": {},
	"backend/vault":        {"backend/agent", "backend/redact", "backend/store"},
	"backend/history":      {"backend/agent", "backend/store", "backend/store/sealed", "backend/vault"},
	"backend/revert":       {"backend/agent", "backend/store", "backend/tool"},
	"backend/uistream":     {"backend/agent"},
	"backend/workflow":     {"backend/agent", "backend/config", "backend/redact", "backend/watch", "backend/whole"},
	// uistream: a turn's message and its rows are two folds of one log, and share what a step is.
	"backend/session": {"backend/agent", "backend/config", "backend/store", "backend/vault", "backend/policy", "backend/mcp", "backend/redact", "backend/schema", "backend/uistream"},
	// api tells of the table of programs, and of what program found of it; and, by redact, what looks like a credential.
	"backend/api": {"backend/agent", "backend/config", "backend/harness", "backend/program", "backend/history", "backend/revert", "backend/session", "backend/store", "backend/vault", "backend/provider", "backend/mcp", "backend/uistream", "backend/workflow", "backend/redact"},
	// One parser for one directive language: the model server plays the same scripts as the demo agent.
	"backend/modelserver": {"backend/scripted"},
	// Browser tests start the model server as a process.
	"backend/modelserver/cmd": {"backend/modelserver"},
	"frontend":                {},
	"build/bench":             nil, // a module of its own
}

// reserved names what only some rooms may import, and why.
var reserved = []struct {
	path  string // an import path, or a prefix that ends in /
	rooms []string
	why   string
}{
	{"os/exec", []string{"backend/runner", "backend/process", "backend/tool", "backend/mcp", "app"}, "a process has an owner that ends it; app only opens the browser"},
	{"database/sql", []string{"backend/store", "backend/store/sealed"}, "whoever holds a connection can write the history past its encryption"},
	{"modernc.org/", []string{"backend/store", "backend/store/sealed"}, "as database/sql"},
	{"github.com/zalando/go-keyring", []string{"backend/vault"}, "one place asks the keychain, off every request's path"},
	{"github.com/wailsapp/", []string{"app"}, "without a window everything else still builds"},
	{"github.com/fsnotify/", []string{"backend/watch"}, "one watcher per process"},
	{"parley/backend/modelserver", []string{"backend/modelserver/cmd"}, "the scripted model server is for tests and is never linked into the app"},
	{"parley/backend/agent/agenttest", nil, "a conformance suite is for tests"},
	{"parley/backend/program/programtest", nil, "as agenttest"},
	{"testing", []string{"backend/agent/agenttest", "backend/program/programtest"}, "test code stays out of the program"},
}

const (
	maxGoFile    = 500
	maxFunc      = 80
	maxInterface = 4
	maxTSFile    = 400
)

var forbiddenPackages = []string{"util", "utils", "common", "helpers", "misc", "types", "models"}
var forbiddenWords = []string{"Manager", "Service", "Helper", "Util", "Base", "Impl"}

type goFile struct {
	path, room string
	test       bool
	ast        *ast.File
	lines      int
}

var fileSet = token.NewFileSet()

// goFiles parses every Go file of the module. It asks the parser, not go list: what go list says of files that changed
// would come from the test cache.
func goFiles(t *testing.T) []goFile {
	t.Helper()
	var files []goFile
	walk(t, func(path string) {
		if !strings.HasSuffix(path, ".go") {
			return
		}
		src, err := os.ReadFile(filepath.Join("..", path))
		if err != nil {
			t.Fatal(err)
		}
		f, err := parser.ParseFile(fileSet, path, src, parser.SkipObjectResolution|parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		room := filepath.ToSlash(filepath.Dir(path))
		files = append(files, goFile{path, room, strings.HasSuffix(path, "_test.go"), f, bytes.Count(src, []byte("\n"))})
	})
	return files
}

func walk(t *testing.T, visit func(path string)) {
	t.Helper()
	skip := []string{".git", "node_modules", "dist", "testdata", "bin"}
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && slices.Contains(skip, d.Name()) {
			return fs.SkipDir
		}
		if !d.IsDir() {
			rel, err := filepath.Rel("..", path)
			if err != nil {
				return err
			}
			visit(filepath.ToSlash(rel))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestArrows(t *testing.T) {
	for _, f := range goFiles(t) {
		if f.test || f.room == "." || f.room == "app" || strings.HasPrefix(f.room, "build/") {
			continue
		}
		allowed, known := arrows[f.room]
		if !known {
			t.Errorf("%s: the room %s is not on the map; add it to arrows and to ARCHITECTURE.md, with its reason", f.path, f.room)
			continue
		}
		for _, spec := range f.ast.Imports {
			path, _ := strconv.Unquote(spec.Path.Value)
			target, ours := strings.CutPrefix(path, module)
			if ours && !slices.Contains(allowed, target) {
				t.Errorf("%s: %s may not import %s", position(spec.Pos()), f.room, target)
			}
			if f.room == "backend/agent" && strings.Contains(path, ".") {
				t.Errorf("%s: the vocabulary imports the standard library only, not %s", position(spec.Pos()), path)
			}
		}
	}
}

func TestReservedImports(t *testing.T) {
	for _, f := range goFiles(t) {
		if f.test || strings.HasPrefix(f.room, "build/") {
			continue
		}
		for _, spec := range f.ast.Imports {
			path, _ := strconv.Unquote(spec.Path.Value)
			for _, r := range reserved {
				hit := path == r.path || strings.HasSuffix(r.path, "/") && strings.HasPrefix(path, r.path)
				if hit && !slices.Contains(r.rooms, f.room) {
					t.Errorf("%s: %s may not import %s: %s", position(spec.Pos()), f.room, path, r.why)
				}
			}
		}
	}
}

func TestGoBudgets(t *testing.T) {
	for _, f := range goFiles(t) {
		if f.lines > maxGoFile {
			t.Errorf("%s: %d lines; a Go file has at most %d: split the type, not the file", f.path, f.lines, maxGoFile)
		}
		if slices.Contains(forbiddenPackages, f.ast.Name.Name) {
			t.Errorf("%s: package %s says nothing about what is in it", f.path, f.ast.Name.Name)
		}
		ast.Inspect(f.ast, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncDecl:
				length := fileSet.Position(n.End()).Line - fileSet.Position(n.Pos()).Line + 1
				if length > maxFunc {
					t.Errorf("%s: %s has %d lines; a function has at most %d", position(n.Pos()), n.Name.Name, length, maxFunc)
				}
			case *ast.TypeSpec:
				checkType(t, n)
			case *ast.SelectorExpr:
				if x, ok := n.X.(*ast.Ident); ok && f.test && x.Name == "time" && n.Sel.Name == "Sleep" {
					t.Errorf("%s: a test waits for what it tests, never for time", position(n.Pos()))
				}
			}
			return true
		})
	}
}

func checkType(t *testing.T, n *ast.TypeSpec) {
	for _, word := range forbiddenWords {
		if strings.HasSuffix(n.Name.Name, word) || strings.HasPrefix(n.Name.Name, word) {
			t.Errorf("%s: %s: the word %s says nothing", position(n.Pos()), n.Name.Name, word)
		}
	}
	if i, ok := n.Type.(*ast.InterfaceType); ok && i.Methods.NumFields() > maxInterface {
		t.Errorf("%s: interface %s has %d methods; at most %d", position(n.Pos()), n.Name.Name, i.Methods.NumFields(), maxInterface)
	}
}

// TestVocabularyIsExplained holds every exported name of the vocabulary to a comment. A group of constants may share one.
func TestVocabularyIsExplained(t *testing.T) {
	for _, f := range goFiles(t) {
		if f.room != "backend/agent" || f.test {
			continue
		}
		for _, decl := range f.ast.Decls {
			switch d := decl.(type) {
			case *ast.FuncDecl:
				if d.Name.IsExported() && exportedReceiver(d) && d.Doc == nil {
					t.Errorf("%s: %s has no comment", position(d.Pos()), d.Name.Name)
				}
			case *ast.GenDecl:
				if missing := uncommented(d); missing != "" {
					t.Errorf("%s: %s has no comment", position(d.Pos()), missing)
				}
			}
		}
	}
}

func exportedReceiver(d *ast.FuncDecl) bool {
	if d.Recv == nil {
		return true
	}
	typ := d.Recv.List[0].Type
	if star, ok := typ.(*ast.StarExpr); ok {
		typ = star.X
	}
	ident, ok := typ.(*ast.Ident)
	return ok && ident.IsExported()
}

func uncommented(d *ast.GenDecl) string {
	for _, spec := range d.Specs {
		switch s := spec.(type) {
		case *ast.TypeSpec:
			if s.Name.IsExported() && d.Doc == nil && s.Doc == nil {
				return s.Name.Name
			}
		case *ast.ValueSpec:
			for _, name := range s.Names {
				if name.IsExported() && d.Doc == nil && s.Doc == nil {
					return name.Name
				}
			}
		}
	}
	return ""
}

// TestTypeScriptBudget holds the page's files to their length, and to letters that are the same in every language: an id that is
// made small by the rules of the person's own is another one in Turkish.
func TestTypeScriptBudget(t *testing.T) {
	walk(t, func(path string) {
		if !strings.HasPrefix(path, "frontend/") || !strings.HasSuffix(path, ".ts") && !strings.HasSuffix(path, ".tsx") || strings.HasSuffix(path, ".gen.ts") {
			return // what is generated is as long as what it is generated from
		}
		src, err := os.ReadFile(filepath.Join("..", path))
		if err != nil {
			t.Fatal(err)
		}
		if n := bytes.Count(src, []byte("\n")); n > maxTSFile {
			t.Errorf("%s: %d lines; a TypeScript file has at most %d", path, n, maxTSFile)
		}
		if bytes.Contains(src, []byte("toLocaleLowerCase")) || bytes.Contains(src, []byte("toLocaleUpperCase")) {
			t.Errorf("%s: use toLowerCase or toUpperCase", path)
		}
	})
}

// TestEveryToolHasACard: a tool is a .go and a .md file, and the page shows its calls with a card of its own.
func TestEveryToolHasACard(t *testing.T) {
	descriptions, err := filepath.Glob("../backend/tool/*.md")
	if err != nil || len(descriptions) == 0 {
		t.Fatalf("no tools found (%v)", err)
	}
	for _, md := range descriptions {
		name := strings.TrimSuffix(filepath.Base(md), ".md")
		for _, want := range []string{"../backend/tool/" + name + ".go", "../frontend/src/tools/" + name + ".tsx"} {
			if _, err := os.Stat(want); err != nil {
				t.Errorf("the tool %s lacks %s", name, strings.TrimPrefix(want, "../"))
			}
		}
	}
}

// TestTopLevel: the top level is fixed; what is not listed has a room of its own further down.
func TestTopLevel(t *testing.T) {
	allowed := []string{
		"app", "frontend", "backend", "build", "wails.json", "go.mod", "go.sum", "README.md", "main.go", "Makefile",
		"ARCHITECTURE.md", "SECURITY.md", "LICENSE", ".ci", ".git", ".gitignore", ".gitattributes",
	}
	entries, err := os.ReadDir("..")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if !slices.Contains(allowed, e.Name()) {
			t.Errorf("%s: nothing else belongs at the top", e.Name())
		}
	}
}

func TestTheMapIsShort(t *testing.T) {
	b, err := os.ReadFile("../ARCHITECTURE.md")
	if err != nil {
		t.Fatal(err)
	}
	if n := bytes.Count(b, []byte("\n")); n > 120 {
		t.Errorf("ARCHITECTURE.md: %d lines; a map has at most 120", n)
	}
	for room := range arrows {
		if _, err := os.Stat(filepath.Join("..", room)); err == nil && !bytes.Contains(b, []byte(strings.TrimPrefix(room, "backend/"))) {
			t.Errorf("ARCHITECTURE.md does not mention %s", room)
		}
	}
}

func position(p token.Pos) string {
	at := fileSet.Position(p)
	return fmt.Sprintf("%s:%d", at.Filename, at.Line)
}
