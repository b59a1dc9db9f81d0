package provider

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"iter"
	"mime"
	"net/http"
	"net/url"
	"strings"
	"time"

	"parley/backend/agent"
)

const (
	// idleLimit is how long a server may be silent, before its answer and within: a local model reads a long prompt
	// for minutes. Whatever comes resets it, a comment too. A long answer has no limit.
	idleLimit = 5 * time.Minute
	// lingerLimit is how long we wait for the end of a body that has said its last, so that its connection can be used
	// again.
	lingerLimit = 200 * time.Millisecond
	// maxComplaint bounds how much of an error's body is read.
	maxComplaint = 64 << 10
)

// Client speaks to model servers. It holds no secret. All methods may be called at once.
type Client struct {
	http http.Client
}

// NewClient makes a client. Close it.
func NewClient() *Client {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.DisableCompression = true // a compressed stream arrives in lumps
	transport.MaxResponseHeaderBytes = 1 << 20
	return &Client{http.Client{
		Transport: transport,
		// A redirect would take the conversation, and perhaps the key, to a place that nobody chose.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

// Close lets go of the connections that nobody uses. It may be called at any time.
func (c *Client) Close() { c.http.CloseIdleConnections() }

// Stream asks for an answer and gives it as it comes. The sequence ends exactly once: with a Finish, or with an
// *agent.Error, whose cause is a *Refusal if the server reported it. Once ctx is cancelled the error has CodeCancelled.
// key may be empty; it never shows up in an error.
func (c *Client) Stream(ctx context.Context, endpoint agent.Endpoint, key string, req Request) iter.Seq2[Chunk, error] {
	return func(yield func(Chunk, error) bool) {
		if err := Speaks(endpoint); err != nil {
			yield(nil, err)
			return
		}
		x := newExchange(endpoint, key)
		x.model = req.Model
		body, err := x.wire.encode(req)
		if err != nil {
			yield(nil, agent.Wrap(agent.CodeInternal, err, "The conversation could not be written down for the model."))
			return
		}
		reply, err := c.send(ctx, x, http.MethodPost, endpoint.BaseURL+x.wire.path, body)
		if err != nil {
			yield(nil, err)
			return
		}
		defer reply.close()
		said, err := newAnswer(x, req).read(reply.events(), func(chunk Chunk) bool { return yield(chunk, nil) })
		if err != nil {
			yield(nil, reply.failure(err))
		} else if said {
			reply.linger()
		}
	}
}

// exchange is what one request and its errors are about.
type exchange struct {
	endpoint agent.Endpoint
	wire     wire
	key      string
	model    string        // empty if it is not about one
	patience time.Duration // how long the server may be silent
}

func newExchange(endpoint agent.Endpoint, key string) *exchange {
	return &exchange{endpoint: endpoint, wire: wires[cmp.Or(endpoint.Wire, agent.WireOpenAI)], key: key, patience: idleLimit}
}

func (x *exchange) String() string { return x.endpoint.Provider + " at " + x.host() }

func (x *exchange) host() string {
	u, err := url.Parse(x.endpoint.BaseURL)
	if err != nil {
		return "no address"
	}
	return u.Host
}

func (x *exchange) variable(setting string) string { return variableOf(x.endpoint.Provider, setting) }

// reply is a good answer's body. Reading from it keeps the idle limit away.
type reply struct {
	*exchange
	asked   context.Context // the caller's
	waiting context.Context // what the request runs under; its cause is errSilent if the server was
	cancel  context.CancelCauseFunc
	idle    *time.Timer
	http    *http.Response
}

var errSilent = errors.New("the idle limit has passed")

// send makes a request and gives the answer if it is a good one. The caller closes it.
func (c *Client) send(ctx context.Context, x *exchange, method, address string, body []byte) (*reply, error) {
	if problem := checkURL(x.endpoint.BaseURL); problem != "" {
		return nil, agent.Errorf(agent.CodeValidation, "The address of %s %s.", x.endpoint.Provider, problem)
	}
	if strings.ContainsFunc(x.key, func(r rune) bool { return r < ' ' || r > '~' }) {
		return nil, agent.Errorf(agent.CodeProviderAuth, "The API key of %s holds characters that no key has. Copy it again.", x.endpoint.Provider)
	}
	r := &reply{exchange: x, asked: ctx}
	r.waiting, r.cancel = context.WithCancelCause(ctx)
	r.idle = time.AfterFunc(x.patience, func() { r.cancel(errSilent) })
	if err := r.begin(&c.http, method, address, body); err != nil {
		r.close()
		return nil, err
	}
	return r, nil
}

func (r *reply) begin(client *http.Client, method, address string, body []byte) error {
	req, err := http.NewRequestWithContext(r.waiting, method, address, bytes.NewReader(body))
	if err != nil {
		return r.broken(err)
	}
	req.Header.Set("User-Agent", "Parley")
	req.Header.Set("Accept", "text/event-stream, application/json")
	if method == http.MethodPost {
		req.Header.Set("Content-Type", "application/json")
	}
	r.wire.sign(req.Header, r.key)
	// Empty, it is not sent; it lets net/http ask again when a kept connection turns out to be closed.
	req.Header["Idempotency-Key"] = []string{}
	if r.http, err = client.Do(req); err != nil {
		return r.failure(err)
	}
	if r.http.StatusCode != http.StatusOK {
		said, _ := io.ReadAll(io.LimitReader(r, maxComplaint)) // half a complaint is better than none
		return r.refused(r.http.StatusCode, r.http.Header, said)
	}
	if r.contentType() == "text/html" {
		return agent.Errorf(agent.CodeProviderUnavailable, "%s answers with a web page. Correct %s; it often ends in /v1.", r, r.variable("BASE_URL"))
	}
	return nil
}

func (r *reply) contentType() string {
	mediaType, _, _ := mime.ParseMediaType(r.http.Header.Get("Content-Type"))
	return mediaType
}

// Read gives the body.
func (r *reply) Read(p []byte) (int, error) {
	n, err := r.http.Body.Read(p)
	r.idle.Reset(r.patience)
	return n, err
}

// events gives what the server says. One that does not stream says everything at once.
func (r *reply) events() iter.Seq2[[]byte, error] {
	if r.contentType() != "application/json" {
		return events(r)
	}
	return func(yield func([]byte, error) bool) { yield(r.all()) }
}

// all reads the whole body.
func (r *reply) all() ([]byte, error) {
	body, err := io.ReadAll(io.LimitReader(r, maxEvent+1))
	if len(body) > maxEvent {
		return nil, errEventTooLong
	}
	return body, err
}

// failure makes an *agent.Error of what kept the answer from being read.
func (r *reply) failure(err error) *agent.Error {
	known, isKnown := errors.AsType[*agent.Error](err)
	switch {
	case r.asked.Err() != nil:
		return agent.Wrap(agent.CodeCancelled, r.asked.Err(), "Stopped before the answer was complete.")
	case errors.Is(context.Cause(r.waiting), errSilent):
		return agent.Wrap(agent.CodeProviderUnavailable, err, r.String()+" has said nothing for "+r.patience.String()+".")
	case isKnown:
		return known
	}
	return r.broken(err)
}

// linger reads the little that may be left of a body.
func (r *reply) linger() {
	r.idle.Reset(lingerLimit)
	_, _ = io.CopyN(io.Discard, r.http.Body, 4<<10)
}

// close ends the request, wherever it is.
func (r *reply) close() {
	r.idle.Stop()
	r.cancel(nil)
	if r.http != nil {
		r.http.Body.Close()
	}
}
