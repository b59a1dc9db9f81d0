package acp

import (
	"encoding/json"
	"strconv"
	"time"

	"parley/backend/agent"
	"parley/backend/program"
)

// message is a line that the agent writes: a request if it has a method and an id, a notification if it has no id, else an
// answer.
type message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  *problem        `json:"error"`
}

// problem is why a request failed.
type problem struct {
	Code    int             `json:"code"`
	Message string          `json:"message"`
	Data    json.RawMessage `json:"data,omitempty"`
}

func (p *problem) Error() string { return strconv.Itoa(p.Code) + " " + p.Message }

// The codes of problems that are told apart.
const (
	codeMethod  = -32601 // there is no such method
	codeParams  = -32602
	codeFailed  = -32603
	codeLogin   = -32000 // the agent wants a login first
	codeMissing = -32002 // there is no such file or session
)

// request asks the agent something. Its answer comes to s.answers.
func (s *Speaker) request(method string, params any) (id string, err error) {
	s.asked++
	id = strconv.Itoa(s.asked)
	s.answers[id] = nil
	return id, s.line.Send(struct {
		Version string `json:"jsonrpc"`
		ID      int    `json:"id"`
		Method  string `json:"method"`
		Params  any    `json:"params"`
	}{"2.0", s.asked, method, params})
}

func (s *Speaker) notify(method string, params any) error {
	return s.line.Send(struct {
		Version string `json:"jsonrpc"`
		Method  string `json:"method"`
		Params  any    `json:"params"`
	}{"2.0", method, params})
}

// reply answers a request of the agent. It may be called from any goroutine.
func (s *Speaker) reply(id json.RawMessage, result any, p *problem) error {
	if p != nil {
		return s.line.Send(struct {
			Version string          `json:"jsonrpc"`
			ID      json.RawMessage `json:"id"`
			Error   *problem        `json:"error"`
		}{"2.0", id, p})
	}
	return s.line.Send(struct {
		Version string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Result  any             `json:"result"`
	}{"2.0", id, result})
}

// call asks the agent something, and deals with what comes until it has answered. What it refuses is a *problem.
func (s *Speaker) call(method string, params, result any) error {
	id, err := s.request(method, params)
	if err != nil {
		return err
	}
	answer, err := s.await(id)
	if err != nil {
		return err
	}
	if answer.Error != nil {
		return answer.Error
	}
	if result == nil {
		return nil
	}
	return json.Unmarshal(answer.Result, result)
}

// await deals with what comes until the request of that id is answered.
func (s *Speaker) await(id string) (*message, error) {
	defer delete(s.answers, id)
	for s.answers[id] == nil {
		if err := s.step(); err != nil {
			return nil, err
		}
	}
	return s.answers[id], nil
}

const answerLimit = 30 * time.Second

// step deals with what comes next. Lines that are no JSON and answers that nobody waits for are passed over.
func (s *Speaker) step() error {
	next := s.line.Next
	if s.turn != nil && s.turn.ended != nil { // all that is to come is an answer
		next = func() (program.Incoming, error) { return s.line.NextWithin(answerLimit) }
	}
	in, err := next()
	switch {
	case err != nil:
		return err
	case in.Stop && s.turn == nil:
		return agent.Errorf(agent.CodeCancelled, "%s was stopped while it got ready.", s.name)
	case in.Stop:
		return s.turn.stop()
	case in.Steer != nil && s.listening():
		return s.turn.steer(*in.Steer)
	case in.Steer != nil: // the prompt is not sent yet
		return nil
	}
	var m message
	if json.Unmarshal(in.Data, &m) != nil {
		return nil
	}
	switch {
	case m.Method == "":
		if waiting, ok := s.answers[string(m.ID)]; ok && waiting == nil {
			s.answers[string(m.ID)] = &m
		}
	case len(m.ID) > 0:
		return s.serve(m)
	case m.Method == "session/update":
		s.update(m.Params)
	}
	return nil
}

// serve answers a request of the agent.
func (s *Speaker) serve(m message) error {
	var result any
	var p *problem
	switch m.Method {
	case "session/request_permission":
		result, p = serveAs(m.Params, s.permission)
	case "elicitation/create":
		result, p = serveAs(m.Params, s.elicit)
	case "fs/read_text_file":
		result, p = serveAs(m.Params, s.readFile)
	case "fs/write_text_file":
		result, p = serveAs(m.Params, s.writeFile)
	case "terminal/create":
		result, p = serveAs(m.Params, s.createTerminal)
	case "terminal/output":
		result, p = serveAs(m.Params, s.terminalOutput)
	case "terminal/kill":
		result, p = serveAs(m.Params, s.killTerminal)
	case "terminal/release":
		result, p = serveAs(m.Params, s.releaseTerminal)
	case "terminal/wait_for_exit":
		return s.waitForExit(m)
	default:
		p = &problem{Code: codeMethod, Message: "Method not found: " + m.Method}
	}
	return s.reply(m.ID, result, p)
}

// serveAs reads the params of a request for what serves it.
func serveAs[P any](params json.RawMessage, serve func(P) (any, *problem)) (any, *problem) {
	var p P
	if err := json.Unmarshal(params, &p); err != nil {
		return nil, &problem{Code: codeParams, Message: err.Error()}
	}
	return serve(p)
}
