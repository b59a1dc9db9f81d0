package api

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"testing"

	"parley/backend/agent"
)

// FuzzNames: whatever is put in the place of a session's id, or asked to follow, the door answers in its own way and shows
// nothing that is not there.
func FuzzNames(f *testing.F) {
	for _, id := range []string{"s", ".", "..", "%2e%2e", "%00", "é", "a/b", "a%2fb", "x%", "%25", "\x7f", strings.Repeat("x", 129)} {
		for _, last := range []string{"", "0", "-1", "+1", " 1", "1 ", "9007199254740992", "99999999999999999999", "0x1", "1e3", "1\n"} {
			f.Add(id, last)
		}
	}
	w := open(f)
	f.Fuzz(func(t *testing.T, id, last string) {
		want := http.StatusNoContent
		if _, err := strconv.ParseUint(last, 10, 53); err != nil && last != "" || agent.SessionID(id).Validate() != nil {
			want = http.StatusBadRequest
		}
		escaped := "/messages/" + url.PathEscape(id) + "/stream"
		for _, path := range []string{escaped, "/messages/" + id + "/stream"} {
			target, err := url.ParseRequestURI(path)
			if err != nil {
				continue // no server gets to see it
			}
			r := httptest.NewRequest("GET", "/", nil)
			r.URL, r.Host = target, w.url[len("http://"):]
			r.Header.Set("Authorization", "Bearer "+testToken)
			r.Header["Last-Event-Id"] = []string{last}
			res := httptest.NewRecorder()
			w.door.ServeHTTP(res, r)
			var failed Failure
			if res.Body.Len() > 0 && (json.Unmarshal(res.Body.Bytes(), &failed) != nil || failed.Status.Code != res.Code) {
				t.Errorf("%q: %d %s", path, res.Code, res.Body)
			}
			// 404: no path has an empty name in it, or a dot.
			if path == escaped && res.Code != want && res.Code != http.StatusNotFound {
				t.Errorf("%q after %q: %d, want %d", path, last, res.Code, want)
			}
		}
	})
}
