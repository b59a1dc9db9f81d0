package workflow

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// checker holds a graph to what its parts have to be to each other.
type checker struct {
	Graph
	fail    func(key, format string, args ...any)
	nodes   map[string]Node
	agents  map[string]Agent
	tools   map[string]map[string]bool   // by agent
	handles map[string]map[string]string // of conditions: where they lead
	foreign bool                         // there may be agents that the file does not have
	follow  map[string][]string          // node → what comes after it; instructions of agents stand between nodes
	tainted map[string]bool              // inputs.name and ctx.key that a secret gets into
	hints   int                          // that were given
}

// check says what is wrong, by the keys of a file. Of what is unfinished it may say something that was said before, or is about
// a key that the file does not have.
func check(g Graph, fail func(key, format string, args ...any)) {
	c := checker{
		Graph: g, fail: fail, nodes: map[string]Node{}, agents: map[string]Agent{}, tools: map[string]map[string]bool{},
		handles: map[string]map[string]string{}, foreign: g.Agents == nil, follow: map[string][]string{}, tainted: map[string]bool{},
	}
	c.names()
	c.sources()
	for i, n := range g.Nodes {
		c.node(fmt.Sprintf("workflow.nodes[%d]", i), n)
	}
	for i, e := range g.Edges {
		c.edge(fmt.Sprintf("workflow.edges[%d]", i), e)
	}
	c.circle()
}

// names checks that nothing is called as something else of its kind is.
func (c *checker) names() {
	unique := func(seen map[string]bool, name, key string) {
		if seen[name] {
			c.fail(key, "This name is taken. Choose another one.")
		}
		seen[name] = true
	}
	ids, inputs, keys, agents := map[string]bool{}, map[string]bool{}, map[string]bool{}, map[string]bool{}
	for i, n := range c.Nodes {
		unique(ids, n.head().ID, fmt.Sprintf("workflow.nodes[%d].id", i))
		c.nodes[n.head().ID] = n
	}
	for i, in := range c.Inputs {
		unique(inputs, in.Name, fmt.Sprintf("workflow.inputs[%d].name", i))
	}
	for i, e := range c.Context {
		unique(keys, e.Key, fmt.Sprintf("workflow.context[%d].key", i))
	}
	for i, a := range c.Agents {
		c.foreign = c.foreign || a.Ref != nil
		if a.ID == nil {
			continue
		}
		unique(agents, *a.ID, fmt.Sprintf("workflow.agents[%d].id", i))
		c.agents[*a.ID], c.tools[*a.ID] = a, map[string]bool{}
		for _, tool := range a.Tools {
			c.tools[*a.ID][tool] = true
		}
	}
}

// sources checks the texts that are filled in before a run, and follows secrets through them.
func (c *checker) sources() {
	readers := map[string][]string{} // what a name gets into
	source := func(name, key, text string) {
		for _, r := range c.references(key, text) {
			if r.head == "run.outputs" {
				c.fail(key, "This is filled in before any node has run, so it cannot have the output of one.")
			}
			readers[r.head+"."+r.name] = append(readers[r.head+"."+r.name], name)
		}
	}
	var secret []string
	for i, in := range c.Inputs {
		if in.Type == "secret" {
			secret = append(secret, "inputs."+in.Name)
		}
		var text string
		if json.Unmarshal(in.Default, &text) == nil {
			source("inputs."+in.Name, fmt.Sprintf("workflow.inputs[%d].default", i), text)
		}
	}
	for i, e := range c.Context {
		source("ctx."+e.Key, fmt.Sprintf("workflow.context[%d].value", i), e.Value)
	}
	for len(secret) > 0 {
		name := secret[0]
		secret = secret[1:]
		if !c.tainted[name] {
			c.tainted[name] = true
			secret = append(secret, readers[name]...)
		}
	}
	for i, a := range c.Agents {
		if a.ID != nil {
			c.needs(instructions(*a.ID), c.told(fmt.Sprintf("workflow.agents[%d].system_prompt", i), a.SystemPrompt))
		}
	}
}

// instructions are those of an agent, among what comes after nodes. No node is called so.
func instructions(agent string) string { return "instructions:" + agent }

// needs notes that something comes after the nodes whose output it has.
func (c *checker) needs(id string, outputs []string) {
	for _, from := range outputs {
		c.follow[from] = append(c.follow[from], id)
	}
}

// references gives those of a text, and checks what is to be said of each by itself.
func (c *checker) references(key, text string) []reference {
	all := references(text)
	for _, r := range all {
		switch {
		case r.head == "secrets":
			c.fail(key, "Secrets are not filled into texts. Remove the reference.")
		case r.head == "":
			c.fail(key, "A {{ }} stands for inputs.name, ctx.key, run.outputs[\"node\"] or run.id. Change it, or write { { for text.")
		case r.badFilter():
			c.fail(key, "A {{ }} has a filter that there is not. There are: %s.", strings.Join(filters, ", "))
		}
	}
	return all
}

// told checks a text, if there is one, that a model or a person is told, and gives the nodes whose output it has.
func (c *checker) told(key string, text *string) (outputs []string) {
	if text == nil {
		return nil
	}
	for _, r := range c.references(key, *text) {
		if c.tainted[r.head+"."+r.name] {
			c.fail(key, "A secret would get into this text. Remove the reference.")
		}
		if r.head == "run.outputs" {
			outputs = append(outputs, r.name)
		}
	}
	return outputs
}

func (c *checker) node(key string, n Node) {
	id := n.head().ID
	leads := func(key, to string) {
		c.exists(key, to)
		c.follow[id] = append(c.follow[id], to)
	}
	switch n := n.(type) {
	case AgentNode:
		c.needs(id, c.told(key+".system_prompt_append", n.SystemPromptAppend))
		c.needs(id, c.told(key+".prompt_template", n.PromptTemplate))
		c.agentOf(key, n)
	case GateNode:
		c.needs(id, c.told(key+".assignee", n.Assignee))
		c.needs(id, c.told(key+".message_template", n.MessageTemplate))
	case ConditionNode:
		c.handles[id] = map[string]string{}
		for i, b := range n.Branches {
			if handle := b.handle(); c.handles[id][handle] == "" {
				c.handles[id][handle] = b.TargetNode
			}
			leads(fmt.Sprintf("%s.branches[%d].target_node", key, i), b.TargetNode)
		}
		if n.Default != nil {
			leads(key+".default", *n.Default)
		}
	case ParallelNode:
		for i, to := range n.ParallelOf {
			leads(fmt.Sprintf("%s.parallel_of[%d]", key, i), to)
		}
	case InputNode, TransformNode, MergeNode, OutputNode:
	}
}

func (c *checker) agentOf(key string, n AgentNode) {
	a, known := c.agents[n.AgentRef]
	if !known {
		if !c.foreign {
			c.fail(key+".agent_ref", "There is no such agent.%s", hint(c, n.AgentRef, c.agents))
		}
		return
	}
	c.needs(n.ID, []string{instructions(n.AgentRef)})
	if len(a.MCPServers) > 0 {
		return // what they have is not in the file
	}
	for i, tool := range n.Tools {
		if !c.tools[n.AgentRef][tool] {
			c.fail(fmt.Sprintf("%s.tools[%d]", key, i), "The agent does not have this tool. A node has some of its agent's, and no others.")
		}
	}
}

func (c *checker) exists(key, id string) bool {
	if c.nodes[id] == nil {
		c.fail(key, "There is no such node.%s", hint(c, id, c.nodes))
		return false
	}
	return true
}

// hint says which of the known ids could be meant. It is for people, and costs more the more ids there are.
func hint[T any](c *checker, id string, known map[string]T) string {
	if c.hints++; c.hints > maxProblems || len(known) == 0 || len(known) > maxProblems {
		return ""
	}
	return " " + instead(id, slices.Sorted(maps.Keys(known)))
}

func (c *checker) edge(key string, e Edge) {
	id, handle, handled := strings.Cut(e.From, ":")
	if there := c.exists(key+".from", id); !c.exists(key+".to", e.To) || !there {
		return
	}
	handles, branches := c.handles[id]
	switch parallel, forks := c.nodes[id].(ParallelNode); {
	case handled && !branches:
		c.fail(key+".from", "Only a condition has handles. Remove the colon and what follows it.")
	case handled:
		to := handles[handle]
		if f, err := strconv.ParseFloat(handle, 64); to == "" && err == nil {
			to = handles[fmt.Sprint(f)]
		}
		if to == "" {
			c.fail(key+".from", "The condition has no branch with this when.")
		} else if to != e.To {
			c.fail(key+".to", "The branch of this handle leads to another node.")
		}
		return // the branch itself leads there
	case branches:
		c.fail(key+".from", "An edge leaves a condition by a handle: node:when.")
		return
	case forks && !slices.Contains(parallel.ParallelOf, e.To):
		c.fail(key+".to", "This node is not in the parallel_of of the one before it.")
	}
	c.follow[id] = append(c.follow[id], e.To)
}

// handle is how an edge names the branch; a number may be written in other ways too.
func (b Branch) handle() string {
	var when any
	json.Unmarshal(b.When, &when) // it was read as JSON
	return fmt.Sprint(when)
}

// circle fails for the first node that a circle keeps from beginning.
func (c *checker) circle() {
	waits := map[string]int{} // for how many
	for from, all := range c.follow {
		waits[from] += 0 // it is one of them, whatever it waits for
		for _, to := range all {
			waits[to]++
		}
	}
	var ready []string
	for id, n := range waits {
		if n == 0 {
			ready = append(ready, id)
		}
	}
	for len(ready) > 0 {
		id := ready[0]
		ready = ready[1:]
		for _, to := range c.follow[id] {
			if waits[to]--; waits[to] == 0 {
				ready = append(ready, to)
			}
		}
	}
	for i, n := range c.Nodes {
		if waits[n.head().ID] > 0 {
			c.fail(fmt.Sprintf("workflow.nodes[%d]", i), "This node would never begin: what it waits for goes in a circle.")
			return
		}
	}
}
