package provider

import (
	"bufio"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"parley/backend/agent"
)

var update = flag.Bool("update", false, "write the chunks that were read into the fixtures")

const testKey = "sk-secret-0123456789"

// TestReplies reads what real servers say: a file of testdata/replies, or of testdata/anthropic for that wire, has prose,
// the reply as it comes over HTTP, and the chunks that it is read as.
func TestReplies(t *testing.T) {
	testReplies(t, "testdata/replies", agent.Endpoint{Provider: "openai"})
}

func TestRepliesOfAnthropic(t *testing.T) {
	testReplies(t, "testdata/anthropic", agent.Endpoint{Provider: "anthropic", Wire: agent.WireAnthropic})
}

func testReplies(t *testing.T, folder string, endpoint agent.Endpoint) {
	files, err := filepath.Glob(folder + "/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("no fixtures: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			f := readFixture(t, file)
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { f.serve(t, w) }))
			defer server.Close()
			endpoint.BaseURL = server.URL + "/v1"
			got := readable(t, endpoint, Request{
				Model:    "gpt-5",
				Messages: []Message{{Role: agent.RoleAssistant, Calls: []Call{{ID: "call_0"}}}},
			})
			if *update {
				f.write(t, file, got)
			} else if got != f.chunks {
				t.Errorf("got\n%s\nwant\n%s", got, f.chunks)
			}
			if strings.Contains(got, testKey) {
				t.Error("the key shows")
			}
		})
	}
}

// readable asks the server at endpoint and writes down the chunks, a line each.
func readable(t *testing.T, endpoint agent.Endpoint, req Request) string {
	client := NewClient()
	defer client.Close()
	var out strings.Builder
	ends := 0
	for chunk, err := range client.Stream(t.Context(), endpoint, testKey, req) {
		if ends > 0 {
			t.Errorf("after the end came %#v, %v", chunk, err)
		}
		switch k := chunk.(type) {
		case Text:
			fmt.Fprintf(&out, "text %q\n", k)
		case Reasoning:
			fmt.Fprintf(&out, "reasoning %q\n", k)
		case CallPiece:
			fmt.Fprintf(&out, "piece of %s %s %q\n", k.ID, k.Name, k.Args)
		case WholeCall:
			fmt.Fprintf(&out, "call %s %s %q\n", k.ID, k.Name, k.Args)
		case Usage:
			fmt.Fprintf(&out, "usage %+v\n", k)
		case Finish:
			fmt.Fprintf(&out, "finish %s, said by %s\n", k.Reason, k.Model)
			ends++
		case nil:
			e, ok := err.(*agent.Error)
			if !ok {
				t.Fatalf("a stranger's error: %v", err)
			}
			fmt.Fprintf(&out, "error %s: %s\n", e.Code, e.Message)
			if r, ok := errors.AsType[*Refusal](err); ok {
				fmt.Fprintf(&out, "refusal %+v\n", *r)
			}
			ends++
		}
	}
	if ends != 1 {
		t.Errorf("ended %d times", ends)
	}
	return anonymous(out.String(), strings.TrimSuffix(endpoint.BaseURL, "/v1"))
}

var minted = regexp.MustCompile(`call_[A-Z2-7]{26}`)

// anonymous names what differs from run to run: the ids that we made up, and the address.
func anonymous(text, address string) string {
	names := map[string]string{}
	text = minted.ReplaceAllStringFunc(text, func(id string) string {
		if names[id] == "" {
			names[id] = fmt.Sprintf("MINTED%d", len(names)+1)
		}
		return names[id]
	})
	return strings.ReplaceAll(text, strings.TrimPrefix(address, "http://"), "HOST")
}

type fixture struct{ before, reply, chunks string }

func readFixture(t *testing.T, file string) fixture {
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	head, chunks, ok := strings.Cut(string(b), "-- chunks --\n")
	if !ok {
		t.Fatalf("%s has no chunks", file)
	}
	prose, reply, ok := strings.Cut(head, "-- reply --\n")
	if !ok {
		prose, reply, ok = strings.Cut(head, "-- reply, CRLF --\n")
		reply = strings.ReplaceAll(reply, "\n", "\r\n")
	}
	if !ok || strings.TrimSpace(prose) == "" {
		t.Fatalf("%s has no reply, or no prose", file)
	}
	return fixture{head, reply, chunks}
}

func (f fixture) write(t *testing.T, file, chunks string) {
	if err := os.WriteFile(file, []byte(f.before+"-- chunks --\n"+chunks), 0o644); err != nil {
		t.Fatal(err)
	}
}

func (f fixture) serve(t *testing.T, w http.ResponseWriter) {
	resp, err := http.ReadResponse(bufio.NewReader(strings.NewReader(f.reply)), nil)
	if err != nil {
		t.Errorf("the fixture is no reply: %v", err)
		return
	}
	maps.Copy(w.Header(), resp.Header)
	w.WriteHeader(resp.StatusCode)
	_, _ = io.Copy(w, resp.Body)
}
