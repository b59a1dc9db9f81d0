import type {
  WorkflowAgentNode,
  WorkflowBranch,
  WorkflowConditionNode,
  WorkflowEdge,
  WorkflowGateNode,
  WorkflowGraph,
  WorkflowInputNode,
  WorkflowMergeNode,
  WorkflowNodeType,
  WorkflowOutputNode,
  WorkflowParallelNode,
  WorkflowTransformNode,
} from '../../api/types.gen.ts';
import { rename } from '../graph/nodes.ts';
import { retry } from './agent_fields.ts';
import { neededText, number, whole } from './codec.ts';
import type { AnyFields, Fields, Option, Row } from './row.ts';
import { amount, code, half, line, list, maybe, one, rare, schema, script, template } from './rows.ts';
import { panelText } from './text.ts';

const { fields: said, lists, options, adds, choose } = panelText;

/** The form of a node of one type, without what says which. */
type NodeFields<T> = Fields<Omit<T, 'type'>>;

const id: Row = {
  kind: 'id',
  words: said.id,
  taken: graph => graph.nodes.map(node => node.id),
  rename: (graph, path, to) => rename(graph, graph.nodes[path[1] as number]!.id, to),
};

const nodeOptions = (graph: WorkflowGraph): Option[] => graph.nodes.map(node => [node.id, node.id]);

const input: NodeFields<WorkflowInputNode> = { id, label: line(said.label) };

/** Only an agent of the file can be chosen, unless there may be others. */
function agentRef({ agent_ref }: Pick<WorkflowAgentNode, 'agent_ref'>, { agents }: WorkflowGraph): Row {
  const own = (agents ?? []).flatMap(agent => (agent.$ref === undefined && agent.id !== undefined ? [agent.id] : []));
  const mayBeForeign = !agents || agents.some(agent => agent.$ref !== undefined);
  if (mayBeForeign) return code(own.includes(agent_ref) ? said.agent_ref : said.foreignAgent, neededText, own);
  return one(said.agent_ref, [['', choose], ...own.map((each): Option => [each, each])]);
}

/** A node has some of its agent's tools. Which those are the file does not say of every agent. */
function tools(of: Pick<WorkflowAgentNode, 'agent_ref'>, graph: WorkflowGraph): Row {
  const agent = graph.agents?.find(each => each.$ref === undefined && each.id === of.agent_ref);
  return agent && !agent.mcp_servers?.length ? { kind: 'checks', words: said.nodeTools, options: agent.tools ?? [] } : list(said.nodeToolLines);
}

const agent: NodeFields<WorkflowAgentNode> = {
  id,
  agent_ref: agentRef,
  prompt_template: template(said.prompt_template, 'before'),
  tools,
  system_prompt_append: rare(template(said.system_prompt_append, 'before')),
  model: rare(half(code(said.nodeModel))),
  temperature: rare(amount(said.temperature, number)),
  max_tokens: rare(amount(said.max_tokens, whole)),
  timeout_ms: rare(amount(said.timeout_ms, whole)),
  count: rare(amount(said.count, whole)),
  duration_seconds: rare(amount(said.duration_seconds, number)),
  output_modalities: { kind: 'checks', words: said.output_modalities, options: ['text', 'image', 'audio', 'video'], isRare: true },
  output_schema: schema(said.output_schema),
  retry,
};

const gate: NodeFields<WorkflowGateNode> = {
  id,
  gate_type: one(said.gate_type, options.gate_type),
  assignee: template(said.assignee, 'before'),
  message_template: template(said.message_template, 'before'),
  timeout_ms: amount(said.timeout_ms, whole),
  timeout_action: half(maybe(said.timeout_action, options.timeout_action)),
};

const branchFields: Fields<WorkflowBranch> = {
  when: { kind: 'when', words: said.when },
  target_node: (_, graph) => one(said.target_node, [['', choose], ...nodeOptions(graph)]),
};

const condition: NodeFields<WorkflowConditionNode> = {
  id,
  expression: script(said.expression),
  branches: {
    kind: 'list',
    ...lists.branches,
    isOpen: true,
    fields: branchFields,
    adds: [{ label: adds.branch, blank: () => ({ when: '', target_node: '' }) satisfies WorkflowBranch }],
  },
  default: (_, graph) => maybe(said.default, nodeOptions(graph)),
  expression_type: rare(maybe(said.expression_type, options.expression_type)),
  retry,
};

const transform: NodeFields<WorkflowTransformNode> = {
  id,
  transform: script(said.transform),
  expression_type: rare(maybe(said.expression_type, options.expression_type)),
  output_schema: schema(said.output_schema),
  retry,
};

const parallel: NodeFields<WorkflowParallelNode> = { id, parallel_of: { kind: 'nodes', words: said.parallel_of } };

const merge: NodeFields<WorkflowMergeNode> = {
  id,
  merge_strategy: one(said.merge_strategy, options.merge_strategy),
  merge_fn: of => (of.merge_strategy === 'custom' ? script(said.merge_fn) : undefined),
  retry,
};

const output: NodeFields<WorkflowOutputNode> = {
  id,
  output_format: code(said.output_format),
  save_to: code(said.save_to),
};

/** The form of a node, by its type. */
export const nodeFields: Record<WorkflowNodeType, AnyFields> = { input, agent, human_gate: gate, condition, transform, parallel, merge, output };

/** What is said of an edge; where it leads is drawn. */
export const edgeFields: Fields<Pick<WorkflowEdge, 'label' | 'condition'>> = {
  label: line(said.edgeLabel),
  condition: code(said.edgeCondition),
};
