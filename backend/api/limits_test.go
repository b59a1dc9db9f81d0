package api

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"
)

// hasty is a server that gives its clients little time.
func hasty(s *http.Server) { s.ReadHeaderTimeout = 300 * time.Millisecond }

func (w *world) connect() net.Conn {
	w.t.Helper()
	c, err := net.Dial("tcp", w.url[len("http://"):])
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() { c.Close() })
	return c
}

// trickle sends head at once and then a byte at a time, until nobody listens any more or a minute is over.
func trickle(c net.Conn, head string) {
	io.WriteString(c, head)
	end := time.After(time.Minute)
	for tick := time.NewTicker(20 * time.Millisecond); ; {
		select {
		case <-tick.C:
		case <-end:
			return
		}
		if _, err := io.WriteString(c, "x"); err != nil {
			return
		}
	}
}

// §9 slow clients bounded: a header that never ends is not waited for, nor is a body.
func TestSlowSendersAreGivenUp(t *testing.T) {
	w := openWith(t, t.TempDir(), ring, hasty)
	head := "Host: " + w.url[len("http://"):] + "\r\nAuthorization: Bearer " + testToken + "\r\nContent-Type: application/json\r\n"
	for name, c := range map[string]struct{ head, want string }{
		"a header":                {"GET /sessions HTTP/1.1\r\n" + head + "X: ", ""},
		"a body":                  {"POST /load-session HTTP/1.1\r\n" + head + "Content-Length: 100000\r\n\r\n{", "HTTP/1.1 408 Request Timeout"},
		"a body of no length":     {"POST /load-session HTTP/1.1\r\n" + head + "Transfer-Encoding: chunked\r\n\r\nffff\r\n{", "HTTP/1.1 408 Request Timeout"},
		"a body that is not one":  {"POST /load-session HTTP/1.1\r\n" + head + "Transfer-Encoding: chunked\r\n\r\n5\r\n{xxxxx\r\n", "HTTP/1.1 400 Bad Request"},
		"a body that nobody asks": {"POST /messages/s/stop HTTP/1.1\r\n" + head + "Content-Length: 100000\r\n\r\n{", "HTTP/1.1 200 OK"},
	} {
		t.Run(name, func(t *testing.T) {
			conn := w.connect()
			go trickle(conn, c.head)
			conn.SetReadDeadline(time.Now().Add(30 * time.Second))
			got, err := io.ReadAll(conn) // to the end that the server makes
			if line, _, _ := strings.Cut(string(got), "\r\n"); line != c.want && c.want != "" || err != nil && strings.Contains(err.Error(), "timeout") {
				t.Errorf("got %q (%v)", got, err)
			}
		})
	}
}

// §9 no header over 32 KiB
func TestALargeHeaderIsRefused(t *testing.T) {
	w := open(t)
	for size, want := range map[int]string{maxHeader - 1<<10: "HTTP/1.1 200", maxHeader + 1<<10: "HTTP/1.1 431"} {
		conn := w.connect()
		go fmt.Fprintf(conn, "GET / HTTP/1.1\r\nHost: %s\r\nX: %s\r\n\r\n", w.url[len("http://"):], strings.Repeat("x", size))
		reply := make([]byte, len(want))
		if _, err := io.ReadFull(conn, reply); err != nil || string(reply) != want {
			t.Errorf("%d bytes: %s (%v), want %s", size, reply, err, want)
		}
	}
}

// §9 no request body over 64 MiB (§3 413)
func TestALargeBodyIsRefused(t *testing.T) {
	w := open(t)
	for name, c := range map[string]struct{ size, length, want int64 }{
		"at once":        {maxBody + 1, maxBody + 1, 413},
		"as it passes":   {maxBody + 1, -1, 413},
		"as much as may": {maxBody, maxBody, 400}, // spaces are not JSON
	} {
		res := w.request("POST", "/load-session", "{}", func(r *http.Request) {
			r.Body = io.NopCloser(io.LimitReader(spaces{}, c.size))
			r.ContentLength = c.length
		})
		if f := failure(t, res); int64(f.Code) != c.want {
			t.Errorf("%s: %+v", name, f)
		}
	}
	five := strings.Repeat("five megabytes ", 5<<20/15)
	res := w.request("POST", "/messages", message("s", "u1", five+"[[say:ok]]"), nil)
	if got := text(t, frames(t, res.Body)); !strings.Contains(got, "ok") {
		t.Errorf("a part of 5 MB: %s %q", res.Status, got)
	}
	if messages, _ := w.load("s", ""); len(messages) != 2 || len(messages[0]) < len(five) {
		t.Error("the part of 5 MB is not there")
	}
}

type spaces struct{}

func (spaces) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = ' '
	}
	return len(p), nil
}

// §9 slow clients bounded: 10,000 connections that say nothing cost little, and keep nobody out.
func TestManyIdleConnections(t *testing.T) {
	w := open(t)
	before := heap()
	var conns []net.Conn
	for i := range 10_000 {
		conns = append(conns, w.connect())
		if i < 2*maxWaiting {
			continue
		}
		old := conns[i-2*maxWaiting]
		old.SetReadDeadline(time.Now().Add(readLimit / 2))
		if _, err := old.Read(make([]byte, 1)); errors.Is(err, os.ErrDeadlineExceeded) {
			t.Fatalf("connection %d is still open after %d", i-2*maxWaiting, i)
		}
		old.Close()
	}
	for range 3 {
		if res := w.request("GET", "/sessions", "", nil); res.StatusCode != http.StatusOK {
			t.Errorf("a client among them: %s", res.Status)
		}
	}
	if grown := heap() - before; grown > 32<<20 {
		t.Errorf("the heap grew by %d bytes", grown)
	}
	if n := runtime.NumGoroutine(); n > maxWaiting+200 {
		t.Errorf("there are %d goroutines", n)
	}
}

func heap() int64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int64(m.HeapInuse + m.StackInuse)
}

// TestWhoWaitsForTheLongestGoesFirst: and nobody goes who is being served.
func TestWhoWaitsForTheLongestGoesFirst(t *testing.T) {
	w := open(t)
	idle := w.connect()
	served := w.connect()
	fmt.Fprintf(served, "POST /messages HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\nAccept: */*\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s",
		w.url[len("http://"):], testToken, len(message("s", "u1", "[[hang]]")), message("s", "u1", "[[hang]]"))
	stream := bufio.NewReader(served)
	if line, err := stream.ReadString('\n'); err != nil || !strings.Contains(line, "200") {
		t.Fatalf("%s (%v)", line, err)
	}
	for range maxWaiting + 1 {
		w.connect()
	}
	if _, err := idle.Read(make([]byte, 1)); err == nil {
		t.Error("the connection that waited for the longest is still there")
	}
	w.request("POST", "/messages/s/stop", "", nil)
	for line := ""; !strings.Contains(line, "[DONE]"); {
		var err error
		if line, err = stream.ReadString('\n'); err != nil {
			t.Fatalf("who was served: %v", err)
		}
	}
}

// §6 Any number of clients watch one turn: one that never reads holds up nobody. The turn is longer than what lies between the
// two, so whoever writes to it has to wait.
func TestAWatcherThatNeverReads(t *testing.T) {
	w := open(t)
	const body = `[[deltas:20000]] [[size:800]]`
	lazy := w.connect()
	if err := lazy.(*net.TCPConn).SetReadBuffer(1 << 10); err != nil {
		t.Fatal(err)
	}
	first := w.request("POST", "/messages", message("s", "u1", body), nil)
	fmt.Fprintf(lazy, "GET /messages/s/stream HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\nX-Parley-Coalesce: 0\r\n\r\n", w.url[len("http://"):], testToken)
	if stream := frames(t, first.Body); stream[len(stream)-1].data != "[DONE]" {
		t.Errorf("the other watcher's stream ends with %+v", stream[len(stream)-1])
	}
}
