package workflow

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// checker holds a graph, every part of which is right on its own, to what its parts have to be to each other.
type checker struct {
	Graph
	fail    func(key, format string, args ...any)
	nodes   map[string]Node
	agents  map[string]Agent
	tools   map[string]map[string]bool // by agent
	foreign bool                       // there may be agents that the file does not have
	follow  map[string][]string        // node → those that come after it
	tainted map[string]bool            // inputs.name and ctx.key that a secret gets into
	hints   int                        // that were given
}

// check says what is wrong, by the keys of a file: each of them is there.
func check(g Graph, fail func(key, format string, args ...any)) {
	c := checker{g, fail, map[string]Node{}, map[string]Agent{}, map[string]map[string]bool{}, g.Agents == nil, map[string][]string{}, map[string]bool{}, 0}
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
		if a.Ref != nil {
			c.foreign = true
			continue
		}
		unique(agents, a.ID, fmt.Sprintf("workflow.agents[%d].id", i))
		c.agents[a.ID], c.tools[a.ID] = a, map[string]bool{}
		for _, tool := range a.Tools {
			c.tools[a.ID][tool] = true
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
		c.told(fmt.Sprintf("workflow.agents[%d].system_prompt", i), &a.SystemPrompt)
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
	needs := func(outputs []string) {
		for _, from := range outputs {
			c.follow[from] = append(c.follow[from], id)
		}
	}
	leads := func(key, to string) {
		c.exists(key, to)
		c.follow[id] = append(c.follow[id], to)
	}
	switch n := n.(type) {
	case AgentNode:
		needs(c.told(key+".system_prompt_append", n.SystemPromptAppend))
		needs(c.told(key+".prompt_template", n.PromptTemplate))
		c.agentOf(key, n, needs)
	case GateNode:
		needs(c.told(key+".assignee", n.Assignee))
		needs(c.told(key+".message_template", n.MessageTemplate))
	case ConditionNode:
		for i, b := range n.Branches {
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

func (c *checker) agentOf(key string, n AgentNode, needs func([]string)) {
	a, known := c.agents[n.AgentRef]
	if !known {
		if !c.foreign {
			c.fail(key+".agent_ref", "There is no such agent.%s", c.hint(n.AgentRef, slices.Sorted(maps.Keys(c.agents))))
		}
		return
	}
	for _, r := range references(a.SystemPrompt) {
		if r.head == "run.outputs" {
			needs([]string{r.name})
		}
	}
	if len(a.MCPServers) > 0 {
		return // what they have is not in the file
	}
	for i, tool := range n.Tools {
		if !c.tools[a.ID][tool] {
			c.fail(fmt.Sprintf("%s.tools[%d]", key, i), "The agent does not have this tool. A node has some of its agent's, and no others.")
		}
	}
}

func (c *checker) exists(key, id string) bool {
	if c.nodes[id] == nil {
		c.fail(key, "There is no such node.%s", c.hint(id, slices.Sorted(maps.Keys(c.nodes))))
		return false
	}
	return true
}

// hint says which of the ids could be meant. It is for people, and costs more the more ids there are.
func (c *checker) hint(id string, ids []string) string {
	if c.hints++; c.hints > maxProblems || len(ids) == 0 || len(ids) > maxProblems {
		return ""
	}
	return " " + instead(id, ids)
}

func (c *checker) edge(key string, e Edge) {
	id, handle, handled := strings.Cut(e.From, ":")
	if there := c.exists(key+".from", id); !c.exists(key+".to", e.To) || !there {
		return
	}
	condition, branches := c.nodes[id].(ConditionNode)
	switch parallel, forks := c.nodes[id].(ParallelNode); {
	case handled && !branches:
		c.fail(key+".from", "Only a condition has handles. Remove the colon and what follows it.")
	case handled:
		i := slices.IndexFunc(condition.Branches, func(b Branch) bool { return b.has(handle) })
		if i < 0 {
			c.fail(key+".from", "The condition has no branch with this when.")
		} else if condition.Branches[i].TargetNode != e.To {
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

// has reports whether a handle is that of the branch.
func (b Branch) has(handle string) bool {
	var when any
	if json.Unmarshal(b.When, &when) != nil {
		return false
	}
	if n, ok := when.(float64); ok {
		f, err := strconv.ParseFloat(handle, 64)
		return err == nil && f == n
	}
	return fmt.Sprint(when) == handle
}

// circle fails for the first node that a circle keeps from beginning.
func (c *checker) circle() {
	waits := map[string]int{} // how many come before a node
	for from, all := range c.follow {
		for _, to := range all {
			if c.nodes[from] != nil && c.nodes[to] != nil {
				waits[to]++
			}
		}
	}
	var ready []string
	for id := range c.nodes {
		if waits[id] == 0 {
			ready = append(ready, id)
		}
	}
	done := map[string]bool{}
	for len(ready) > 0 {
		id := ready[0]
		ready = ready[1:]
		done[id] = true
		for _, to := range c.follow[id] {
			if waits[to]--; waits[to] == 0 && c.nodes[to] != nil {
				ready = append(ready, to)
			}
		}
	}
	for i, n := range c.Nodes {
		if !done[n.head().ID] {
			c.fail(fmt.Sprintf("workflow.nodes[%d]", i), "This node would never begin: what it waits for goes in a circle.")
			return
		}
	}
}
