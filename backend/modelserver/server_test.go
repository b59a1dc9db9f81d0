package modelserver

import (
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the answers into the fixtures")

// TestAnswers: a file of testdata/answers has prose, the body of a request to one of the two kinds of server, and all
// that it answers.
func TestAnswers(t *testing.T) {
	files, err := filepath.Glob("testdata/answers/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("no fixtures: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			b, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			head, want, ok := strings.Cut(string(b), "-- answer --\n")
			_, question, ok2 := strings.Cut(head, "\n\n-- ask ")
			kind, body, ok3 := strings.Cut(question, " --\n")
			if !ok || !ok2 || !ok3 {
				t.Fatal("not a fixture")
			}
			got := post(t, New(Options{Ollama: kind == "ollama"}), body)
			if *update {
				if err := os.WriteFile(file, []byte(head+"-- answer --\n"+got), 0o644); err != nil {
					t.Fatal(err)
				}
			} else if got != want {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
		})
	}
}

// post asks for an answer. It gives the status, the headers that matter, and the body.
func post(t *testing.T, s *Server, body string) string {
	t.Helper()
	w := httptest.NewRecorder()
	s.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), "POST", "/v1/chat/completions", strings.NewReader(body)))
	out := fmt.Sprintf("%d %s\n", w.Code, w.Header().Get("Content-Type"))
	if after := w.Header().Get("Retry-After"); after != "" {
		out += "Retry-After: " + after + "\n"
	}
	return out + "\n" + w.Body.String()
}

func TestStrictness(t *testing.T) {
	call := `{"role":"assistant","content":null,"tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":"{}"}}]}`
	result := `{"role":"tool","tool_call_id":"a","content":""}`
	user := `{"role":"user","content":"hi"}`
	for messages, taken := range map[string]bool{
		user:                             true,
		user + "," + call + "," + result: true,
		`{"role":"system","content":"be"},` + user: true,
		"":                             false,
		user + "," + user:              false,
		user + "," + call:              false,
		user + "," + call + "," + user: false,
		user + "," + result:            false,
		user + "," + call + "," + result + "," + result:                      false,
		user + `,{"role":"system","content":"be"}`:                           false,
		user + `,{"role":"assistant","content":""}`:                          false,
		user + `,{"role":"assistant","content":"a"}`:                         false,
		user + `,{"role":"robot","content":"a"}`:                             false,
		`{"role":"user","content":" "}`:                                      false,
		user + "," + strings.Replace(call, "null", `""`, 1) + "," + result:   false,
		user + "," + strings.Replace(call, "{}", "{", 1) + "," + result:      false,
		user + "," + strings.Replace(call, `"f"`, `"f.g"`, 1) + "," + result: false,
	} {
		body := `{"model":"m","messages":[` + messages + `]}`
		if got := strings.HasPrefix(post(t, New(Options{}), body), "200"); got != taken {
			t.Errorf("[%s]: taken %v", messages, got)
		}
		if !strings.HasPrefix(post(t, New(Options{Lenient: true}), body), "200") {
			t.Errorf("[%s]: refused by a lenient server", messages)
		}
	}
	for _, body := range []string{`{"messages":[` + user + `]}`, `{"model":"m","tools":[{"type":"function","function":{"name":"a b","parameters":{}}}],"messages":[` + user + `]}`} {
		if got := post(t, New(Options{}), body); !strings.HasPrefix(got, "400") {
			t.Errorf("%s: %s", body, got)
		}
	}
}

func TestAFailureOnce(t *testing.T) {
	s := New(Options{})
	ask := func(text string) string {
		return post(t, s, `{"model":"m","messages":[{"role":"user","content":"`+text+`"}]}`)[:3]
	}
	first, again, other := ask("[[ttft:1ms]] [[error1:500]]"), ask("[[ttft:1ms]] [[error1:500]]"), ask("[[error1:429]]")
	if first != "500" || again != "200" || other != "429" {
		t.Errorf("got %s, then %s, and for another message %s", first, again, other)
	}
}

func TestWhatServersListAndKeep(t *testing.T) {
	model := New(Options{Ollama: true, Key: "k", Models: []string{"one", "two:4b"}})
	server := httptest.NewServer(model)
	defer server.Close()
	get := func(path, key string) string {
		req, err := http.NewRequestWithContext(t.Context(), "GET", server.URL+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Authorization", "Bearer "+key)
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		b, _ := io.ReadAll(resp.Body)
		return fmt.Sprintf("%d %s", resp.StatusCode, strings.TrimSpace(string(b)))
	}
	for path, want := range map[string]string{
		"/v1/models":   `200 {"data":[{"id":"one","object":"model","created":1700000000,"owned_by":"scripted"},{"id":"two:4b","object":"model","created":1700000000,"owned_by":"scripted"}],"object":"list"}`,
		"/api/version": `200 {"version":"0.99.0"}`,
		"/api/tags":    `200 {"models":[{"name":"one","model":"one","size":4294967296},{"name":"two:4b","model":"two:4b","size":4294967296}]}`,
		"/elsewhere":   `404 {"error":{"code":null,"message":"Invalid URL (GET /elsewhere)","param":null,"type":"invalid_request_error"}}`,
	} {
		if got := get(path, "k"); got != want {
			t.Errorf("%s: got %s", path, got)
		}
	}
	if got := get("/v1/models", "wrong"); !strings.HasPrefix(got, "401") {
		t.Errorf("with a wrong key: %s", got)
	}
	requests := model.Requests()
	if last := requests[len(requests)-1]; len(requests) != 5 || last.Path != "/v1/models" || last.Header.Get("Authorization") != "Bearer wrong" {
		t.Errorf("%d requests, the last %+v", len(requests), last)
	}
}

// TestCrashAndHang: what was said comes through; then the connection breaks, or nothing comes until the caller leaves.
func TestCrashAndHang(t *testing.T) {
	server := httptest.NewServer(New(Options{}))
	defer server.Close()
	for _, how := range []string{"crash", "hang"} {
		resp, err := http.Post(server.URL+"/v1/chat/completions", "application/json", strings.NewReader(`{"model":"m","stream":true,"messages":[{"role":"user","content":"[[say:hello]] [[`+how+`]]"}]}`))
		if err != nil {
			t.Fatal(err)
		}
		said := ""
		buf := make([]byte, 1<<10)
		for err == nil && !strings.Contains(said, "hello") {
			var n int
			n, err = resp.Body.Read(buf)
			said += string(buf[:n])
		}
		if !strings.Contains(said, "hello") {
			t.Fatalf("%s: %q, %v", how, said, err)
		}
		if how == "crash" {
			if rest, err := io.ReadAll(resp.Body); err == nil {
				t.Errorf("the stream ended well, with %s", rest)
			}
		}
		resp.Body.Close()
	}
}
