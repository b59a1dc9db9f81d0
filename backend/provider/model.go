package provider

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"time"

	"parley/backend/agent"
)

// Model is one that a provider serves.
type Model struct {
	ID string // what a request calls it
}

// Models asks a provider what it serves, in the provider's order. The error is an *agent.Error.
func (c *Client) Models(ctx context.Context, endpoint agent.Endpoint, key string) ([]Model, error) {
	if err := Speaks(endpoint); err != nil {
		return nil, err
	}
	x := newExchange(endpoint, key)
	x.patience = 10 * time.Second
	if endpoint.Provider == Ollama {
		return c.ollamaModels(ctx, x)
	}
	var list struct{ Data []struct{ ID string } }
	if err := c.get(ctx, x, endpoint.BaseURL+"/models", &list); err != nil {
		return nil, err
	}
	models := make([]Model, len(list.Data))
	for i, m := range list.Data {
		models[i].ID = m.ID
	}
	return models, nil
}

// Check asks a provider for its models, to see whether it takes a key. The error is an *agent.Error.
func (c *Client) Check(ctx context.Context, endpoint agent.Endpoint, key string) error {
	if endpoint.Wire != agent.WireGemini {
		_, err := c.Models(ctx, endpoint, key)
		return err
	}
	x := newExchange(endpoint, key)
	x.patience = 10 * time.Second
	x.wire.sign = func(header http.Header, key string) { header.Set("X-Goog-Api-Key", key) }
	return c.get(ctx, x, endpoint.BaseURL+"/v1beta/models?pageSize=1", &struct{}{})
}

// ollamaModels asks what is installed. It makes sure that it is Ollama that answers: other local servers answer its
// list with 200 and an error.
func (c *Client) ollamaModels(ctx context.Context, x *exchange) ([]Model, error) {
	root := strings.TrimSuffix(x.endpoint.BaseURL, "/v1")
	var about struct{ Version string }
	if err := c.get(ctx, x, root+"/api/version", &about); err != nil {
		return nil, err
	}
	if about.Version == "" {
		return nil, agent.Errorf(agent.CodeProviderUnavailable, "What answers at %s is not Ollama. Correct %s.", x.host(), x.variable("BASE_URL"))
	}
	var list struct{ Models []struct{ Name string } }
	if err := c.get(ctx, x, root+"/api/tags", &list); err != nil {
		return nil, err
	}
	models := make([]Model, len(list.Models))
	for i, m := range list.Models {
		models[i].ID = m.Name
	}
	return models, nil
}

func (c *Client) get(ctx context.Context, x *exchange, address string, into any) error {
	reply, err := c.send(ctx, x, http.MethodGet, address, nil)
	if err != nil {
		return err
	}
	defer reply.close()
	body, err := reply.all()
	if err != nil {
		return reply.failure(err)
	}
	if err := json.Unmarshal(body, into); err != nil {
		return agent.Wrap(agent.CodeProviderUnavailable, err, x.String()+" sent something that is no list of models.")
	}
	return nil
}
