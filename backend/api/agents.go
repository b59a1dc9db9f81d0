package api

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"os"

	"parley/backend/agent"
	"parley/backend/config"
	"parley/backend/store"
)

// Agent is an agent that a person can talk to.
type Agent struct {
	ID          string     `json:"id"`
	Name        string     `json:"name"`
	Description string     `json:"description,omitempty"`
	Harness     string     `json:"harness"`
	Provider    string     `json:"provider,omitempty"`
	Model       string     `json:"model,omitempty"`
	Mode        agent.Mode `json:"mode"` // that its sessions begin in

	Login   agent.Login       `json:"login,omitempty"`   // of an agent that is a program
	Options map[string]string `json:"options,omitempty"` // of that program

	// In a list of agents.
	Source    config.Source `json:"source,omitempty"`
	Path      string        `json:"path,omitempty"`      // of its file
	Untrusted bool          `json:"untrusted,omitempty"` // it cannot be used before a person trusts its project
}

// AgentList is every agent, the default one first. An agent whose file is broken is as the file was when it was last right.
type AgentList struct {
	Agents  []Agent      `json:"agents"`
	Broken  []BrokenFile `json:"broken"`
	Own     string       `json:"own"`               // the folder of the person's files
	Project string       `json:"project,omitempty"` // that of the project's
	Trusted bool         `json:"trusted"`           // the project
	Choices AgentChoices `json:"choices"`
}

// BrokenFile is an agent file that cannot be taken as it is now.
type BrokenFile struct {
	Path     string        `json:"path"`
	Agent    string        `json:"agent,omitempty"` // the id that it had when it was last right
	Problems []FileProblem `json:"problems"`
}

// FileProblem is something that is wrong with a file, and where.
type FileProblem struct {
	Line    int    `json:"line"`
	Column  int    `json:"column"`
	Key     string `json:"key,omitempty"`
	Message string `json:"message"`
}

// AgentChoices is what an agent may name.
type AgentChoices struct {
	Harnesses []string `json:"harnesses"`
	Providers []string `json:"providers"`
	Tools     []string `json:"tools"`
}

// AgentDetails is all of an agent that a person may write, by the keys of agent files.
type AgentDetails struct {
	ID           string             `json:"id"`
	Name         string             `json:"name,omitempty"`
	Description  string             `json:"description,omitempty"`
	Harness      agent.Kind         `json:"harness,omitempty"`
	Provider     string             `json:"provider,omitempty"`
	Model        string             `json:"model,omitempty"`
	SystemPrompt string             `json:"system_prompt,omitempty"`
	Tools        []string           `json:"tools,omitempty"`
	AuthorTools  []agent.AuthorTool `json:"author_tools,omitempty"` // of the agent's own; in a file they are among tools
	MCPServers   []string           `json:"mcp_servers,omitempty"`  // by their ids
	OwnServers   []agent.MCPServer  `json:"own_servers,omitempty"`  // of the agent's own; in a file they are among mcp_servers
	Permissions  AgentPermissions   `json:"permissions"`
	Login        agent.Login        `json:"login,omitempty"`
	Options      map[string]string  `json:"options,omitempty"`
	CommandEnv   map[string]string  `json:"command_env,omitempty"` // variables of run_command's commands, as texts that refer to secrets
}

// AgentPermissions is what an agent may do without asking.
type AgentPermissions struct {
	Mode    agent.Mode       `json:"mode,omitempty"`
	Default agent.Permission `json:"default,omitempty"`
	Rules   []agent.Rule     `json:"rules,omitempty"`

	Commands     []string `json:"allowed_commands,omitempty"`
	CommandGlobs []string `json:"allowed_command_globs,omitempty"`
	Domains      []string `json:"allowed_domains,omitempty"`
}

// AgentPlace says where the file of an agent goes: to own or to project.
type AgentPlace struct {
	To config.Source `json:"to"`
}

// AgentFile is where it went.
type AgentFile struct {
	Path string `json:"path"`
}

// AgentsNotice is the socket's message that there are other agents than before.
type AgentsNotice struct {
	Type string `json:"type"` // "agents"
}

// Health says who answers.
type Health struct {
	Status  string `json:"status"`
	Version string `json:"version"`
	PID     int    `json:"pid"`
}

// WindowShown says whether there was a window to bring to the front.
type WindowShown struct {
	Shown bool `json:"shown"`
}

func toAgent(s agent.Spec) Agent {
	return Agent{
		ID: s.ID, Name: s.Name, Description: s.Description, Harness: string(s.Harness), Provider: s.Provider, Model: s.Model,
		Mode: cmp.Or(s.Permissions.Mode, agent.ModeAsk), Login: s.Login, Options: s.Options,
	}
}

// listAgents leaves out the built-in ones whose program is not installed.
func (d inside) listAgents(r *http.Request) (AgentList, error) {
	found, err := d.Agents.List(r.Context(), d.Store, d.project)
	known := d.Agents.Known
	list := AgentList{
		Agents: []Agent{}, Broken: []BrokenFile{}, Own: found.Own, Project: found.Project, Trusted: found.Trusted,
		Choices: AgentChoices{known.Harnesses(), known.Providers(), known.Tools},
	}
	for _, e := range found.Agents {
		if e.Source == config.SourceBuiltIn && !d.Programs.OnPath(e.Harness) {
			continue
		}
		a := toAgent(e.Spec)
		a.Source, a.Path, a.Untrusted = e.Source, e.Path, e.Untrusted
		list.Agents = append(list.Agents, a)
	}
	for _, f := range found.Broken {
		list.Broken = append(list.Broken, BrokenFile{f.Path, f.Agent.ID, fileProblems(f.Problems)})
	}
	return list, err
}

func fileProblems(problems []config.Problem) []FileProblem {
	out := make([]FileProblem, len(problems))
	for i, p := range problems {
		out[i] = FileProblem(p)
	}
	return out
}

// agentID reads the agent's id in the path.
func agentID(r *http.Request) (string, error) {
	id := r.PathValue("id")
	return id, config.CheckID(id)
}

// getAgent gives all of an agent, whoever made it and whether or not it can be used.
func (d inside) getAgent(r *http.Request) (AgentDetails, error) {
	id, err := agentID(r)
	if err != nil {
		return AgentDetails{}, err
	}
	list, err := d.Agents.List(r.Context(), d.Store, d.project)
	if err != nil {
		return AgentDetails{}, err
	}
	e, ok := list.Find(id)
	if !ok {
		return AgentDetails{}, errNoAgent
	}
	p := e.Permissions
	return AgentDetails{
		e.ID, e.Name, e.Description, e.Harness, e.Provider, e.Model, e.SystemPrompt, e.Tools, e.AuthorTools, e.MCPServers, e.OwnServers,
		AgentPermissions{p.Mode, p.Default, p.Rules.Rules, p.Commands, p.CommandGlobs, p.Domains}, e.Login, e.Options, e.CommandEnv,
	}, nil
}

// putAgent keeps an agent that a person made, and replaces the one that was made with this id.
func (d inside) putAgent(r *http.Request, a AgentDetails) (noBody, error) {
	id, err := agentID(r)
	if err != nil {
		return noBody{}, err
	}
	if a.ID != id {
		return noBody{}, agent.Errorf(agent.CodeValidation, "id: An agent keeps its id. Save it as a new one.")
	}
	p := a.Permissions
	return noBody{}, d.Agents.Make(r.Context(), d.Store, d.project, agent.Spec{
		ID: a.ID, Name: a.Name, Description: a.Description, Harness: a.Harness, Provider: a.Provider, Model: a.Model,
		SystemPrompt: a.SystemPrompt, Tools: a.Tools, AuthorTools: a.AuthorTools, MCPServers: a.MCPServers, OwnServers: a.OwnServers, Login: a.Login, Options: a.Options, CommandEnv: a.CommandEnv,
		Permissions: agent.Permissions{Mode: p.Mode, Rules: agent.Rules{Default: p.Default, Rules: p.Rules, Commands: p.Commands, CommandGlobs: p.CommandGlobs, Domains: p.Domains}},
	})
}

// removeAgent removes an agent that a person made.
func (d inside) removeAgent(r *http.Request) (noBody, error) {
	id, err := agentID(r)
	if err != nil {
		return noBody{}, err
	}
	return noBody{}, orNoAgent(d.Agents.Remove(r.Context(), d.Store, id))
}

// saveAgent makes a file of an agent that a person made.
func (d inside) saveAgent(r *http.Request, to AgentPlace) (AgentFile, error) {
	id, err := agentID(r)
	if err != nil {
		return AgentFile{}, err
	}
	path, err := d.Agents.Save(r.Context(), d.Store, d.project, id, to.To)
	return AgentFile{path}, orNoAgent(err)
}

func orNoAgent(err error) error {
	if errors.Is(err, store.ErrNotFound) {
		return errNoAgent
	}
	return err
}

func (d inside) trust(r *http.Request) (noBody, error) {
	return noBody{}, d.Agents.Trust(r.Context(), d.Store, d.project, true)
}

func (d inside) distrust(r *http.Request) (noBody, error) {
	return noBody{}, d.Agents.Trust(r.Context(), d.Store, d.project, false)
}

// agentNews tells the page when there are other agents.
func (s *socket) agentNews(ctx context.Context) {
	s.newsOf(ctx, s.door.Agents.Changed, AgentsNotice{"agents"})
}

func (d *Door) health(*http.Request) (Health, error) {
	return Health{"ok", d.Version, os.Getpid()}, nil
}

func (d *Door) showWindow(*http.Request) (WindowShown, error) {
	return WindowShown{d.Show != nil && d.Show()}, nil
}
