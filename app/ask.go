package app

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"parley/backend/agent"
	"parley/backend/api"
	"parley/backend/store"
)

// takeUp goes on with a session that waits for answers.
func (d *dialogue) takeUp(ctx context.Context) error {
	from, err := d.next(ctx)
	if err != nil || from == 0 {
		return err
	}
	s, err := ask[api.Session](ctx, d.Connection, http.MethodGet, d.path("/sessions/", ""), nil)
	if err != nil || s.Status != store.Paused {
		return err
	}
	if err := d.askPerson(ctx); err != nil {
		return err
	}
	return d.follow(ctx, from)
}

// askPerson asks everything that the session waits for. With the last answer its turn goes on.
func (d *dialogue) askPerson(ctx context.Context) error {
	inbox, err := ask[api.Inbox](ctx, d.Connection, http.MethodGet, "/approvals", nil)
	if err != nil {
		return err
	}
	for _, q := range inbox.Approvals {
		if q.SessionID != d.session {
			continue
		}
		decision, answered := d.decide(q)
		if !answered {
			fmt.Fprintf(d.notes, "\nparley: nothing was answered; the agent waits. Go on with: parley chat --session %s\n", d.session)
			return exit(exitWaits)
		}
		if _, err := ask[api.Decided](ctx, d.Connection, http.MethodPost, "/approvals/"+string(q.ID), decision); err != nil {
			return err
		}
	}
	return nil
}

// decide asks one question, until the answer is one.
func (d *dialogue) decide(q api.Question) (decision api.Decision, answered bool) {
	var told struct{ ToolName, Preview, Question, Rule string }
	if json.Unmarshal(q.Manifest, &told) != nil {
		told.Preview = string(q.Manifest)
	}
	if q.Kind != agent.UserApproval {
		fmt.Fprintf(d.notes, "\n%s %s> ", told.ToolName, told.Question)
		answered = d.lines.Scan()
		decision.Output, _ = json.Marshal(d.lines.Text()) // a string: it cannot fail
		return decision, answered
	}
	wider := ""
	if told.Rule != "" {
		wider = fmt.Sprintf("%s for this [s]ession, ", told.Rule)
	}
	for {
		fmt.Fprintf(d.notes, "\nAllow %s: %s? [y]es, %sor [n]o and why> ", told.ToolName, told.Preview, wider)
		if !d.lines.Scan() {
			return decision, false
		}
		word, note, _ := strings.Cut(strings.TrimSpace(d.lines.Text()), " ")
		approved, known := decisions[strings.ToLower(word)]
		forSession := approved && strings.HasPrefix(word, "s")
		if !known || forSession && told.Rule == "" {
			continue
		}
		decision.Approved, decision.Note = &approved, note
		if forSession {
			decision.Scope = agent.ScopeSession
		}
		return decision, true
	}
}

// decisions are what a person may type when an approval is asked for.
var decisions = map[string]bool{"y": true, "yes": true, "s": true, "session": true, "n": false, "no": false}
