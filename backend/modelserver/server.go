// Package modelserver is a model server for tests: it speaks OpenAI's chat completions, as OpenAI or as Ollama does,
// OpenAI's Responses, Anthropic's Messages and Gemini's generateContent. It refuses what a real server would, with a
// sentence that says why, and what its model says is scripted (backend/scripted) in the newest message of the user. It
// is never linked into the app.
package modelserver

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"sync"
	"sync/atomic"
)

// Options are how a server differs from OpenAI's.
//
// Parley's own conversations are to be taken by every server of a wire; agents of others are written for its provider.
// With Foreign only what the provider refuses is refused, and a request that offers no tools, which is for a title or a
// summary and repeats what the person said, is answered plainly, whatever it repeats.
type Options struct {
	Ollama  bool     // speak as Ollama does
	Lenient bool     // take conversations that real servers refuse
	Foreign bool     // who asks is an agent of others, see below
	Key     string   // the only API key that is let in; if empty, everyone is
	Models  []string // what it serves: any model answers to any name, but these are listed
}

// Server is a http.Handler. All methods may be called at once.
type Server struct {
	options Options
	mux     *http.ServeMux

	answers atomic.Int64
	failed  sync.Map // the texts of scripts that have failed

	mu       sync.Mutex
	requests []Request
}

// Request is one that the server received.
type Request struct {
	Method, Path string
	Header       http.Header
	Body         []byte
}

// New makes a server.
func New(options Options) *Server {
	if options.Models == nil {
		options.Models = []string{"scripted-1"}
	}
	s := &Server{options: options, mux: http.NewServeMux()}
	s.mux.HandleFunc("POST /v1/chat/completions", s.chat)
	s.mux.HandleFunc("POST /v1/responses", s.responses)
	s.mux.HandleFunc("POST /v1/messages", s.messages)
	s.mux.HandleFunc("POST /v1/messages/count_tokens", s.countTokens)
	s.mux.HandleFunc("POST /v1beta/models/{call}", s.gemini)
	s.mux.HandleFunc("GET /v1/models", s.models)
	if options.Ollama {
		s.mux.HandleFunc("GET /api/version", s.ollamaVersion)
		s.mux.HandleFunc("GET /api/tags", s.ollamaTags)
	}
	s.mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		writeError(w, http.StatusNotFound, "invalid_request_error", "", fmt.Sprintf("Invalid URL (%s %s)", r.Method, r.URL.Path))
	})
	return s
}

// Requests gives every request so far, in the order in which they came.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.requests[:len(s.requests):len(s.requests)]
}

// ServeHTTP keeps the request, checks the key, and answers.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the caller is gone
	}
	s.mu.Lock()
	s.requests = append(s.requests, Request{r.Method, r.URL.Path, r.Header.Clone(), body})
	s.mu.Unlock()
	if s.options.Key != "" && !s.letsIn(r) {
		switch {
		case r.Header.Get("anthropic-version") != "":
			writeJSON(w, http.StatusUnauthorized, anthropicError("authentication_error", "invalid x-api-key"))
		case r.Header.Get("x-goog-api-key") != "":
			writeJSON(w, http.StatusBadRequest, geminiError(http.StatusBadRequest, "API key not valid. Please pass a valid API key."))
		default:
			writeError(w, http.StatusUnauthorized, "invalid_request_error", "invalid_api_key", "Incorrect API key provided.")
		}
		return
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	s.mux.ServeHTTP(w, r)
}

func (s *Server) letsIn(r *http.Request) bool {
	for header, prefix := range map[string]string{"Authorization": "Bearer ", "x-api-key": "", "x-goog-api-key": ""} {
		if r.Header.Get(header) == prefix+s.options.Key {
			return true
		}
	}
	return false
}

func (s *Server) models(w http.ResponseWriter, _ *http.Request) {
	type model struct {
		ID      string `json:"id"`
		Object  string `json:"object"`
		Created int64  `json:"created"`
		OwnedBy string `json:"owned_by"`
	}
	var data []model
	for _, id := range s.options.Models {
		data = append(data, model{id, "model", created, "scripted"})
	}
	writeJSON(w, http.StatusOK, map[string]any{"object": "list", "data": data})
}

func (s *Server) ollamaVersion(w http.ResponseWriter, _ *http.Request) {
	writeJSON(w, http.StatusOK, map[string]string{"version": "0.99.0"})
}

func (s *Server) ollamaTags(w http.ResponseWriter, _ *http.Request) {
	type model struct {
		Name  string `json:"name"`
		Model string `json:"model"`
		Size  int64  `json:"size"`
	}
	models := []model{}
	for _, name := range s.options.Models {
		models = append(models, model{name, name, 4 << 30})
	}
	writeJSON(w, http.StatusOK, map[string]any{"models": models})
}

// created is when everything here was made: a clock would make two recordings differ.
const created = 1_700_000_000

func writeJSON(w http.ResponseWriter, status int, value any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(value) // the caller may be gone
}

func writeError(w http.ResponseWriter, status int, kind, code, message string) {
	writeJSON(w, status, errorBody(kind, code, message))
}

func errorBody(kind, code, message string) any {
	body := map[string]any{"message": message, "type": kind, "param": nil, "code": nil}
	if code != "" {
		body["code"] = code
	}
	return map[string]any{"error": body}
}
