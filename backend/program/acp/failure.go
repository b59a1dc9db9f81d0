package acp

import (
	"encoding/json"
	"errors"
	"strconv"
	"strings"

	"parley/backend/agent"
	"parley/backend/program"
)

// failed gives why the agent did not do what it was asked to. What is no *problem is given back.
func (s *Speaker) failed(what string, err error) error {
	var refused *problem
	switch {
	case !errors.As(err, &refused):
		return err
	case refused.Code == codeLogin:
		return agent.Wrap(agent.CodeProviderAuth, refused, s.name+" could not "+what+": it is not let in by who serves its model. Check the API key, or log in with its own program.")
	}
	return agent.Wrap(agent.CodeSandbox, refused, s.name+" could not "+what+". It says: "+program.Quote(refused.words()))
}

// turnFailed gives why the agent did not take the turn: nearly always because of who serves its model.
func (s *Speaker) turnFailed(p *problem) error {
	if p.Code == codeLogin {
		return s.failed("take the turn", p)
	}
	provider, words := "", p.words()
	if s.launch.Endpoint != nil {
		provider = s.launch.Endpoint.Provider
	}
	if p.Code > 0 { // a status
		words = strconv.Itoa(p.Code) + " " + words
	}
	return program.Refused(s.name, provider, words)
}

// words is what the agent says of a problem; some say it in the data only.
func (p *problem) words() string {
	var data struct{ Details, Message string }
	if len(p.Data) > 0 {
		_ = json.Unmarshal(p.Data, &data) // it may be anything
	}
	return strings.Join(strings.Fields(p.Message+" "+data.Details+" "+data.Message), " ")
}
