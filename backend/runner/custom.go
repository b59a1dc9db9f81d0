package runner

import (
	"encoding/json"

	"parley/backend/agent"
)

// customTool is a tool that the runner does not have.
type customTool struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	InputSchema json.RawMessage `json:"inputSchema"`
	Kind        string          `json:"kind"`

	// Of those of an author.
	Permission agent.Permission  `json:"permission,omitempty"`
	Runtime    agent.Runtime     `json:"runtime,omitempty"` // of code
	Code       string            `json:"code,omitempty"`
	CallRef    string            `json:"callRef,omitempty"` // of callback: the URL
	Method     string            `json:"method,omitempty"`
	Headers    map[string]string `json:"headers,omitempty"`
	Secrets    map[string]string `json:"secrets,omitempty"` // references: the values are the request's
	Args       json.RawMessage   `json:"args,omitempty"`
	TimeoutMS  int               `json:"timeoutMs,omitempty"`

	// Of those of the app.
	Version string   `json:"version,omitempty"`
	Grants  []string `json:"grants,omitempty"` // slugs of secrets
}

// The kinds.
const (
	kindClient   = "client"
	kindCode     = "code"
	kindCallback = "callback"
	kindHost     = "host"
)

func hostedTool(h agent.HostedTool) customTool {
	return customTool{
		Name: h.Name, Description: h.Description, InputSchema: h.InputSchema, Kind: kindHost,
		Permission: h.Permission, Version: h.Version, Grants: h.Secrets,
	}
}

func authorTool(t agent.AuthorTool) customTool {
	kind := kindCode
	if t.Kind == agent.AuthorHTTP {
		kind = kindCallback
	}
	return customTool{
		Name: t.Name, Description: t.Description, InputSchema: t.InputSchema, Kind: kind, Permission: t.Permission, Runtime: t.Runtime, Code: t.Code,
		CallRef: t.URL, Method: t.Method, Headers: t.Headers, Secrets: t.Secrets, Args: t.Args, TimeoutMS: t.TimeoutMS,
	}
}

// addTo gives the tool to a launch, unless this runner cannot run it.
func (c customTool) addTo(launch *agent.Launch) error {
	t := agent.AuthorTool{
		Kind: agent.AuthorCode, Name: c.Name, Description: c.Description, InputSchema: c.InputSchema, Permission: c.Permission, Runtime: c.Runtime,
		Code: c.Code, URL: c.CallRef, Method: c.Method, Headers: c.Headers, Secrets: c.Secrets, Args: c.Args, TimeoutMS: c.TimeoutMS,
	}
	switch c.Kind {
	case kindClient:
		launch.ClientTools = append(launch.ClientTools, agent.ClientToolSpec{Name: c.Name, Description: c.Description, InputSchema: c.InputSchema})
		return nil
	case kindHost:
		launch.Hosted = append(launch.Hosted, agent.HostedTool{
			Name: c.Name, Description: c.Description, InputSchema: c.InputSchema,
			Version: c.Version, Secrets: c.Grants, Permission: c.Permission,
		})
		return nil
	case kindCode:
	case kindCallback:
		t.Kind = agent.AuthorHTTP
	default:
		_, _, err := refuse("the tool %q is of the kind %q; there are client, code, callback and host", c.Name, c.Kind)
		return err
	}
	if err := t.Check(); err != nil {
		return err
	}
	launch.AuthorTools = append(launch.AuthorTools, t)
	return nil
}
