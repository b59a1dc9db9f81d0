package claude

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"parley/backend/agent"
	"parley/backend/program"
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
		t.takeUp(id)
	}
	if len(t.waiting) > 0 && !t.stopped {
		t.between = true
		return nil, nil
	}
	finish := &agent.Finish{StopReason: agent.StopReason(r.Stop), Usage: t.used, Model: t.model}
	switch {
	case t.locked != "" && !t.stopped:
		return nil, program.Refused("Claude Code", t.provider, t.locked)
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

// failed is why the turn failed, in the words of Claude Code.
func (t *turn) failed(subtype string, status int, words string) error {
	switch {
	case subtype == "error_max_turns":
		return agent.Errorf(agent.CodeTurnLimit, "Claude Code has taken as many steps as it may in one turn.")
	case subtype == "error_max_budget_usd":
		return agent.Errorf(agent.CodeBudgetExceeded, "Claude Code has spent as much as it may in this session.")
	case t.problem == "" && status == 0:
		return agent.Errorf(agent.CodeInternal, "Claude Code gave up: %s", program.Quote(words))
	}
	return program.Refused("Claude Code", t.provider, fmt.Sprintf("%s (%s)", words, cmp.Or(t.problem, strconv.Itoa(status))))
}
