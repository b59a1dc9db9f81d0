package api

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"testing/fstest"
	"time"

	"parley/backend/agent"
	"parley/backend/config"
	"parley/backend/harness"
	"parley/backend/history"
	"parley/backend/mcp"
	"parley/backend/program"
	"parley/backend/revert"
	"parley/backend/scripted"
	"parley/backend/session"
	"parley/backend/store"
	"parley/backend/tool"
	"parley/backend/vault"
	"parley/backend/watch"
	"parley/backend/workflow"
)

const testToken = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

// world is an app behind a real door, on a real port, with the demo agent inside this process.
type world struct {
	t       testing.TB
	door    *Door
	url     string
	late    atomic.Int64      // by how many nanoseconds the history's clock is fast
	scratch string            // the folder of its data
	keys    map[string]string // that the environment has
}

// ring is a keyring for all tests: each history has items of its own in it.
var ring *vault.SealedFile

func TestMain(m *testing.M) {
	folder, err := os.MkdirTemp("", "parley-api-")
	if err == nil {
		ring, err = vault.OpenSealedFile(context.Background(), filepath.Join(folder, "keys.sealed"), []byte("for tests"), vault.Cost{})
	}
	if err != nil {
		panic(err)
	}
	code := m.Run()
	ring.Close()
	os.RemoveAll(folder)
	os.Exit(code)
}

// open is a world whose history is open.
func open(t testing.TB) *world {
	t.Helper()
	w := openWith(t, t.TempDir(), ring)
	<-w.door.History.Tried()
	return w
}

// openWith is a world over a data folder, with the keyring that there is, behind a server with some changes.
func openWith(t testing.TB, folder string, ring vault.Keyring, changes ...func(*http.Server)) *world {
	t.Helper()
	log := slog.New(slog.DiscardHandler)
	env := agent.NewEnvironment(scripted.NewBackend(), agent.DefaultLimits)
	scratch := t.TempDir()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var door *Door
	var rooms *Rooms
	catalog := agents(t)
	workflows := workflow.NewShelves(t.TempDir(), func(p agent.ProjectID) string { return door.Folder(p) }, catalog.Watcher)
	w := &world{t: t, scratch: scratch, url: "http://" + listener.Addr().String()}
	var past *history.History
	past = history.New(history.Options{
		Folder: folder, Ring: ring, Log: log,
		Now: func() time.Time { return time.Now().Add(time.Duration(w.late.Load())) },
		Opened: func(ctx context.Context, s *store.Store) (err error) {
			secrets := vault.NewSecrets(vault.SecretsOptions{
				Store: s, Ring: past.Keyring(), Providers: []string{"anthropic", "openai"}, Now: time.Now,
				Environment: func(name string) (string, string) { return "KEY_OF_" + name, w.keys[name] },
			})
			o := options(s, env, catalog, scratch)
			o.Known = secrets.Known
			sessions, err := session.Open(ctx, o)
			rooms = &Rooms{Sessions: sessions, Store: s, Revert: revert.New(s, sessions.Policy), Secrets: secrets}
			door.Open(rooms)
			return err
		},
		Free: func() error { return rooms.Free() },
		Closing: func() {
			door.Open(nil)
			rooms.Sessions.Close()
			rooms.Wait(context.Background())
		},
	})
	servers := config.OpenServers(filepath.Join(scratch, "mcp.json"))
	door = New(listener.Addr().String(), Options{
		History: past, Agents: catalog, Workflows: workflows, Programs: program.NewFinder(nil), Enforcement: func() agent.Enforcement { return agent.Unenforced("there is none in tests") },
		Servers: servers, Board: &mcp.Board{}, Search: func() (*agent.Search, error) { return config.ReadSearch(filepath.Join(scratch, "search.json")) }, Token: testToken, Version: "test", Log: log,
		Try:  func(context.Context, agent.MCPServer, map[string]string) error { return nil },
		Page: fstest.MapFS{"index.html": {Data: []byte("<p>page")}, "assets/a.js": {Data: []byte("1")}},
	})
	server := door.Server()
	for _, change := range changes {
		change(server)
	}
	go server.Serve(listener)
	go past.Start(context.Background())
	t.Cleanup(func() {
		past.Close()
		door.Close()
		server.Shutdown(t.Context())
		server.Close()
		env.Close()
	})
	w.door = door
	return w
}

// options are those of sessions of the built-in agents.
func options(s *store.Store, env *agent.Environment, catalog *config.Catalog, scratch string) session.Options {
	return session.Options{
		Store: s, Environment: env, Sides: env, Log: slog.New(slog.DiscardHandler),
		Agent: func(ctx context.Context, project agent.ProjectID, id string) (agent.Spec, error) {
			return catalog.Find(ctx, s, project, id)
		},
		Harness: func(k agent.Kind) (agent.Harness, error) { return harness.For(k, nil, tool.Names(), nil) },
		Key:     func(context.Context, agent.ProjectID, string) (string, error) { return "", nil },
		Scratch: func(agent.SessionKey) string { return scratch },
		Folder:  func(agent.ProjectID) string { return "" },
		Servers: config.OpenServers(filepath.Join(scratch, "mcp.json")).Named,
	}
}

// agents are the built-in ones, and those in files of a person and a project who have none yet.
func agents(t testing.TB) *config.Catalog {
	t.Helper()
	project := t.TempDir()
	log := slog.New(slog.DiscardHandler)
	watcher := watch.New(log)
	t.Cleanup(watcher.Close)
	return config.NewCatalog(config.Options{
		BuiltIn: builtIn, Known: config.Known{Endpoints: map[string]agent.Endpoint{"openai": {Provider: "openai"}}, Tools: tool.Names()},
		Own: t.TempDir(), Folder: func(agent.ProjectID) string { return project }, Watcher: watcher, Log: log,
	})
}

var builtIn = config.BuiltIn(func(string) string { return "" }, nil, nil)

// request makes a request that the door lets in; change makes it another one.
func (w *world) request(method, path, body string, change func(*http.Request)) *http.Response {
	w.t.Helper()
	var content io.Reader
	if body != "" {
		content = bytes.NewReader([]byte(body))
	}
	req, err := http.NewRequestWithContext(w.t.Context(), method, w.url+path, content)
	if err != nil {
		w.t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+testToken)
	req.Header.Set("Accept", "*/*")
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	if change != nil {
		change(req)
	}
	res, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() { res.Body.Close() })
	// §2 Every reply carries x-parley-messages-version: 1. §9 No cookies, no * in CORS.
	if h := res.Header; h.Get(versionName) != apiVersion || h.Get("Set-Cookie") != "" || h.Get("Access-Control-Allow-Origin") == "*" || h.Get("Access-Control-Allow-Credentials") != "" {
		w.t.Errorf("%s %s: %s with %v", method, path, res.Status, h)
	}
	return res
}

func header(name, value string) func(*http.Request) {
	return func(r *http.Request) { r.Header.Set(name, value) }
}

// say sends a message as useChat does.
func (w *world) say(session, id, text string) *http.Response {
	w.t.Helper()
	return w.request("POST", "/messages", message(session, id, text), nil)
}

func message(session, id, text string) string {
	return fmt.Sprintf(`{"id":%q,"trigger":"submit-message","messages":[{"id":%q,"role":"user","parts":[{"type":"text","text":%s}]}]}`,
		session, id, strconv.Quote(text))
}

func (w *world) get(path string, into any) {
	w.t.Helper()
	w.decode(w.request("GET", path, "", nil), into)
}

func (w *world) decode(res *http.Response, into any) {
	w.t.Helper()
	b, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode != http.StatusOK {
		w.t.Fatalf("%s %s: %s %s (%v)", res.Request.Method, res.Request.URL.Path, res.Status, b, err)
	}
	if err := json.Unmarshal(b, into); err != nil {
		w.t.Fatalf("%s: %v", b, err)
	}
}

// load gives the messages of a session as text, one to a line.
func (w *world) load(session, query string) (messages []string, earlier string) {
	w.t.Helper()
	var loaded LoadedSession
	w.decode(w.request("POST", "/load-session"+query, fmt.Sprintf(`{"session_id":%q}`, session), nil), &loaded)
	for _, m := range loaded.Messages {
		messages = append(messages, string(m))
	}
	return messages, string(loaded.Earlier)
}

// frame is a Server-Sent Event.
type frame struct {
	id   int
	data string
}

// frames reads a stream to its end.
func frames(t testing.TB, body io.Reader) []frame {
	t.Helper()
	var out []frame
	f := frame{id: -1}
	lines := bufio.NewReader(body)
	for {
		line, err := lines.ReadString('\n')
		if err == io.EOF && line == "" {
			return out
		}
		if err != nil {
			t.Fatal(err)
		}
		line = strings.TrimSuffix(line, "\n")
		if text, ok := strings.CutPrefix(line, "id: "); ok {
			if f.id, err = strconv.Atoi(text); err != nil {
				t.Fatal(err)
			}
		} else if text, ok := strings.CutPrefix(line, "data: "); ok {
			f.data = text
		} else if line == "" && f.data != "" {
			out = append(out, f)
			f = frame{id: -1}
		}
	}
}

// text is what the text deltas of a stream say.
func text(t testing.TB, list []frame) string {
	t.Helper()
	var b strings.Builder
	for _, f := range list {
		var chunk struct{ Type, Delta string }
		if f.data != "[DONE]" {
			if err := json.Unmarshal([]byte(f.data), &chunk); err != nil {
				t.Fatalf("%s: %v", f.data, err)
			}
		}
		if chunk.Type == "text-delta" {
			b.WriteString(chunk.Delta)
		}
	}
	return b.String()
}

func failure(t testing.TB, res *http.Response) FailureStatus {
	t.Helper()
	var f Failure
	if err := json.NewDecoder(res.Body).Decode(&f); err != nil {
		t.Fatalf("%s: %v", res.Status, err)
	}
	if f.Status.Code != res.StatusCode || f.Status.Message == "" || f.Status.Type == "" {
		t.Errorf("%s has the body %+v", res.Status, f)
	}
	return f.Status
}
