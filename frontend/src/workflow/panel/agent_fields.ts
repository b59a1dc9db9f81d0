import type { WorkflowAgent, WorkflowFallback, WorkflowGraph, WorkflowMCPServer, WorkflowMemory, WorkflowRetry } from '../../api/types.gen.ts';
import { needed, neededText, number, pairs, whole } from './codec.ts';
import { put, type Path } from './path.ts';
import type { Fields, Row } from './row.ts';
import { amount, code, half, line, list, maybe, one, rare, schema, template, yesOrNo } from './rows.ts';
import { panelText } from './text.ts';

const { fields: said, lists, options, adds, used } = panelText;

const retryFields: Fields<WorkflowRetry> = {
  max: amount(said.max, needed(whole)),
  backoff: half(one(said.backoff, options.backoff)),
  backoff_ms: amount(said.backoff_ms, whole),
  retry_on: { kind: 'checks', words: said.retry_on, options: ['provider_rate_limit', 'provider_unavailable', 'tool_failed', 'sandbox_error'] },
};

/** How often something is tried again, of agents and nodes alike. */
export const retry: Row = { kind: 'group', words: said.retry, fields: retryFields, blank: { max: 3, backoff: 'exponential' } satisfies WorkflowRetry, isRare: true };

const memoryFields: Fields<WorkflowMemory> = {
  type: half(one(said.memoryType, options.memory)),
  window_size: of => (of.type === 'window' ? amount(said.window_size, needed(whole)) : undefined),
};

const isNamed = (server: WorkflowMCPServer) => server.ref !== undefined;
const isProgram = (server: WorkflowMCPServer) => server.transport === 'stdio';
/** A row of servers that are written out. */
const written = (row: (of: WorkflowMCPServer) => Row | undefined) => (of: WorkflowMCPServer) => (isNamed(of) ? undefined : row(of));

const serverFields: Fields<WorkflowMCPServer> = {
  ref: of => (isNamed(of) ? code(said.serverRef, neededText) : undefined),
  id: written(() => code(said.serverId, neededText)),
  transport: written(() => one(said.transport, options.transport)),
  command: written(of => code(said.command, isProgram(of) ? neededText : undefined)),
  args: written(() => list(said.args)),
  env: written(of => (isProgram(of) ? list(said.env, pairs) : undefined)),
  url: written(of => (isProgram(of) ? undefined : code(said.url, neededText))),
  allow_local_endpoint: written(of => (isProgram(of) ? undefined : yesOrNo(said.allow_local_endpoint))),
  tools_allowlist: list(said.tools_allowlist),
};

const fallbackFields: Fields<WorkflowFallback> = {
  provider: half(one(said.provider, options.provider)),
  model: half(code(said.model, neededText)),
  max_attempts: amount(said.max_attempts, needed(whole)),
};

/** The id of an agent, and of those who refer to it. */
function renameAgent(graph: WorkflowGraph, path: Path, to: string): WorkflowGraph {
  const index = path[1] as number;
  const from = graph.agents?.[index]?.id;
  const renamed = put(graph, path, to);
  if (renamed.agents?.some(agent => agent.id === from)) return renamed; // another one is meant as well as this one
  return { ...renamed, nodes: renamed.nodes.map(node => (node.type === 'agent' && node.agent_ref === from ? { ...node, agent_ref: to } : node)) };
}

const isReference = (agent: WorkflowAgent) => agent.$ref !== undefined;
/** A row of agents that are in the file itself. */
const own = (row: Row) => (of: WorkflowAgent) => (isReference(of) ? undefined : row);

const agentFields: Fields<WorkflowAgent> = {
  $ref: of => (isReference(of) ? code(said.ref, neededText) : undefined),
  id: own({ kind: 'id', words: said.agentId, taken: graph => (graph.agents ?? []).map(agent => agent.id), rename: renameAgent }),
  name: own(line(said.agentName)),
  description: own(line(said.description)),
  provider: own(half(one(said.provider, options.provider))),
  model: own(half(code(said.model, neededText))),
  system_prompt: own(template(said.system_prompt, 'run', neededText)),
  tools: own(list(said.agentTools)),
  temperature: own(rare(amount(said.temperature, number))),
  max_tokens: own(rare(amount(said.max_tokens, whole))),
  reasoning_effort: own(rare(half(maybe(said.reasoning_effort, options.reasoning_effort)))),
  memory: own({ kind: 'group', words: said.memory, fields: memoryFields, blank: { type: 'summary' } satisfies WorkflowMemory, isRare: true }),
  retry: own(retry),
  fallback_chain: own({
    kind: 'list',
    ...lists.fallback_chain,
    fields: fallbackFields,
    adds: [{ label: adds.fallback, blank: () => ({ model: '', provider: 'anthropic', max_attempts: 1 }) satisfies WorkflowFallback }],
    isRare: true,
  }),
  mcp_servers: own({
    kind: 'list',
    ...lists.mcp_servers,
    fields: serverFields,
    adds: [
      { label: adds.server, blank: () => ({ id: '', transport: 'stdio', command: '' }) satisfies WorkflowMCPServer },
      { label: adds.knownServer, blank: () => ({ ref: '' }) satisfies WorkflowMCPServer },
    ],
    isRare: true,
  }),
  input_schema: own(schema(said.input_schema)),
  output_schema: own(schema(said.output_schema)),
};

/** An id for another agent: one that a node names already, or a number. */
function freshAgent(graph: WorkflowGraph): string {
  const taken = new Set(graph.agents?.map(agent => agent.id));
  const named = graph.nodes.flatMap(node => (node.type === 'agent' && node.agent_ref !== '' ? [node.agent_ref] : []));
  const wanted = named.find(id => !taken.has(id));
  if (wanted !== undefined) return wanted;
  let n = 1;
  while (taken.has(`agent-${n}`)) n++;
  return `agent-${n}`;
}

/** The agents of a workflow. One that a node uses is not removed. */
export const agentsFields: Fields<Pick<WorkflowGraph, 'agents'>> = {
  agents: {
    kind: 'list',
    ...lists.agents,
    fields: agentFields,
    adds: [
      { label: adds.agent, blank: graph => ({ id: freshAgent(graph), model: '', provider: 'anthropic', system_prompt: '' }) satisfies WorkflowAgent },
      { label: adds.agentFile, blank: () => ({ $ref: '' }) satisfies WorkflowAgent },
    ],
    holds: (agent, graph) => {
      const nodes = graph.nodes.filter(node => node.type === 'agent' && node.agent_ref === (agent as WorkflowAgent).id);
      return nodes.length > 0 ? used(nodes.map(node => node.id)) : undefined;
    },
  },
};
