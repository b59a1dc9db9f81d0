import type { WorkflowGraph, WorkflowNode } from '../../api/types.gen.ts';
import { update } from '../graph/nodes.ts';
import { at, put, type Path } from './path.ts';
import { settle, type AnyFields } from './row.ts';

/** Sets one field of the form of what is at a path. Undefined removes it. The rest of the form, and edges, follow. */
export function change(graph: WorkflowGraph, path: Path, fields: AnyFields, key: string, value: unknown): WorkflowGraph {
  const changed = put(graph, [...path, key], value);
  const settled = put(changed, path, settle(fields, at(changed, path) as object, changed));
  const [list, index] = path;
  if (list !== 'nodes') return settled;
  const [before, after] = [graph, settled].map(each => each.nodes[index as number]!) as [WorkflowNode, WorkflowNode];
  const gone = Object.fromEntries(Object.keys(before).map(each => [each, undefined]));
  return update<WorkflowNode>(graph, before.id, { ...gone, ...after } as Partial<WorkflowNode>);
}
