package api

import (
	"container/list"
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"sync"
	"time"
)

const (
	maxBody   = 64 << 20
	maxHeader = 32 << 10
	slop      = 4 << 10 // by which net/http lets a header be larger than it was told

	readLimit  = 10 * time.Second // for a header, and for each piece of a body
	bodyPiece  = 64 << 10
	idleLimit  = 2 * time.Minute
	writeLimit = 30 * time.Second // for one piece of a reply: who reads nothing for this long is gone

	maxWaiting = 256 // connections that have not sent a request, or no further one
)

// Server is an http.Server for the door that waits for nobody who is slow, or says nothing.
func (d *Door) Server() *http.Server {
	var waiting lobby
	server := &http.Server{
		ReadHeaderTimeout: readLimit,
		IdleTimeout:       idleLimit,
		MaxHeaderBytes:    maxHeader - slop,
		ErrorLog:          slog.NewLogLogger(d.Log.Handler(), slog.LevelDebug),
		ConnState:         waiting.follow,
		ConnContext:       func(ctx context.Context, c net.Conn) context.Context { return context.WithValue(ctx, connKey{}, c) },
	}
	server.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		waiting.leave(r.Context().Value(connKey{}).(net.Conn))
		if r.Body != http.NoBody {
			r.Body = newHurriedBody(w, r.Body, server.ReadHeaderTimeout)
		}
		d.ServeHTTP(w, r)
	})
	return server
}

type connKey struct{}

// lobby holds the connections that have not sent a request, or no further one, and closes the one that waits for the longest
// when there are too many: who has something to say says it, and is not in here. The zero lobby is empty.
type lobby struct {
	mu      sync.Mutex
	waiting list.List // of net.Conn, the one that waits for the longest first
	places  map[net.Conn]*list.Element
}

func (l *lobby) follow(c net.Conn, state http.ConnState) {
	switch state {
	case http.StateNew, http.StateIdle:
		if oldest := l.enter(c); oldest != nil {
			oldest.Close()
		}
	case http.StateClosed, http.StateHijacked:
		l.leave(c)
	}
}

// enter gives the connection that has to go, if one has to.
func (l *lobby) enter(c net.Conn) (oldest net.Conn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.places == nil {
		l.places = map[net.Conn]*list.Element{}
	}
	l.places[c] = l.waiting.PushBack(c)
	if len(l.places) > maxWaiting {
		oldest = l.waiting.Remove(l.waiting.Front()).(net.Conn)
		delete(l.places, oldest)
	}
	return oldest
}

// leave may be called for a connection that is not in here.
func (l *lobby) leave(c net.Conn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if place, ok := l.places[c]; ok {
		l.waiting.Remove(place)
		delete(l.places, c)
	}
}

// hurriedBody is a body whose sender has to go on sending it: each piece has its time.
type hurriedBody struct {
	io.ReadCloser
	conn  *http.ResponseController
	limit time.Duration
	got   int // of this piece
}

func newHurriedBody(w http.ResponseWriter, body io.ReadCloser, limit time.Duration) *hurriedBody {
	b := &hurriedBody{body, http.NewResponseController(w), limit, 0}
	b.conn.SetReadDeadline(time.Now().Add(limit))
	return b
}

func (b *hurriedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	b.got += n
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded):
		return n, errSlow
	case err == io.EOF:
		b.conn.SetReadDeadline(time.Time{}) // from here on the connection is only listened to
	case b.got >= bodyPiece:
		b.got = 0
		b.conn.SetReadDeadline(time.Now().Add(b.limit))
	}
	return n, err
}
