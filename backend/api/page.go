package api

import (
	_ "embed" // for openapi.json
	"io/fs"
	"net/http"
	"strings"
	"time"
)

// page serves the page's own files, whatever no route is for. They hold nothing of the person's, so they need no token; what they may load and
// whom they may talk to is held by the policy.
func (d *Door) page(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		d.refuse(w, errNowhere)
		return
	}
	name := strings.TrimPrefix(r.URL.Path, "/")
	if name == "" {
		name = "index.html"
	}
	if _, err := fs.Stat(d.Page, name); err != nil {
		d.refuse(w, errNowhere)
		return
	}
	h := w.Header()
	h.Set("content-security-policy", Policy("'self' ws://"+r.Host))
	h.Set("cache-control", "no-cache")
	if strings.HasPrefix(name, "assets/") { // named by their content
		h.Set("cache-control", "public, max-age=31536000, immutable")
	}
	http.NewResponseController(w).SetWriteDeadline(time.Now().Add(writeLimit))
	http.ServeFileFS(w, r, d.Page, name)
}

// description says what routes there are, as OpenAPI. It is generated from the table of them: see TestOpenAPI.
//
//go:embed openapi.json
var description []byte

// openAPI serves the description. Like the page it holds nothing of the person's, and needs no token.
func openAPI(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("content-type", string(asJSON))
	newFlusher(w).write(description)
}

// Policy is the content security policy of the page; connect is whom it may talk to. Nothing comes from elsewhere, and
// no text of a model can make it.
func Policy(connect string) string {
	return strings.Join([]string{
		"default-src 'none'",
		"script-src 'self'",
		"style-src 'self' 'unsafe-inline'",
		"img-src 'self' data: blob:",
		"font-src 'self'",
		"connect-src " + connect,
		"base-uri 'none'",
		"form-action 'none'",
		"frame-ancestors 'none'",
	}, "; ")
}
