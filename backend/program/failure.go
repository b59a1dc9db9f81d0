package program

import (
	"cmp"
	"encoding/json"
	"regexp"
	"strings"

	"parley/backend/agent"
)

// Refused makes an error of what a program says that the server of its model answered it: words in which there is often a
// status, and the server's own words as JSON. provider is who serves the model; empty if the program knows it by itself.
func Refused(name, provider, words string) *agent.Error {
	code, verdict := agent.CodeProviderUnavailable, "failed to answer"
	for _, r := range refusals {
		if r.words.MatchString(words) {
			code, verdict = r.code, r.verdict
			break
		}
	}
	return agent.Errorf(code, "%s asked %s, which %s: %s", name, cmp.Or(provider, "its provider"), verdict, Quote(words))
}

// Quote gives the words of a program in one line, for a person.
func Quote(words string) string {
	var complaint struct {
		Message string
		Error   struct{ Message string }
	}
	if at := strings.Index(words, "{"); at >= 0 && json.NewDecoder(strings.NewReader(words[at:])).Decode(&complaint) == nil {
		words = cmp.Or(complaint.Error.Message, complaint.Message, words)
	}
	words = strings.Join(strings.Fields(words), " ")
	if runes := []rune(words); len(runes) > maxQuote {
		words = string(runes[:maxQuote]) + "…"
	}
	return cmp.Or(words, "it gave no reason.")
}

const maxQuote = 400

// refusals are tried in order: what a server calls a failure counts for more than the status, which proxies change.
var refusals = []struct {
	words   *regexp.Regexp
	code    agent.Code
	verdict string
}{
	{words("content_filter", "content_policy_violation", "content filtering policy"), agent.CodeContentFilter, "will not answer this"},
	{words("insufficient_quota", "billing", "credit balance is too low", "402"), agent.CodeProviderAuth, "says that the account has nothing left to spend"},
	{words("context_length_exceeded", "context window", "maximum context length", "prompt is too long"), agent.CodeValidation, "cannot take so long a conversation"},
	{words("401", "403", "invalid_api_key", "authentication_error", "permission_error", "unauthorized", "api key", "not logged in"), agent.CodeProviderAuth, "did not accept the key or login"},
	{words("429", "rate_limit", "rate limit", "too many requests"), agent.CodeProviderRateLimit, "is asked too often"},
	{words("404", "model_not_found", "not_found_error"), agent.CodeValidation, "does not serve this model, or nothing at this address"},
	{words(`4\d\d`, "invalid_request_error"), agent.CodeValidation, "does not accept the request"},
}

// words finds any of them. What begins with a digit is a status, which a port or a number of tokens is not.
func words(any ...string) *regexp.Regexp {
	for i, w := range any {
		if w[0] <= '9' {
			any[i] = `(?:^|[\s(])` + w + `(?:\D|$)`
		}
	}
	return regexp.MustCompile("(?i)" + strings.Join(any, "|"))
}
