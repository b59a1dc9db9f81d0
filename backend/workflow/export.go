package workflow

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"parley/backend/agent"
	"parley/backend/redact"
)

// turn is what a person said, and what answered it.
type turn struct {
	first agent.MessageID
	asked []string
	said  []string
	tools []string // that were called, each once
	done  bool     // it ends with words of the agent
}

func (t turn) prompt() string { return strings.Join(t.asked, "\n\n") }

// turns takes rows apart where a person speaks after the agent did. What an agent says before anybody asked belongs to none.
func turns(rows []Row) (all []turn) {
	answered := true
	for _, row := range rows {
		switch row.Role {
		case agent.RoleUser:
			if answered {
				all, answered = append(all, turn{first: row.ID, tools: []string{}}), false
			}
			t := &all[len(all)-1]
			for _, p := range row.Parts {
				if text, ok := p.(agent.TextPart); ok && text.Text != "" {
					t.asked = append(t.asked, text.Text)
				}
			}
		case agent.RoleAssistant:
			if len(all) > 0 {
				answered = true
				all[len(all)-1].answer(row.Parts)
			}
		}
	}
	return all
}

func (t *turn) answer(parts []agent.Part) {
	for _, p := range parts {
		switch p := p.(type) {
		case agent.TextPart:
			if strings.TrimSpace(p.Text) != "" {
				t.said, t.done = append(t.said, p.Text), true
			}
		case agent.ToolCallPart:
			t.done = false
			if p.Name != "" && !slices.Contains(t.tools, p.Name) {
				t.tools = append(t.tools, p.Name)
			}
		}
	}
}

// FromSession gives a session as a workflow: a node for each turn that was answered, one after the other, and all that was said
// in the metadata. It is a scaffold: what a person should know of it is said in sentences.
func FromSession(s Session, known *redact.Known) (Graph, []string, error) {
	e := exporter{Session: s.Redacted(known)}
	if err := e.transcribe(known); err != nil {
		return Graph{}, nil, err
	}
	e.review()
	g := Graph{ID: slug(e.Title, "exported-session")}
	if e.Title != "" {
		g.Name = &e.Title
	}
	ref := slug(e.AgentSlug, "agent")
	if ref != e.AgentSlug {
		e.warn("The agent is called %s in the workflow, because its id is none there.", ref)
	}
	if a := e.agent(ref); a != nil {
		g.Agents = []Agent{*a}
	}
	e.chain(&g, ref)
	err := e.fit(&g)
	return g, e.warnings, err
}

type exporter struct {
	Session
	spec     map[string]json.RawMessage // of the agent: what is not in the graph; nil if there is no agent
	messages []exportedMessage
	warnings []string
}

func (e *exporter) warn(format string, args ...any) {
	e.warnings = append(e.warnings, fmt.Sprintf(format, args...))
}

// slug is a text as an id. Only ASCII is looked at, so that no locale has a say in it.
func slug(text, otherwise string) string {
	var b strings.Builder
	gap := false
	for _, r := range text {
		switch {
		case r > 127:
			continue
		case r >= 'A' && r <= 'Z':
			r += 'a' - 'A'
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9':
		default:
			gap = true
			continue
		}
		if gap && b.Len() > 0 {
			b.WriteByte('-')
		}
		gap = false
		b.WriteRune(r)
	}
	if b.Len() == 0 {
		return otherwise
	}
	return b.String()
}

// agent gives the agent as workflows have one, and takes from its spec what went into it; nil if it cannot be one.
func (e *exporter) agent(ref string) *Agent {
	if e.spec == nil {
		e.warn("The session does not have its agent. Before the workflow can run it needs one with the id %s.", ref)
		return nil
	}
	a := Agent{ID: &ref}
	var servers []string
	taken := []string{"id"}
	for _, field := range []struct {
		name  string
		place any
	}{
		{"name", &a.Name}, {"description", &a.Description}, {"model", &a.Model}, {"provider", &a.Provider},
		{"system_prompt", &a.SystemPrompt}, {"tools", &a.Tools}, {"mcp_servers", &servers},
	} {
		if json.Unmarshal(e.spec[field.name], field.place) == nil {
			taken = append(taken, field.name)
		}
	}
	for _, id := range servers {
		a.MCPServers = append(a.MCPServers, MCPServer{Ref: &id})
	}
	if missing := lacks(a); missing != "" {
		e.warn("The agent is left out: workflows need %s. Before this one can run it needs an agent with the id %s.", missing, ref)
		return nil
	}
	if !fillable(*a.SystemPrompt) {
		*a.SystemPrompt = neutral(*a.SystemPrompt)
		e.warn("The agent's instructions had {{ }} that nothing fills in here. They are text now: { {.")
	}
	maps.DeleteFunc(e.spec, func(name string, _ json.RawMessage) bool { return slices.Contains(taken, name) })
	return &a
}

// lacks says what an agent would need to be one in a workflow.
func lacks(a Agent) string {
	switch {
	case a.Model == nil || *a.Model == "":
		return "its model"
	case a.Provider == nil || !slices.Contains(providers, *a.Provider):
		return "one of the providers " + strings.Join(providers, ", ")
	case a.SystemPrompt == nil || *a.SystemPrompt == "":
		return "its instructions"
	}
	return ""
}

// fillable reports whether a text can be filled in where there are no inputs, no context and nothing to wait for.
func fillable(text string) bool {
	return !slices.ContainsFunc(references(text), func(r reference) bool {
		named := r.head == "inputs" || r.head == "ctx"
		return !named || r.badFilter() || !slices.Contains(r.filters, "default")
	})
}

// neutral is text in which nothing is filled in: no { follows another one at once.
func neutral(text string) string {
	var b strings.Builder
	for i := range len(text) {
		b.WriteByte(text[i])
		if text[i] == '{' && strings.HasPrefix(text[i+1:], "{") {
			b.WriteByte(' ')
		}
	}
	return b.String()
}

// chain gives the graph its nodes and edges.
func (e *exporter) chain(g *Graph, ref string) {
	g.Nodes = []Node{InputNode{Head: Head{"input", NodeInput}}}
	foreign, open, last := []string{}, 0, "input"
	add := func(n Node) {
		g.Nodes = append(g.Nodes, n)
		g.Edges = append(g.Edges, Edge{From: last, To: n.head().ID})
		last = n.head().ID
	}
	for _, t := range turns(e.Rows) {
		if !t.done {
			open++
			continue
		}
		n := AgentNode{Head: Head{turnID(len(g.Nodes)), NodeAgent}, AgentRef: ref}
		if prompt := neutral(t.prompt()); prompt != "" {
			n.PromptTemplate = &prompt
		}
		for _, tool := range t.tools {
			if g.Agents == nil || g.Agents[0].MCPServers != nil || slices.Contains(g.Agents[0].Tools, tool) {
				n.Tools = append(n.Tools, tool)
			} else if !slices.Contains(foreign, tool) {
				foreign = append(foreign, tool)
			}
		}
		add(n)
	}
	add(OutputNode{Head: Head{"output", NodeOutput}})
	if len(foreign) > 0 {
		e.warn("Tools were used that the agent does not have by itself, so that no node names them: %s.", strings.Join(foreign, ", "))
	}
	if open > 0 {
		e.warn("%d of the turns ended without an answer. They are in the metadata and have no node.", open)
	}
}
