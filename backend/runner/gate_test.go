//go:build linux

package runner

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/backend/agent"
)

const gateToken = "a token for tests"

// opened is a gate that serves.
type opened struct {
	url, root string
	shut      context.CancelFunc
}

// openGate opens a gate whose runners play a role. When the test ends nothing may be left.
func openGate(t testing.TB, role string) opened {
	l, p := newLocal(t, role)
	g := NewGate(GateOptions{Version: "test", Token: gateToken, Root: p.Scratch, Runners: l, Log: slog.New(slog.DiscardHandler)})
	t.Cleanup(g.Close)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, shut := context.WithCancel(context.Background())
	served := make(chan error, 1)
	go func() { served <- g.Serve(ctx, listener) }()
	t.Cleanup(func() {
		shut()
		if err := <-served; err != nil {
			t.Error(err)
		}
	})
	return opened{"http://" + listener.Addr().String(), p.Scratch, shut}
}

// folder is where the tools of a session work.
func (o opened) folder(session agent.SessionID) string {
	return filepath.Join(o.root, agent.SessionKey{Project: agent.DefaultProject, Session: session}.Folder())
}

func newRemote(t testing.TB, url string) *Remote {
	r, err := NewRemote(RemoteOptions{URL: url, Token: gateToken, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// asks sends a request as any client would.
func asks(t *testing.T, method, url, body string, headers ...string) *http.Response {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+gateToken)
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		req.Header.Set(name, value)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { res.Body.Close() })
	return res
}

// replies fails the test unless a request is answered with that status, and a body that begins so.
func replies(t *testing.T, res *http.Response, status int, begin string) {
	t.Helper()
	body, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode != status || !strings.HasPrefix(string(body), begin) {
		t.Errorf("%s %s: status %d, %.300s (%v)\nwant %d, %s…", res.Request.Method, res.Request.URL.Path, res.StatusCode, body, err, status, begin)
	}
}

// turnOf is a request for the engine of these tests, in a session.
func turnOf(session string, actions ...string) string {
	prompt := say(actions...)
	prompt.Key.Session, prompt.Turn = agent.SessionID(session), agent.TurnID("turn_of_"+session)
	line, err := encodeRequest(scriptedLaunch, prompt)
	if err != nil {
		panic(err)
	}
	return string(line)
}

// hangs begins a turn that says a word and then nothing, and gives the rest of its stream once the word has arrived.
func hangs(t *testing.T, url, session string) *bufio.Reader {
	t.Helper()
	stream := bufio.NewReader(asks(t, http.MethodPost, url+"/run", turnOf(session, "whole x", "hang"), "Accept: "+ndjson).Body)
	if line, err := stream.ReadString('\n'); !strings.Contains(line, `"text":"x"`) {
		t.Fatalf("it began with %q (%v)", line, err)
	}
	return stream
}

func rest(t *testing.T, stream io.Reader) string {
	t.Helper()
	b, err := io.ReadAll(stream)
	if err != nil {
		t.Error(err)
	}
	return string(b)
}

func TestAGateSaysWhatItIs(t *testing.T) {
	url := openGate(t, "engine").url
	replies(t, asks(t, http.MethodGet, url+"/health", "", "Authorization: "), http.StatusOK,
		`{"status":"ok","protocol":"1.0","version":"test","backends":["`)
}

func TestAGateLetsInWhoHasTheToken(t *testing.T) {
	url := openGate(t, "engine").url
	for _, header := range []string{"", "Bearer ", "Bearer " + gateToken + "s", "Basic " + gateToken, "bearer"} {
		for _, path := range []string{"/run", "/control", "/kill", "/", "/health/"} {
			replies(t, asks(t, http.MethodPost, url+path, turnOf("s1", "whole x"), "Authorization: "+header), http.StatusUnauthorized,
				`{"ok":false,"error":"The runner does not accept the token.`)
		}
	}
	replies(t, asks(t, http.MethodPost, url+"/run", turnOf("s1", "whole x")), http.StatusOK, `{"ok":true,"output":"x"`)
}

// §2 as a document: 200 ok, 500 with the same result body.
func TestATurnAsOneDocument(t *testing.T) {
	url := openGate(t, "engine").url
	replies(t, asks(t, http.MethodPost, url+"/run", turnOf("s1", "whole Hello.")), http.StatusOK,
		`{"ok":true,"output":"Hello.","messages":[],"events":[],"usage":{"input":1,"output":2,"total":3,"cost":null},"stopReason":"end_turn","capabilities":`)
	replies(t, asks(t, http.MethodPost, url+"/run", turnOf("s1", "whole Hello.", "error provider_auth")), http.StatusInternalServerError,
		`{"ok":false,"error":"It did not work.","code":"provider_auth"}`)
	nameless := strings.Replace(turnOf("s1", "whole x"), `"sessionId":"s1"`, `"sessionId":null`, 1)
	body := rest(t, asks(t, http.MethodPost, url+"/run", nameless).Body)
	if !strings.Contains(body, `"sessionId":"sess_`) {
		t.Errorf("a session without a name got %s", body)
	}
}

func TestATurnAsAStream(t *testing.T) {
	url := openGate(t, "engine").url
	res := asks(t, http.MethodPost, url+"/run", turnOf("s1", "whole Hello."), "Accept: "+ndjson)
	if got := res.Header.Get("Content-Type"); got != ndjson {
		t.Errorf("it is %s", got)
	}
	lines := strings.Split(rest(t, res.Body), "\n")
	want := []string{string(eventHead) + `{"type":"message","text":"Hello."}}`, string(eventHead) + doneRecord, goodRecord, ""}
	for i := range want {
		if len(lines) != len(want) || !strings.HasPrefix(lines[i], want[i]) {
			t.Fatalf("got %q\nwant %q", lines, want)
		}
	}
}

// TestWhoHasTheResultMayGoOn at once: the session is free by then.
func TestWhoHasTheResultMayGoOn(t *testing.T) {
	url := openGate(t, "engine").url
	for range 100 {
		stream := bufio.NewReader(asks(t, http.MethodPost, url+"/run", turnOf("s1"), "Accept: "+ndjson).Body)
		for line := ""; !strings.HasPrefix(line, goodRecord); {
			var err error
			if line, err = stream.ReadString('\n'); err != nil {
				t.Fatal(err)
			}
		}
	}
}

func TestWhatAGateRefuses(t *testing.T) {
	url := openGate(t, "engine").url
	for name, c := range map[string]struct {
		path, body string
		status     int
		begin      string
	}{
		"nonsense":             {"/run", "not JSON", 400, `{"ok":false,"error":"The request cannot be run: it is not one JSON object`},
		"what no runner can":   {"/run", `{"backend":"scripted","harness":"scripted","sandbox":"docker"}`, 400, `{"ok":false,"error":"The request cannot be run: the sandbox \"docker\"`},
		"a way out":            {"/run", strings.Replace(turnOf("s1"), `"s1"`, `"../s1"`, 1), 400, `{"ok":false,"error":"session_id must match`},
		"a project that is ..": {"/run", strings.Replace(turnOf("s1"), `"default"`, `".."`, 1), 400, `{"ok":false,"error":"A project's name`},
		"more than a line":     {"/run", strings.Repeat(" ", 64<<20) + "{}", 413, `{"ok":false,"error":"The request cannot be run: it is larger than 64 MB.`},
		"an unknown control":   {"/control", `{"id":"c1","sessionId":"s1","control":{"type":"dance"}}`, 200, `{"type":"control_ack","id":"c1","ok":false,"error":"the control \"dance\" is not supported"}`},
		"a steer of nothing":   {"/control", `{"id":"c1","sessionId":"s1","control":{"type":"steer","ref":"m","note":"go"}}`, 200, `{"type":"control_ack","id":"c1","ok":false,"error":"no such turn is running"}`},
		"a stop of nothing":    {"/control", `{"id":"c1","sessionId":"s1","control":{"type":"stop"}}`, 200, `{"type":"control_ack","id":"c1","ok":false,"error":"no such turn is running"}`},
		"the end of nothing":   {"/kill", `{"sessionId":"s1"}`, 200, `{"ok":true}`},
	} {
		t.Run(name, func(t *testing.T) {
			replies(t, asks(t, http.MethodPost, url+c.path, c.body), c.status, c.begin)
		})
	}
	replies(t, asks(t, http.MethodGet, url+"/run", ""), http.StatusMethodNotAllowed, "")
	replies(t, asks(t, http.MethodPost, url+"/elsewhere", ""), http.StatusNotFound, "")
}

func TestAGateTakesOneTurnOfASessionAndEightAtOnce(t *testing.T) {
	url := openGate(t, "engine").url
	var streams []io.Reader
	for i := range agent.DefaultLimits.Seats {
		streams = append(streams, hangs(t, url, fmt.Sprintf("s%d", i)))
	}
	replies(t, asks(t, http.MethodPost, url+"/run", turnOf("s0", "whole x")), http.StatusConflict, `{"ok":false,"error":"The agent is still answering.`)
	replies(t, asks(t, http.MethodPost, url+"/run", turnOf("more", "whole x")), http.StatusTooManyRequests, `{"ok":false,"error":"The runner takes 8 turns at once`)
	another := strings.Replace(turnOf("s0", "whole x"), `"default"`, `"another"`, 1)
	replies(t, asks(t, http.MethodPost, url+"/run", another), http.StatusTooManyRequests, "")
	replies(t, asks(t, http.MethodPost, url+"/control", `{"id":"c1","sessionId":"s0","control":{"type":"stop"}}`), http.StatusOK, `{"type":"control_ack","id":"c1","ok":true}`)
	if said := rest(t, streams[0]); !strings.Contains(said, `"ok":true`) || !strings.Contains(said, `"stopReason":"cancelled"`) {
		t.Errorf("the stopped turn ended with %s", said)
	}
	replies(t, asks(t, http.MethodPost, url+"/run", another), http.StatusOK, `{"ok":true,"output":"x"`)
}

// TestATurnWaitsForOneThatIsStopped: whoever stopped it is not told that it still runs.
func TestATurnWaitsForOneThatIsStopped(t *testing.T) {
	url := openGate(t, "engine").url
	stream := bufio.NewReader(asks(t, http.MethodPost, url+"/run", turnOf("s1", "whole x", "deaf"), "Accept: "+ndjson).Body)
	if _, err := stream.ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	replies(t, asks(t, http.MethodPost, url+"/control", `{"sessionId":"s1","control":{"type":"stop"}}`), http.StatusOK, `{"type":"control_ack","id":"","ok":true}`)
	replies(t, asks(t, http.MethodPost, url+"/run", turnOf("s1", "whole y")), http.StatusOK, `{"ok":true,"output":"y"`)
	if said := rest(t, stream); !strings.Contains(said, `"stopReason":"cancelled","killed":true`) {
		t.Errorf("the stopped turn ended with %s", said)
	}
}

func TestAGateKills(t *testing.T) {
	gate := openGate(t, "engine")
	url := gate.url
	stream := asks(t, http.MethodPost, url+"/run", turnOf("s1", "spawn", "whole x", "deaf"), "Accept: "+ndjson).Body
	lines := bufio.NewReader(stream)
	if line, err := lines.ReadString('\n'); !strings.Contains(line, `"text":"x"`) {
		t.Fatalf("it began with %q (%v)", line, err)
	}
	other := hangs(t, url, "s2")
	replies(t, asks(t, http.MethodPost, url+"/kill", `{"sessionId":"s1","turnId":"an earlier one"}`), http.StatusConflict, `{"ok":false,"error":"Another turn`)
	replies(t, asks(t, http.MethodPost, url+"/kill", `{"sessionId":"s1","turnId":"turn_of_s1"}`), http.StatusOK, `{"ok":true}`)
	nothingLeft(t, gate.folder("s1"))
	if said := rest(t, lines); !strings.Contains(said, `"ok":false`) {
		t.Errorf("the turn ended with %s", said)
	}
	replies(t, asks(t, http.MethodPost, url+"/run", turnOf("s1", "whole again")), http.StatusOK, `{"ok":true,"output":"again"`)
	replies(t, asks(t, http.MethodPost, url+"/kill", `{"sessionId":"s2"}`), http.StatusOK, `{"ok":true}`)
	rest(t, other)
}

// TestABrokenConnectionEndsWhatItStarted, and the next turn need not wait for anybody.
func TestABrokenConnectionEndsWhatItStarted(t *testing.T) {
	gate := openGate(t, "engine")
	url := gate.url
	for _, stuck := range []string{"hang", "deaf", "chatter"} {
		ctx, leave := context.WithCancel(t.Context())
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, url+"/run", strings.NewReader(turnOf("s1", "spawn", "whole x", stuck)))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Authorization", "Bearer "+gateToken)
		req.Header.Set("Accept", ndjson)
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := bufio.NewReader(res.Body).ReadString('\n'); err != nil {
			t.Fatal(err)
		}
		leave()
		res.Body.Close()
		for status := 0; status != http.StatusOK; { // until the gate has noticed
			again := asks(t, http.MethodPost, url+"/run", turnOf("s1", "whole y"))
			if status = again.StatusCode; status != http.StatusConflict && status != http.StatusOK {
				t.Fatalf("%s: the next turn gave %s", stuck, again.Status)
			}
		}
		if left := processesAt(gate.folder("s1")); len(left) != 1 { // the runner of the next turn
			t.Errorf("%s: %v are left", stuck, left)
		}
	}
}

// TestAGateThatShutsTellsItsTurns: nobody asked for a stop, so it is an error.
func TestAGateThatShutsTellsItsTurns(t *testing.T) {
	gate := openGate(t, "engine")
	stream := hangs(t, gate.url, "s1")
	gate.shut()
	if said := rest(t, stream); !strings.Contains(said, `"result":{"ok":false,"error":"The runner was shut down before the answer was complete.","code":"sandbox_error"}`) {
		t.Errorf("the turn ended with %s", said)
	}
}

func TestSessionsWorkInFoldersOfTheirOwn(t *testing.T) {
	gate := openGate(t, "runner")
	for _, session := range []string{"s:1", "s-1"} {
		request := fmt.Sprintf(`{"backend":"scripted","harness":"scripted","sandbox":"local","sessionId":%q,"permissionPolicy":"auto","tools":["write_file"],
			"messages":[{"role":"user","content":"[[tool:write_file {\"path\":\"a.txt\",\"content\":\"%s\"}]] [[say:done]]"}]}`, session, session)
		replies(t, asks(t, http.MethodPost, gate.url+"/run", request), http.StatusOK, `{"ok":true,"output":"done"`)
	}
	for _, session := range []agent.SessionID{"s:1", "s-1"} {
		if b, err := os.ReadFile(filepath.Join(gate.folder(session), "a.txt")); string(b) != string(session) {
			t.Errorf("%s wrote %q (%v)", session, b, err)
		}
	}
}
