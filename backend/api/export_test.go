package api

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"parley/backend/agent"
	"parley/backend/redact"
	"parley/backend/session"
	"parley/backend/store"
	"parley/backend/workflow"
)

func (w *world) export(session string, format workflow.Format) Exported {
	w.t.Helper()
	var e Exported
	w.get("/sessions/"+session+"/export?format="+url.QueryEscape(string(format)), &e)
	return e
}

// branched is a session that has a tool call, a picture and two branches.
func (w *world) branched(session string) {
	w.t.Helper()
	uploaded := w.upload("GIF89a picture")
	w.told(session, "u1", "Hello [[say:Hello *there*]]")
	w.told(session, "u2", "[[think:Hm.]][[say:one]]")
	frames(w.t, w.request("POST", "/messages", fmt.Sprintf(`{"id":%q,"trigger":"submit-message","messages":[{"id":"u3","role":"user","parts":[{"type":"text","text":"[[say:a picture]]"},{"type":"file","mediaType":"image/gif","filename":"cat.gif","url":%q}]}]}`,
		session, uploaded.URL), nil).Body)
	w.told(session, "u2", "[[say:edited]]")
}

func TestExport(t *testing.T) {
	w := open(t)
	w.told("s", "u1", "[[say:Hello *there*]]")
	for format, want := range map[workflow.Format][]string{
		workflow.Canvas:   {"s.relavium.yaml", "application/yaml", "- agent_ref: demo"},
		workflow.Markdown: {"s.md", "text/markdown", "\nHello *there*\n"},
		workflow.HTML:     {"s.html", "text/html", "<p>Hello *there*</p>"},
		workflow.JSONL:    {"s.jsonl", "application/jsonl", `"text":"Hello *there*"`},
		workflow.Bundle:   {"s.parley.jsonl", "application/jsonl", `{"format":"parley-bundle","version":1,"parley":"test","parts":2}`},
	} {
		e := w.export("s", format)
		if e.Name != want[0] || e.MediaType != want[1] || !strings.Contains(e.Content, want[2]) || e.Warnings == nil {
			t.Errorf("%s: %+v", format, e)
		}
	}
	if p := workflow.Parse([]byte(w.export("s", workflow.Canvas).Content)); len(p.Problems) > 0 {
		t.Error(p.Problems)
	}
	// The lines are what useChat begins with.
	messages, _ := w.load("s", "")
	if got := strings.TrimSuffix(w.export("s", workflow.JSONL).Content, "\n"); got != strings.Join(messages, "\n") {
		t.Errorf("got\n%s\nwant\n%s", got, strings.Join(messages, "\n"))
	}
	if f := failure(t, w.request("GET", "/sessions/s/export?format=pdf", "", nil)); f.Code != http.StatusBadRequest || !strings.Contains(f.Message, "markdown") {
		t.Errorf("%+v", f)
	}
}

// TestExportNamesCredentials: what looks like a credential is told before a file is given away, each kind once.
func TestExportNamesCredentials(t *testing.T) {
	w := open(t)
	w.told("s", "u1", "Use ghp_"+strings.Repeat("a1B2", 9)+" or ghp_"+strings.Repeat("c3D4", 9)+" [[say:Yes]]")
	for _, format := range workflow.Formats() {
		said := strings.Join(w.export("s", format).Warnings, "\n")
		if strings.Count(said, "looks like a GitHub token") != 1 {
			t.Errorf("%s: %s", format, said)
		}
	}
}

// TestExported: where a session was saved its list and its events tell, until it is saved again.
func TestExported(t *testing.T) {
	w := open(t)
	w.told("s", "u1", "[[say:Hello]]")
	var s Session
	w.get("/sessions/s", &s)
	next := s.NextSequence
	for _, path := range []string{"s.md", "/reports/s.relavium.yaml"} {
		w.decode(w.request("PATCH", "/sessions/s", fmt.Sprintf(`{"exportedPath":%q}`, path), nil), &s)
		if s.ExportedPath != path {
			t.Errorf("it is %q", s.ExportedPath)
		}
	}
	if f := failure(t, w.request("PATCH", "/sessions/s", `{"exportedPath":""}`, nil)); f.Code != http.StatusBadRequest {
		t.Errorf("a file without a name: %+v", f)
	}
	events := json.NewDecoder(w.request("GET", fmt.Sprintf("/sessions/s/events?from=%d", next), "", nil).Body)
	for _, want := range []string{"s.md", "/reports/s.relavium.yaml"} {
		var e session.Event
		if err := events.Decode(&e); err != nil || e.Type != "session:exported" || e.WorkflowPath != want || e.SequenceNumber != next {
			t.Errorf("%+v, %v", e, err)
		}
		next++
	}
	w.told("s", "u2", "[[say:It goes on]]")
	if w.get("/sessions/s", &s); s.ExportedPath != "/reports/s.relavium.yaml" {
		t.Errorf("it is %q", s.ExportedPath)
	}
}

// TestExportTellsNoSecret: what became known as a secret after it was said is in no format, attachments too, and what is exported is
// imported again.
func TestExportTellsNoSecret(t *testing.T) {
	const secret = "correct-horse-battery"
	w := open(t)
	uploaded := w.upload("the password is " + secret)
	frames(t, w.request("POST", "/messages", fmt.Sprintf(`{"id":"s","messages":[{"id":"u1","role":"user","parts":[{"type":"text","text":"[[say:I use %s now]]"},{"type":"file","mediaType":"text/plain","filename":"%s.txt","url":%q}]}]}`,
		secret, secret, uploaded.URL), nil).Body)
	w.told("s", "u2", "[[read:"+secret+"]]")
	if !strings.Contains(w.export("s", workflow.Bundle).Content, secret) {
		t.Fatal("it was never said")
	}
	known := redact.New([]redact.Value{{Name: "horse", Text: secret}})
	w.door.rooms.Sessions.Known = func(context.Context) (*redact.Known, error) { return known, nil }
	for _, format := range workflow.Formats() {
		e := w.export("s", format)
		if strings.Contains(e.Content, secret) || strings.Contains(e.Content, base64.StdEncoding.EncodeToString([]byte(secret))) || !strings.Contains(e.Content, "[secret:horse]") {
			t.Errorf("%s: %s", format, e.Content)
		}
		if format == workflow.Bundle {
			s := w.imported(e.Content)
			if messages, _ := w.load(string(s.ID), ""); len(messages) != 4 || strings.Contains(strings.Join(messages, ""), uploaded.Handle.Sum()) {
				t.Errorf("imported: %s", messages)
			}
		}
	}
}

// TestImportTellsNoSecret: what is known to be secret here is in nothing that comes from where nobody knew it.
func TestImportTellsNoSecret(t *testing.T) {
	const secret = "correct-horse-battery"
	w := open(t)
	uploaded := w.upload("the password is " + secret)
	frames(t, w.request("POST", "/messages", fmt.Sprintf(`{"id":"s","messages":[{"id":"u0","role":"user","parts":[{"type":"text","text":"[[say:Fine]]"},{"type":"file","mediaType":"text/plain","filename":"a.txt","url":%q}]}]}`, uploaded.URL), nil).Body)
	w.told("s", "u1", "[[say:I use "+secret+" now]] [[tool:read_file {\"path\":\""+secret+"\"}]]")
	files := []string{w.export("s", workflow.Bundle).Content, w.export("s", workflow.JSONL).Content}
	files[0] = withAgent(t, files[0], func(spec *agent.Spec) { spec.SystemPrompt = "Say " + secret })
	before := w.door.rooms.Sessions.Known
	for _, file := range files {
		if strings.Count(file, secret) < 3 {
			t.Fatalf("it was never said: %s", file)
		}
		known := redact.New([]redact.Value{{Name: "horse", Text: secret}})
		w.door.rooms.Sessions.Known = func(context.Context) (*redact.Known, error) { return known, nil }
		s := w.imported(file)
		w.door.rooms.Sessions.Known = before
		stored := w.export(string(s.ID), workflow.Bundle).Content
		if strings.Contains(stored, secret) || !strings.Contains(stored, "[secret:horse]") || strings.Contains(s.Title, secret) {
			t.Errorf("%q has\n%s", s.Title, stored)
		}
		// What was uploaded here is here; a file that comes along is masked.
		clean := base64.StdEncoding.EncodeToString([]byte("the password is [secret:horse]"))
		if comesAlong := workflow.IsBundle([]byte(file)); strings.Contains(stored, clean) != comesAlong || strings.Contains(stored, uploaded.Handle.Sum()) == comesAlong {
			t.Errorf("the file that was attached is in\n%s", stored)
		}
	}
}

// withAgent gives a bundle with another agent in it.
func withAgent(t *testing.T, bundle string, change func(*agent.Spec)) string {
	t.Helper()
	parts, err := workflow.ReadBundle([]byte(bundle))
	if err != nil {
		t.Fatal(err)
	}
	for i, p := range parts {
		var s bundleSession
		if p.Kind != "session" {
			continue
		}
		if err := p.Read(&s); err != nil {
			t.Fatal(err)
		}
		change(&s.Agent)
		if parts[i], err = workflow.NewPart(p.Kind, s); err != nil {
			t.Fatal(err)
		}
	}
	changed, err := workflow.WriteBundle(parts, "test")
	if err != nil {
		t.Fatal(err)
	}
	return string(changed)
}

var ownIDs = regexp.MustCompile(`(sess|turn)_[0-9a-f]{32}|"sha256":"[0-9a-f]{64}"`)

// unnamed is a bundle without its ids and sums.
func unnamed(bundle string) string { return ownIDs.ReplaceAllString(bundle, "ID") }

// TestImport: what a bundle holds is there again: every branch, what is attached, byte for byte but for the ids.
func TestImport(t *testing.T) {
	w := open(t)
	w.branched("sess_00000000000000000000000000000000")
	first := w.export("sess_00000000000000000000000000000000", workflow.Bundle)
	s := w.imported(first.Content)
	again := w.export(string(s.ID), workflow.Bundle)
	if unnamed(again.Content) != unnamed(first.Content) {
		t.Errorf("got\n%s\nwant\n%s", again.Content, first.Content)
	}
	before, _ := w.load("sess_00000000000000000000000000000000", "")
	after, _ := w.load(string(s.ID), "")
	if got, want := unnamed(strings.Join(after, "\n")), unnamed(strings.Join(before, "\n")); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	w.told(string(s.ID), "u9", "[[say:it goes on]]")
}

func (w *world) imported(bundle string) (s Session) {
	w.t.Helper()
	w.decode(w.request("POST", "/import", imports(bundle), nil), &s)
	return s
}

func imports(content string) string {
	b, err := json.Marshal(Import{content})
	if err != nil {
		panic(err)
	}
	return string(b)
}

// TestImportMessages: a conversation of any AI SDK client is one here.
func TestImportMessages(t *testing.T) {
	w := open(t)
	s := w.imported(strings.ReplaceAll(`{"id":"u1","role":"user","parts":[{"type":"text","text":"Look at this"},{"type":"file","mediaType":"image/gif","filename":"a.gif","url":"data:image/gif;base64,R0lGODlhIHBpY3R1cmU="}]}

{"id":"a1","role":"assistant","metadata":{"model":"some-model"},"parts":[{"type":"step-start"},{"type":"reasoning","text":"Hm."},{"type":"text","text":"I look."},
 {"type":"tool-read_file","toolCallId":"c1","state":"output-available","input":{"path":"a"},"output":{"lines":1}},
 {"type":"dynamic-tool","toolName":"bash","toolCallId":"c2","state":"output-error","input":{},"errorText":"No."},
 {"type":"tool-bash","toolCallId":"c3","state":"output-denied","input":{}},
 {"type":"tool-bash","toolCallId":"c4","state":"input-available","input":{}},
 {"type":"data-other","data":1},{"type":"text","text":"Done."}]}
{"id":"u2","role":"user","parts":[{"type":"text","text":"Nobody answers"}]}
`, "\n {", " {"))
	if s.Title != "Look at this" || s.Status != store.Idle || s.Agent.ID != "demo" {
		t.Errorf("%+v", s)
	}
	_, markdown, _ := strings.Cut(w.export(string(s.ID), workflow.Markdown).Content, "## ")
	got := regexp.MustCompile("<[^>]*>|`+|\\d\\S* \\d\\d:\\d\\d UTC").ReplaceAllString(markdown, "")
	const want = `You Look at this - File: a.gif (image/gif, 14 bytes) ## Agent · some-model Thoughts Hm. I look. ` +
		`Call: read_file json { "path": "a" } Result { "lines": 1 } ## Agent · some-model Call: bash json {} Failed No. ` +
		`## Agent · some-model Call: bash json {} Denied This call was denied. ## Agent · some-model Call: bash json {} Done. ## You Nobody answers`
	if got = strings.Join(strings.Fields(got), " "); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	for bad, says := range map[string]string{
		"x":                               "line 1 must be JSON",
		`{"role":"assistant","parts":[]}`: "nobody asked",
		`{"role":"system","parts":[]}`:    "line 1.role",
		`{"role":"user","parts":[{}]}`:    "line 1.parts",
		`{"id":"a","role":"user","parts":[{"type":"text","text":"x"}]}` + "\n" + `{"id":"a","role":"user","parts":[{"type":"text","text":"x"}]}`: "one id",
		`{"role":"user","parts":[{"type":"file","url":"/media/` + strings.Repeat("0", 64) + `"}]}`:                                               "file",
	} {
		if f := failure(t, w.request("POST", "/import", imports(bad), nil)); f.Code != http.StatusBadRequest || !strings.Contains(f.Message, says) {
			t.Errorf("%s: %+v", bad, f)
		}
	}
}

// TestImportRefuses: what is not whole, or not ours, leaves nothing behind.
func TestImportRefuses(t *testing.T) {
	w := open(t)
	w.told("s", "u1", "[[say:Hello]]")
	bundle := w.export("s", workflow.Bundle).Content
	lines := strings.SplitAfter(bundle, "\n")
	for name, bad := range map[string]string{
		"empty":          "",
		"another format": `{"format":"other","version":1,"parley":"x","parts":0}`,
		"newer":          strings.Replace(bundle, `"version":1`, `"version":2`, 1),
		"cut":            strings.Join(lines[:len(lines)-2], ""),
		"changed":        strings.Replace(bundle, "Hello", "Hallo", 1),
		"a part twice":   strings.Replace(lines[0], `"parts":2`, `"parts":3`, 1) + lines[1] + lines[1] + lines[2],
		"a turn twice":   strings.Replace(lines[0], `"parts":2`, `"parts":3`, 1) + lines[1] + lines[2] + lines[2],
		"no session":     strings.Replace(lines[0], `"parts":2`, `"parts":1`, 1) + lines[2],
		"no turn":        strings.Replace(lines[0], `"parts":2`, `"parts":1`, 1) + lines[1],
		"an unknown key": strings.Replace(bundle, `{"part"`, `{"x":1,"part"`, 1),
		"no end":         resealed(t, bundle, `{"type":"turn_completed"`, `{"type":"status"`),
		"another asked":  resealed(t, bundle, `"userMessage":"u1"`, `"userMessage":"u2"`),
		"no such head":   resealed(t, bundle, `"head":"turn_`, `"head":"turn_0`),
		"unknown event":  resealed(t, bundle, `"type":"message_delta"`, `"type":"message_gamma"`),
		"unknown role":   resealed(t, bundle, `"role":"assistant"`, `"role":"nobody"`),
	} {
		f := failure(t, w.request("POST", "/import", imports(bad), nil))
		if f.Code != http.StatusBadRequest || !strings.HasPrefix(f.Message, "The ") {
			t.Errorf("%s: %+v", name, f)
		}
	}
	var list SessionList
	if w.get("/sessions", &list); len(list.Sessions) != 1 {
		t.Errorf("there are %d sessions", len(list.Sessions))
	}
}

// TestImportAsks: an agent that somebody else made may do nothing unasked.
func TestImportAsks(t *testing.T) {
	w := open(t)
	w.told("s", "u1", "[[say:Hello]]")
	bundle := w.export("s", workflow.Bundle).Content
	altered := resealed(t, bundle, `"Demo agent"`, `"Another agent"`)
	if same, other := w.imported(bundle), w.imported(altered); same.Mode != agent.ModeAuto || other.Mode != agent.ModeAsk {
		t.Errorf("the person's own is in the mode %s, another one in %s", same.Mode, other.Mode)
	}
}

// resealed is a bundle that somebody changed who knows how its parts are summed.
func resealed(t *testing.T, bundle, old, new string) string {
	t.Helper()
	parts, err := workflow.ReadBundle([]byte(bundle))
	if err != nil || !strings.Contains(bundle, old) {
		t.Fatalf("%s is not in the bundle (%v)", old, err)
	}
	for i, p := range parts {
		if parts[i], err = workflow.NewPart(p.Kind, json.RawMessage(strings.ReplaceAll(string(p.Data), old, new))); err != nil {
			t.Fatal(err)
		}
	}
	file, err := workflow.WriteBundle(parts, "test")
	if err != nil {
		t.Fatal(err)
	}
	return string(file)
}
