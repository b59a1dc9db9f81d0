// Package acp speaks the Agent Client Protocol with any agent that does.
package acp

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"strings"
	"time"

	"parley/backend/agent"
	"parley/backend/program"
)

// Speaker is the client of one agent, with one session.
type Speaker struct {
	line    *program.Line
	asked   int                 // requests so far
	answers map[string]*message // by the ids of the requests that wait for one; nil until it is there

	name      string // of the agent, as a person knows it
	protocol  int    // 1 or 2
	launch    agent.Launch
	policy    agent.Policy
	dir       string
	session   string
	options   []option
	commands  []program.Command
	terminals terminals
	questions int   // that were asked
	turn      *turn // nil between turns
}

// New makes a speaker for an agent that has just started.
func New() program.Speaker {
	return &Speaker{answers: map[string]*message{}, terminals: terminals{now: time.Now}}
}

// Take is program.Speaker's.
func (s *Speaker) Take(line *program.Line, t *program.Turn) (agent.Finish, error) {
	s.line = line
	s.turn = &turn{Speaker: s, host: t.Host, calls: map[string]*call{}, model: s.model()}
	defer func() {
		s.terminals.end()
		for _, one := range s.turn.steered {
			delete(s.answers, one.request)
		}
		s.turn = nil
	}()
	prompt := []block{{Type: "text", Text: t.Text}}
	for _, image := range t.Images {
		prompt = append(prompt, block{Type: "image", MimeType: image.MediaType, Data: base64.StdEncoding.EncodeToString(image.Content)})
	}
	for told := 0; ; {
		finish, err := s.turn.take(prompt)
		denials := s.turn.denials[told:]
		if err != nil || len(denials) == 0 || s.turn.stopping {
			return finish, err
		}
		prompt = []block{{Type: "text", Text: strings.Join(denials, "\n")}}
		told += len(denials)
	}
}

// Settle is program.Settler's: agents tell their commands right after they have begun, and go on for a moment with a turn that
// they have ended. A request that no agent knows is refused after that.
func (s *Speaker) Settle(line *program.Line) error {
	s.line = line
	var unknown *problem
	if err := s.call("_parley/quiet", struct{}{}, nil); err != nil && !errors.As(err, &unknown) {
		return err
	}
	return nil
}

// listening reports whether the agent may ask for something: in a turn, until it is to stop.
func (s *Speaker) listening() bool { return s.turn != nil && !s.turn.stopping }

// turn is what is known of the turn that is taken.
type turn struct {
	*Speaker
	host     program.Host
	stopping bool // the agent was told to stop
	calls    map[string]*call
	open     opened // the block of text
	used     agent.Usage
	context  json.RawMessage // how full the context of the model is, as it was said last
	model    string
	ended    *outcome  // how protocol 2 says that the turn has ended
	steered  []steered // what was said in the middle of the turn and is not answered
	denials  []string  // what the person said of calls that they did not allow
}

// outcome is how a turn ends.
type outcome struct {
	StopReason string   `json:"stopReason"`
	Usage      *usage   `json:"usage"`
	Error      *problem `json:"error"`
	Meta       meta     `json:"_meta"`
}

// usage is what an agent says that a turn has used.
type usage struct {
	Input      int64 `json:"inputTokens"`
	Output     int64 `json:"outputTokens"`
	Total      int64 `json:"totalTokens"`
	CacheRead  int64 `json:"cachedReadTokens"`
	CacheWrite int64 `json:"cachedWriteTokens"`
}

// take sends a prompt and listens until the agent has done with it.
func (t *turn) take(prompt []block) (agent.Finish, error) {
	if t.stopping {
		return agent.Finish{StopReason: agent.StopCancelled}, nil
	}
	t.ended = nil
	var end outcome
	err := t.call("session/prompt", prompting{t.session, prompt}, &end)
	if err == nil && t.protocol > 1 {
		if err = t.awaitEnd(); err == nil {
			end = *t.ended
		}
	}
	refused := end.Error
	if err != nil && !errors.As(err, &refused) {
		return agent.Finish{}, err
	}
	if refused != nil && !t.stopping {
		return agent.Finish{}, t.turnFailed(refused)
	}
	quota := end.Meta.Quota
	if end.Usage != nil {
		t.use(end.Usage)
	} else if n := quota.Tokens; n != nil {
		t.use(&usage{Input: n.Input, Output: n.Output, Total: n.Input + n.Output})
	}
	if len(quota.Models) > 0 {
		t.model = quota.Models[0].Model
	}
	if t.context != nil {
		t.host.Say(agent.Data{Name: "context", Data: t.context, Transient: true})
	}
	if end.StopReason == "max_turn_requests" && !t.stopping {
		return agent.Finish{}, agent.Errorf(agent.CodeTurnLimit, "%s has asked its model as often as it may in one turn. Say that it shall go on.", t.name)
	}
	return agent.Finish{StopReason: t.reason(end.StopReason), Usage: t.used, Model: t.model}, nil
}

type prompting struct {
	Session string  `json:"sessionId"`
	Prompt  []block `json:"prompt"`
}

// steered is something that the person said in the middle of the turn.
type steered struct {
	request string // its id
	message agent.MessageID
}

// steer sends what the person says in the middle of the turn. The agent answers once it has taken it.
func (t *turn) steer(said agent.Steering) error {
	id, err := t.request("session/prompt", prompting{t.session, []block{{Type: "text", Text: said.Text}}})
	t.steered = append(t.steered, steered{id, said.Message})
	return err
}

// awaitEnd deals with what comes until the turn has ended, as protocol 2 says it. What was said in the middle of it may be
// taken only then, and the turn goes on with it.
func (t *turn) awaitEnd() error {
	for t.ended == nil || len(t.steered) > 0 && !t.stopping {
		if err := t.step(); err != nil {
			return err
		}
		if len(t.steered) == 0 {
			continue
		}
		first := t.steered[0]
		if answer := t.answers[first.request]; answer != nil {
			if answer.Error == nil {
				t.ended = nil
				t.host.Say(agent.Steered{Message: first.message})
			}
			delete(t.answers, first.request)
			t.steered = t.steered[1:]
		}
	}
	return nil
}

// use reports what was used, besides what was before.
func (t *turn) use(u *usage) {
	if *u == (usage{}) {
		return
	}
	t.used = t.used.Add(agent.Usage{Input: u.Input, Output: u.Output, Total: u.Total, CacheRead: u.CacheRead, CacheWrite: u.CacheWrite})
	t.host.Say(agent.UsageReport{Usage: t.used})
}

// reason is why the turn has ended. An agent may cancel it because a call was denied, which is no stop of the person's.
func (t *turn) reason(said string) agent.StopReason {
	switch {
	case t.stopping:
		return agent.StopCancelled
	case said == "max_tokens":
		return agent.StopMaxTokens
	case said == "refusal":
		return agent.StopRefusal
	}
	return agent.StopEndTurn
}

// stop tells the agent that the person stops the turn.
func (t *turn) stop() error {
	if t.stopping {
		return nil
	}
	t.stopping = true
	return t.notify("session/cancel", struct {
		Session string `json:"sessionId"`
	}{t.session})
}
