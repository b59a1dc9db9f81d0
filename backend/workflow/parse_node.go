package workflow

import (
	"encoding/json"

	"go.yaml.in/yaml/v4"
)

// nodeTypes are the readers of the nodes by their types.
var nodeTypes = []struct {
	name   NodeType
	read   func(value, Head) Node
	decode func([]byte) (Node, error) // from JSON
}{
	{NodeInput, readInputNode, decodeAs[InputNode]},
	{NodeAgent, readAgentNode, decodeAs[AgentNode]},
	{NodeGate, readGateNode, decodeAs[GateNode]},
	{NodeCondition, readConditionNode, decodeAs[ConditionNode]},
	{NodeTransform, readTransformNode, decodeAs[TransformNode]},
	{NodeParallel, readParallelNode, decodeAs[ParallelNode]},
	{NodeMerge, readMergeNode, decodeAs[MergeNode]},
	{NodeOutput, readOutputNode, decodeAs[OutputNode]},
}

func readNode(v value) Node {
	kind := v.peek("type")
	var names []string
	for _, t := range nodeTypes {
		if kind != nil && kind.Kind == yaml.ScalarNode && kind.Value == string(t.name) {
			return t.read(v, Head{Type: t.name})
		}
		names = append(names, string(t.name))
	}
	// Without a type nothing is known of the other keys.
	switch {
	case v.node.Kind != yaml.MappingNode:
		v.object()
	case kind == nil:
		v.in.fail(v.node, v.below("type"), "This is missing.")
	default:
		value{kind, v.below("type"), v.in}.oneOf(names...)
	}
	v.in.lossy = true
	return InputNode{}
}

// fields reads what every node has, and more.
func (h *Head) fields(v value, more ...field) {
	v.object(append([]field{must("id", into(&h.ID, value.kebab)), must("type", func(value) {})}, more...)...)
}

func readInputNode(v value, h Head) Node {
	n := InputNode{Head: h}
	n.fields(v, may("label", maybe(&n.Label, value.text)))
	return n
}

func readAgentNode(v value, h Head) Node {
	n := AgentNode{Head: h}
	n.fields(v,
		must("agent_ref", into(&n.AgentRef, value.kebab)),
		may("system_prompt_append", maybe(&n.SystemPromptAppend, value.text)),
		may("prompt_template", maybe(&n.PromptTemplate, value.text)),
		may("tools", into(&n.Tools, list(value.word))),
		may("model", maybe(&n.Model, value.word)),
		may("temperature", maybe(&n.Temperature, value.temperature)),
		may("max_tokens", maybe(&n.MaxTokens, value.positive)),
		may("output_schema", into(&n.OutputSchema, value.mapping)),
		may("output_modalities", into(&n.OutputModalities, some(oneOf("text", "image", "audio", "video")))),
		may("count", maybe(&n.Count, value.positive)),
		may("duration_seconds", maybe(&n.DurationSeconds, value.duration)),
		may("timeout_ms", maybe(&n.TimeoutMS, value.positive)),
		may("retry", maybe(&n.Retry, readRetry)),
	)
	return n
}

func readGateNode(v value, h Head) Node {
	n := GateNode{Head: h}
	n.fields(v,
		must("gate_type", into(&n.GateType, oneOf("approval", "input", "review"))),
		may("assignee", maybe(&n.Assignee, value.text)),
		may("message_template", maybe(&n.MessageTemplate, value.text)),
		may("timeout_ms", maybe(&n.TimeoutMS, value.positive)),
		may("timeout_action", maybe(&n.TimeoutAction, oneOf("reject", "approve"))),
	)
	return n
}

func readConditionNode(v value, h Head) Node {
	n := ConditionNode{Head: h, Branches: []Branch{}}
	n.fields(v,
		must("expression", into(&n.Expression, value.word)),
		may("expression_type", maybe(&n.ExpressionType, oneOf("js"))),
		must("branches", into(&n.Branches, some(func(v value) (b Branch) {
			v.object(must("when", into(&b.When, value.when)), must("target_node", into(&b.TargetNode, value.kebab)))
			return b
		}))),
		may("default", maybe(&n.Default, value.kebab)),
		may("retry", maybe(&n.Retry, readRetry)),
	)
	return n
}

// when reads what an expression may be equal to.
func (v value) when() json.RawMessage {
	if meant, _ := scalar(v.node); v.node.Kind != yaml.ScalarNode || meant == nil {
		v.fail("This must be true, false, a text or a number.")
	}
	return v.any()
}

func readTransformNode(v value, h Head) Node {
	n := TransformNode{Head: h}
	n.fields(v,
		must("transform", into(&n.Transform, value.word)),
		may("expression_type", maybe(&n.ExpressionType, oneOf("js"))),
		may("output_schema", into(&n.OutputSchema, value.mapping)),
		may("retry", maybe(&n.Retry, readRetry)),
	)
	return n
}

func readParallelNode(v value, h Head) Node {
	n := ParallelNode{Head: h, ParallelOf: []string{}}
	n.fields(v, must("parallel_of", into(&n.ParallelOf, some(value.kebab))))
	return n
}

func readMergeNode(v value, h Head) Node {
	n := MergeNode{Head: h}
	custom := v.peek("merge_strategy")
	fn := field{"merge_fn", custom != nil && custom.Value == "custom", maybe(&n.MergeFn, value.text)}
	if fn.required {
		fn.take = maybe(&n.MergeFn, value.word)
	}
	n.fields(v,
		must("merge_strategy", into(&n.MergeStrategy, oneOf("concat", "object_merge", "first", "custom"))),
		fn,
		may("retry", maybe(&n.Retry, readRetry)),
	)
	return n
}

func readOutputNode(v value, h Head) Node {
	n := OutputNode{Head: h}
	n.fields(v,
		may("output_format", maybe(&n.OutputFormat, value.text)),
		may("save_to", maybe(&n.SaveTo, value.path)),
	)
	return n
}
