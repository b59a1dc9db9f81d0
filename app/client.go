package app

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"

	"parley/backend/api"
)

// do asks the door. The caller closes the body; every status that is not a success is an error.
func (c Connection) do(ctx context.Context, method, path string, body any) (*http.Response, error) {
	return c.request(ctx, method, path, "*/*", body) // Go would leave it out, which asks for no stream
}

func (c Connection) request(ctx context.Context, method, path, accept string, body any) (*http.Response, error) {
	var content io.Reader
	if body != nil {
		b, err := json.Marshal(body)
		if err != nil {
			return nil, err
		}
		content = bytes.NewReader(b)
	}
	req, err := http.NewRequestWithContext(ctx, method, c.URL+path, content)
	if err != nil {
		return nil, err
	}
	req.Header.Set("authorization", "Bearer "+c.Token)
	req.Header.Set("accept", accept)
	if c.Project != "" {
		req.Header.Set(api.ProjectHeader, string(c.Project))
	}
	if body != nil {
		req.Header.Set("content-type", "application/json")
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, err
	}
	if res.StatusCode < 400 {
		return res, nil
	}
	defer res.Body.Close()
	var failure api.Failure
	if err := json.NewDecoder(io.LimitReader(res.Body, 1<<20)).Decode(&failure); err != nil || failure.Status.Message == "" {
		return nil, fmt.Errorf("the door answered %s", res.Status)
	}
	return nil, &refused{failure.Status}
}

// refused is the door's own failure.
type refused struct{ api.FailureStatus }

func (e *refused) Error() string { return e.Message }

// ask is do for replies of one JSON value.
func ask[T any](ctx context.Context, c Connection, method, path string, body any) (T, error) {
	var out T
	res, err := c.request(ctx, method, path, "application/json", body)
	if err != nil {
		return out, err
	}
	defer res.Body.Close()
	return out, json.NewDecoder(res.Body).Decode(&out)
}
