package workflow

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
)

// Node is one step of a workflow. The sum is sealed: InputNode, AgentNode, GateNode, ConditionNode, TransformNode,
// ParallelNode, MergeNode, OutputNode.
type Node interface{ head() Head }

// Head is what every node has.
type Head struct {
	ID   string   `json:"id"`
	Type NodeType `json:"type"`
}

func (h Head) head() Head { return h }

// Nodes are the steps of a workflow.
type Nodes []Node

// UnmarshalJSON reads each node as one of its type, strictly.
func (list *Nodes) UnmarshalJSON(b []byte) error {
	var all []json.RawMessage
	if err := json.Unmarshal(b, &all); err != nil {
		return err
	}
	*list = make(Nodes, len(all))
	for i, b := range all {
		var err error
		if (*list)[i], err = decodeNode(b); err != nil {
			return fmt.Errorf("nodes[%d]: %w", i, err)
		}
	}
	return nil
}

func decodeNode(b []byte) (Node, error) {
	var h Head
	if err := json.Unmarshal(b, &h); err != nil {
		return nil, err
	}
	for _, t := range nodeTypes {
		if t.name == h.Type {
			return t.decode(b)
		}
	}
	return nil, errors.New("type: there is no such type of nodes")
}

// decodeAs gives what decodes a node of a type.
func decodeAs[N Node](b []byte) (Node, error) {
	var n N
	d := json.NewDecoder(bytes.NewReader(b))
	d.DisallowUnknownFields()
	err := d.Decode(&n)
	return n, err
}

// NodeType says what a node does.
type NodeType string

// The types; the enum is closed.
const (
	NodeInput     NodeType = "input"
	NodeAgent     NodeType = "agent"
	NodeGate      NodeType = "human_gate"
	NodeCondition NodeType = "condition"
	NodeTransform NodeType = "transform"
	NodeParallel  NodeType = "parallel"
	NodeMerge     NodeType = "merge"
	NodeOutput    NodeType = "output"
)

// InputNode is where a run begins.
type InputNode struct {
	Head
	Label *string `json:"label,omitempty"`
}

// AgentNode is a turn of an agent.
type AgentNode struct {
	Head
	AgentRef           string          `json:"agent_ref"`
	SystemPromptAppend *string         `json:"system_prompt_append,omitempty"`
	PromptTemplate     *string         `json:"prompt_template,omitempty"`
	Tools              []string        `json:"tools,omitzero"` // some of the agent's
	Model              *string         `json:"model,omitempty"`
	Temperature        *float64        `json:"temperature,omitempty"`
	MaxTokens          *int64          `json:"max_tokens,omitempty"`
	OutputSchema       json.RawMessage `json:"output_schema,omitempty"`
	OutputModalities   []string        `json:"output_modalities,omitzero"`
	Count              *int64          `json:"count,omitempty"`
	DurationSeconds    *float64        `json:"duration_seconds,omitempty"`
	TimeoutMS          *int64          `json:"timeout_ms,omitempty"`
	Retry              *Retry          `json:"retry,omitempty"`
}

// GateNode waits for a person.
type GateNode struct {
	Head
	GateType        string  `json:"gate_type"`
	Assignee        *string `json:"assignee,omitempty"`
	MessageTemplate *string `json:"message_template,omitempty"`
	TimeoutMS       *int64  `json:"timeout_ms,omitempty"`
	TimeoutAction   *string `json:"timeout_action,omitempty"`
}

// ConditionNode takes the branch whose When its expression gives.
type ConditionNode struct {
	Head
	Expression     string   `json:"expression"`
	ExpressionType *string  `json:"expression_type,omitempty"`
	Branches       []Branch `json:"branches"`
	Default        *string  `json:"default,omitempty"`
	Retry          *Retry   `json:"retry,omitempty"`
}

// Branch is a way on from a condition.
type Branch struct {
	When       json.RawMessage `json:"when"` // a boolean, text or number
	TargetNode string          `json:"target_node"`
}

// TransformNode makes something else of what there is.
type TransformNode struct {
	Head
	Transform      string          `json:"transform"`
	ExpressionType *string         `json:"expression_type,omitempty"`
	OutputSchema   json.RawMessage `json:"output_schema,omitempty"`
	Retry          *Retry          `json:"retry,omitempty"`
}

// ParallelNode goes on in several nodes at once.
type ParallelNode struct {
	Head
	ParallelOf []string `json:"parallel_of"`
}

// MergeNode waits for all nodes before it, and puts together what they gave.
type MergeNode struct {
	Head
	MergeStrategy string  `json:"merge_strategy"`
	MergeFn       *string `json:"merge_fn,omitempty"` // if the strategy is custom
	Retry         *Retry  `json:"retry,omitempty"`
}

// OutputNode is where a run ends.
type OutputNode struct {
	Head
	OutputFormat *string `json:"output_format,omitempty"`
	SaveTo       *string `json:"save_to,omitempty"`
}
