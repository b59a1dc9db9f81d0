package api

import (
	"bytes"
	"database/sql"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"parley/backend/store/sealed"
	"parley/backend/vault"
)

const picture = "\x89PNG\r\n\x1a\n the rest of a picture"

// sent is the body of a message with a file in it.
func sent(id, address string) string {
	return fmt.Sprintf(`{"id":"s","messages":[{"id":%q,"role":"user","parts":[{"type":"file","mediaType":"image/png","filename":"a.png","url":%q},`+
		`{"type":"text","text":"[[say:nice]]"}]}]}`, id, address)
}

func (w *world) upload(content string) Uploaded {
	w.t.Helper()
	var u Uploaded
	w.decode(w.request("POST", "/media", content, header("Content-Type", "image/png")), &u)
	return u
}

// §2 POST /media → {handle, url}, §2 GET /media/{sha256} with the token.
//
// TestAFileComesBackAsItWasSent: inside of a message or uploaded before it, what is kept of it in rows is its handle.
func TestAFileComesBackAsItWasSent(t *testing.T) {
	w := open(t)
	inside := "data:image/png;base64," + base64.StdEncoding.EncodeToString([]byte(picture))
	if got := text(t, frames(t, w.request("POST", "/messages", sent("u1", inside), nil).Body)); got != "nice" {
		t.Errorf("the answer is %q", got)
	}
	u := w.upload(picture)
	if got := text(t, frames(t, w.request("POST", "/messages", sent("u2", u.URL), nil).Body)); got != "nice" {
		t.Errorf("the answer is %q", got)
	}
	messages, _ := w.load("s", "")
	for i, id := range []string{"u1", "u2"} {
		want := `{"parts":[{"type":"file","mediaType":"image/png","filename":"a.png","url":"` + u.URL + `"},{"type":"text","text":"[[say:nice]]"}],"id":"` + id + `","role":"user"}`
		if messages[2*i] != want {
			t.Errorf("loaded %s\n   not %s", messages[2*i], want)
		}
	}
	res := w.request("GET", u.URL, "", nil)
	if got, err := io.ReadAll(res.Body); string(got) != picture || err != nil || res.Header.Get("Content-Type") != "image/png" ||
		res.Header.Get("Cache-Control") != "no-store" || res.Header.Get("X-Content-Type-Options") != "nosniff" {
		t.Errorf("got %q (%v) with %v", got, err, res.Header)
	}
	rows, err := io.ReadAll(w.request("GET", "/sessions/s/messages", "", nil).Body)
	if handle := `"handle":"` + string(u.Handle) + `"`; err != nil || strings.Count(string(rows), handle) != 2 || bytes.Contains(rows, []byte("base64")) {
		t.Errorf("the rows are %s (%v)", rows, err)
	}
	again := frames(t, w.request("POST", "/messages", sent("u2", u.URL), nil).Body)
	if after, _ := w.load("s", ""); text(t, again) != "nice" || len(after) != len(messages) {
		t.Errorf("sent twice, there are %d messages", len(after))
	}
}

func TestFilesThatAreNotTaken(t *testing.T) {
	w := open(t)
	unknown := "/media/" + strings.Repeat("0", 64)
	for name, c := range map[string]struct {
		res    *http.Response
		status int
		says   string
	}{
		"sent and not there": {w.request("POST", "/messages", sent("u1", unknown), nil), 400, "Attach it again"},
		"not there":          {w.request("GET", unknown, "", nil), 404, ""},
		"no sum":             {w.request("GET", "/media/x", "", nil), 400, "SHA-256"},
		"too large":          {w.request("POST", "/media", picture+strings.Repeat("x", 10<<20), nil), 400, "10 MB"},
		"a long recording":   {w.request("POST", "/media", "ID3"+strings.Repeat("x", 15<<20), nil), 400, "15 MB"},
		"empty":              {w.request("POST", "/media", "", nil), 400, "empty"},
		"without the token":  {w.request("GET", w.upload(picture).URL, "", header("Authorization", "")), 401, ""},
	} {
		if f := failure(t, c.res); f.Code != c.status || !strings.Contains(f.Message, c.says) {
			t.Errorf("%s: %+v", name, f)
		}
	}
	w.upload("ID3" + strings.Repeat("x", 12<<20))
}

func TestADraftKeepsItsFiles(t *testing.T) {
	w := open(t)
	u := w.upload(picture)
	var s Session
	w.decode(w.request("PATCH", "/sessions/s", `{"draftFiles":[{"url":"`+u.URL+`","name":"a.png"}]}`, nil), &s)
	if want := []DraftFile{{u.URL, "a.png", "image/png", int64(len(picture))}}; !slices.Equal(s.DraftFiles, want) || u.MediaType != "image/png" {
		t.Errorf("the draft is %+v", s)
	}
	for _, url := range []string{"/media/" + strings.Repeat("0", 64), "https://example.org/a.png", "/media/x", ""} {
		if f := failure(t, w.request("PATCH", "/sessions/s", `{"draftFiles":[{"url":"`+url+`","name":"a"}]}`, nil)); f.Code != 400 {
			t.Errorf("%q: %+v", url, f)
		}
	}
	w.decode(w.request("PATCH", "/sessions/s", `{"draft":"see"}`, nil), &s)
	if len(s.DraftFiles) != 1 {
		t.Errorf("a text took the files away: %+v", s)
	}
	w.decode(w.request("PATCH", "/sessions/s", `{"draftFiles":[]}`, nil), &s)
	if len(s.DraftFiles) > 0 {
		t.Errorf("they are still there: %+v", s)
	}
}

func TestAPurgedSessionIsGone(t *testing.T) {
	w := open(t)
	frames(t, w.say("s", "u1", "[[say:hi]]").Body)
	for _, step := range []struct {
		method, path string
		status       int
	}{
		{"POST", "/sessions/s/purge", 404}, {"DELETE", "/sessions/s", 204}, {"POST", "/sessions/s/purge", 204}, {"POST", "/sessions/s/restore", 404},
	} {
		if res := w.request(step.method, step.path, "", nil); res.StatusCode != step.status {
			t.Errorf("%s %s: %s, not %d", step.method, step.path, res.Status, step.status)
		}
	}
}

// TestAHistoryOfANewerParleyIsForReading opens the door onto one with a turn that has no end.
func TestAHistoryOfANewerParleyIsForReading(t *testing.T) {
	folder := t.TempDir()
	w := openWith(t, folder, ring)
	u := w.upload(picture)
	frames(t, w.request("POST", "/messages", sent("u1", u.URL), nil).Body)
	if err := w.door.History.Close(); err != nil {
		t.Fatal(err)
	}
	change(t, folder, "PRAGMA user_version = 9999; UPDATE turn SET settled_at = NULL")

	w = openWith(t, folder, ring)
	var v Vault
	w.get("/vault", &v)
	if v.State != vault.Ready || !v.ReadOnly {
		t.Fatalf("%+v", v)
	}
	if messages, _ := w.load("s", ""); len(messages) != 2 || !strings.Contains(messages[1], "nice") {
		t.Errorf("loaded %v", messages)
	}
	if res := w.request("GET", u.URL, "", nil); res.StatusCode != http.StatusOK {
		t.Errorf("the file: %s", res.Status)
	}
	for path, body := range map[string]string{"POST /messages": message("s", "u2", "hi"), "PATCH /sessions/new": `{"draft":"x"}`, "POST /media": "x", "DELETE /sessions/s": ""} {
		method, path, _ := strings.Cut(path, " ")
		if f := failure(t, w.request(method, path, body, nil)); f.Type != "read_only" || f.Code != http.StatusForbidden || !strings.Contains(f.Message, "newer Parley") {
			t.Errorf("%s %s: %+v", method, path, f)
		}
	}
}

// change does to the history of a folder, while nobody has it, what another Parley might.
func change(t *testing.T, folder, text string) {
	t.Helper()
	keys, err := vault.OpenKeyFile(filepath.Join(folder, "history.keys"), ring)
	if err != nil {
		t.Fatal(err)
	}
	if s := keys.Unlock(t.Context()); !s.Unlocked {
		t.Fatalf("%+v", s)
	}
	path := filepath.Join(folder, "history.db")
	err = keys.With(func(key, _ []byte) error {
		f, err := sealed.Open(path, (*sealed.Key)(key), 0)
		if err != nil {
			return err
		}
		db, err := sql.Open("sqlite", "file:"+path+"?vfs="+sealed.VFS)
		if err != nil {
			return err
		}
		_, err = db.ExecContext(t.Context(), text)
		return errors.Join(err, db.Close(), f.Close())
	})
	if err != nil {
		t.Fatal(err)
	}
}
