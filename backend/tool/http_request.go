package tool

import (
	"cmp"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"slices"
	"strings"
	"time"

	"parley/backend/agent"
	"parley/backend/policy"
)

//go:embed http_request.md
var httpRequestText string

var httpRequest = changing[httpRequestArguments](define(Definition{Name: "http_request", Description: httpRequestText}, runHTTPRequest))

type httpRequestArguments struct {
	Method  string            `json:"method" about:"The method." enum:"GET,HEAD,POST,PUT,PATCH,DELETE"`
	URL     string            `json:"url" about:"Where to, with https."`
	Headers map[string]string `json:"headers,omitempty" about:"Headers to send."`
	Body    string            `json:"body,omitempty" about:"What to send."`
}

func (in httpRequestArguments) action() string { return "egress" }

func (in httpRequestArguments) preview() string {
	if in.Body != "" {
		return fmt.Sprintf("%s %s (%s)", in.Method, in.URL, counted(len(in.Body), "byte", "bytes"))
	}
	return in.Method + " " + in.URL
}

// httpRequestData is what the card of a call shows.
type httpRequestData struct {
	Status  string   `json:"status"`
	Type    string   `json:"type"`    // of the body
	Headers []string `json:"headers"` // as lines, sorted
	Body    string   `json:"body"`    // empty if it is not text
	Bytes   int      `json:"bytes"`   // of the body, as far as it was read
}

const maxBody = 1 << 20

// Internet is what a request may reach once it may be made.
var Internet = policy.Network{Resolve: func(ctx context.Context, host string) ([]netip.Addr, error) {
	return net.DefaultResolver.LookupNetIP(ctx, "ip", host)
}}

// Transport reaches what a network lets it reach. Out of a confined runner there is one way, which checks where it leads; what
// is on this machine lies at its other end, too.
func Transport(network policy.Network) *http.Transport {
	if exit, err := url.Parse(os.Getenv(agent.EnvExit)); err == nil && exit.Host != "" {
		return &http.Transport{Proxy: http.ProxyURL(exit)}
	}
	if os.Getenv("HTTPS_PROXY") != "" { // that the person has to go by
		return &http.Transport{Proxy: http.ProxyFromEnvironment}
	}
	return &http.Transport{DialContext: network.Dial}
}

func runHTTPRequest(ctx context.Context, _ *Files, in httpRequestArguments) (string, any, error) {
	d, err := fetch(ctx, Internet, in, agent.DefaultToolTimeout)
	if err != nil {
		return "", nil, err
	}
	output := d.Status + "\n" + strings.Join(d.Headers, "\n") + "\n\n" + d.Body
	if d.Body == "" && d.Bytes > 0 {
		output += fmt.Sprintf("[%d bytes of %s, which is not text.]", d.Bytes, d.Type)
	}
	return output, d, nil
}

// fetch makes a request, and follows no redirect.
func fetch(ctx context.Context, network policy.Network, in httpRequestArguments, limit time.Duration) (d httpRequestData, err error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	target, err := network.Check(in.URL)
	if err != nil {
		return d, err
	}
	request, err := http.NewRequestWithContext(ctx, in.Method, target.URL.String(), strings.NewReader(in.Body))
	if err != nil {
		return d, refuse("The request could not be made: %v.", reason(err))
	}
	request.Header = policy.Headers(in.Headers)
	transport := Transport(network)
	transport.DisableKeepAlives = true
	response, err := transport.RoundTrip(request)
	if err != nil {
		return d, unreachable(ctx, target.Host, limit, err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(io.LimitReader(response.Body, maxBody+1))
	if err != nil {
		return d, unreachable(ctx, target.Host, limit, err)
	}
	if len(body) > maxBody {
		body = []byte(beforeCut(string(body[:maxBody])))
	}
	d = httpRequestData{Status: response.Status, Bytes: len(body)}
	d.Type, _, _ = mime.ParseMediaType(cmp.Or(response.Header.Get("Content-Type"), http.DetectContentType(body)))
	for name, values := range response.Header {
		d.Headers = append(d.Headers, name+": "+strings.Join(values, ", "))
	}
	slices.Sort(d.Headers)
	if !binary(body) {
		d.Body = strings.ToValidUTF8(string(body), "\uFFFD")
	}
	return d, nil
}

func unreachable(ctx context.Context, host string, limit time.Duration, err error) error {
	var denied *agent.Error
	switch {
	case errors.As(err, &denied):
		return denied
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return refuse("%s did not answer within %.0f seconds.", host, limit.Seconds())
	case ctx.Err() != nil:
		return refuse("The request to %s was stopped.", host)
	}
	return refuse("%s could not be reached: %v.", host, reason(err))
}
