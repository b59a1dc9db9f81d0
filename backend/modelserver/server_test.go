package modelserver

import (
	"encoding/json"
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

// TestAnswers: a file of testdata/answers has prose, the body of a request to one of the kinds of server, and all
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
			got := post(t, New(Options{Ollama: kind == "ollama"}), wires[kind], body, "")
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

// wires are the kinds of server, and where each is asked.
var wires = map[string]string{
	"openai":       "/v1/chat/completions",
	"ollama":       "/v1/chat/completions",
	"responses":    "/v1/responses",
	"anthropic":    "/v1/messages",
	"gemini":       "/v1beta/models/m:streamGenerateContent",
	"gemini whole": "/v1beta/models/m:generateContent",
}

// post asks for an answer. It gives the status, the headers that matter, and the body.
func post(t *testing.T, s *Server, path, body, betas string) string {
	t.Helper()
	w := httptest.NewRecorder()
	r := httptest.NewRequestWithContext(t.Context(), "POST", path, strings.NewReader(body))
	r.Header.Set("anthropic-version", "2023-06-01")
	r.Header.Set("anthropic-beta", betas)
	s.ServeHTTP(w, r)
	out := fmt.Sprintf("%d %s\n", w.Code, w.Header().Get("Content-Type"))
	if after := w.Header().Get("Retry-After"); after != "" {
		out += "Retry-After: " + after + "\n"
	}
	return out + "\n" + w.Body.String()
}

// TestRequests: a file of testdata/requests has prose, and for a wire the good and the bad requests, each with what is
// answered: of the good ones, that they are. Foreign ones are bad, but good enough from agents of others. Those that
// bear an agent's name were recorded from it, with their texts cut.
//
// §4 Stop closes every dangling call, so that the next turn is valid for every provider: this is what "valid" means.
func TestRequests(t *testing.T) {
	for _, wire := range []string{"openai", "responses", "anthropic", "gemini"} {
		t.Run(wire, func(t *testing.T) {
			file := "testdata/requests/" + wire + ".txt"
			b, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			prose, cases, _ := strings.Cut(string(b), "\n-- ")
			got, bad := prose, 0
			for c := range strings.SplitSeq(cases, "\n-- ") {
				title, rest, _ := strings.Cut(c, " --\n")
				if title == "answer" {
					continue
				}
				betas := ""
				if strings.HasSuffix(title, "with betas") {
					betas = "context-management-1,mid-conversation-1"
				}
				ask := func(o Options) string { return post(t, New(o), wires[wire], rest, betas) }
				answer := ask(Options{})
				kind, _, _ := strings.Cut(title, ":")
				if kind == "good" {
					answer, _, _ = strings.Cut(answer, "\n")
				} else {
					bad++
				}
				if taken := strings.HasPrefix(answer, "200"); taken != (kind == "good") {
					t.Errorf("%s is answered %s", title, answer)
				}
				if foreign := ask(Options{Foreign: true}); strings.HasPrefix(foreign, "200") != (kind != "bad") {
					t.Errorf("%s: an agent of others is answered %s", title, foreign)
				}
				if lenient := ask(Options{Lenient: true}); json.Valid([]byte(rest)) && !strings.Contains(title, "field") && !strings.HasPrefix(lenient, "200") {
					t.Errorf("%s: refused by a lenient server: %s", title, lenient)
				}
				got += "\n-- " + title + " --\n" + rest + "\n-- answer --\n" + strings.TrimSpace(answer) + "\n"
			}
			if bad < 15 {
				t.Errorf("only %d bad requests", bad)
			}
			if *update {
				if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			} else if got != string(b) {
				t.Errorf("got (-update accepts it)\n%s", got)
			}
		})
	}
}

// TestSideRequests: an agent of others asks for titles and summaries of what the user said, and offers no tools with it.
func TestSideRequests(t *testing.T) {
	ask := func(o Options, tools string) string {
		return post(t, New(o), wires["openai"], `{"model":"m","messages":[{"role":"user","content":"[[error:500]]"}]`+tools+`}`, "")[:3]
	}
	const tools = `,"tools":[{"type":"function","function":{"name":"f","parameters":{"type":"object"}}}]`
	if side, main, own := ask(Options{Foreign: true}, ""), ask(Options{Foreign: true}, tools), ask(Options{}, ""); side != "200" || main != "500" || own != "500" {
		t.Errorf("a side request is answered %s, one with tools %s, one of our own without %s", side, main, own)
	}
}

func TestAFailureOnce(t *testing.T) {
	s := New(Options{})
	ask := func(text string) string {
		return post(t, s, "/v1/chat/completions", `{"model":"m","messages":[{"role":"user","content":"`+text+`"}]}`, "")[:3]
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
	if got := post(t, New(Options{}), "/v1/messages/count_tokens", `{"model":"m","messages":[{"role":"user","content":"hi"}]}`, ""); !strings.HasSuffix(got, "{\"input_tokens\":14}\n") {
		t.Errorf("counted: %s", got)
	}
	if got := post(t, model, wires["gemini"], "{}", ""); !strings.HasPrefix(got, "401") {
		t.Errorf("without a key: %s", got)
	}
	if got := get("/v1/models", "wrong"); !strings.HasPrefix(got, "401") {
		t.Errorf("with a wrong key: %s", got)
	}
	requests := model.Requests()
	if last := requests[len(requests)-1]; len(requests) != 6 || last.Path != "/v1/models" || last.Header.Get("Authorization") != "Bearer wrong" {
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
