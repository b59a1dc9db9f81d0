package pi

import (
	"cmp"
	"encoding/json"
	"regexp"
	"strings"

	"parley/backend/agent"
)

// refused makes an error of what Pi says that the server of its model answered: mostly a status, and the server's own words
// after it, as JSON or not.
func (s *Speaker) refused(words string) *agent.Error {
	code, verdict := agent.CodeProviderUnavailable, "failed to answer"
	for _, r := range refusals {
		if r.words.MatchString(words) {
			code, verdict = r.code, r.verdict
			break
		}
	}
	return agent.Errorf(code, "Pi asked %s, which %s: %s", cmp.Or(s.provider, "its provider"), verdict, quote(words))
}

// refusals are tried in order: what a server calls a failure counts for more than the status, which proxies change.
var refusals = []struct {
	words   *regexp.Regexp
	code    agent.Code
	verdict string
}{
	{regexp.MustCompile(`(?i)content_filter|content_policy_violation|content filtering policy`), agent.CodeContentFilter, "will not answer this"},
	{regexp.MustCompile(`(?i)^402\b|insufficient_quota|billing|credit balance is too low`), agent.CodeProviderAuth, "says that the account has nothing left to spend"},
	{regexp.MustCompile(`(?i)context_length_exceeded|context window|maximum context length|prompt is too long`), agent.CodeValidation, "cannot take so long a conversation"},
	{regexp.MustCompile(`(?i)^40[13]\b|invalid_api_key|authentication_error|permission_error`), agent.CodeProviderAuth, "did not accept the key or login"},
	{regexp.MustCompile(`(?i)^(429|529)\b|rate_limit|rate limit|overloaded`), agent.CodeProviderRateLimit, "says that it is asked too often"},
	{regexp.MustCompile(`(?i)^404\b|model_not_found|not_found_error`), agent.CodeValidation, "does not serve this model, or nothing at this address"},
	{regexp.MustCompile(`(?i)^4\d\d\b|invalid_request_error`), agent.CodeValidation, "does not accept the request"},
}

// maxQuote bounds how much of a server's own words a person is shown, in characters.
const maxQuote = 400

// quote gives a server's words in one line.
func quote(words string) string {
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
