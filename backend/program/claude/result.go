package claude

import (
	"encoding/json"
	"strings"

	"parley/backend/agent"
)

// result ends the turn, unless it is another's, or something that the person said meanwhile is yet to be taken up.
func (t *turn) result(line []byte) (*agent.Finish, error) {
	var r struct {
		Subtype string
		IsError bool   `json:"is_error"`
		Stop    string `json:"stop_reason"`
		Ended   string `json:"terminal_reason"`
		HTTP    int    `json:"api_error_status"`
		Text    string `json:"result"`
		Errors  []string
		Message string                `json:"user_message_uuid"`  // that it answers
		Others  []string              `json:"user_message_uuids"` // and those that were said meanwhile
		Origin  struct{ Kind string } // whose turn it was, unless the person's
		Models  map[string]struct {
			Input      int64 `json:"inputTokens"`
			Output     int64 `json:"outputTokens"`
			CacheRead  int64 `json:"cacheReadInputTokens"`
			CacheWrite int64 `json:"cacheCreationInputTokens"`
		} `json:"model_usage_since_last_result"`
	}
	if json.Unmarshal(line, &r) != nil || r.Origin.Kind != "" || r.Message != "" && !t.sent[r.Message] {
		return nil, nil
	}
	if !t.begun && r.Message == "" && len(r.Errors) == 0 {
		return nil, nil // of the turn before
	}
	if len(r.Models) > 0 {
		t.used = t.settled
		for _, m := range r.Models { // subagents used some of it
			t.used = t.used.Add(usage{m.Input, m.Output, m.CacheRead, m.CacheWrite}.count())
		}
	}
	t.settled, t.begun = t.used, false
	for _, id := range append(r.Others, r.Message) {
		delete(t.waiting, id)
	}
	if len(t.waiting) > 0 && !t.stopped {
		return nil, nil
	}
	finish := &agent.Finish{StopReason: agent.StopReason(r.Stop), Usage: t.used, Model: t.model}
	switch {
	case t.stopped || strings.HasPrefix(r.Ended, "aborted_"):
		finish.StopReason = agent.StopCancelled
	case t.problem == "max_output_tokens":
		finish.StopReason = agent.StopMaxTokens
	case finish.StopReason == agent.StopRefusal:
	case r.IsError:
		return nil, t.failed(r.Subtype, r.HTTP, r.Text+strings.Join(r.Errors, " "))
	case !finish.StopReason.Valid():
		finish.StopReason = agent.StopEndTurn
	}
	return finish, nil
}

// failure is a way in which a model's provider fails, as Claude Code names it.
type failure struct {
	code agent.Code
	says string // the rest of a sentence that begins with who serves the model
}

var (
	auth        = failure{agent.CodeProviderAuth, "does not let Claude Code in"}
	busy        = failure{agent.CodeProviderRateLimit, "is asked too often"}
	unavailable = failure{agent.CodeProviderUnavailable, "cannot answer now"}
	refused     = failure{agent.CodeValidation, "refuses what Claude Code asks it"}

	failures = map[string]failure{
		"authentication_failed":  auth,
		"oauth_org_not_allowed":  auth,
		"account_on_hold":        auth,
		"verification_required":  auth,
		"cloud_credential_error": auth,
		"billing_error":          {agent.CodeProviderAuth, "says that the account has nothing left to spend"},
		"rate_limit":             busy,
		"overloaded":             unavailable,
		"server_error":           unavailable,
		"invalid_request":        refused,
		"model_not_found":        {agent.CodeValidation, "does not have this model"},
	}
)

// failureOf tells a failure by its name, or else by the HTTP status.
func failureOf(name string, status int) failure {
	f, named := failures[name]
	switch {
	case named:
		return f
	case status == 401 || status == 402 || status == 403:
		return auth
	case status == 429:
		return busy
	case status >= 400 && status < 500:
		return refused
	}
	return unavailable
}

// failed is why the turn failed, in the words of Claude Code.
func (t *turn) failed(subtype string, status int, words string) error {
	switch {
	case subtype == "error_max_turns":
		return agent.Errorf(agent.CodeTurnLimit, "Claude Code has taken as many steps as it may in one turn.")
	case subtype == "error_max_budget_usd":
		return agent.Errorf(agent.CodeBudgetExceeded, "Claude Code has spent as much as it may in this session.")
	case t.problem == "" && status == 0:
		return agent.Errorf(agent.CodeInternal, "Claude Code gave up: %s", brief(words))
	}
	f := failureOf(t.problem, status)
	return agent.Errorf(f.code, "%s %s. Claude Code says: %s", t.provider, f.says, brief(words))
}
