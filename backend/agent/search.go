package agent

import (
	"net/url"
	"strings"
)

// Search is the search engine that the tool web_search asks.
type Search struct {
	URL     string            `json:"url"` // what its API is at; the question is added to it
	API     SearchAPI         `json:"api"`
	Headers map[string]string `json:"headers,omitempty"` // texts that may refer to secrets
}

// SearchAPI says how a search engine is asked, and where in its JSON the results are.
type SearchAPI string

// The interfaces; the enum is closed.
const (
	SearchBrave   SearchAPI = "brave"   // Brave's Web Search API
	SearchSearXNG SearchAPI = "searxng" // SearXNG's, where its format json is switched on
)

// WebSearch is the tool that there is where a search engine is set up.
const WebSearch = "web_search"

// Check says what is wrong with s, in a sentence for whoever wrote it. It never repeats a value, which may be a secret.
func (s Search) Check() error {
	u, err := url.Parse(s.URL)
	switch {
	case s.API != SearchBrave && s.API != SearchSearXNG:
		return Errorf(CodeValidation, "The search engine has the api %.20q. There are: %s, %s.", s.API, SearchBrave, SearchSearXNG)
	case err != nil || u.Host == "" || u.User != nil || u.Scheme != "https" && !(u.Scheme == "http" && IsHere(u)):
		return Errorf(CodeValidation, "The search engine has no url that can be asked. Write one with https, or with http if it is on this machine, and without a user name.")
	}
	for name, value := range s.Headers {
		refs, err := SecretRefs(value)
		switch {
		case err != nil:
			return err
		case !headerName.MatchString(name) || strings.ContainsAny(value, "\x00\r\n"):
			return Errorf(CodeValidation, "The search engine is sent the header %.50q, which is no name for one, or has a line break in it.", name)
		case secretName.MatchString(name) && len(refs) == 0:
			return Errorf(CodeValidation, "The search engine is sent a secret in %s, as it seems. Store it on the page Secrets, and write {{secret:slug}} with its slug here.", name)
		}
	}
	return nil
}
