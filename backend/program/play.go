package program

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"sync"

	"parley/backend/agent"
	"parley/backend/tool"
)

// play is a turn on its way: what its speaker says goes to whoever listens, and its questions wait with it. It is the
// speaker's Host, and parley-tools' too.
type play struct {
	client    []agent.ClientToolSpec
	permits   *agent.Permits // as they were last
	prompt    agent.Prompt   // likewise
	hide      func(string) string
	events    chan agent.Event
	questions chan question
	over      chan struct{} // closed once the speaker has ended; then finish and err are set
	finish    agent.Finish
	err       error
	stopping  chan struct{} // closed when the person has stopped the turn
	stopOnce  sync.Once

	open     *question   // that the turn waits for; the listener's
	reported agent.Usage // last; the listener's
	before   agent.Usage // what of it was said in an earlier part of the turn; the listener's

	asking sync.Mutex // one question at a time

	mu       sync.Mutex
	said     *sync.Cond
	calls    []agent.ToolCall // that have no result
	answered map[string]bool  // calls that have one
	taken    map[string]bool  // calls that run as our own
	granted  []agent.ToolCall // that the person allowed already, in a program that is gone
}

// question waits for its reply.
type question struct {
	request agent.InteractionRequest
	reply   chan Answer
}

func newPlay(client []agent.ClientToolSpec, permits *agent.Permits, prompt agent.Prompt, hide func(string) string) *play {
	p := &play{
		client: client, permits: permits, prompt: prompt, hide: hide, events: make(chan agent.Event), questions: make(chan question), over: make(chan struct{}),
		stopping: make(chan struct{}), answered: map[string]bool{}, taken: map[string]bool{},
	}
	p.said = sync.NewCond(&p.mu)
	return p
}

// take lets the speaker take the turn.
func (p *play) take(s *session, turn *Turn) {
	defer close(p.over)
	defer func() {
		if r := recover(); r != nil {
			p.err = fmt.Errorf("panic: %v", r)
		}
	}()
	turn.Host = p
	p.finish, p.err = s.speaker.Take(s.line, turn)
}

// Say is Host's. A call has one result: what comes for it later is dropped.
func (p *play) Say(e agent.Event) {
	e, news := p.note(e)
	if !news {
		return
	}
	select {
	case p.events <- e:
	case <-p.over: // a call of our tools may outlive the turn
	}
}

// note follows which calls have a result. It gives e as it is passed on, and reports whether it is.
func (p *play) note(e agent.Event) (as agent.Event, news bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch said := e.(type) {
	case agent.ToolCallDelta:
		said.Client = p.isClient(said.Name)
		return said, true
	case agent.ToolCall:
		said.Client = p.isClient(said.Name)
		if p.answered[said.ID] {
			return said, false
		}
		p.calls = append(slices.DeleteFunc(p.calls, isCall(said.ID)), said)
		p.said.Broadcast()
		return said, true
	case agent.Status:
		return agent.Status{Text: p.hide(said.Text)}, true
	case agent.ToolProgress:
		return said, !p.answered[said.ID]
	case agent.ToolResult:
		news := !p.answered[said.ID]
		p.answer(said.ID)
		return said, news
	}
	return e, true
}

// answer notes that a call has its result. Called with mu held.
func (p *play) answer(id string) {
	p.answered[id] = true
	p.calls = slices.DeleteFunc(p.calls, isCall(id))
}

func isCall(id string) func(agent.ToolCall) bool {
	return func(c agent.ToolCall) bool { return c.ID == id }
}

func (p *play) isClient(name string) bool {
	return slices.ContainsFunc(p.client, func(c agent.ClientToolSpec) bool { return c.Name == name })
}

// Approve is Host's: a program's own question passes the same gate as the calls of our tools.
func (p *play) Approve(call agent.ToolCall, action agent.Action, preview string) Answer {
	if p.grant(call) {
		return Answer{Allowed: true}
	}
	switch e := tool.Gate(p.grounds(), call, action, preview).(type) {
	case agent.InteractionRequest:
		return p.ask(e)
	case agent.ToolResult:
		p.Say(e)
		return Answer{Note: e.Output}
	}
	return Answer{Allowed: true}
}

func (p *play) grounds() agent.Grounds {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.permits.Grounds(p.prompt)
}

// host is the app, in the part of the turn that runs now.
func (p *play) host() agent.Host {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.prompt.Host
}

// grant uses up what the person allowed in a program that is gone.
func (p *play) grant(call agent.ToolCall) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	i := slices.IndexFunc(p.granted, func(g agent.ToolCall) bool { return g.Name == call.Name && sameJSON(g.Input, call.Input) })
	if i < 0 {
		return false
	}
	p.granted = slices.Delete(p.granted, i, i+1)
	return true
}

func sameJSON(a, b json.RawMessage) bool {
	var x, y bytes.Buffer
	return json.Compact(&x, a) == nil && json.Compact(&y, b) == nil && bytes.Equal(x.Bytes(), y.Bytes())
}

// Input is Host's.
func (p *play) Input(call, text string, options []string) Answer {
	payload, _ := json.Marshal(struct { // strings: it cannot fail
		Question string   `json:"question"`
		Options  []string `json:"options,omitempty"`
	}{text, options})
	return p.ask(agent.InteractionRequest{Call: call, Kind: agent.UserInput, Payload: payload})
}

// ask puts a question to the person and waits for what they say.
func (p *play) ask(request agent.InteractionRequest) Answer {
	p.asking.Lock()
	defer p.asking.Unlock()
	q := question{request, make(chan Answer, 1)}
	select {
	case p.questions <- q:
	case <-p.stopping:
		return Answer{Stopped: true}
	case <-p.over:
		return Answer{Stopped: true}
	}
	select {
	case a := <-q.reply:
		return a
	case <-p.stopping:
		return Answer{Stopped: true}
	case <-p.over:
		return Answer{Stopped: true}
	}
}

// goOn gives the answer to what the turn waits for. What the person permits may have changed meanwhile.
func (p *play) goOn(permits *agent.Permits, prompt agent.Prompt) {
	p.mu.Lock()
	p.permits, p.prompt = permits, prompt
	q := p.open
	p.open = nil
	a, result := answerIn(prompt, q.request)
	if result {
		p.answer(q.request.Call) // the session did
	}
	p.mu.Unlock()
	q.reply <- a
}

// answerIn finds the answer to a question in what a turn is prompted with, and reports whether it is the call's result already.
func answerIn(prompt agent.Prompt, request agent.InteractionRequest) (a Answer, result bool) {
	if slices.Contains(prompt.Approved, request.Call) {
		return Answer{Allowed: true}, false
	}
	for _, m := range slices.Backward(prompt.Messages) {
		for _, part := range m.Parts {
			r, ok := part.(agent.ToolResultPart)
			if !ok || r.ToolCallID != request.Call {
				continue
			}
			text := resultText(r)
			if r.Denied {
				return Answer{Note: text}, true
			}
			return Answer{Allowed: !r.IsError, Note: text, Text: text}, true
		}
	}
	return Answer{Note: "The person did not answer."}, false
}

// stop lets every question be without an answer from now on.
func (p *play) stop() {
	p.stopOnce.Do(func() { close(p.stopping) })
	p.said.Broadcast()
}

// account notes what a turn has used, and gives e as this part of the turn says it.
func (p *play) account(e agent.Event) agent.Event {
	used, ok := e.(agent.UsageReport)
	if !ok {
		return e
	}
	p.reported = used.Usage
	return agent.UsageReport{Usage: used.Usage.Without(p.before)}
}

func (p *play) isStopping() bool {
	select {
	case <-p.stopping:
		return true
	default:
		return false
	}
}

// owes reports whether a call has no result.
func (p *play) owes() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.calls) > 0
}

// abandon lets the speaker come to its end with nobody listening. Its program is gone.
func (p *play) abandon() {
	for {
		select {
		case <-p.events:
		case q := <-p.questions:
			q.reply <- Answer{Stopped: true}
		case <-p.over:
			return
		}
	}
}

// pause is the end of this part of the turn.
func (p *play) pause() agent.Finish {
	used := p.reported.Without(p.before)
	p.before = p.reported
	return agent.Finish{StopReason: agent.StopPaused, Usage: used, Model: p.finish.Model}
}

// done is the end of the turn. Its usage is what has not been accounted for in an earlier part.
func (p *play) done() agent.Finish {
	f := p.finish
	f.Usage = f.Usage.Without(p.before)
	return f
}
