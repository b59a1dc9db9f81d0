package api

import (
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"parley/backend/agent"
)

// §9 exact Host and Origin checks (§3 403 wrong origin or host); §9 a 256-bit token (§3 401 no or wrong token) §9 from the
// Authorization header; §2 a request that names another major → 400.
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
		"a name that resolves to this host":       {func(r *http.Request) { r.Host = "localhost.evil.example" + own[strings.LastIndex(own, ":"):] }, 403},
		"a name with a dot at its end":            {func(r *http.Request) { r.Host = "localhost." + own[strings.LastIndex(own, ":"):] }, 403},
		"the same address in another way":         {func(r *http.Request) { r.Host = "127.1" + own[strings.LastIndex(own, ":"):] }, 403},
		"the address of version 6":                {func(r *http.Request) { r.Host = "[::1]" + own[strings.LastIndex(own, ":"):] }, 403},
		"the address of every interface":          {func(r *http.Request) { r.Host = "0.0.0.0" + own[strings.LastIndex(own, ":"):] }, 403},
		"embedded by a page of another site":      {header("Sec-Fetch-Site", "cross-site"), 403},
		"embedded by a page of another port":      {header("Sec-Fetch-Site", "same-site"), 403},
		"asked by our own page without an origin": {header("Sec-Fetch-Site", "same-origin"), 200},
		"a link in a page of another site": {func(r *http.Request) {
			r.Header.Set("Sec-Fetch-Site", "cross-site")
			r.Header.Set("Sec-Fetch-Dest", "document")
		}, 200},
		"a minor version of this protocol":  {header(versionName, "1.4"), 200},
		"no version at all":                 {header(versionName, "one"), 400},
		"the token in the address":          {func(r *http.Request) { r.Header.Del("Authorization"); r.URL.RawQuery = "token=" + testToken }, 401},
		"the token in a cookie":             {func(r *http.Request) { r.Header.Del("Authorization"); r.Header.Set("Cookie", "token="+testToken) }, 401},
		"a version of the protocol to come": {header(versionName, "2"), 400},
		"this version of the protocol":      {header(versionName, "1"), 200},
	} {
		t.Run(name, func(t *testing.T) {
			res := w.request("GET", "/sessions", "", c.change)
			if res.StatusCode != c.want {
				t.Fatalf("%s, want %d", res.Status, c.want)
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

// §1 outside the pattern → 400, §1 . and .. → 400: on every route, however it is written.
func TestIDsOutsideThePatternAreRefused(t *testing.T) {
	w := open(t)
	ids := []string{"%2e%2e", "%2E", ".", "..", "%00", "%0a", "a%2fb", "a%20b", "%c3%a9", "é", "a%3Fb", "%25", "a~b", strings.Repeat("x", 129)}
	for _, r := range routes {
		method, path, _ := strings.Cut(r.pattern, " ")
		if !strings.Contains(path, "{id}") || strings.HasPrefix(path, "/approvals") {
			continue
		}
		for _, id := range ids {
			body := ""
			if r.request != nil {
				body = "{}"
			}
			res := w.request(method, strings.NewReplacer("{id}", id, "{n}", "1", "{answer}", "m").Replace(path), body, nil)
			f := failure(t, res)
			cleaned := id == "." || id == ".." // there is another path of that name, or none
			if f.Code != 400 && !(cleaned && f.Code == 404) {
				t.Errorf("%s with %s: %+v", r.pattern, id, f)
			}
		}
	}
	for _, id := range ids {
		name, err := url.PathUnescape(id)
		if err != nil {
			t.Fatal(err)
		}
		b, err := json.Marshal(LoadRequest{agent.SessionID(name)})
		if err != nil {
			t.Fatal(err)
		}
		if f := failure(t, w.request("POST", "/load-session", string(b), nil)); f.Code != 400 {
			t.Errorf("/load-session with %q: %+v", name, f)
		}
	}
}

// §3 Whatever fails before the first frame is plain JSON: §3 404.
func TestWhatIsNotThereIsSaidInJSON(t *testing.T) {
	w := open(t)
	for _, c := range []struct {
		method, path string
		want         int
		allow        string
	}{
		{"GET", "/nothing", 404, ""},
		{"POST", "/nothing", 404, ""},
		{"DELETE", "/", 404, ""},
		{"POST", "/sessions//fork", 404, ""},
		{"POST", "/x/../sessions", 404, ""},
		{"GET", "/sessions/", 404, ""},
		{"GET", "/messages", 405, "POST"},
		{"PUT", "/sessions/s", 405, "GET, PATCH, DELETE"},
		{"TEAPOT", "/sessions", 405, "GET"},
		{"POST", "/socket", 405, "GET"},
	} {
		res := w.request(c.method, c.path, "", nil)
		if f := failure(t, res); f.Code != c.want || res.Header.Get("Allow") != c.allow || res.Header.Get(versionName) != "1" {
			t.Errorf("%s %s: %+v, allow %q", c.method, c.path, f, res.Header.Get("Allow"))
		}
	}
	if res := w.request("HEAD", "/sessions", "", nil); res.StatusCode != 405 || res.Header.Get("Allow") != "GET" {
		t.Errorf("HEAD: %s", res.Status)
	}
}

// §3 5xx; §3 body {status:{code, type, message}}, §3 a stack trace never.
func TestAPanicTellsNothing(t *testing.T) {
	w := open(t)
	w.door.mux.HandleFunc("GET /panics", func(http.ResponseWriter, *http.Request) { panic("a secret") })
	w.door.mux.HandleFunc("GET /panics/later", func(w http.ResponseWriter, _ *http.Request) {
		io.WriteString(w, "data: half")
		newFlusher(w).write(nil)
		panic("a secret")
	})
	res := w.request("GET", "/panics", "", nil)
	b, err := io.ReadAll(res.Body)
	if want := `{"status":{"code":500,"type":"internal","message":"Something went wrong inside Parley."}}`; strings.TrimSpace(string(b)) != want || res.StatusCode != 500 || err != nil {
		t.Errorf("%s %s (%v)", res.Status, b, err)
	}
	b, err = io.ReadAll(w.request("GET", "/panics/later", "", nil).Body)
	if string(b) != "data: half" || err == nil {
		t.Errorf("after it has begun: %s (%v)", b, err)
	}
}

// §9 no cookies, no * in CORS
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

// §9 a strict CSP
func TestThePageIsStrict(t *testing.T) {
	w := open(t)
	noToken := func(r *http.Request) { r.Header.Del("Authorization") }
	res := w.request("GET", "/", "", noToken)
	b, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode != http.StatusOK || string(b) != "<p>page" {
		t.Fatalf("%s %s (%v)", res.Status, b, err)
	}
	policy := res.Header.Get("Content-Security-Policy")
	for _, path := range []string{"/", "/assets/a.js"} {
		for _, method := range []string{"GET", "HEAD"} {
			if got := w.request(method, path, "", noToken).Header.Get("Content-Security-Policy"); got != policy {
				t.Errorf("%s %s: the policy is %q", method, path, got)
			}
		}
	}
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
