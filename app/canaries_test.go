package app

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"parley/backend/agent"
	"parley/backend/api"
	"parley/backend/store"
	"parley/backend/workflow"
)

// caged are secrets, canaries, of which none may be seen anywhere but in the process that it is for.
type caged struct {
	*lends
	prefix string   // of the names by which the model knows our tools
	values []string // by number
}

// The ways in which tools are given secrets; each is given as many.
const (
	byServerEnv = iota
	byHeaders
	byCode
	byHTTP
	byCommand
	ways
)

const perWay = 10

func canary(i int) string { return fmt.Sprintf(`c4nary-%02d "\/+%%&=?<%x>`, i, 0x9e3779b9*uint32(i+1)) }

func (c *caged) slug(i int) string { return fmt.Sprintf("canary-%02d", i) }

// given lists what goes one way, as references by name. Every other secret is a field of an object.
func (c *caged) given(way int, name string) map[string]string {
	list := map[string]string{}
	for i := way * perWay; i < (way+1)*perWay; i++ {
		ref := "{{secret:" + c.slug(i) + "}}"
		if i%2 == 1 {
			ref = "{{secret:" + c.slug(i) + ".value}}"
		}
		list[fmt.Sprintf(name, i)] = ref
	}
	return list
}

// forms are the ways in which a tool shows a value.
func forms(value string) []string {
	quoted, _ := json.Marshal(value)
	list := []string{value, url.QueryEscape(value), url.PathEscape(value), string(quoted), strconv.Quote(value)}
	for _, before := range []string{"", "x", "xx"} {
		list = append(list, base64.StdEncoding.EncodeToString([]byte(before+value)), base64.URLEncoding.EncodeToString([]byte(before+value)))
	}
	return list
}

// traces are what of a value's forms is looked for: without their ends, which hold bits of what stands around.
func traces(value string) (list []string) {
	for _, form := range forms(value) {
		list = append(list, form[4:len(form)-4])
	}
	return list
}

func shown(values []string) string {
	var all []string
	for _, v := range values {
		all = append(all, forms(v)...)
	}
	return strings.Join(all, "\n")
}

// pythonShows is shown, of the variables that begin with C_, in pieces on both streams and in a file.
const pythonShows = `
import os, sys, json, time
from base64 import b64encode, urlsafe_b64encode
from urllib.parse import quote, quote_plus
mode = sys.argv[1] if len(sys.argv) > 1 else json.load(sys.stdin).get("mode", "")
values = [v for k, v in sorted(os.environ.items()) if k.startswith("C_")]
forms = []
for v in values:
    forms += [v, quote(v, safe=""), quote_plus(v), json.dumps(v)]
    for before in ("", "x", "xx"):
        forms += [f((before + v).encode()).decode() for f in (b64encode, urlsafe_b64encode)]
text = "\n".join(forms)
assert len(values) == 10
with open("kept-" + (mode or "plain") + ".txt", "w") as f:
    f.write(text)
if mode == "wait":
    print("ready", flush=True)
    while not os.path.exists("go"):
        time.sleep(0.02)
if mode == "data":
    print(json.dumps({"output": text, "data": {"values": values, text: 1}}))
else:
    for i in range(0, len(text), 97):
        sys.stdout.write(text[i:i+97]); sys.stdout.flush()
        sys.stderr.write(text[i:i+97]); sys.stderr.flush()
if mode == "fail":
    sys.exit(3)
`

// playCanaries is an MCP server that shows what it is given in its environment.
func playCanaries() {
	var values []string
	for _, variable := range os.Environ() {
		if name, value, _ := strings.Cut(variable, "="); strings.HasPrefix(name, "C_") {
			values = append(values, value)
		}
	}
	_ = canaryServer(os.Stderr, func(http.Header) []string { return values }).Run(context.Background(), &mcp.StdioTransport{})
}

// canaryServer has a tool that shows values: as its result, its error, structured, on the way, and in its log.
func canaryServer(log io.Writer, values func(http.Header) []string) *mcp.Server {
	s := mcp.NewServer(&mcp.Implementation{Name: "canaries", Version: "1"}, nil)
	type in struct {
		Mode string `json:"mode,omitempty"`
	}
	mcp.AddTool(s, &mcp.Tool{Name: "show", Description: "Shows."}, func(ctx context.Context, r *mcp.CallToolRequest, in in) (*mcp.CallToolResult, any, error) {
		var header http.Header
		if r.Extra != nil {
			header = r.Extra.Header
		}
		text := shown(values(header))
		fmt.Fprintln(log, text)
		if token := r.Params.GetProgressToken(); token != nil {
			_ = r.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{ProgressToken: token, Message: text[:200], Progress: 1})
		}
		switch in.Mode {
		case "fail":
			return nil, nil, errors.New(text)
		case "data":
			return &mcp.CallToolResult{StructuredContent: map[string]any{"values": values(header), "text": text}}, nil, nil
		}
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: text}}}, nil, nil
	})
	return s
}

// valuesIn are those that came as the headers C-….
func valuesIn(h http.Header) (values []string) {
	for name, list := range h {
		if strings.HasPrefix(name, "C-") {
			values = append(values, list...)
		}
	}
	return values
}

// newCanaries stores the secrets with the command line, and gives them to the tools of an agent.
func newCanaries(t *testing.T, l *lends, a api.AgentDetails, prefix string) *caged {
	t.Helper()
	c := &caged{lends: l, prefix: prefix}
	for i := range ways * perWay {
		c.values = append(c.values, canary(i))
		value, format := c.values[i], "text"
		if i%2 == 1 {
			b, _ := json.Marshal(map[string]any{"user": "ada", "value": value})
			value, format = string(b), "json"
		}
		set := l.command("secrets", "set", c.slug(i), "--format", format)
		set.Stdin = strings.NewReader(value)
		if said, err := set.CombinedOutput(); err != nil || !strings.Contains(string(said), "{{secret:"+c.slug(i)+"}}") {
			t.Fatalf("%s %v", said, err)
		}
	}
	far := httptest.NewServer(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return canaryServer(io.Discard, valuesIn) }, nil))
	t.Cleanup(far.Close)
	back := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if body, _ := io.ReadAll(r.Body); bytes.Contains(body, []byte("fail")) {
			w.WriteHeader(http.StatusInternalServerError)
		}
		_, _ = io.WriteString(w, shown(valuesIn(r.Header)))
	}))
	t.Cleanup(back.Close)
	env := c.given(byServerEnv, "C_%02d")
	env[envNotes] = "canaries"
	for id, config := range map[string]map[string]any{
		"near": {"transport": "stdio", "command": filepath.Base(os.Args[0]), "env": env},
		"far":  {"transport": "http", "url": far.URL, "headers": c.given(byHeaders, "C-%02d")},
	} {
		config["id"] = id
		do[api.Server](l, http.MethodPut, "/mcp/servers/"+id, config)
	}
	mode := json.RawMessage(`{"type":"object","properties":{"mode":{"type":"string"}}}`)
	a.Tools, a.CommandEnv, a.MCPServers = []string{"run_command", "read_file", "search_files"}, c.given(byCommand, "C_%02d"), []string{"near", "far"}
	a.AuthorTools = []agent.AuthorTool{
		{Kind: agent.AuthorCode, Name: "script", Description: "Shows.", InputSchema: mode, Runtime: agent.RuntimePython, Code: pythonShows, Secrets: c.given(byCode, "C_%02d")},
		{Kind: agent.AuthorHTTP, Name: "back", Description: "Shows.", InputSchema: mode, URL: back.URL, Secrets: c.given(byHTTP, "C-%02d")},
	}
	a.Permissions = api.AgentPermissions{Mode: agent.ModeAuto}
	l.make(a)
	return c
}

// say sends a message, and allows whatever is asked until the turn ends.
func (c *caged) say(calls ...string) {
	c.t.Helper()
	var text strings.Builder
	for _, call := range calls {
		fmt.Fprintf(&text, "[[tool:%s%s]] ", c.prefix, call)
	}
	c.tell(text.String() + "[[say:shown]]")
	for c.settles() == store.Paused {
		for _, q := range do[api.Inbox](c.lends, http.MethodGet, "/approvals", nil).Approvals {
			var m manifest
			if err := json.Unmarshal(q.Manifest, &m); err != nil {
				c.t.Fatal(err)
			}
			scope := agent.ScopeOnce
			if m.Rule != "" {
				scope = agent.ScopeSession
			}
			do[api.Decided](c.lends, http.MethodPost, "/approvals/"+string(q.ID), map[string]any{"approved": true, "scope": scope})
		}
		res, err := c.do(c.t.Context(), http.MethodGet, "/messages/s/stream", nil)
		if err != nil {
			c.t.Fatal(err)
		}
		_, err = io.Copy(&c.stream, res.Body)
		res.Body.Close()
		if err != nil {
			c.t.Fatal(err)
		}
	}
}

// settles waits until the session does nothing, and gives its status then.
func (l *lends) settles() (status store.Status) {
	l.t.Helper()
	l.awaits("the end of the turn", func() bool {
		status = do[api.Session](l, http.MethodGet, "/sessions/s", nil).Status
		return status != store.Running
	})
	return status
}

func (l *lends) awaits(what string, happens func() bool) {
	l.t.Helper()
	for late := time.After(2 * time.Minute); !happens(); {
		select {
		case <-late:
			l.t.Fatalf("waited in vain for %s", what)
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// sinks are all places that something might get to. The last ones are looked into once Parley has ended.
var sinks = []struct {
	name  string
	least int // bytes that are there
	of    func(c *caged) string
}{
	{"what the model received", 50_000, func(c *caged) string { return c.heard() }},
	{"the streams", 20_000, func(c *caged) string { return c.stream.String() }},
	{"the events of the session, from the store", 50_000, func(c *caged) string { return c.events() }},
	{"the messages of the session", 50_000, func(c *caged) string { return c.load() }},
	{"the session as programs read it", 1000, func(c *caged) string { return c.get("/sessions/s/messages") }},
	{"the list of sessions", 100, func(c *caged) string { return c.get("/sessions") }},
	{"what a search finds", 100, func(c *caged) string { return c.get("/search?q=canary") }},
	{"what servers wrote", 1000, func(c *caged) string { return c.get("/mcp/servers") }},
	{"the list of secrets", 1000, func(c *caged) string { return c.get("/secrets") }},
	{"what is allowed", 100, func(c *caged) string { return c.get("/permissions") }},
	{"exports", 20_000, func(c *caged) string { return c.exports() }},
	{"what doctor finds", 100, func(c *caged) string { out, notes, _ := c.run("doctor"); return out + notes }},
	{"what is said of the sandbox", 100, func(c *caged) string { return c.get("/sandbox") }},
	{"what the door refuses", 500, func(c *caged) string { return c.refusals() }},
	{"files of Parley", 100_000, func(c *caged) string { c.kill(); return c.files() }},
	{"logs", 0, func(c *caged) string { return c.log.String() }},
}

func (c *caged) get(path string) string {
	c.t.Helper()
	return string(do[json.RawMessage](c.lends, http.MethodGet, path, nil))
}

// exports are the session in every format, as they are written and as a browser reads what HTML escapes.
func (c *caged) exports() string {
	c.t.Helper()
	var all strings.Builder
	for _, format := range workflow.Formats() {
		file := filepath.Join(c.t.TempDir(), string(format))
		said, notes, code := c.run("export", "s", "--format", string(format), "--out", file)
		written, err := os.ReadFile(file)
		if code != 0 || err != nil || !bytes.Contains(written, []byte("[secret:"+c.slug(byCode*perWay)+"]")) {
			c.t.Errorf("the export as %s: %s %s %d %v %.2000s", format, said, notes, code, err, written)
		}
		all.WriteString(said + notes + string(written) + html.UnescapeString(string(written)))
	}
	return all.String()
}

// refusals are what the door answers to who gives it values where it does not take them.
func (c *caged) refusals() string {
	c.t.Helper()
	var all strings.Builder
	for i, value := range c.values {
		for _, r := range []struct {
			method, path string
			body         any
		}{
			{http.MethodPost, "/secrets", api.NewSecret{Name: "Again", Slug: c.slug(i), Global: true, Format: "text", Value: value}},
			{http.MethodPatch, "/secrets/" + c.slug(i) + "?global=1", map[string]string{"value": value, "format": "json"}},
			{http.MethodPost, "/import-secrets", map[string][]string{"text": {value}}},
			{http.MethodPut, "/mcp/servers/refused", map[string]any{"id": "refused", "transport": "stdio", "env": map[string]string{"TOKEN": value}}},
			{http.MethodPost, "/keys", map[string]string{value: "key"}}, // the error names the field
		} {
			res, err := c.do(c.t.Context(), r.method, r.path, r.body)
			if err == nil {
				res.Body.Close()
				c.t.Errorf("%s %s was not refused", r.method, r.path)
				continue
			}
			fmt.Fprintln(&all, err)
		}
	}
	return all.String()
}

// files are what Parley keeps, but for the folder in which tools work.
func (c *caged) files() string {
	var all strings.Builder
	scratch := filepath.Join(c.home, "scratch")
	err := filepath.WalkDir(c.home, func(path string, d fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil
		case err != nil:
			return err
		case path == scratch:
			return fs.SkipDir
		case d.Type().IsRegular():
			b, _ := os.ReadFile(path) // what is gone by now holds nothing
			all.Write(b)
		}
		return nil
	})
	if err != nil {
		c.t.Error(err)
	}
	return all.String()
}

// play has every tool show what it is given, in every way, and looks into every sink.
func (c *caged) play() {
	c.t.Helper()
	for _, name := range []string{"mcp_near_show", "mcp_far_show", "script", "back"} {
		c.say(name+` {}`, name+` {"mode":"data"}`, name+` {"mode":"fail"}`)
	}
	command := func(mode string) string {
		arguments, _ := json.Marshal(map[string]any{"command": "/usr/bin/python3", "args": []string{"-c", pythonShows, mode}})
		return "run_command " + string(arguments)
	}
	c.say(command("plain"), command("data"), command("fail"))
	c.say(`read_file {"path":"kept-plain.txt"}`, `read_file {"path":"kept-data.txt","offset":3,"limit":40}`, `search_files {"pattern":"c4nary"}`)
	c.say(`run_command {"command":"no-such-program"}`)
	c.holders(command("wait"))
	used := do[api.SecretUses](c.lends, http.MethodGet, "/secrets/"+c.slug(byCode*perWay)+"/uses?global=1", nil).Uses
	if !slices.ContainsFunc(used, func(u api.SecretUse) bool { return u.Tool == "script" && u.Session == "s" }) {
		c.t.Errorf("the uses of a secret are %+v", used)
	}

	heard := c.heard()
	for i := range c.values {
		if !strings.Contains(heard, "[secret:"+c.slug(i)+"]") {
			c.t.Errorf("nothing shows that %s was shown at all", c.slug(i))
		}
	}
	for _, sink := range sinks {
		text := sink.of(c)
		if len(text) < sink.least {
			c.t.Errorf("of %s there is only %q", sink.name, text)
		}
		for i, value := range c.values {
			for _, trace := range traces(value) {
				if at := strings.Index(text, trace); at >= 0 {
					c.t.Errorf("%s is in %s: %q", c.slug(i), sink.name, text[max(0, at-80):min(len(text), at+80)])
					break
				}
			}
		}
	}
}

// holders looks for processes that have a value among their arguments or in their environment, while one runs that is meant to.
func (c *caged) holders(call string) {
	c.t.Helper()
	scratch := do[api.Session](c.lends, http.MethodGet, "/sessions/s", nil).Scratch
	done := make(chan struct{})
	go func() {
		defer close(done)
		for late := time.After(2 * time.Minute); ; {
			if _, err := os.Stat(filepath.Join(scratch, "kept-wait.txt")); err == nil {
				break
			}
			select {
			case <-late:
				c.t.Error("the command does not begin")
				return
			case <-time.After(20 * time.Millisecond):
			}
		}
		c.lookAtProcesses()
		if err := os.WriteFile(filepath.Join(scratch, "go"), nil, 0o600); err != nil {
			c.t.Error(err)
		}
	}()
	c.say(call)
	<-done
}

func (c *caged) lookAtProcesses() {
	folders, _ := filepath.Glob("/proc/[0-9]*")
	held := 0
	for _, folder := range folders {
		environ, _ := os.ReadFile(folder + "/environ") // who has ended has none
		arguments, _ := os.ReadFile(folder + "/cmdline")
		meant := bytes.Contains(arguments, []byte("assert len(values)")) || bytes.Contains(environ, []byte(envNotes+"=canaries"))
		for i, value := range c.values {
			switch in := bytes.Contains(environ, []byte(value)); {
			case in && !meant || bytes.Contains(arguments, []byte(value)):
				c.t.Errorf("%s is held by %s", c.slug(i), bytes.ReplaceAll(arguments, []byte{0}, []byte{' '}))
			case in:
				held++
			}
		}
	}
	if held != 2*perWay { // the command, and the server
		c.t.Errorf("in the processes that are meant to have them there are %d", held)
	}
}

// TestCanaries is with Parley's own loop; TestCanariesOfOthers with the programs of others.
func TestCanaries(t *testing.T) {
	newCanaries(t, newLent(t), api.AgentDetails{Harness: agent.KindNative, Provider: "openai", Model: "scripted-1", SystemPrompt: "Be brief."}, "").play()
}
