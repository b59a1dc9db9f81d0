package egress

import (
	"bufio"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"parley/backend/agent"
)

func listen(t *testing.T) net.Listener {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// open opens an exit, and gives a client that goes by it.
func open(t *testing.T, to Destinations) (*Exit, *http.Client) {
	t.Helper()
	l := listen(t)
	e := Open(l, nil, to, slog.New(slog.DiscardHandler))
	t.Cleanup(e.Close)
	proxy := &url.URL{Scheme: "http", Host: l.Addr().String()}
	transport := &http.Transport{Proxy: http.ProxyURL(proxy), TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, DisableKeepAlives: true}
	return e, &http.Client{Transport: transport}
}

// get gives what a client reads at an address, or why it cannot.
func get(c *http.Client, address string) string {
	r, err := c.Get(address)
	if err != nil {
		return errors.Unwrap(err).Error()
	}
	defer r.Body.Close()
	b, _ := io.ReadAll(r.Body)
	return fmt.Sprint(r.StatusCode, " ", strings.TrimSpace(string(b)))
}

var hello = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "hello") })

func TestWhatIsReached(t *testing.T) {
	plain, secure, stranger := httptest.NewServer(hello), httptest.NewTLSServer(hello), httptest.NewTLSServer(hello)
	defer plain.Close()
	defer secure.Close()
	defer stranger.Close()
	var asked []string
	other := func(_ context.Context, network, address string) (net.Conn, error) {
		asked = append(asked, network+" "+address)
		switch {
		case strings.HasPrefix(address, "allowed"):
			return net.Dial(network, stranger.Listener.Addr().String()) // what was checked, whatever the name leads to now
		case strings.HasPrefix(address, "broken"):
			return nil, errors.New("dial: no route to 10.0.0.1")
		}
		return nil, agent.Errorf(agent.CodeToolDenied, "Not there.")
	}
	_, byHTTPS := open(t, Destinations{Model: secure.URL + "/v1", Hosts: []string{"login.example"}, Other: other})
	_, byHTTP := open(t, Destinations{Model: plain.URL + "/v1", Other: other})
	_, closed := open(t, Destinations{})
	for name, c := range map[string]struct {
		client        *http.Client
		address, want string
	}{
		"the model by https":             {byHTTPS, secure.URL, "200 hello"},
		"another port of its machine":    {byHTTPS, stranger.URL, "Forbidden"},
		"what is decided":                {byHTTPS, "https://allowed.example", "200 hello"},
		"what is denied":                 {byHTTPS, "https://elsewhere.example", "Forbidden"},
		"what cannot be reached":         {byHTTPS, "https://broken.example", "Bad Gateway"},
		"a login's host, by another way": {byHTTPS, "https://login.example:8443", "Forbidden"},
		"the model by http":              {byHTTP, plain.URL + "/x", "200 hello"},
		"others by http":                 {byHTTP, "http://allowed.example", "403 Parley lets agents out by https only."},
		"the model of another":           {byHTTPS, plain.URL, "403 Parley lets agents out by https only."},
		"anything where nothing is let":  {closed, secure.URL, "Forbidden"},
	} {
		if got := get(c.client, c.address); got != c.want {
			t.Errorf("%s: %s", name, got)
		}
	}
	if len(asked) != 5 {
		t.Errorf("asked about %q", asked)
	}
}

// TestWhatARefusalTells: nothing of why a connection failed.
func TestWhatARefusalTells(t *testing.T) {
	l := listen(t)
	e := Open(l, nil, Destinations{Other: func(context.Context, string, string) (net.Conn, error) { return nil, errors.New("dial 10.0.0.1") }}, slog.New(slog.DiscardHandler))
	defer e.Close()
	for request, want := range map[string]string{
		"CONNECT a.example:443 HTTP/1.1\r\nHost: a.example:443\r\n\r\n": "502",
		"CONNECT a.example HTTP/1.1\r\nHost: a.example\r\n\r\n":         "403",
		"GET / HTTP/1.1\r\nHost: a.example\r\n\r\n":                     "403",
		"nonsense\r\n\r\n": "400",
	} {
		c, err := net.Dial("tcp", l.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		_, _ = io.WriteString(c, request)
		r, err := http.ReadResponse(bufio.NewReader(c), nil)
		if err != nil {
			t.Fatal(err)
		}
		b, _ := io.ReadAll(r.Body)
		if !strings.HasPrefix(r.Status, want) || strings.Contains(string(b), "10.0.0.1") {
			t.Errorf("%q: %s %s", request, r.Status, b)
		}
		c.Close()
	}
}

// TestARelay: it hands on bytes and the end of them, each way by itself, until the exit is closed.
func TestARelay(t *testing.T) {
	server := listen(t)
	defer server.Close()
	proxy, relay := listen(t), listen(t)
	e := Open(proxy, relay, Destinations{Model: "http://" + server.Addr().String()}, slog.New(slog.DiscardHandler))
	inside, err := net.Dial("tcp", relay.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	outside, err := server.Accept()
	if err != nil {
		t.Fatal(err)
	}
	_, _ = io.WriteString(inside, "question")
	_ = inside.(*net.TCPConn).CloseWrite()
	if b, err := io.ReadAll(outside); string(b) != "question" || err != nil {
		t.Errorf("the server read %q, %v", b, err)
	}
	_, _ = io.WriteString(outside, "answer")
	b := make([]byte, 6)
	if _, err := io.ReadFull(inside, b); string(b) != "answer" || err != nil {
		t.Errorf("it was answered %q, %v", b, err)
	}
	e.Close()
	if _, err := inside.Read(b); err == nil {
		t.Error("it is still open")
	}
	outside.Close()
	if _, err := net.Dial("tcp", relay.Addr().String()); err == nil {
		t.Error("the relay is still open")
	}
}
