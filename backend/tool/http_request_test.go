package tool

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"parley/backend/policy"
)

func TestHTTPRequest(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		w.Header()["Date"] = nil
		switch r.URL.Path {
		case "/away":
			http.Redirect(w, r, "/echo", http.StatusFound)
		case "/picture":
			w.Header().Set("Content-Type", "image/png")
			_, _ = w.Write([]byte("\x89PNG\x00"))
		case "/large":
			_, _ = io.Copy(w, strings.NewReader(strings.Repeat("x", maxBody+1)))
		case "/lines":
			_, _ = io.Copy(w, strings.NewReader(strings.Repeat("hunter22\n", maxBody/9+1)))
		default:
			w.Header().Set("Content-Type", "text/plain")
			w.WriteHeader(http.StatusTeapot)
			fmt.Fprintf(w, "%s %s %q %q %s", r.Method, r.URL, r.Header.Get("X-Asked"), r.Header.Get("X-Forwarded-For"), body)
		}
	}))
	defer server.Close()
	host := strings.TrimPrefix(server.URL, "http://")
	here := policy.Network{Loopback: []string{host}, Resolve: Internet.Resolve}

	d, err := fetch(t.Context(), here, httpRequestArguments{Method: "POST", URL: server.URL + "/echo?q", Headers: map[string]string{"X-Asked": "a\r\nb", "X-Forwarded-For": "x"}, Body: "hello"}, time.Minute)
	if err != nil || d.Status != "418 I'm a teapot" || d.Body != `POST /echo?q "ab" "" hello` || d.Type != "text/plain" || len(d.Headers) != 2 {
		t.Errorf("%+v, %v", d, err)
	}
	if d, err := fetch(t.Context(), here, httpRequestArguments{Method: "GET", URL: server.URL + "/away"}, time.Minute); err != nil || d.Status != "302 Found" || !strings.Contains(strings.Join(d.Headers, "\n"), "Location: /echo") {
		t.Errorf("a redirect: %+v, %v", d, err)
	}
	if d, err := fetch(t.Context(), here, httpRequestArguments{Method: "GET", URL: server.URL + "/picture"}, time.Minute); err != nil || d.Body != "" || d.Bytes != 5 {
		t.Errorf("a picture: %+v, %v", d, err)
	}
	if d, err := fetch(t.Context(), here, httpRequestArguments{Method: "GET", URL: server.URL + "/large"}, time.Minute); err != nil || d.Bytes != maxBody {
		t.Errorf("%d bytes, %v", d.Bytes, err)
	}
	if d, err := fetch(t.Context(), here, httpRequestArguments{Method: "GET", URL: server.URL + "/lines"}, time.Minute); err != nil || d.Bytes != maxBody/9*9 || !strings.HasSuffix(d.Body, "\nhunter22\n") {
		t.Errorf("lines: %d bytes, %v", d.Bytes, err)
	}
	for url, want := range map[string]string{
		server.URL:                  "https",
		"https://localhost/":        "localhost",
		"https://169.254.169.254/x": "169.254.169.254",
		"file:///etc/passwd":        "https",
	} {
		if _, err := fetch(t.Context(), Internet, httpRequestArguments{Method: "GET", URL: url}, time.Minute); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", url, err)
		}
	}
	stopped, stop := context.WithCancel(t.Context())
	stop()
	if _, err := fetch(stopped, here, httpRequestArguments{Method: "GET", URL: server.URL}, time.Minute); err == nil || !strings.HasSuffix(err.Error(), "was stopped.") {
		t.Errorf("stopped: %v", err)
	}
	server.Close()
	if _, err := fetch(t.Context(), here, httpRequestArguments{Method: "GET", URL: server.URL}, time.Minute); err == nil || told(err) != "No connection could be made to 127.0.0.1." {
		t.Errorf("gone: %v", err)
	}
}
