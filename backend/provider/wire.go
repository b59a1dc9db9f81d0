package provider

import (
	"cmp"
	"net/http"

	"parley/backend/agent"
)

// wire is a way to ask for an answer.
type wire struct {
	path    string // under the base URL
	sign    func(header http.Header, key string)
	encode  func(Request) ([]byte, error)
	decoder func() decoder // for one answer
}

// decoder reads one event of an answer. model is what the event before said; ok is false if data is no JSON.
type decoder func(data []byte, model string) (k wireChunk, ok bool)

var wires = map[agent.Wire]wire{
	agent.WireOpenAI: {
		path:    "/chat/completions",
		sign:    bearer,
		encode:  Request.encode,
		decoder: func() decoder { return decodeChunk },
	},
	agent.WireAnthropic: {
		path:    "/messages",
		sign:    signAnthropic,
		encode:  Request.encodeAnthropic,
		decoder: func() decoder { return new(anthropicAnswer).decode },
	},
}

// Speaks gives nil, or why Parley cannot speak to an endpoint itself: some are for programs that do.
func Speaks(endpoint agent.Endpoint) error {
	if _, ok := wires[cmp.Or(endpoint.Wire, agent.WireOpenAI)]; !ok {
		return agent.Errorf(agent.CodeValidation, "Parley does not speak to %s itself. Choose an agent whose own program does, or a model of another provider.", endpoint.Provider)
	}
	return nil
}

func bearer(header http.Header, key string) {
	if key != "" {
		header.Set("Authorization", "Bearer "+key)
	}
}
