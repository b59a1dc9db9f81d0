package acp

import (
	"encoding/json"
	"errors"
	"regexp"
	"strconv"
	"strings"

	"parley/backend/agent"
)

// maxWords bounds how much of an agent's own words a person is shown, in bytes.
const maxWords = 400

// failed gives why something that was asked of the agent did not succeed.
func (s *Speaker) failed(what string, err error) error {
	var refused *problem
	if !errors.As(err, &refused) {
		return err
	}
	words := refused.words()
	code, verdict := judge(refused.Code, words)
	return agent.Wrap(code, refused, s.name+" could not "+what+": "+verdict+" It says: "+words)
}

// words is what an agent says of a problem, in one line. Some say it in the data only.
func (p *problem) words() string {
	var data struct{ Details, Message string }
	_ = json.Unmarshal(p.Data, &data) // it may be anything
	words := strings.Join(strings.Fields(strings.Join([]string{p.Message, data.Details, data.Message}, " ")), " ")
	if len(words) > maxWords {
		words = strings.ToValidUTF8(words[:maxWords], "") + "…"
	}
	return words
}

// status is one of HTTP's that means a failure.
var status = regexp.MustCompile(`\b[45]\d\d\b`)

// judge says which of our failures an agent's is. There are no codes for most, so that it is told by its words.
func judge(code int, words string) (agent.Code, string) {
	words = strings.ToLower(words)
	if n, err := strconv.Atoi(status.FindString(words)); err == nil && code < 0 && code != codeLogin {
		code = n
	}
	says := func(any ...string) bool {
		for _, w := range any {
			if strings.Contains(words, w) {
				return true
			}
		}
		return false
	}
	switch {
	case says("insufficient_quota", "credit balance", "billing", "payment required", "out of credit"):
		return agent.CodeProviderAuth, "the account of its model has nothing left to spend. Add credit, or give it another key."
	case code == codeLogin, code == 401, code == 403, says("unauthorized", "authentication", "api key", "api_key", "not logged in"):
		return agent.CodeProviderAuth, "it is not let in by who serves its model. Check the API key, or log in with its own program."
	case code == 429, says("rate limit", "rate_limit", "too many requests", "quota"):
		return agent.CodeProviderRateLimit, "its model is asked too often. Wait a little, then retry."
	case says("context length", "context window", "prompt is too long", "too many tokens"):
		return agent.CodeValidation, "the conversation is too long for its model. Begin a new one, or choose another model."
	case code >= 500, says("overloaded", "unavailable", "fetch failed", "econnrefused", "timed out", "timeout", "network"):
		return agent.CodeProviderUnavailable, "its model cannot be reached. Retry later."
	}
	return agent.CodeInternal, "something went wrong in it. Retry."
}
