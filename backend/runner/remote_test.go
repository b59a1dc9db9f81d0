//go:build linux

package runner

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"parley/backend/agent"
	"parley/backend/process"
)

// impostor is a gate that answers /run and /health in ways of its own, and all else as it should. It remembers what it was asked.
type impostor struct {
	run    func(http.ResponseWriter, *http.Request)
	health string

	mu    sync.Mutex
	asked []string
}

func (i *impostor) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	i.mu.Lock()
	i.asked = append(i.asked, r.URL.Path+" "+r.Header.Get("Authorization")+" "+string(body))
	i.mu.Unlock()
	switch r.URL.Path {
	case "/health":
		reply(w, http.StatusOK, []byte(i.health))
	case "/run":
		i.run(w, r)
	default:
		reply(w, http.StatusOK, []byte(`{"ok":true}`))
	}
}

// told gives the bodies that came to a path.
func (i *impostor) told(path string) (bodies []string) {
	i.mu.Lock()
	defer i.mu.Unlock()
	for _, asked := range i.asked {
		if body, ok := strings.CutPrefix(asked, path+" Bearer "+gateToken+" "); ok {
			bodies = append(bodies, body)
		}
	}
	return bodies
}

// pose serves an impostor and gives a backend that believes it.
func pose(t *testing.T, run func(http.ResponseWriter, *http.Request)) (*impostor, *Remote) {
	i := &impostor{run: run, health: string(plainJSON(health{healthy, offerOf("fake")}))}
	server := httptest.NewServer(i)
	t.Cleanup(server.Close)
	return i, newRemote(t, server.URL)
}

func remoteConn(t *testing.T, r *Remote) (agent.Sandbox, agent.Conn) {
	t.Helper()
	s, err := r.NewSandbox(t.Context(), agent.Policy{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s, newConn(t, s)
}

const deltaLine = `{"kind":"event","event":{"type":"message_delta","text":"x"}}` + "\n"

// TestGatesThatMisbehave: whatever answers, a turn ends, once, and says what to do.
func TestGatesThatMisbehave(t *testing.T) {
	stream := func(body string) func(http.ResponseWriter, *http.Request) {
		return func(w http.ResponseWriter, _ *http.Request) { io.WriteString(streamTo(w), body) }
	}
	says := func(status int, body string) func(http.ResponseWriter, *http.Request) {
		return func(w http.ResponseWriter, _ *http.Request) { reply(w, status, []byte(body)) }
	}
	for name, c := range map[string]struct {
		run     func(http.ResponseWriter, *http.Request)
		text    string
		code    agent.Code
		message string
		survive bool // the sandbox does
	}{
		"a bare result":         {stream(`{"kind":"result","result":{"ok":true}}` + "\n"), "", "", "", true},
		"more after the result": {stream(deltaLine + `{"kind":"result","result":{"ok":true}}` + "\n" + deltaLine), "x", "", "", true},
		"a failure":             {stream(deltaLine + `{"kind":"result","result":{"ok":false,"error":"No.","code":"provider_auth"}}` + "\n"), "x", agent.CodeProviderAuth, "No.", true},
		"a refusal":             {says(429, `{"ok":false,"error":"Busy.","code":"sandbox_error"}`), "", agent.CodeSandbox, "Busy.", true},
		"a failure by status":   {says(500, `{"ok":false,"error":"No.","code":"provider_auth"}`), "", agent.CodeProviderAuth, "No.", true},
		"a proxy's own page":    {says(502, `<h1>Bad Gateway</h1>`), "", agent.CodeSandbox, "the status 502 and no reason", true},
		"a good result, by 500": {says(500, `{"ok":true}`), "", agent.CodeSandbox, "the status 500 and no reason", true},
		"a way to elsewhere": {func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/health", http.StatusFound) }, "", agent.CodeSandbox,
			"the status 302 and no reason", true},
		"nothing":              {stream(""), "", agent.CodeSandbox, "The connection to the runner at 127.0.0.1:", false},
		"an end in the middle": {stream(deltaLine), "x", agent.CodeSandbox, "The connection to the runner at 127.0.0.1:", false},
		"half a record":        {stream(deltaLine + deltaLine[:20]), "x", agent.CodeSandbox, "The connection to the runner at 127.0.0.1:", false},
		"what is no record":    {stream(deltaLine + "<h1>\n"), "x", agent.CodeSandbox, "something that is not its protocol", false},
		"a break in the middle": {func(w http.ResponseWriter, _ *http.Request) {
			io.WriteString(streamTo(w), deltaLine)
			panic(http.ErrAbortHandler)
		}, "x", agent.CodeSandbox, "The connection to the runner at 127.0.0.1:", false},
		"a break instead": {func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, "", agent.CodeSandbox, "cannot be reached", false},
		"silence after a word": {func(w http.ResponseWriter, r *http.Request) {
			io.WriteString(streamTo(w), deltaLine)
			<-r.Context().Done()
		}, "x", agent.CodeRunTimeout, "no sign of life", false},
		"silence from the start": {func(w http.ResponseWriter, r *http.Request) { <-r.Context().Done() }, "", agent.CodeRunTimeout, "no sign of life", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, r := pose(t, c.run)
			if c.code == agent.CodeRunTimeout {
				r.limits.silence = 500 * time.Millisecond
			}
			s, conn := remoteConn(t, r)
			said := listen(t.Context(), conn, say(), nil)
			if said.text != c.text {
				t.Errorf("it said %q", said.text)
			}
			switch {
			case c.code == "" && (said.err != nil || said.finish.StopReason != agent.StopEndTurn):
				t.Errorf("ended with %+v, %v", said.finish, said.err)
			case c.code != "" && (said.err == nil || said.err.Code != c.code || !strings.Contains(said.err.Message, c.message)):
				t.Errorf("failed with %v", said.err)
			}
			select {
			case <-s.(*remoteSandbox).dead:
				if c.survive {
					t.Error("the sandbox is dead")
				}
			default:
				if !c.survive {
					t.Error("the sandbox lives")
				}
			}
		})
	}
}

func TestARunnerElsewhereThatCannotBeUsed(t *testing.T) {
	for name, c := range map[string]struct {
		health  string
		message string
	}{
		"another program":  {"<h1>Hello</h1>", "is no runner of Parley"},
		"one that is ill":  {`{"status":"ill","protocol":"1.0"}`, "is no runner of Parley"},
		"another protocol": {`{"status":"ok","protocol":"2.0","version":"9"}`, `(version "9") speaks protocol "2.0" and this Parley speaks 1.0. Start the newer`},
	} {
		t.Run(name, func(t *testing.T) {
			i, r := pose(t, nil)
			i.health = c.health
			if _, err := r.NewSandbox(t.Context(), agent.Policy{}); agent.AsError(err).Code != agent.CodeSandbox || !strings.Contains(agent.AsError(err).Message, c.message) {
				t.Errorf("it gave %v", err)
			}
			if told := i.told("/control"); len(told) > 0 {
				t.Errorf("it was given the token: %q", told)
			}
		})
	}
	server := httptest.NewServer(NewGate(GateOptions{Token: gateToken, Log: slog.New(slog.DiscardHandler)}))
	r := newRemote(t, server.URL)
	r.Token = "another"
	if _, err := r.NewSandbox(t.Context(), agent.Policy{}); err == nil || !strings.Contains(agent.AsError(err).Message, "does not accept the token") {
		t.Errorf("with another token: %v", err)
	}
	server.Close()
	if _, err := r.NewSandbox(t.Context(), agent.Policy{}); err == nil || !strings.Contains(agent.AsError(err).Message, "cannot be reached") {
		t.Errorf("where nobody is: %v", err)
	}
}

func TestAddressesOfRunners(t *testing.T) {
	for url, ok := range map[string]bool{
		"http://127.0.0.1:7000": true, "http://[::1]:7000": true, "http://localhost:7000/": true, "https://runner.example": true, "https://runner.example/parley/": true,
		"": false, "runner.example:7000": false, "ftp://127.0.0.1": false, "http://runner.example": false, "http://127.0.0.1.example": false,
		"https://me:hunter2@runner.example": false, "https://runner.example?token=hunter2": false, "https://": false, "%": false,
	} {
		_, err := NewRemote(RemoteOptions{URL: url, Token: "t", Log: slog.New(slog.DiscardHandler)})
		if (err == nil) != ok || err != nil && (agent.AsError(err).Code != agent.CodeValidation || strings.Contains(err.Error(), "hunter2")) {
			t.Errorf("%q: %v", url, err)
		}
	}
	if _, err := NewRemote(RemoteOptions{URL: "https://runner.example", Log: slog.New(slog.DiscardHandler)}); err == nil {
		t.Error("there was no token")
	}
}

// TestAStopFarAwayThatIsNotConfirmed ends by a kill, of this turn's runner only.
func TestAStopFarAwayThatIsNotConfirmed(t *testing.T) {
	i, r := pose(t, func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(streamTo(w), deltaLine)
		<-r.Context().Done()
	})
	r.limits.stop = 100 * time.Millisecond
	s, conn := remoteConn(t, r)
	ctx, cancel := context.WithCancel(t.Context())
	said := listen(ctx, conn, say(), func(agent.Event) { cancel() })
	if said.finish != (agent.Finish{StopReason: agent.StopCancelled, Killed: true}) || said.err != nil {
		t.Errorf("ended with %+v, %v", said.finish, said.err)
	}
	<-s.Done()
	s.Close()
	if told := i.told("/control"); len(told) != 2 || !strings.Contains(told[1], `"control":{"type":"stop"}`) || !strings.Contains(told[1], `"sessionId":"s1"`) {
		t.Errorf("it was told %q", told)
	}
	if told := i.told("/kill"); len(told) != 1 || told[0] != `{"sessionId":"s1","projectId":"default","turnId":"t1"}` {
		t.Errorf("it was to kill %q", told)
	}
}

// TestAStopWaitsForTheTurn: a gate that does not have the turn yet would not know what to stop.
func TestAStopWaitsForTheTurn(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	var i *impostor
	i, r := pose(t, func(w http.ResponseWriter, req *http.Request) {
		cancel()
		<-time.After(50 * time.Millisecond)
		if told := i.told("/control"); len(told) > 1 {
			t.Errorf("it was told %q", told)
		}
		to := streamTo(w)
		for len(i.told("/control")) < 2 && req.Context().Err() == nil {
			<-time.After(time.Millisecond)
		}
		io.WriteString(to, `{"kind":"result","result":{"ok":true,"stopReason":"cancelled"}}`+"\n")
	})
	_, conn := remoteConn(t, r)
	if said := listen(ctx, conn, say(), nil); said.finish != (agent.Finish{StopReason: agent.StopCancelled}) || said.err != nil {
		t.Errorf("ended with %+v, %v", said.finish, said.err)
	}
}

// TestClosingASandboxFarAway ends what ran in it, and tells nobody if nothing did.
func TestClosingASandboxFarAway(t *testing.T) {
	i, r := pose(t, func(w http.ResponseWriter, _ *http.Request) {
		io.WriteString(streamTo(w), `{"kind":"result","result":{"ok":true}}`+"\n")
	})
	unused, _ := remoteConn(t, r)
	unused.Close()
	if told := i.told("/kill"); len(told) > 0 {
		t.Errorf("it was to kill %q", told)
	}
	s, conn := remoteConn(t, r)
	for _, turn := range []agent.TurnID{"t1", "t2"} {
		prompt := say()
		prompt.Turn = turn
		if said := listen(t.Context(), conn, prompt, nil); said.err != nil {
			t.Fatal(said.err)
		}
	}
	s.Close()
	s.Close()
	if told := i.told("/kill"); len(told) != 1 || !strings.Contains(told[0], `"turnId":"t2"`) {
		t.Errorf("it was to kill %q", told)
	}
}

// FuzzAnswer reads what may come in answer to a turn. None runs, so nobody waits for it.
func FuzzAnswer(f *testing.F) {
	f.Add(http.StatusOK, deltaLine+`{"kind":"heartbeat"}`+"\n"+`{"kind":"result","result":{"ok":true}}`+"\n")
	f.Add(http.StatusInternalServerError, `{"ok":false,"error":"No.","code":"provider_auth"}`)
	f.Add(http.StatusBadGateway, `<h1>Bad Gateway</h1>`)
	f.Fuzz(func(t *testing.T, status int, body string) {
		if status != http.StatusOK {
			_, err := readReply(&http.Response{StatusCode: status, Body: io.NopCloser(strings.NewReader(body))})
			var told *agent.Error
			if !errors.As(err, &told) || !told.Code.Valid() || told.Message == "" {
				t.Errorf("%d, %q gave %v", status, body, err)
			}
			return
		}
		l := link{log: slog.New(slog.DiscardHandler)}
		lines := process.NewLines(strings.NewReader(body))
		for n := strings.Count(body, "\n"); ; n-- {
			ended, err := l.hear(lines)
			if ended {
				return
			}
			if err != nil {
				if why := l.explain(err, "It broke."); why.Code != agent.CodeSandbox || why.Message == "" {
					t.Errorf("%q: %v", body, why)
				}
				return
			}
			if n <= 0 {
				t.Fatalf("%q has no end", body)
			}
		}
	})
}

func FuzzHealth(f *testing.F) {
	f.Add(plainJSON(health{healthy, offerOf("1.2.3")}))
	f.Add([]byte(`{"status":"ok","protocol":"2.0"}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		var h health
		malformed := json.Unmarshal(body, &h)
		major, _, _ := strings.Cut(h.Protocol, ".")
		err := checkHealth(body)
		if good := malformed == nil && h.Status == "ok" && major == "1"; good != (err == nil) || err != nil && agent.AsError(err).Code != agent.CodeSandbox {
			t.Errorf("%q: %v", body, err)
		}
	})
}
