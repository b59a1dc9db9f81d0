package api

import (
	"bytes"
	"encoding/json"
	"fmt"
	"go/ast"
	"io"
	"maps"
	"net/http"
	"os"
	"reflect"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"unicode"

	"parley/backend/workflow"
)

// object is a JSON object of the description.
type object = map[string]any

// TestOpenAPI holds the description that the door serves to the routes and to the types that the handlers decode and encode.
func TestOpenAPI(t *testing.T) {
	var b bytes.Buffer
	out := json.NewEncoder(&b)
	out.SetEscapeHTML(false)
	out.SetIndent("", "  ")
	if err := out.Encode(openAPIOf(routes)); err != nil {
		t.Fatal(err)
	}
	golden(t, "openapi.json", b.String())
}

func openAPIOf(routes []route) object {
	schemas, paths := object{}, object{}
	for _, named := range wireTypes() {
		schemas[nameOf(named)] = declared(named)
	}
	schemas["MessagesRequest"], schemas["UIMessage"] = messagesRequest, uiMessage
	for _, r := range routes {
		method, path, _ := strings.Cut(r.pattern, " ")
		if paths[path] == nil {
			paths[path] = object{}
		}
		paths[path].(object)[strings.ToLower(method)] = operation(r, path)
	}
	return object{
		"openapi": "3.1.0",
		"info": object{
			"title": "Parley", "version": apiVersion,
			"description": "The loopback HTTP door of Parley. backend/api/protocol.md says how a client uses it.",
		},
		"security":   []any{object{"token": []any{}}},
		"paths":      paths,
		"components": object{"schemas": schemas, "securitySchemes": object{"token": object{"type": "http", "scheme": "bearer"}}},
	}
}

func operation(r route, path string) object {
	name := runtime.FuncForPC(reflect.ValueOf(r.handler).Pointer()).Name()
	name = name[strings.LastIndex(name, ".")+1:]
	op := object{
		"operationId": name, "summary": words(name), "parameters": parameters(r, path),
		"responses": object{"default": replyOf("what went wrong", asJSON, schema(reflect.TypeFor[Failure]()))},
	}
	if doc := comment(reflect.TypeFor[Door]().PkgPath(), name); doc != "" {
		op["description"] = doc
	}
	if r.request != nil {
		op["requestBody"] = bodyOf(asJSON, schema(r.request))
	}
	switch {
	case r.response == reflect.TypeFor[noBody]():
		op["responses"].(object)["204"] = object{"description": "done"}
	default:
		op["responses"].(object)["200"] = replyOf("done", asJSON, schema(r.response))
	}
	if change := exceptions[r.pattern]; change != nil {
		change(op, op["responses"].(object))
	}
	return op
}

// exceptions are what the types of a route do not say: bodies and replies that are no JSON of ours.
var exceptions = map[string]func(op, responses object){
	"POST /messages": func(op, responses object) {
		op["requestBody"] = bodyOf(asJSON, ref("MessagesRequest"))
		responses["200"].(object)["content"].(object)[string(asStream)] = object{"schema": object{"type": "string"}}
		responses["202"] = replyOf("the message waits for the running turn", asJSON, schema(reflect.TypeFor[QueuedReply]()))
	},
	"POST /load-session": func(_, responses object) {
		responses["200"].(object)["content"].(object)[string(asStream)] = object{"schema": object{"type": "string"}}
	},
	"GET /messages/{id}/stream": func(_, responses object) {
		responses["200"] = replyOf("the turn", asStream, object{"type": "string"})
		responses["204"] = object{"description": "nothing runs"}
	},
	"GET /sessions/{id}/events": func(_, responses object) {
		responses["200"] = replyOf("lines of JSON, as they happen", "application/x-ndjson", ref("Event"))
	},
	"POST /media": func(op, _ object) { op["requestBody"] = bodyOf("*/*", object{}) },
	"GET /media/{sum}": func(_, responses object) {
		delete(responses, "204")
		responses["200"] = replyOf("the file", "*/*", object{})
	},
}

// messagesRequest is what uistream.DecodeRequest reads: our envelope, or the body of the AI SDK.
var messagesRequest = object{
	"description": "A message to answer: in an envelope, or as useChat of the AI SDK sends it.",
	"type":        "object",
	"properties": object{
		"session_id": object{"type": "string"}, "references": object{"type": "object", "properties": object{"agent": object{"type": "string"}}},
		"data": object{"type": "object", "properties": object{
			"messages": messageList, "inputs": object{"type": "object"},
			"parameters": object{"type": "object", "properties": object{"agent": object{"type": "object"}}},
		}},
		"id": object{"type": "string"}, "messages": messageList, "messageId": object{"type": "string"}, "message_id": object{"type": "string"},
		"trigger": object{"enum": []any{"submit-message", "regenerate-message"}}, "queue": object{"type": "boolean"},
	},
	"anyOf": []any{object{"required": []any{"data"}}, object{"required": []any{"messages"}}},
}

var messageList = object{"type": "array", "minItems": 1, "items": ref("UIMessage")}

var uiMessage = object{
	"description": "A message of the AI SDK.",
	"type":        "object",
	"required":    []any{"role", "parts"},
	"properties": object{
		"id": object{"type": "string"}, "role": object{"enum": []any{"system", "user", "assistant"}},
		"parts": object{"type": "array", "items": object{"type": "object", "required": []any{"type"}}},
	},
}

func ref(name string) object { return object{"$ref": "#/components/schemas/" + name} }

func bodyOf(kind form, schema object) object {
	return object{"required": true, "content": object{string(kind): object{"schema": schema}}}
}

func replyOf(description string, kind form, schema object) object {
	return object{"description": description, "content": object{string(kind): object{"schema": schema}}}
}

func parameters(r route, path string) []any {
	list := []any{}
	for _, name := range regexp.MustCompile(`{(\w+)}`).FindAllStringSubmatch(path, -1) {
		list = append(list, object{"name": name[1], "in": "path", "required": true, "schema": object{"type": "string"}})
	}
	for _, name := range r.query {
		list = append(list, object{"name": name, "in": "query", "schema": object{"type": "string"}})
	}
	if !r.owners {
		list = append(list, object{"name": ProjectHeader, "in": "header", "schema": object{"type": "string"}})
	}
	return list
}

// declared is the schema of a named type.
func declared(t reflect.Type) object {
	out := object{}
	if doc := comment(t.PkgPath(), t.Name()); doc != "" {
		out["description"] = doc
	}
	switch t.Kind() {
	case reflect.String:
		out["enum"] = constants(t)
		return out
	case reflect.Interface:
		var all []any
		for _, name := range names(nodes) {
			all = append(all, ref(name))
		}
		out["anyOf"] = all
		return out
	}
	properties, required := object{}, []string{}
	for _, f := range members(t) {
		properties[f.name] = schema(f.of)
		if f.only != "" {
			properties[f.name] = object{"const": f.only}
		}
		if !f.optional {
			required = append(required, f.name)
		}
	}
	out["type"], out["properties"], out["additionalProperties"] = "object", properties, false
	if len(required) > 0 {
		out["required"] = required
	}
	return out
}

// schema is that of a type where it is used.
func schema(t reflect.Type) object {
	switch {
	case t == reflect.TypeFor[json.RawMessage]():
		return object{}
	case isNamed(t):
		return ref(nameOf(t))
	}
	switch t.Kind() {
	case reflect.Pointer:
		return schema(t.Elem())
	case reflect.Map:
		return object{"type": "object", "additionalProperties": schema(t.Elem())}
	case reflect.Slice:
		return object{"type": "array", "items": schema(t.Elem())}
	case reflect.String:
		return object{"type": "string"}
	case reflect.Bool:
		return object{"type": "boolean"}
	case reflect.Int, reflect.Int64:
		return object{"type": "integer"}
	case reflect.Float64:
		return object{"type": "number"}
	}
	panic("no schema for " + t.String())
}

// words is a name as a person reads it.
func words(name string) string {
	var b strings.Builder
	for _, r := range name {
		if unicode.IsUpper(r) {
			b.WriteByte(' ')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}

// comment is what the source says of a type or a handler, as one line.
func comment(pkg, name string) (text string) {
	for _, file := range sources(pkg) {
		for _, d := range file.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				if d.Name.Name == name {
					text = d.Doc.Text()
				}
			case *ast.GenDecl:
				if spec, ok := d.Specs[0].(*ast.TypeSpec); ok && spec.Name.Name == name {
					text = d.Doc.Text()
				}
			}
		}
	}
	return strings.Join(strings.Fields(text), " ")
}

// TestTheDescriptionIsSound: what a client generator stumbles over is not in it.
func TestTheDescriptionIsSound(t *testing.T) {
	w := open(t)
	res := w.request("GET", "/openapi.json", "", func(r *http.Request) { r.Header.Del("Authorization") })
	var doc object
	w.decode(res, &doc)
	schemas := doc["components"].(object)["schemas"].(object)
	ids := map[string]bool{}
	for path, item := range doc["paths"].(object) {
		for method, op := range item.(object) {
			op := op.(object)
			id := op["operationId"].(string)
			if ids[id] {
				t.Errorf("%s %s: there is another %s", method, path, id)
			}
			ids[id] = true
			var inPath []string
			for _, p := range op["parameters"].([]any) {
				if p := p.(object); p["in"] == "path" {
					inPath = append(inPath, "{"+p["name"].(string)+"}")
				}
			}
			if want := regexp.MustCompile(`{\w+}`).FindAllString(path, -1); !slices.Equal(inPath, want) {
				t.Errorf("%s %s: the parameters are %v", method, path, inPath)
			}
			for status, r := range op["responses"].(object) {
				if r.(object)["description"] == "" || status != "default" && !regexp.MustCompile(`^20[0-4]$`).MatchString(status) {
					t.Errorf("%s %s: %s %v", method, path, status, r)
				}
			}
		}
	}
	if len(ids) != len(routes) {
		t.Errorf("%d operations of %d routes", len(ids), len(routes))
	}
	var walk func(at string, v any)
	walk = func(at string, v any) {
		switch v := v.(type) {
		case object:
			if name, ok := v["$ref"].(string); ok && schemas[strings.TrimPrefix(name, "#/components/schemas/")] == nil {
				t.Errorf("%s: nothing is called %s", at, name)
			}
			if enum, ok := v["enum"].([]any); ok && len(enum) < 2 {
				t.Errorf("%s: an enum of %v", at, enum)
			}
			for key, inner := range v {
				walk(at+"/"+key, inner)
			}
		case []any:
			for i, inner := range v {
				walk(fmt.Sprint(at, "/", i), inner)
			}
		}
	}
	walk("", doc)
}

// TestRepliesAreAsDescribed: what the door really says is what the description says of it.
func TestRepliesAreAsDescribed(t *testing.T) {
	w := open(t)
	q := w.asks("asks", "u1", nil)
	w.request("POST", "/messages", strings.Replace(message("asks", "u2", "later"), "{", `{"queue":true,`, 1), nil)
	frames(t, w.say("done", "u1", `[[tool:list_directory {"path":"."}]] [[say:x]]`).Body)
	frames(t, w.say("wrote", "u1", `[[tool:write_file {"path":"a.txt","content":"x"}]] [[say:x]]`).Body)
	w.furnish(w.door.Bind("other", t.TempDir()))
	v := validator{openAPIOf(routes)["components"].(object)["schemas"].(object)}
	for _, c := range []struct{ method, path, body, schema string }{
		{"GET", "/health", "", "Health"},
		{"GET", "/sandbox", "", "Sandbox"},
		{"GET", "/vault", "", "Vault"},
		{"GET", "/agents", "", "AgentList"},
		{"GET", "/sessions", "", "SessionList"},
		{"GET", "/sessions/done", "", "Session"},
		{"GET", "/sessions/nothing", "", "Failure"},
		{"GET", "/sessions/done/messages", "", "MessageList"},
		{"POST", "/load-session", `{"session_id":"asks"}`, "LoadedSession"},
		{"GET", "/sessions/wrote/changes/" + w.answered("wrote"), "", "ChangeList"},
		{"POST", "/sessions/wrote/changes/" + w.answered("wrote"), `{"preview":true}`, "Reverted"},
		{"GET", "/messages/asks/queue", "", "Queue"},
		{"GET", "/approvals", "", "Inbox"},
		{"POST", "/messages", message("asks", "u3", "x"), "Failure"}, // 409, with its turn
		{"POST", "/messages", message("done", "u2", "[[say:x]]"), "Reply"},
		{"POST", "/approvals/" + string(q.ID), `{"approved":false,"note":"no"}`, "Decided"},
		{"POST", "/messages/done/stop", "", "Stop"},
		{"GET", "/search?q=x", "", "SearchResult"},
		{"POST", "/projects", `{"dir":"/"}`, "Project"},
		{"POST", "/workflows/check", asJSONText(t, WorkflowToCheck{Source: w.export("wrote", workflow.Canvas).Content}), "CheckedWorkflow"},
		{"POST", "/workflows/origins", `{"metadata":""}`, "WorkflowOrigins"},
	} {
		b, err := io.ReadAll(w.request(c.method, c.path, c.body, func(r *http.Request) { r.Header.Set("Accept", "application/json") }).Body)
		var value any
		if err == nil {
			err = json.Unmarshal(b, &value)
		}
		if err == nil {
			err = v.check(ref(c.schema), value)
		}
		if err != nil {
			t.Errorf("%s %s: %v in %s", c.method, c.path, err, b)
		}
	}
	if v.check(ref("Stop"), object{"stopped": "never"}) == nil || v.check(ref("Stop"), object{}) == nil || v.check(ref("Stop"), object{"stopped": "idle", "x": 1}) == nil {
		t.Error("the check passes everything")
	}
}

// validator knows as much of JSON Schema as the description uses.
type validator struct{ schemas object }

func (v validator) check(schema object, value any) error {
	if name, ok := schema["$ref"].(string); ok {
		return v.check(v.schemas[strings.TrimPrefix(name, "#/components/schemas/")].(object), value)
	}
	if enum, ok := schema["enum"].([]string); ok && !slices.Contains(enum, fmt.Sprint(value)) {
		return fmt.Errorf("%v is none of %v", value, enum)
	}
	if only := schema["const"]; only != nil && only != value {
		return fmt.Errorf("%v is not %v", value, only)
	}
	if all, ok := schema["anyOf"].([]any); ok {
		return v.any(all, value)
	}
	kind := schema["type"]
	switch value := value.(type) {
	case object:
		required, _ := schema["required"].([]string)
		for _, name := range required {
			if _, ok := value[name]; !ok {
				return fmt.Errorf("there is no %s", name)
			}
		}
		properties, _ := schema["properties"].(object)
		for _, name := range slices.Sorted(maps.Keys(value)) {
			of, ok := properties[name].(object)
			if !ok {
				of, ok = schema["additionalProperties"].(object)
			}
			if !ok && schema["additionalProperties"] == false {
				return fmt.Errorf("nothing says what %s is", name)
			}
			if err := v.check(of, value[name]); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
		}
		return is(kind, "object")
	case []any:
		items, _ := schema["items"].(object)
		for i, item := range value {
			if err := v.check(items, item); err != nil {
				return fmt.Errorf("%d: %w", i, err)
			}
		}
		return is(kind, "array")
	case string:
		return is(kind, "string")
	case bool:
		return is(kind, "boolean")
	case float64:
		if kind == "number" {
			return nil
		}
		return is(kind, "integer")
	}
	return is(kind, "null")
}

func (v validator) any(schemas []any, value any) (err error) {
	for _, schema := range schemas {
		if err = v.check(schema.(object), value); err == nil {
			return nil
		}
	}
	return err
}

func is(want any, got string) error {
	if want != nil && want != got {
		return fmt.Errorf("it is %s and should be %v", got, want)
	}
	return nil
}

// TestTheProtocolsPageIsWhole: what a client may use is on the page for its programmers.
func TestTheProtocolsPageIsWhole(t *testing.T) {
	b, err := os.ReadFile("protocol.md")
	if err != nil {
		t.Fatal(err)
	}
	page := string(b)
	for _, r := range routes {
		if _, path, _ := strings.Cut(r.pattern, " "); !r.owners && !strings.Contains(page, "`"+r.pattern+"`") && path != "/messages" {
			t.Errorf("it does not tell of %s", r.pattern)
		}
	}
	for _, named := range regexp.MustCompile("`((?:GET|POST|PATCH|PUT|DELETE) /[^`]*)`").FindAllStringSubmatch(page, -1) {
		known := slices.ContainsFunc(routes, func(r route) bool { return r.pattern == named[1] })
		if !known && named[1] != "GET /socket" && named[1] != "GET /openapi.json" {
			t.Errorf("there is no %s", named[1])
		}
	}
}
