// Package tool holds the tools that the host executes for an agent: one .go and one .md (what a model is told) each. A
// Set is the tools that one agent was granted, at work on the Files that it may reach.
package tool

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"sync"

	"parley/backend/agent"
	"parley/backend/policy"
	"parley/backend/redact"
)

// Definition is what a model is told about a tool.
type Definition struct {
	Name        string
	Description string
	Schema      json.RawMessage // of the arguments; the same bytes every time
	ReadOnly    bool            // changes nothing, and may run beside other calls
}

// tool is a Definition that can be run. The model reads output and the error; the tool's card on the page reads data.
// change, which a tool has unless it is ReadOnly, reports whether the arguments fit, and what they say. asks, which only one
// has that asks the person, reports the first of that.
type tool struct {
	Definition
	asks   func(arguments json.RawMessage) (fits bool)
	action agent.Action       // empty if it is ReadOnly
	stated []agent.Permission // that it has of itself, whatever the rules say
	change func(arguments json.RawMessage) (what change, fits bool)
	run    func(ctx context.Context, files *Files, call agent.ToolCall, say say) (output string, data json.RawMessage, err error)
}

var tools = []tool{listDirectory, readFile, searchFiles, writeFile, editFile, runCommand, gitStatus, gitDiff, gitLog, gitCommit, httpRequest, webSearch, todoWrite, askUser, notify}

// Names lists every tool there is, in a stable order.
func Names() []string {
	names := make([]string, len(tools))
	for i, t := range tools {
		names[i] = t.Name
	}
	return names
}

func find(tools []tool, name string) (tool, bool) {
	i := slices.IndexFunc(tools, func(t tool) bool { return t.Name == name })
	if i < 0 {
		return tool{}, false
	}
	return tools[i], true
}

// Set is what one agent may use: some of the tools, at work on some files, and those that the caller runs.
type Set struct {
	files   *Files
	granted []tool
	foreign []Foreign // of the agent's author, and hosted
	sources []Source  // of the tools of others
	launch  agent.Launch

	mu     sync.RWMutex // read-locked by every running call
	closed bool
}

// Open grants the tools of launch, those of the agent's author among them, the files that policy lets an agent reach, and beside
// them the tools of others, as those are at each moment.
func Open(policy agent.Policy, launch agent.Launch, sources ...Source) (*Set, error) {
	s := &Set{sources: sources, launch: launch}
	for i, name := range launch.Tools {
		t, known := find(tools, name)
		if !known {
			return nil, agent.Errorf(agent.CodeToolUnavailable, "The agent was given the tool %q, which does not exist; there are %s.", name, strings.Join(Names(), ", "))
		}
		if slices.Contains(launch.Tools[:i], name) || s.IsClient(name) {
			return nil, agent.Errorf(agent.CodeValidation, "The agent was given the tool %q twice; name it once.", name)
		}
		s.granted = append(s.granted, t)
	}
	var err error
	if s.files, err = OpenFiles(policy); err != nil {
		return nil, err
	}
	s.files.search = launch.Search
	for name, value := range launch.CommandEnv {
		s.files.lent = append(s.files.lent, name+"="+value)
	}
	for _, t := range launch.AuthorTools {
		f, err := authored(s.files, t)
		if err != nil {
			_ = s.files.Close()
			return nil, err
		}
		s.foreign = append(s.foreign, f)
	}
	for _, h := range launch.Hosted {
		if i := slices.IndexFunc(s.foreign, func(f Foreign) bool { return f.Name == h.Name }); i >= 0 {
			s.foreign[i].Version, s.foreign[i].Secrets = h.Version, h.Secrets
		} else if _, ours := find(tools, h.Name); !ours {
			s.foreign = append(s.foreign, hosted(h))
		}
	}
	return s, nil
}

// Definitions lists the tools of the set, in the order in which Open was given them, those of the caller last. One that a rule
// denies in every case is not there.
func (s *Set) Definitions() []Definition {
	var definitions []Definition
	for _, t := range s.granted {
		if !policy.Hides(s.launch.Rules, t.Name, t.action) {
			definitions = append(definitions, t.Definition)
		}
	}
	for _, f := range s.others() {
		if !policy.Hides(s.launch.Rules, f.Name, f.action()) {
			definitions = append(definitions, f.Definition)
		}
	}
	for _, c := range s.launch.ClientTools {
		definitions = append(definitions, Definition{Name: c.Name, Description: c.Description, Schema: c.InputSchema})
	}
	return definitions
}

// Run never fails: what goes wrong is a result with IsError that the model can read and correct. Calls may run at once.
// host runs what is hosted, and redacts what the others give; it is nil if the launch asks for neither. say takes what a call
// has to say before its result, such as its progress, which no model is told; Run calls it from the goroutine that it was
// called on.
func (s *Set) Run(ctx context.Context, host agent.Host, call agent.ToolCall, say func(agent.Event)) agent.ToolResult {
	return s.result(ctx, host, call, false, say)
}

// RunApproved is Run for a call that a person has allowed by itself: it may write what is protected.
func (s *Set) RunApproved(ctx context.Context, host agent.Host, call agent.ToolCall, say func(agent.Event)) agent.ToolResult {
	return s.result(ctx, host, call, true, say)
}

func (s *Set) result(ctx context.Context, host agent.Host, call agent.ToolCall, approved bool, say say) agent.ToolResult {
	if _, ok := s.findHosted(call.Name); ok && isObject(call.Input) { // run refuses what is none
		return host.Call(ctx, call, say)
	}
	say = s.shown(ctx, host, say)
	output, data, err := s.dispatch(ctx, call, s.files.during(approved, say), say)
	if errors.As(err, new(held)) && approved && host != nil { // the app runs it where it may happen
		return host.Call(ctx, call, say)
	}
	r := agent.ToolResult{ID: call.ID, Name: call.Name, Output: output, Data: data, IsError: err != nil}
	if err != nil {
		r.Output = told(err)
	}
	if s.launch.Redacts { // before it is cut: half of a secret is not found
		r = redacted(ctx, host, r)
	}
	r.Output, r.Data = redact.Scrub(r.Output), redact.ScrubJSON(r.Data)
	if r.IsError {
		r.Output = bound(r.Output, maxOutput)
	} else {
		r.Output = shorten(r.Output)
	}
	return r
}

// dispatch is the one way to a tool: is there such a tool, was it granted, do the arguments fit, run. The tool itself asks
// the third question, see define.
func (s *Set) dispatch(ctx context.Context, call agent.ToolCall, files *Files, say say) (output string, data json.RawMessage, err error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if s.closed || ctx.Err() != nil {
		return "", nil, refuse("%s was stopped before it began.", call.Name)
	}
	if s.IsClient(call.Name) { // Decide lets only those through that cannot be given to the caller
		return "", nil, refuse("The arguments of %s must be one JSON object.", call.Name)
	}
	if f, ok := s.findForeign(call.Name); ok {
		return f.run(ctx, call, say)
	}
	if _, known := find(tools, call.Name); !known {
		return "", nil, refuse("There is no tool %q. The tools you have: %s.", call.Name, s.list())
	}
	t, granted := find(s.granted, call.Name)
	if !granted {
		return "", nil, refuse("You may not use %s here. The tools you have: %s.", call.Name, s.list())
	}
	return t.run(ctx, files, call, say)
}

func (s *Set) findForeign(name string) (Foreign, bool) {
	all := s.others()
	i := slices.IndexFunc(all, func(f Foreign) bool { return f.Name == name })
	if i < 0 {
		return Foreign{}, false
	}
	return all[i], true
}

// others gives every Foreign as it is now.
func (s *Set) others() []Foreign {
	all := slices.Clone(s.foreign)
	for _, source := range s.sources {
		all = append(all, source.For(s.launch)...)
	}
	return all
}

func (s *Set) list() string {
	var names []string
	for _, d := range s.Definitions() {
		names = append(names, d.Name)
	}
	return cmp.Or(strings.Join(names, ", "), "none")
}

// Close waits for the calls that run; later ones are refused. It may be called twice.
func (s *Set) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	return s.files.Close()
}
