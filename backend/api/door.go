// Package api is the loopback HTTP door: the one way in for the window, a browser, the command line and any AI SDK
// client. It decodes, asks the rooms behind it, and encodes; it decides nothing.
package api

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"net/http"
	"path"
	"runtime/debug"
	"slices"
	"strings"
	"sync"

	"parley/backend/agent"
	"parley/backend/config"
	"parley/backend/history"
	"parley/backend/mcp"
	"parley/backend/program"
	"parley/backend/revert"
	"parley/backend/session"
	"parley/backend/store"
	"parley/backend/vault"
	"parley/backend/workflow"
)

const (
	apiVersion  = "1" // of the request and reply bodies; another major is refused
	versionName = "x-parley-messages-version"
)

// windowOrigins are where the page comes from when a Wails window shows it.
var windowOrigins = []string{"wails://wails", "http://wails.localhost"}

// Options is what a door opens onto at once.
type Options struct {
	History   *history.History
	Agents    *config.Catalog
	Workflows *workflow.Shelves
	Programs  *program.Finder // of those that agents run in
	Page      fs.FS
	// Enforcement is what the system holds of what agents may touch.
	Enforcement func() agent.Enforcement
	Servers     *config.Servers                                                                    // of MCP
	Board       *mcp.Board                                                                         // what is known of those
	Search      func() (*agent.Search, error)                                                      // the search engine that is set up
	Try         func(ctx context.Context, server agent.MCPServer, secrets map[string]string) error // starts one, outside of any session, and ends it
	Show        func() bool                                                                        // brings the window to the front; false if there is none
	Token       string                                                                             // the owner's; see NewToken
	Origins     []string                                                                           // of the pages that a person lets in besides our own, each as a browser sends it
	Version     string
	Log         *slog.Logger
}

// Rooms is what it opens onto while the history is open.
type Rooms struct {
	Sessions *session.Sessions
	Store    *store.Store
	Revert   *revert.Revert
	Secrets  *vault.Secrets

	guests sync.WaitGroup // grows under the door's mu, while the door is open onto them
}

// Free refuses while a turn runs.
func (r *Rooms) Free() error {
	if r.Sessions.Busy() {
		return errTurns
	}
	return nil
}

// Wait returns once the last guest has left, or ctx ends. The door has closed before, and so have the sessions, or those
// who follow them would stay.
func (r *Rooms) Wait(ctx context.Context) {
	left := make(chan struct{})
	go func() { r.guests.Wait(); close(left) }()
	select {
	case <-left:
	case <-ctx.Done():
	}
}

// Door is an http.Handler that lets in who has the token and comes from the right place.
type Door struct {
	Options
	addr    string
	mux     *http.ServeMux
	closing context.Context // ends with Close
	close   context.CancelFunc

	mu      sync.Mutex
	rooms   *Rooms                     // nil while the history is not open
	bound   map[agent.ProjectID]string // tokens
	folders map[agent.ProjectID]string // of the projects in bound
	inside  int
	emptied chan struct{} // closed when inside is 0; replaced by the next who enters
}

// New makes the door of the server that listens on addr, a host:port on the loopback interface.
func New(addr string, o Options) *Door {
	d := &Door{Options: o, addr: addr, mux: http.NewServeMux(), bound: map[agent.ProjectID]string{}, folders: map[agent.ProjectID]string{}, emptied: make(chan struct{})}
	close(d.emptied)
	d.closing, d.close = context.WithCancel(context.Background())
	methods := map[string][]string{} // of each path
	for _, r := range append(routes, route{pattern: "GET /socket", serve: (*Door).socket}) {
		d.mux.Handle(r.pattern, d.admit(r))
		method, path, _ := strings.Cut(r.pattern, " ")
		methods[path] = append(methods[path], method)
	}
	for path, allowed := range methods {
		d.mux.HandleFunc(path, func(w http.ResponseWriter, _ *http.Request) { d.refuseMethod(w, allowed) })
	}
	d.mux.HandleFunc("GET /openapi.json", openAPI)
	d.mux.HandleFunc("/", d.page)
	return d
}

// Open lets guests into the rooms, and Open(nil) into none of them any more.
func (d *Door) Open(rooms *Rooms) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.rooms = rooms
}

// inside is the door with the history open behind it, and who has come in. The rooms stay open for as long as a guest is in
// them.
type inside struct {
	*Door
	*Rooms
	caller
}

// enterFor is enterRooms for a request. One that does more than to look is a sign that somebody uses the history.
func (d *Door) enterFor(r *http.Request, c caller) (in inside, leave func(), err error) {
	in, leave, err = d.enterRooms(r.Context(), c)
	if err == nil && r.Method != http.MethodGet {
		d.History.Use()
	}
	return in, leave, err
}

// enterRooms waits while the history is being opened, and refuses while only a person can open it. One that was idle for too
// long is locked before anybody comes in. The guest calls leave.
func (d *Door) enterRooms(ctx context.Context, c caller) (in inside, leave func(), err error) {
	select {
	case <-d.History.Tried():
	case <-ctx.Done():
		return inside{}, func() {}, ctx.Err()
	}
	d.History.LockIfIdle(ctx)
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.rooms == nil {
		return inside{}, func() {}, d.errLocked()
	}
	d.rooms.guests.Add(1)
	return inside{d, d.rooms, c}, d.rooms.guests.Done, nil
}

// Close ends the sockets, which are not the server's any more: once nothing is left to say on them.
func (d *Door) Close() { d.close() }

// Empty gives a channel that is closed when no guest is inside: no request, no socket.
func (d *Door) Empty() <-chan struct{} {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.emptied
}

// ServeHTTP checks what holds for every request, the page included: a page of another origin, or one that reached us
// under another name, can do nothing.
func (d *Door) ServeHTTP(to http.ResponseWriter, r *http.Request) {
	w := &outgoing{ResponseWriter: to}
	defer d.recover(w)
	h := w.Header()
	h.Set("x-content-type-options", "nosniff")
	h.Set("referrer-policy", "no-referrer")
	h.Set("cross-origin-resource-policy", "same-origin")
	h.Set("x-frame-options", "DENY")
	h.Set("cache-control", "no-store")
	h.Set(versionName, apiVersion)
	if !d.knowsHost(r.Host) {
		d.refuse(w, errHost)
		return
	}
	if origin := r.Header.Get("Origin"); origin != "" {
		if !d.knowsOrigin(origin) {
			d.refuse(w, errOrigin)
			return
		}
		h.Set("access-control-allow-origin", origin)
		h.Set("access-control-expose-headers", versionName)
		h.Set("vary", "Origin")
		if r.Method == http.MethodOptions {
			preflight(w)
			return
		}
	} else if comesFromElsewhere(r) {
		d.refuse(w, errOrigin)
		return
	}
	if escaped := r.URL.EscapedPath(); escaped != path.Clean(escaped) {
		d.refuse(w, errNowhere) // the mux would lead on to another path
		return
	}
	d.mux.ServeHTTP(w, r)
}

// outgoing is a ResponseWriter that knows whether its reply has begun.
type outgoing struct {
	http.ResponseWriter
	begun bool
}

func (w *outgoing) Unwrap() http.ResponseWriter { return w.ResponseWriter }

func (w *outgoing) WriteHeader(status int) {
	w.begun = true
	w.ResponseWriter.WriteHeader(status)
}

func (w *outgoing) Write(b []byte) (int, error) {
	w.begun = true
	return w.ResponseWriter.Write(b)
}

// recover ends a request whose handler panicked: with a reply that tells nothing of it or, if one has begun, by cutting it off.
func (d *Door) recover(w *outgoing) {
	p := recover()
	switch {
	case p == nil:
		return
	case p == http.ErrAbortHandler: // net/http's own way to cut a reply off
		panic(p)
	}
	d.Log.Error("a request made its handler panic", "panic", p, "stack", string(debug.Stack()))
	if w.begun {
		panic(http.ErrAbortHandler)
	}
	writeJSON(w, http.StatusInternalServerError, Failure{Status: describe(errPanic)})
}

var errPanic = errors.New("panic")

func (d *Door) refuseMethod(w http.ResponseWriter, allowed []string) {
	w.Header().Set("allow", strings.Join(allowed, ", "))
	d.refuse(w, errMethod)
}

func (d *Door) knowsHost(host string) bool {
	return host == d.addr || host == strings.Replace(d.addr, "127.0.0.1", "localhost", 1)
}

func (d *Door) knowsOrigin(origin string) bool {
	host, ok := strings.CutPrefix(origin, "http://")
	return ok && d.knowsHost(host) || slices.Contains(windowOrigins, origin) || slices.Contains(d.Origins, origin)
}

// comesFromElsewhere says whether a page of another origin makes a request that does not name it, as browsers do for what is
// embedded. To follow a link to the page is no such thing.
func comesFromElsewhere(r *http.Request) bool {
	switch r.Header.Get("Sec-Fetch-Site") {
	case "", "none", "same-origin":
		return false
	}
	return r.Header.Get("Sec-Fetch-Dest") != "document"
}

func preflight(w http.ResponseWriter) {
	h := w.Header()
	h.Set("access-control-allow-methods", "GET, POST, PUT, PATCH, DELETE")
	h.Set("access-control-allow-headers", "authorization, content-type, last-event-id, user-agent, "+strings.Join([]string{versionName, coalesceName, ProjectHeader, dialectName}, ", "))
	h.Set("access-control-max-age", "600")
	w.WriteHeader(http.StatusNoContent)
}

// admit lets in who has a token that is good for the route, and counts the guests.
func (d *Door) admit(to route) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodHead { // which the mux takes for a GET
			d.refuseMethod(w, []string{http.MethodGet})
			return
		}
		c, err := d.caller(r)
		if err == nil && to.owners && !c.owner {
			err = errOwners
		}
		if err != nil {
			d.refuse(w, err)
			return
		}
		if v, _, _ := strings.Cut(r.Header.Get(versionName), "."); v != "" && v != apiVersion {
			d.refuse(w, errVersion)
			return
		}
		most := cmp.Or(to.most, maxBody)
		if r.ContentLength > most {
			d.refuse(w, &http.MaxBytesError{Limit: most})
			return
		}
		r.Body = http.MaxBytesReader(w, r.Body, most)
		if !d.isOwnWindow(r) {
			d.enter()
			defer d.leave()
		}
		to.serve(d, c, w, r)
	})
}

// isOwnWindow says whether the page in this process's own window asks. It goes when the window does, and nobody waits for
// it: its socket would stay open for as long as the process.
func (d *Door) isOwnWindow(r *http.Request) bool {
	return d.Show != nil && slices.Contains(windowOrigins, r.Header.Get("Origin"))
}

func (d *Door) enter() {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.inside == 0 {
		d.emptied = make(chan struct{})
	}
	d.inside++
}

func (d *Door) leave() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.inside--
	if d.inside == 0 {
		close(d.emptied)
	}
}
