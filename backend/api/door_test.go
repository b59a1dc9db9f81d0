package api

import (
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
)

func TestWhoIsLetIn(t *testing.T) {
	w := open(t)
	own := w.url
	for name, c := range map[string]struct {
		change func(*http.Request)
		want   int
	}{
		"the right token":                         {nil, 200},
		"from the page that the door serves":      {header("Origin", own), 200},
		"from the page, by the name localhost":    {header("Origin", strings.Replace(own, "127.0.0.1", "localhost", 1)), 200},
		"from the window on Linux and macOS":      {header("Origin", "wails://wails"), 200},
		"from the window on Windows":              {header("Origin", "http://wails.localhost"), 200},
		"under the name localhost":                {func(r *http.Request) { r.Host = strings.Replace(own[7:], "127.0.0.1", "localhost", 1) }, 200},
		"no token":                                {func(r *http.Request) { r.Header.Del("Authorization") }, 401},
		"an empty token":                          {header("Authorization", "Bearer "), 401},
		"a wrong token":                           {header("Authorization", "Bearer "+strings.Repeat("0", 64)), 401},
		"the beginning of the token":              {header("Authorization", "Bearer "+testToken[:32]), 401},
		"the token under another scheme":          {header("Authorization", "Basic "+testToken), 401},
		"from another origin":                     {header("Origin", "http://evil.example"), 403},
		"from another port of this machine":       {header("Origin", "http://127.0.0.1:1"), 403},
		"from this port over https":               {header("Origin", strings.Replace(own, "http:", "https:", 1)), 403},
		"from a sandboxed frame or a file":        {header("Origin", "null"), 403},
		"an origin that ends like ours":           {header("Origin", "http://evil.example/"+own[7:]), 403},
		"by a name that was rebound to this host": {func(r *http.Request) { r.Host = "evil.example" }, 403},
		"that name with our port":                 {func(r *http.Request) { r.Host = "evil.example" + own[strings.LastIndex(own, ":"):] }, 403},
		"the host without its port":               {func(r *http.Request) { r.Host = "127.0.0.1" }, 403},
		"a version of the protocol to come":       {header(versionName, "2"), 400},
		"this version of the protocol":            {header(versionName, "1"), 200},
	} {
		t.Run(name, func(t *testing.T) {
			res := w.request("GET", "/sessions", "", c.change)
			if res.StatusCode != c.want {
				t.Fatalf("%s, want %d", res.Status, c.want)
			}
			if c.want != 200 && res.Header.Get("Access-Control-Allow-Origin") == "*" {
				t.Error("everyone may read this")
			}
			if origin := res.Header.Get("Access-Control-Allow-Origin"); c.want == 403 && origin != "" {
				t.Errorf("a refused origin may read this: %s", origin)
			}
			if c.want == 401 || c.want == 403 {
				failure(t, res)
			}
		})
	}
}

func TestEveryRouteAsksForTheToken(t *testing.T) {
	w := open(t)
	patterns := []string{"GET /socket"}
	for _, r := range routes {
		patterns = append(patterns, r.pattern)
	}
	for _, pattern := range patterns {
		method, path, _ := strings.Cut(pattern, " ")
		res := w.request(method, strings.ReplaceAll(path, "{id}", "x"), "", func(r *http.Request) { r.Header.Del("Authorization") })
		if res.StatusCode != http.StatusUnauthorized {
			t.Errorf("%s: %s without a token", pattern, res.Status)
		}
	}
}

func TestAPreflightIsAnsweredForOurOriginsOnly(t *testing.T) {
	w := open(t)
	ask := func(origin string) *http.Response {
		return w.request("OPTIONS", "/messages", "", func(r *http.Request) {
			r.Header.Del("Authorization")
			r.Header.Set("Origin", origin)
			r.Header.Set("Access-Control-Request-Method", "POST")
		})
	}
	ours := ask("wails://wails")
	if ours.StatusCode != http.StatusNoContent || ours.Header.Get("Access-Control-Allow-Origin") != "wails://wails" || ours.Header.Get("Vary") != "Origin" {
		t.Errorf("ours: %s %v", ours.Status, ours.Header)
	}
	if theirs := ask("http://evil.example"); theirs.StatusCode != http.StatusForbidden || theirs.Header.Get("Access-Control-Allow-Methods") != "" {
		t.Errorf("theirs: %s %v", theirs.Status, theirs.Header)
	}
}

func TestThePageIsStrict(t *testing.T) {
	w := open(t)
	noToken := func(r *http.Request) { r.Header.Del("Authorization") }
	res := w.request("GET", "/", "", noToken)
	b, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode != http.StatusOK || string(b) != "<p>page" {
		t.Fatalf("%s %s (%v)", res.Status, b, err)
	}
	policy := res.Header.Get("Content-Security-Policy")
	for _, want := range []string{"default-src 'none'", "script-src 'self'", "connect-src 'self' ws://" + w.url[7:], "frame-ancestors 'none'"} {
		if !strings.Contains(policy+";", want+";") {
			t.Errorf("the policy lacks %q: %s", want, policy)
		}
	}
	if strings.Contains(policy, "unsafe-eval") || strings.Contains(policy, "*") {
		t.Errorf("the policy is wide: %s", policy)
	}
	if res := w.request("GET", "/assets/a.js", "", noToken); !strings.Contains(res.Header.Get("Cache-Control"), "immutable") {
		t.Errorf("assets: %s %v", res.Status, res.Header)
	}
	for _, path := range []string{"/nothing", "/../go.mod", "/assets", "/assets/", "/%2e%2e/go.mod", "/assets//a.js"} {
		if res := w.request("GET", path, "", noToken); res.StatusCode == http.StatusOK {
			t.Errorf("%s: %s", path, res.Status)
		}
	}
}

func TestTooMuch(t *testing.T) {
	w := open(t)
	big := `{"session_id":"` + strings.Repeat("x", maxBody) + `"}`
	if res := w.request("POST", "/load-session", big, nil); failure(t, res).Code != http.StatusRequestEntityTooLarge {
		t.Errorf("a large body: %s", res.Status)
	}
	conn, err := net.Dial("tcp", w.url[7:])
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	go io.WriteString(conn, "GET / HTTP/1.1\r\nHost: "+w.url[7:]+"\r\nX: "+strings.Repeat("x", 2*maxHeader)+"\r\n\r\n")
	reply := make([]byte, 12)
	if _, err := io.ReadFull(conn, reply); err != nil || string(reply) != "HTTP/1.1 431" {
		t.Errorf("a large header: %s (%v)", reply, err)
	}
}

func TestBodies(t *testing.T) {
	w := open(t)
	for name, c := range map[string]struct {
		body   string
		change func(*http.Request)
		want   int
	}{
		"not JSON":                {"{", nil, 400},
		"two values":              {`{"session_id":"x"} {}`, nil, 400},
		"an unknown key":          {`{"sesion_id":"x"}`, nil, 400},
		"a value of another type": {`{"session_id":false}`, nil, 400},
		"a bad id":                {`{"session_id":"../x"}`, nil, 400},
		"an unknown id":           {`{"session_id":"x"}`, nil, 404},
		"a form":                  {`session_id=x`, header("Content-Type", "application/x-www-form-urlencoded"), 415},
		"plain text":              {`{"session_id":"x"}`, header("Content-Type", "text/plain"), 415},
		"no type":                 {`{"session_id":"x"}`, func(r *http.Request) { r.Header.Del("Content-Type") }, 415},
	} {
		t.Run(name, func(t *testing.T) {
			res := w.request("POST", "/load-session", c.body, c.change)
			if failure(t, res).Code != c.want {
				t.Errorf("%s, want %d", res.Status, c.want)
			}
		})
	}
}
