package tool

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"parley/backend/agent"
	"parley/backend/process"
	"parley/backend/schema"
)

// authored makes a tool that an author defined one that a set can grant. A script works in the folder of files, and has the
// environment of every program.
func authored(files *Files, t agent.AuthorTool) (Foreign, error) {
	s, err := schema.Read(t.InputSchema)
	if err != nil {
		return Foreign{}, agent.Errorf(agent.CodeValidation, "The input_schema of the tool %s %v.", t.Name, err)
	}
	f := Foreign{
		Definition: Definition{Name: t.Name, Description: t.Description, Schema: t.InputSchema},
		Version:    t.Version(), Permission: t.Permission, Action: agent.ActionProcess,
		Fit: func(arguments json.RawMessage) (json.RawMessage, error) {
			merged, err := merge(arguments, t.Args)
			if err == nil {
				err = s.Check(merged)
			}
			return merged, err
		},
	}
	run := func(ctx context.Context, call agent.ToolCall, say say) (string, error) {
		return script(ctx, files, t, call, say)
	}
	if t.Kind == agent.AuthorHTTP {
		f.Action, f.About = agent.ActionEgress, method(t)+" "+t.URL
		run = func(ctx context.Context, call agent.ToolCall, _ say) (string, error) {
			return post(ctx, t, call.Input)
		}
	}
	f.Run = func(ctx context.Context, call agent.ToolCall, say func(agent.Event)) (string, json.RawMessage, error) {
		if len(t.SecretRefs()) > 0 {
			return "", nil, refuse("%s was not run: it needs secrets, and none are given to tools here.", t.Name)
		}
		said, err := run(ctx, call, say)
		if err != nil {
			return "", nil, err
		}
		output, data := answer(said)
		return output, data, nil
	}
	return f, nil
}

// merge puts what is configured over what a model gave. Both are objects; configured may be empty.
func merge(given, configured json.RawMessage) (json.RawMessage, error) {
	if len(configured) == 0 {
		return given, nil
	}
	var all, over map[string]json.RawMessage
	if err := errors.Join(json.Unmarshal(given, &all), json.Unmarshal(configured, &over)); err != nil {
		return nil, errors.New("they must be one JSON object")
	}
	maps.Copy(all, over)
	return json.Marshal(all)
}

// answer reads what a tool said: a text, or an object with output, for the model, and data, for the card.
func answer(said string) (output string, data json.RawMessage) {
	var both struct {
		Output *string         `json:"output"`
		Data   json.RawMessage `json:"data"`
	}
	d := json.NewDecoder(strings.NewReader(said))
	d.DisallowUnknownFields()
	if d.Decode(&both) != nil || d.More() || both.Output == nil && both.Data == nil {
		return said, nil
	}
	if string(both.Data) == "null" {
		both.Data = nil
	}
	if both.Output == nil {
		return string(both.Data), both.Data
	}
	return *both.Output, both.Data
}

// interpreters run scripts. Python does not look for modules where the agent may write, or in the person's own folder.
var interpreters = map[agent.Runtime][]string{
	agent.RuntimePython: {"python3", "-I", "-X", "utf8", "-c"},
	agent.RuntimeNode:   {"node", "-e"},
}

// script runs code. Its arguments are on stdin, and what it writes to stderr is how far it is.
func script(ctx context.Context, files *Files, t agent.AuthorTool, call agent.ToolCall, say say) (string, error) {
	command := interpreters[t.Runtime]
	path, err := interpreter(command[0])
	if err != nil {
		return "", agent.Errorf(agent.CodeToolUnavailable, "%s was not run: it is a script for %s, which is not installed, or not on PATH.", t.Name, command[0])
	}
	dir, err := files.folder("")
	if err != nil {
		return "", explain(err, ".")
	}
	env := files.environment()
	for name, value := range t.Secrets {
		env = append(env, name+"="+value)
	}
	d, err := job{
		Command:  process.Command{Path: path, Args: append(command[1:len(command):len(command)], t.Code), Dir: dir, Env: env},
		input:    call.Input,
		limit:    t.Timeout(),
		progress: func(recent string) { say(agent.ToolProgress{ID: call.ID, Output: recent}) },
		discreet: true,
	}.run(ctx)
	switch {
	case err != nil:
		return "", err
	case d.TimedOut:
		return "", refuse("%s took longer than %v and was ended.\n%s", t.Name, t.Timeout(), d.Stderr)
	case d.Signal != "" || d.ExitCode != 0:
		return "", refuse("%s failed.\n%s", t.Name, d.text())
	}
	return d.Stdout, nil
}

// interpreter finds a program on PATH. Managers of versions put scripts of its name there, which need what only the person
// reaches: for a sandbox's sake the first that is none is taken, if there is one.
func interpreter(name string) (string, error) {
	for _, dir := range filepath.SplitList(os.Getenv("PATH")) {
		path, err := process.Find(filepath.Join(dir, name))
		if err == nil && filepath.IsAbs(path) && !isScript(path) {
			return path, nil
		}
	}
	return process.Find(name)
}

func isScript(path string) bool {
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	begin := make([]byte, 2)
	_, err = f.Read(begin)
	return err == nil && bytes.Equal(begin, []byte("#!"))
}

func method(t agent.AuthorTool) string { return cmp.Or(t.Method, http.MethodPost) }

// post makes the request that a tool is.
func post(ctx context.Context, t agent.AuthorTool, arguments json.RawMessage) (string, error) {
	network := Internet
	if u, err := url.Parse(t.URL); err == nil && agent.IsHere(u) {
		network.Loopback = []string{agent.HostPort(u)}
	}
	headers := map[string]string{"Content-Type": "application/json"}
	for _, list := range []map[string]string{t.Headers, t.Secrets} {
		for name, value := range list {
			headers[http.CanonicalHeaderKey(name)] = value
		}
	}
	d, err := fetch(ctx, network, httpRequestArguments{Method: method(t), URL: t.URL, Headers: headers, Body: string(arguments)}, t.Timeout())
	switch {
	case err != nil:
		return "", err
	case !strings.HasPrefix(d.Status, "2"):
		return "", refuse("%s failed: the server answered %s.\n%s", t.Name, d.Status, d.Body)
	case d.Body == "" && d.Bytes > 0:
		return fmt.Sprintf("[%d bytes of %s, which is not text.]", d.Bytes, d.Type), nil
	}
	return d.Body, nil
}
