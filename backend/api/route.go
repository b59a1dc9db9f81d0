package api

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"reflect"
	"time"

	"parley/backend/agent"
	"parley/backend/session"
)

const (
	readHeaderLimit = 10 * time.Second
	idleLimit       = 2 * time.Minute
	writeLimit      = 30 * time.Second // for one piece of a stream: who reads nothing for this long is gone
)

// route is one resource of the door. The types of its bodies are kept, because the page's TypeScript is generated from
// what the handlers really decode and encode.
type route struct {
	pattern           string
	serve             func(*Door, http.ResponseWriter, *http.Request)
	request, response reflect.Type
}

var routes = []route{
	answer("GET /health", (*Door).health),
	answer("POST /window", (*Door).showWindow),
	answer("GET /agents", (*Door).listAgents),
	answer("GET /sessions", (*Door).listSessions),
	answer("GET /sessions/{id}", (*Door).getSession),
	accept("PATCH /sessions/{id}", (*Door).changeSession),
	answer("DELETE /sessions/{id}", (*Door).deleteSession),
	answer("POST /sessions/{id}/restore", (*Door).restoreSession),
	answer("GET /sessions/{id}/messages", (*Door).listMessages),
	stream[session.Event]("GET /sessions/{id}/events", (*Door).streamEvents),
	stream[noBody]("POST /messages", (*Door).postMessage),
	stream[noBody]("GET /messages/{id}/stream", (*Door).resumeMessage),
	answer("POST /messages/{id}/stop", (*Door).stopMessage),
	accept("POST /load-session", (*Door).loadSession),
	answer("GET /search", (*Door).search),
}

// noBody is the request or response of a route that has none of its own types.
type noBody struct{}

// answer is a route without a request body.
func answer[Res any](pattern string, fn func(*Door, *http.Request) (Res, error)) route {
	return route{pattern, func(d *Door, w http.ResponseWriter, r *http.Request) {
		res, err := fn(d, r)
		reply(d, w, res, err)
	}, nil, reflect.TypeFor[Res]()}
}

// accept is a route with a request body.
func accept[Req, Res any](pattern string, fn func(*Door, *http.Request, Req) (Res, error)) route {
	return route{pattern, func(d *Door, w http.ResponseWriter, r *http.Request) {
		var req Req
		if err := decode(r, &req); err != nil {
			writeError(w, d.Log, err)
			return
		}
		res, err := fn(d, r, req)
		reply(d, w, res, err)
	}, reflect.TypeFor[Req](), reflect.TypeFor[Res]()}
}

// stream is a route that writes its own reply, whose lines are of type Item if that is one of ours.
func stream[Item any](pattern string, fn func(*Door, http.ResponseWriter, *http.Request) error) route {
	return route{pattern, func(d *Door, w http.ResponseWriter, r *http.Request) {
		if err := fn(d, w, r); err != nil {
			writeError(w, d.Log, err)
		}
	}, nil, reflect.TypeFor[Item]()}
}

func reply[Res any](d *Door, w http.ResponseWriter, res Res, err error) {
	if err != nil {
		writeError(w, d.Log, err)
		return
	}
	if _, none := any(res).(noBody); none {
		w.WriteHeader(http.StatusNoContent)
		return
	}
	writeJSON(w, http.StatusOK, res)
}

// body reads a JSON body whole. Asking for the content type is what makes a cross-site form unable to send one.
func body(r *http.Request) ([]byte, error) {
	if kind, _, err := mime.ParseMediaType(r.Header.Get("content-type")); err != nil || kind != "application/json" {
		return nil, &refusal{http.StatusUnsupportedMediaType, "unsupported_media_type", "Send the body as application/json."}
	}
	return io.ReadAll(r.Body)
}

// decode reads a body strictly: a key that nobody asks for is a mistake somebody should hear of.
func decode(r *http.Request, into any) error {
	b, err := body(r)
	if err != nil {
		return err
	}
	dec := json.NewDecoder(bytes.NewReader(b))
	dec.DisallowUnknownFields()
	err = dec.Decode(into)
	if err == nil && dec.More() {
		err = errors.New("something follows the JSON value")
	}
	if err != nil {
		return agent.Wrap(agent.CodeValidation, err, fmt.Sprintf("The request body cannot be read: %v.", err))
	}
	return nil
}
