package api

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"parley/backend/agent"
)

// as makes a request with another token.
func as(token string) func(*http.Request) { return header("Authorization", "Bearer "+token) }

// theirs is a project with one of everything that has an id.
type theirs struct {
	session, question, message, answer, media, workflow string
	number                                              int64
}

const asksToWrite = `[[tool:write_file {"path":"a","content":"x"}]] [[say:done]]`

// asks sends a message that makes the careful demo agent ask, and gives the question.
func (w *world) asks(session, id string, change func(*http.Request)) Question {
	w.t.Helper()
	res := w.request("POST", "/messages", envelope(session, id, asksToWrite, `"references":{"agent":"demo-careful"},`), func(r *http.Request) {
		r.Header.Set("Accept", "application/json")
		if change != nil {
			change(r)
		}
	})
	var reply Reply
	w.decode(res, &reply)
	if reply.StopReason != agent.StopPaused || len(reply.Pending) != 1 {
		w.t.Fatalf("the turn does not ask: %+v", reply)
	}
	return reply.Pending[0]
}

func (w *world) furnish(token string) theirs {
	w.t.Helper()
	q := w.asks("their-session", "their-message", as(token))
	var queued QueuedReply
	body := `{"session_id":"their-session","queue":true,"data":{"messages":[{"id":"their-queued","role":"user","parts":[{"type":"text","text":"later"}]}]}}`
	res := w.request("POST", "/messages", body, func(r *http.Request) { as(token)(r); r.Header.Set("Accept", "application/json") })
	if b, err := io.ReadAll(res.Body); err != nil || res.StatusCode != http.StatusAccepted || json.Unmarshal(b, &queued) != nil {
		w.t.Fatalf("%s %s (%v)", res.Status, b, err)
	}
	var uploaded Uploaded
	w.decode(w.request("POST", "/media", picture, func(r *http.Request) { as(token)(r); r.Header.Set("Content-Type", "image/png") }), &uploaded)
	frames(w.t, w.request("POST", "/messages", message("their-other", "u1", "[[say:write]]"), as(token)).Body)
	var loaded LoadedSession
	w.decode(w.request("POST", "/load-session", `{"session_id":"their-session"}`, as(token)), &loaded)
	var answer struct{ ID string }
	if err := json.Unmarshal(loaded.Messages[1], &answer); err != nil {
		w.t.Fatal(err)
	}
	path := "their-work.relavium.yaml"
	w.decode(w.request("PUT", "/workflows/file?path="+path, `{"source":"x","replaces":""}`, as(token)), &WorkflowSaved{})
	for _, path := range []string{path, "their-draft.relavium.yaml"} {
		if res := w.request("PUT", "/workflows/draft?path="+path, `{"source":"x","replaces":"","session":"their-session"}`, as(token)); res.StatusCode != http.StatusNoContent {
			w.t.Fatalf("a draft: %s", res.Status)
		}
	}
	return theirs{"their-session", string(q.ID), "their-message", answer.ID, uploaded.Handle.Sum(), path, queued.Queued.Number}
}

// bodies are what the routes that take one are asked with.
var bodies = map[string]string{
	"PATCH /sessions/{id}":                 `{"title":"x"}`,
	"POST /sessions/{id}/changes/{answer}": `{}`,
	"POST /sessions/{id}/fork":             `{"messageId":"{answer}"}`,
	"PATCH /messages/{id}/queue/{n}":       `{"text":"x"}`,
	"POST /messages/{id}/branch":           `{"messageId":"{answer}"}`,
	"POST /approvals/{id}":                 `{"approved":true}`,
	"POST /import":                         `{"content":"x"}`,
	"PUT /workflows/file":                  `{"source":"x","replaces":"x"}`,
	"PUT /workflows/draft":                 `{"source":"x","replaces":"x","session":"{session}"}`,
	"POST /load-session":                   `{"session_id":"{session}"}`,
	"POST /messages":                       `{"session_id":"{session}","data":{"messages":[{"id":"u","role":"user","parts":[{"type":"text","text":"[[say:x]]"}]}]}}`,
}

var random = regexp.MustCompile(`[0-9a-f]{16,}`)

// §1 known under another project → as unknown: of every route that there is, the reply to who names something of another
// project is that to who names what does not exist, byte for byte.
func TestAnotherProjectIsUnknown(t *testing.T) {
	w := open(t)
	other := w.door.Bind("other", t.TempDir())
	known := w.furnish(other)
	unknown := theirs{"none-session1", "ask_" + strings.Repeat("0", 32), "none-message", "msg_" + strings.Repeat("0", 32), strings.Repeat("0", 64), "none.relavium.yaml", known.number}
	ask := func(mine string, r route, what theirs) string {
		method, path, _ := strings.Cut(r.pattern, " ")
		id := what.session
		if strings.HasPrefix(path, "/approvals") {
			id = what.question
		}
		if slices.Contains(r.query, "path") {
			path += "?path=" + what.workflow
		}
		names := strings.NewReplacer("{id}", id, "{n}", fmt.Sprint(what.number), "{sum}", what.media, "{session}", what.session, "{answer}", what.answer, "{media}", what.media)
		body, ok := bodies[r.pattern]
		if r.request != nil && !ok && !r.owners {
			t.Fatalf("%s: say in bodies what to ask with", r.pattern)
		}
		res := w.request(method, names.Replace(path), names.Replace(body), func(r *http.Request) { as(mine)(r); r.Header.Set("Accept", "application/json") })
		b, err := io.ReadAll(res.Body)
		if err != nil {
			t.Fatal(err)
		}
		res.Header.Del("Date")
		reply := fmt.Sprint(res.StatusCode, res.Header, string(b))
		return random.ReplaceAllString(strings.NewReplacer(id, "ID", what.session, "ID", what.workflow, "ID").Replace(reply), "RANDOM")
	}
	before := w.seen(other)
	for i, r := range routes {
		if r.owners || !strings.Contains(r.pattern, "{") && bodies[r.pattern] == "" && !slices.Contains(r.query, "path") {
			continue
		}
		mine := w.door.Bind(agent.ProjectID(fmt.Sprint("mine-", i)), t.TempDir())
		foreign, none := ask(mine, r, known), ask(mine, r, unknown)
		if foreign != none {
			t.Errorf("%s\nof another project: %s\nof nobody:         %s", r.pattern, foreign, none)
		}
		isNew := r.pattern == "POST /messages" // which makes a session of that name, and of this project
		if strings.HasPrefix(foreign, "200") && r.pattern != "POST /messages/{id}/stop" && !isNew {
			t.Errorf("%s gives something: %s", r.pattern, foreign)
		}
	}
	mine := w.door.Bind("mine", "")
	attach := func(sum string) string {
		b, err := io.ReadAll(w.request("POST", "/messages", sent("u", "/media/"+sum), as(mine)).Body)
		return fmt.Sprint(string(b), err)
	}
	if foreign, none := attach(known.media), attach(unknown.media); foreign != none || !strings.Contains(foreign, "400") {
		t.Errorf("a file of another project: %s\nof nobody: %s", foreign, none)
	}
	if after := w.seen(other); after != before {
		t.Errorf("the other project was\n%s\nand is\n%s", before, after)
	}
	if got := w.seen(mine); strings.Contains(got, "their") || strings.Contains(got, known.question) || !strings.Contains(got, `{"sessions":[],"workingDir":""}`) {
		t.Errorf("what is mine: %s", got)
	}
}

// seen is everything that is not asked for by id.
func (w *world) seen(token string) string {
	w.t.Helper()
	var b strings.Builder
	for found := (SearchResult{Behind: 1}); found.Behind > 0; {
		w.get("/search?q=x", &found) // until what was said can be found
	}
	for _, path := range []string{"/sessions", "/search?q=write", "/search?q=later", "/approvals", "/workflows", "/workflows/drafts", "/workflows/file?path=their-work.relavium.yaml"} {
		io.Copy(&b, w.request("GET", path, "", as(token)).Body)
	}
	io.Copy(&b, w.request("POST", "/load-session", `{"session_id":"their-session"}`, as(token)).Body)
	return b.String()
}

// §1 the window's own token may name any project
func TestWhoNamesAProject(t *testing.T) {
	w := open(t)
	bound := w.door.Bind("folder-1", "")
	frames(t, w.request("POST", "/messages", message("s", "u1", "[[say:x]]"), as(bound)).Body)
	sessions := func(change func(*http.Request)) string {
		res := w.request("GET", "/sessions", "", change)
		if res.StatusCode != http.StatusOK {
			return failure(t, res).Type
		}
		var list SessionList
		w.decode(res, &list)
		return fmt.Sprint(len(list.Sessions))
	}
	with := func(changes ...func(*http.Request)) func(*http.Request) {
		return func(r *http.Request) {
			for _, change := range changes {
				change(r)
			}
		}
	}
	for name, c := range map[string]struct {
		change func(*http.Request)
		want   string
	}{
		"a token of the project":           {as(bound), "1"},
		"which names it, too":              {with(as(bound), header(ProjectHeader, "folder-1")), "1"},
		"which names another":              {with(as(bound), header(ProjectHeader, "default")), "forbidden_project"},
		"which names one that is not":      {with(as(bound), header(ProjectHeader, "nothing")), "forbidden_project"},
		"the owner":                        {nil, "0"},
		"the owner, who names it":          {header(ProjectHeader, "folder-1"), "1"},
		"the owner, who names another":     {header(ProjectHeader, "folder-2"), "0"},
		"the owner, who names no project":  {header(ProjectHeader, "a/b"), "validation"},
		"a token that was never given out": {as(NewToken()), "unauthorized"},
	} {
		if got := sessions(c.change); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
	if w.door.Bind("folder-1", "") != bound || w.door.Bind("folder-2", "") == bound {
		t.Error("a project has one token, and of its own")
	}
}

func TestWhatIsTheOwners(t *testing.T) {
	w := open(t)
	bound := w.door.Bind("folder", "")
	for _, r := range routes {
		method, path, _ := strings.Cut(r.pattern, " ")
		all := path == "/window" || path == "/projects" || path == "/harnesses" || path == "/trust" || strings.HasPrefix(path, "/agents/") || strings.HasPrefix(path, "/mcp/") || strings.Contains(path, "secret") || strings.Contains(path, "keys") || strings.HasPrefix(path, "/vault/") && path != "/vault/active"
		if r.owners != all {
			t.Errorf("%s: owners %v", r.pattern, r.owners)
		}
		if !r.owners {
			continue
		}
		if f := failure(t, w.request(method, path, "{}", as(bound))); f.Code != http.StatusForbidden || f.Type != "forbidden" {
			t.Errorf("%s: %+v", r.pattern, f)
		}
	}
}

// §1 A project is a folder the person opened, whatever it is called and however one gets there.
func TestAFolderIsAProject(t *testing.T) {
	w := open(t)
	folder := filepath.Join(t.TempDir(), "Döner & Co. ")
	file, link := filepath.Join(t.TempDir(), "file"), filepath.Join(t.TempDir(), "link")
	err := os.Mkdir(folder, 0o700)
	if err == nil {
		err = os.Symlink(folder, link)
	}
	if err == nil {
		err = os.WriteFile(file, nil, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	body := func(dir string) string { return fmt.Sprintf(`{"dir":%q}`, dir) }
	var p, same Project
	w.decode(w.request("POST", "/projects", body(folder), nil), &p)
	w.decode(w.request("POST", "/projects", body(link+"/."), nil), &same)
	if p != same || p.Project.Validate() != nil || !strings.HasPrefix(string(p.Project), "d-ner---co-") || len(p.Token) != 64 {
		t.Errorf("%+v and %+v", p, same)
	}
	for _, dir := range []string{"", ".", "relative", file, filepath.Join(folder, "nothing")} {
		if f := failure(t, w.request("POST", "/projects", body(dir), nil)); f.Code != http.StatusBadRequest || strings.Contains(f.Message, dir) && dir != "" && dir != "." {
			t.Errorf("%q: %+v", dir, f)
		}
	}
}

// TestTheSocketOfAProject: §1 unique per project, or there would be one session s. It streams and tells what belongs to the project, and nothing else.
func TestTheSocketOfAProject(t *testing.T) {
	w := open(t)
	p := w.dialAs(w.door.Bind("mine", ""))
	owner := w.dialAs(testToken, projectProtocol+"mine")
	w.say("s", "u1", "[[hang]]") // in the default project
	p.send(`{"type":"resume","requestId":"r1","id":"s","headers":{},"body":{}}`)
	if f := p.read(); f.Type != "no-active" {
		t.Errorf("of another project it says %+v", f)
	}
	p.ask("r2", "s", "[[say:mine]]")
	if got, _ := p.until("r2", "end"); got != "mine" {
		t.Errorf("said %q", got)
	}
	if f := owner.read(); f.Type != "session" || f.SessionID != "s" {
		t.Errorf("the owner, who looks at this project, is told %+v", f)
	}
	var stop Stop
	w.decode(w.request("POST", "/messages/s/stop", "", nil), &stop)
	if stop.Stopped != "confirmed" {
		t.Errorf("the session of that name in the other project: %s", stop.Stopped)
	}
}

func TestEveryNameInAPathIsKnown(t *testing.T) {
	for _, r := range routes {
		for _, name := range regexp.MustCompile(`{(\w+)}`).FindAllStringSubmatch(r.pattern, -1) {
			if !slices.Contains([]string{"answer", "id", "n", "sum"}, name[1]) && !r.owners {
				t.Errorf("%s: TestAnotherProjectIsUnknown has no %s", r.pattern, name[1])
			}
		}
	}
}

// §7 Whoever has the token of one project may only take away what a session's agent reaches.
func TestAProjectsTokenWidensNothing(t *testing.T) {
	w := open(t)
	bound := as(w.door.Bind("folder", ""))
	path := "/sessions/s"
	for _, body := range []string{`{"scope":"project"}`, `{"scope":"full"}`, `{"workingDir":"/"}`, `{"workingDir":""}`, `{"scope":"sandboxed","workingDir":"/"}`} {
		if f := failure(t, w.request("PATCH", path, body, bound)); f.Code != http.StatusForbidden {
			t.Errorf("%s: %+v", body, f)
		}
	}
	for _, c := range []struct {
		body string
		who  func(*http.Request)
	}{{`{"scope":"full"}`, header(ProjectHeader, "folder")}, {`{"scope":"sandboxed"}`, bound}} {
		var s Session
		w.decode(w.request("PATCH", path, c.body, c.who), &s)
		if want := fmt.Sprintf(`{"scope":%q}`, s.Scope); want != c.body {
			t.Errorf("%s gives %s", c.body, want)
		}
	}
}
