package api

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
)

// find searches until everything that was said is in the index, and gives the hits, one to a line.
func (w *world) find(query string) string {
	w.t.Helper()
	for {
		var result SearchResult
		w.get("/search?"+query, &result)
		if result.Behind > 0 {
			continue
		}
		var b strings.Builder
		for _, h := range result.Hits {
			fmt.Fprintf(&b, "%s/%s %s:", h.SessionID, h.Title, h.Role)
			for _, p := range h.Excerpt {
				if p.Hit {
					p.Text = "[" + p.Text + "]"
				}
				b.WriteString(p.Text)
			}
			b.WriteString("\n")
		}
		return b.String()
	}
}

// told says something and reads the answer to its end.
func (w *world) told(session, id, text string) {
	w.t.Helper()
	if _, err := io.Copy(io.Discard, w.say(session, id, text).Body); err != nil {
		w.t.Fatal(err)
	}
}

func TestSearch(t *testing.T) {
	w := open(t)
	w.told("s", "u1", "Hello [[say:The café is open]]")
	w.told("s2", "u2", "[[say:no coffee]]")
	for query, want := range map[string]string{
		"q=cafe&role=assistant":                    "s/Hello [[say:The café is open]] assistant:The [café] is open\n",
		"q=cafe&agent=nobody":                      "",
		"q=coffee&limit=1":                         "s2/[[say:no coffee]] :[[say:no [coffee]]]\n",
		"q=coffee&until=1":                         "",
		"q=coffee&since=9000000000000":             "",
		"q=" + url.QueryEscape(`"no cof`):          "s2/[[say:no coffee]] :[[say:[no coffee]]]\ns2/[[say:no coffee]] assistant:[no coffee]\ns2/[[say:no coffee]] user:[[say:[no coffee]]]\n",
		"q=" + url.QueryEscape(`" OR * NEAR(:-x^`): "",
		"": "",
	} {
		if got := w.find(query); got != want {
			t.Errorf("%s: %q, want %q", query, got, want)
		}
	}
	var result SearchResult
	w.get("/search?q=coffee&limit=1", &result)
	if result.Hits[0].MessageID != "" || result.Next == "" {
		t.Errorf("the hit in a title: %+v", result)
	}
	w.get("/search?q=coffee&limit=1&after="+result.Next, &result)
	answer := result.Hits[0].MessageID
	if _, earlier := w.load("s2", "?around="+string(answer)); answer == "" || earlier != "" {
		t.Errorf("the hit %+v cannot be opened", result.Hits[0])
	}
	for _, wrong := range []string{"role=x", "limit=0", "limit=x", "since=-1", "until=x", "after=x", "q=" + strings.Repeat("x", longestQuery+1)} {
		if f := failure(t, w.request("GET", "/search?"+wrong, "", nil)); f.Code != http.StatusBadRequest || f.Type != "validation" {
			t.Errorf("%.20s: %+v", wrong, f)
		}
	}
}

// window gives the questions and answers of a stretch, by their text, and what comes around it.
func (w *world) window(query string) (said, earlier, later string) {
	w.t.Helper()
	var loaded LoadedSession
	w.decode(w.request("POST", "/load-session"+query, `{"session_id":"s"}`, nil), &loaded)
	var list []string
	for _, raw := range loaded.Messages {
		var m struct {
			ID    string
			Parts []struct{ Text string }
		}
		if err := json.Unmarshal(raw, &m); err != nil {
			w.t.Fatal(err)
		}
		list = append(list, m.Parts[len(m.Parts)-1].Text)
	}
	return strings.Join(list, " "), string(loaded.Earlier), string(loaded.Later)
}

func TestASessionIsLoadedAroundAMessage(t *testing.T) {
	w := open(t)
	for i := range 9 {
		w.told("s", fmt.Sprint("u", i), fmt.Sprintf("[[say:%d]]", i))
	}
	said, earlier, later := w.window("?around=u4&limit=6")
	if said != "[[say:3]] 3 [[say:4]] 4 [[say:5]] 5" || earlier != "u3" || later == "" {
		t.Fatalf("around: %q, earlier %q, later %q", said, earlier, later)
	}
	said, _, later = w.window("?limit=4&after=" + later)
	if said != "[[say:6]] 6 [[say:7]] 7" || later == "" {
		t.Errorf("after: %q, later %q", said, later)
	}
	if said, _, later = w.window("?limit=4&after=" + later); said != "[[say:8]] 8" || later != "" {
		t.Errorf("the end: %q, later %q", said, later)
	}
	if said, earlier, _ = w.window("?limit=4&before=" + earlier); said != "[[say:1]] 1 [[say:2]] 2" || earlier != "u1" {
		t.Errorf("before: %q, earlier %q", said, earlier)
	}
	if said, earlier, later = w.window("?around=u0"); !strings.HasSuffix(said, " 8") || earlier != "" || later != "" {
		t.Errorf("without a limit: %q, earlier %q, later %q", said, earlier, later)
	}
	if f := failure(t, w.request("POST", "/load-session?around=nobody", `{"session_id":"s"}`, nil)); f.Code != http.StatusNotFound {
		t.Errorf("an unknown message: %+v", f)
	}
}

func TestAnAnswerThatWasReplacedOpensWhatTookItsPlace(t *testing.T) {
	w := open(t)
	w.told("s", "u0", "[[say:first]]")
	var before LoadedSession
	w.decode(w.request("POST", "/load-session", `{"session_id":"s"}`, nil), &before)
	var replaced struct{ ID string }
	if err := json.Unmarshal(before.Messages[1], &replaced); err != nil {
		t.Fatal(err)
	}
	again := w.request("POST", "/messages", `{"id":"s","trigger":"regenerate-message","messages":[{"id":"u0","role":"user","parts":[{"type":"text","text":"[[say:first]]"}]}]}`, nil)
	if _, err := io.Copy(io.Discard, again.Body); err != nil {
		t.Fatal(err)
	}
	w.told("s", "u1", "[[say:second]]")
	if said, _, later := w.window("?limit=2&around=" + replaced.ID); said != "[[say:first]] first" || later == "" || later == replaced.ID {
		t.Errorf("got %q, later %q", said, later)
	}
}
