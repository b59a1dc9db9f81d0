package provider

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"parley/backend/agent"
	"parley/backend/modelserver"
)

func serve(t *testing.T, handler http.Handler) agent.Endpoint {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return agent.Endpoint{Provider: "openai", BaseURL: server.URL + "/v1"}
}

func ask(text string) Request {
	return Request{Model: "m", Messages: []Message{{Role: agent.RoleUser, Text: text}}}
}

// gather collects an answer's text, and its error.
func gather(ctx context.Context, c *Client, endpoint agent.Endpoint, key string, req Request) (text string, err error) {
	for chunk, e := range c.Stream(ctx, endpoint, key, req) {
		if said, ok := chunk.(Text); ok {
			text += string(said)
		}
		err = e
	}
	return text, err
}

func TestTheKeyTravelsInOneHeaderOnly(t *testing.T) {
	model := modelserver.New(modelserver.Options{Key: testKey})
	endpoint := serve(t, model)
	client := NewClient()
	defer client.Close()
	if text, err := gather(t.Context(), client, endpoint, testKey, ask("[[say:hello you]]")); text != "hello you" || err != nil {
		t.Fatalf("got %q, %v", text, err)
	}
	got := model.Requests()[0]
	if auth := got.Header.Get("Authorization"); auth != "Bearer "+testKey {
		t.Errorf("Authorization: %s", auth)
	}
	got.Header.Del("Authorization")
	if rest := fmt.Sprintf("%s %v %s", got.Path, got.Header, got.Body); strings.Contains(rest, testKey) {
		t.Errorf("the key travels elsewhere too: %s", rest)
	}
	_, err := gather(t.Context(), client, endpoint, "", ask("hi"))
	if e := agent.AsError(err); e.Code != agent.CodeProviderAuth || !strings.Contains(e.Message, "PARLEY_OPENAI_API_KEY") {
		t.Errorf("without a key: %v", err)
	}
	_, err = gather(t.Context(), client, endpoint, "two\nlines", ask("hi"))
	if e := agent.AsError(err); e.Code != agent.CodeProviderAuth || strings.Contains(err.Error(), "two") {
		t.Errorf("with a key that is none: %v", err)
	}
}

func TestARedirectIsNotFollowed(t *testing.T) {
	var reached atomic.Bool
	elsewhere := serve(t, http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached.Store(true) }))
	endpoint := serve(t, http.RedirectHandler(elsewhere.BaseURL, http.StatusTemporaryRedirect))
	client := NewClient()
	defer client.Close()
	_, err := gather(t.Context(), client, endpoint, testKey, ask("hi"))
	if e := agent.AsError(err); e.Code != agent.CodeProviderUnavailable || reached.Load() {
		t.Errorf("got %v; reached the other server: %v", err, reached.Load())
	}
}

func TestNobodyThere(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := listener.Addr().String()
	listener.Close()
	client := NewClient()
	defer client.Close()
	for baseURL, want := range map[string]string{
		"http://" + address:        "Nothing answers at " + address + ", where ollama is expected. Start it, or correct PARLEY_OLLAMA_BASE_URL.",
		"http://no.such.invalid:1": "The network does not know the host no.such.invalid:1 of ollama. Check the connection, or correct PARLEY_OLLAMA_BASE_URL.",
	} {
		_, err := gather(t.Context(), client, agent.Endpoint{Provider: Ollama, BaseURL: baseURL}, "", ask("hi"))
		if e := agent.AsError(err); e.Code != agent.CodeProviderUnavailable || e.Message != want {
			t.Errorf("got %v", err)
		}
	}
	plain := serve(t, http.NotFoundHandler()).BaseURL
	_, err = gather(t.Context(), client, agent.Endpoint{Provider: "openai", BaseURL: strings.Replace(plain, "http:", "https:", 1)}, "", ask("hi"))
	if e := agent.AsError(err); e.Code != agent.CodeProviderUnavailable || !strings.Contains(e.Message, "does not answer as a model server does") {
		t.Errorf("no TLS where TLS is expected: %v", err)
	}
	_, err = gather(t.Context(), client, agent.Endpoint{Provider: "openai", BaseURL: "https://me:" + testKey + "@host/v1"}, "", ask("hi"))
	if e := agent.AsError(err); e.Code != agent.CodeValidation || strings.Contains(err.Error(), testKey) {
		t.Errorf("a password in the address: %v", err)
	}
}

func TestStopping(t *testing.T) {
	gone := make(chan struct{})
	model := modelserver.New(modelserver.Options{})
	endpoint := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		model.ServeHTTP(w, r)
		gone <- struct{}{}
	}))
	client := NewClient()
	defer client.Close()

	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var text string
	var last error
	for chunk, err := range client.Stream(ctx, endpoint, "", ask("[[deltas:2]] [[hang]]")) {
		if said, ok := chunk.(Text); ok {
			if text += string(said); len(text) == 40 {
				cancel()
			}
		}
		last = err
	}
	if e := agent.AsError(last); e.Code != agent.CodeCancelled {
		t.Errorf("cancelled: %v", last)
	}
	<-gone

	for range client.Stream(t.Context(), endpoint, "", ask("[[deltas:2]] [[hang]]")) {
		break
	}
	<-gone // leaving the loop ends the request
}

// TestAConnectionIsUsedAgain also when the end of an answer comes a little after its last word.
func TestAConnectionIsUsedAgain(t *testing.T) {
	var opened atomic.Int32
	finished := make(chan struct{})
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, `data: {"choices":[{"delta":{},"finish_reason":"stop"}]}`+"\n\ndata: [DONE]\n\n")
		_ = http.NewResponseController(w).Flush()
		<-finished
	}))
	server.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			opened.Add(1)
		}
	}
	server.Start()
	defer server.Close()
	client := NewClient()
	defer client.Close()
	for range 5 {
		for _, err := range client.Stream(t.Context(), agent.Endpoint{Provider: "openai", BaseURL: server.URL}, "", ask("hi")) {
			if err != nil {
				t.Fatal(err)
			}
			finished <- struct{}{}
		}
	}
	if opened.Load() != 1 {
		t.Errorf("%d connections for five answers", opened.Load())
	}
}

// TestSilence runs on a clock of its own: the server's words come through a pipe in memory.
func TestSilence(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		body, words := io.Pipe()
		client := &Client{http.Client{Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
			context.AfterFunc(r.Context(), func() { words.CloseWithError(r.Context().Err()) })
			return &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Body: body}, nil
		})}}
		go func() {
			for range 10 { // ten comments, each just in time: longer than the limit, all together
				<-time.After(idleLimit - time.Second)
				fmt.Fprint(words, ": still thinking\n\n")
			}
		}()
		start := time.Now()
		_, err := gather(t.Context(), client, agent.Endpoint{Provider: "openai", BaseURL: "http://host/v1"}, "", ask("hi"))
		if e := agent.AsError(err); e.Code != agent.CodeProviderUnavailable || !strings.Contains(e.Message, "nothing for 5m") {
			t.Errorf("got %v", err)
		}
		if waited, want := time.Since(start), 10*(idleLimit-time.Second)+idleLimit; waited != want {
			t.Errorf("waited %v, want %v", waited, want)
		}
	})
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// TestAHostileServerCannotFillTheMemory: a line, an event, an answer or an error without end is cut off in time.
func TestAHostileServerCannotFillTheMemory(t *testing.T) {
	word := []byte(`data: {"choices":[{"delta":{"content":"` + strings.Repeat("x", 1<<20) + `"}}]}` + "\n\n")
	for name, hostile := range map[string]struct {
		status int
		begin  string
		repeat []byte
	}{
		"line":      {200, "data: ", bytes.Repeat([]byte("x"), 1<<20)},
		"event":     {200, "", append([]byte("data: "), append(bytes.Repeat([]byte("x"), 1<<20), '\n')...)},
		"answer":    {200, "", word},
		"complaint": {500, "", bytes.Repeat([]byte("x"), 1<<20)},
		"calls":     {200, "", []byte(`data: {"choices":[{"delta":{"tool_calls":[` + strings.Repeat(`{"function":{"name":"f","arguments":"{}"}},`, 300) + `{}]}}]}` + "\n\n")},
		"nesting":   {200, "data: ", bytes.Repeat([]byte("["), 1<<20)},
	} {
		t.Run(name, func(t *testing.T) {
			endpoint := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				w.WriteHeader(hostile.status)
				_, err := io.WriteString(w, hostile.begin)
				for ; err == nil; _, err = w.Write(hostile.repeat) {
				}
			}))
			client := NewClient()
			defer client.Close()
			var before, after runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&before)
			var err error
			for _, err = range client.Stream(t.Context(), endpoint, "", ask("hi")) {
			}
			runtime.ReadMemStats(&after)
			if e := agent.AsError(err); e.Code != agent.CodeProviderUnavailable {
				t.Errorf("got %v", err)
			}
			if grown := int64(after.HeapSys) - int64(before.HeapSys); grown > 256<<20 {
				t.Errorf("took %d MiB", grown>>20)
			}
		})
	}
}

func TestModels(t *testing.T) {
	client := NewClient()
	defer client.Close()
	names := []string{"qwen3:4b", "llama3.2:latest"}
	openai := serve(t, modelserver.New(modelserver.Options{Models: names, Key: testKey}))
	ollama := serve(t, modelserver.New(modelserver.Options{Models: names, Ollama: true}))
	ollama.Provider = Ollama
	for _, endpoint := range []agent.Endpoint{openai, ollama} {
		models, err := client.Models(t.Context(), endpoint, testKey)
		if want := []Model{{names[0]}, {names[1]}}; err != nil || !slices.Equal(models, want) {
			t.Errorf("%s: got %v, %v", endpoint.Provider, models, err)
		}
	}
	if _, err := client.Models(t.Context(), openai, "wrong"); agent.AsError(err).Code != agent.CodeProviderAuth {
		t.Errorf("with a wrong key: %v", err)
	}

	lmStudio := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, `{"error":"Unexpected endpoint or method. (GET %s). Returning 200 anyway"}`, r.URL.Path)
	}))
	lmStudio.Provider = Ollama
	if _, err := client.Models(t.Context(), lmStudio, ""); !strings.Contains(agent.AsError(err).Message, "is not Ollama") {
		t.Errorf("another local server: %v", err)
	}
}
