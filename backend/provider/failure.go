package provider

import (
	"bytes"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"parley/backend/agent"
)

// Refusal is the cause of an *agent.Error that a server reported itself.
type Refusal struct {
	Status     int           // of HTTP; zero for a stream that failed without saying one
	RetryAfter time.Duration // how long the server wants to be left alone; zero if it does not say
}

func (r *Refusal) Error() string { return fmt.Sprintf("HTTP status %d", r.Status) }

// refused makes an error of an HTTP answer that is none, or, with status 0, of an error in the middle of a stream.
func (x *exchange) refused(status int, header http.Header, body []byte) *agent.Error {
	c := readComplaint(body)
	if status == 0 {
		status = c.status
	}
	code, verdict := x.judge(status, header, c)
	r := &Refusal{Status: status, RetryAfter: retryAfter(header)}
	if r.RetryAfter > 0 {
		verdict += fmt.Sprintf(" (wait %v)", r.RetryAfter)
	}
	if said := x.quote(c.message); said != "" {
		verdict += ": " + said
	} else {
		verdict += fmt.Sprintf(" (status %d)", status)
	}
	return agent.Wrap(code, r, fmt.Sprintf("%s %s", x, verdict))
}

// judge says which of our failures a server's is, and what to tell a person before the server's own words. What a
// complaint calls itself counts for more than its status, which proxies and gateways change.
func (x *exchange) judge(status int, header http.Header, c complaint) (code agent.Code, verdict string) {
	switch {
	case c.is("content_filter", "content_policy_violation", "moderation", "responsibleaipolicyviolation") || c.says("content filtering policy"):
		return agent.CodeContentFilter, "will not answer this"
	case c.is("insufficient_quota", "billing_hard_limit_reached", "billing_error") || c.says("credit balance is too low") || status == http.StatusPaymentRequired:
		return agent.CodeProviderAuth, "says that the account has nothing left to spend"
	case c.is("context_length_exceeded", "exceed_context_size_error") || c.says("maximum context length", "context window", "context size", "prompt is too long"):
		return agent.CodeValidation, fmt.Sprintf("cannot take so long a conversation with the model %q", x.model)
	case status == http.StatusUnauthorized, status == http.StatusForbidden, c.is("invalid_api_key", "authentication_error", "permission_error"):
		if x.key == "" {
			return agent.CodeProviderAuth, "wants an API key; add one under Secrets and keys, or set " + x.variable("API_KEY")
		}
		return agent.CodeProviderAuth, "did not accept the API key"
	case status == http.StatusTooManyRequests, c.is("rate_limit_exceeded", "rate_limit_error"):
		return agent.CodeProviderRateLimit, "is asked too often"
	case status == http.StatusNotFound && x.model == "":
		return agent.CodeProviderUnavailable, "does not know this address; " + x.variable("BASE_URL") + " often ends in /v1"
	case status == http.StatusNotFound, c.is("model_not_found", "not_found_error"):
		return agent.CodeValidation, fmt.Sprintf("does not serve the model %q, or nothing at this address", x.model)
	case status >= 300 && status < 400:
		return agent.CodeProviderUnavailable, fmt.Sprintf("redirects to %s, which is not followed; its real address belongs in %s", target(header), x.variable("BASE_URL"))
	case status == http.StatusRequestTimeout, status == http.StatusConflict, status == http.StatusTooEarly:
		return agent.CodeProviderUnavailable, "failed to answer"
	case status >= 400 && status < 500, status == 0 && c.is("invalid_request_error"):
		return agent.CodeValidation, "does not accept the request"
	}
	return agent.CodeProviderUnavailable, "failed to answer"
}

// broken makes an error of a connection that could not be made or did not last.
func (x *exchange) broken(err error) *agent.Error {
	message := fmt.Sprintf("%s broke off before its answer was complete.", x)
	if _, ok := errors.AsType[*url.Error](err); ok { // before it began
		message = fmt.Sprintf("%s does not answer as a model server does. Retry, or correct %s.", x, x.variable("BASE_URL"))
	}
	if op, ok := errors.AsType[*net.OpError](err); ok && op.Op == "dial" {
		message = fmt.Sprintf("Nothing answers at %s, where %s is expected. Start it, or correct %s.", x.host(), x.endpoint.Provider, x.variable("BASE_URL"))
	}
	if _, ok := errors.AsType[*net.DNSError](err); ok {
		message = fmt.Sprintf("The network does not know the host %s of %s. Check the connection, or correct %s.", x.host(), x.endpoint.Provider, x.variable("BASE_URL"))
	}
	if _, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		message = fmt.Sprintf("%s could not prove that it is who it says: its certificate is not trusted here.", x)
	}
	return agent.Wrap(agent.CodeProviderUnavailable, err, message)
}

// maxQuote bounds how much of a server's own words a person is shown, in characters.
const maxQuote = 400

// quote gives a server's words in one line, without the key, which some servers repeat.
func (x *exchange) quote(words string) string {
	if x.key != "" {
		words = strings.ReplaceAll(words, x.key, "[key]")
	}
	words = strings.Join(strings.FieldsFunc(words, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }), " ")
	if runes := []rune(words); len(runes) > maxQuote {
		words = string(runes[:maxQuote]) + "…"
	}
	return words
}

// complaint is what a server says went wrong, in words of its own.
type complaint struct {
	message string
	kinds   []string // its names for the failure, in lower case
	status  int      // which some give as a code
}

func (c complaint) is(kinds ...string) bool {
	return slices.ContainsFunc(kinds, func(kind string) bool { return slices.Contains(c.kinds, kind) })
}

// says recognises the failures that servers have no name for.
func (c complaint) says(any ...string) bool {
	message := strings.ToLower(c.message)
	return slices.ContainsFunc(any, func(words string) bool { return strings.Contains(message, words) })
}

// readComplaint finds the words in any of the shapes that servers give an error: an object in or beside "error", a
// plain string there, a list of either, plain text. A web page holds no words for a person.
func readComplaint(body []byte) (c complaint) {
	body = bytes.TrimSpace(body)
	var doc any
	if json.Unmarshal(body, &doc) != nil {
		if !bytes.HasPrefix(body, []byte("<")) {
			c.message = string(body)
		}
		return c
	}
	c.read(doc)
	return c
}

func (c *complaint) read(value any) {
	switch v := value.(type) {
	case string:
		c.message = v
	case []any:
		if len(v) > 0 {
			c.read(v[0])
		}
	case map[string]any:
		for _, key := range []string{"detail", "msg", "message", "error"} { // the last that is there wins
			if v[key] != nil {
				c.read(v[key])
			}
		}
		for _, key := range []string{"type", "code", "status"} {
			switch kind := v[key].(type) {
			case string:
				c.kinds = append(c.kinds, strings.ToLower(kind))
			case float64:
				c.status = int(kind)
			}
		}
	}
}

// retryAfter reads the header in both of its forms.
func retryAfter(header http.Header) time.Duration {
	value := header.Get("Retry-After")
	if seconds, err := strconv.Atoi(value); err == nil && seconds > 0 && seconds < 1<<20 {
		return time.Duration(seconds) * time.Second
	}
	if at, err := http.ParseTime(value); err == nil {
		return max(0, time.Until(at).Round(time.Second))
	}
	return 0
}

// target gives where a redirect leads, without the part that may hold a secret.
func target(header http.Header) string {
	u, err := url.Parse(header.Get("Location"))
	if err != nil || u.Host == "" {
		return "another page"
	}
	return u.Scheme + "://" + u.Host
}
