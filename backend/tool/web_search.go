package tool

import (
	"cmp"
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"html"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"parley/backend/agent"
)

//go:embed web_search.md
var webSearchText string

var webSearch = changing[webSearchArguments](define(Definition{Name: agent.WebSearch, Description: webSearchText}, runWebSearch))

type webSearchArguments struct {
	Query      string `json:"query" about:"What to search for."`
	MaxResults int    `json:"max_results,omitempty" about:"How many results to give at most; 10 if left out." min:"1" max:"20"`
}

func (in webSearchArguments) action() string { return "egress" }

func (in webSearchArguments) preview() string { return "Search the web for “" + in.Query + "”" }

// webSearchData is what the card of a call shows.
type webSearchData struct {
	Results []searchResult `json:"results"`
}

// searchResult is one of them, as text.
type searchResult struct {
	Title string `json:"title"`
	URL   string `json:"url"`
	Text  string `json:"text"`
}

func runWebSearch(ctx context.Context, files *Files, in webSearchArguments) (string, any, error) {
	if files.search == nil {
		return "", nil, refuse("There is no search engine here.")
	}
	most := cmp.Or(in.MaxResults, 10)
	request, host, err := asks(*files.search, in.Query, most)
	if err != nil {
		return "", nil, err
	}
	network := Internet
	network.Loopback = host
	answer, err := fetch(ctx, network, request, agent.DefaultToolTimeout)
	switch {
	case err != nil:
		return "", nil, err
	case !strings.HasPrefix(answer.Status, "2"):
		return "", nil, refuse("The search engine answered %s.\n%s", answer.Status, answer.Body)
	}
	d := webSearchData{Results: []searchResult{}}
	found, err := resultsIn(files.search.API, answer.Body)
	if err != nil {
		return "", nil, refuse("The search engine answered something else than its interface says: %v.", err)
	}
	var b strings.Builder
	for _, r := range found[:min(len(found), most)] {
		d.Results = append(d.Results, r)
		fmt.Fprintf(&b, "%d. %s\n%s\n%s\n\n", len(d.Results), r.Title, r.URL, r.Text)
	}
	return cmp.Or(strings.TrimSpace(b.String()), "Nothing was found."), d, nil
}

// asks gives the request for a search, and its host if that is on this machine.
func asks(s agent.Search, query string, most int) (r httpRequestArguments, here []string, err error) {
	u, err := url.Parse(s.URL)
	if err != nil {
		return r, nil, refuse("The search engine has no address that can be asked.")
	}
	q := u.Query()
	q.Set("q", query)
	switch s.API {
	case agent.SearchBrave:
		q.Set("count", strconv.Itoa(most))
		q.Set("text_decorations", "false")
	case agent.SearchSearXNG:
		q.Set("format", "json")
	}
	u.RawQuery = q.Encode()
	headers := map[string]string{"Accept": "application/json"}
	for name, value := range s.Headers {
		headers[name] = value
	}
	if agent.IsHere(u) {
		here = []string{agent.HostPort(u)}
	}
	return httpRequestArguments{Method: http.MethodGet, URL: u.String(), Headers: headers}, here, nil
}

// resultsIn reads the answer of a search engine.
func resultsIn(api agent.SearchAPI, body string) (list []searchResult, err error) {
	type found struct{ Title, URL, Description, Content string }
	var answer struct {
		Web     struct{ Results []found } // Brave's
		Results []found                   // SearXNG's
	}
	if err := json.Unmarshal([]byte(body), &answer); err != nil {
		return nil, err
	}
	results := answer.Results
	if api == agent.SearchBrave {
		results = answer.Web.Results
	}
	for _, r := range results {
		list = append(list, searchResult{plain(r.Title), r.URL, plain(cmp.Or(r.Description, r.Content))})
	}
	return list, nil
}

// plain is a text of a search engine, which is HTML at some, in one line.
func plain(text string) string { return strings.Join(strings.Fields(html.UnescapeString(text)), " ") }
