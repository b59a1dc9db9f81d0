import type { WorkflowNodeType } from '../../api/types.gen.ts';
import { plural } from '../../ui/plural.ts';

const types: Record<WorkflowNodeType, string> = {
  input: 'Input',
  agent: 'Agent',
  human_gate: 'Gate',
  condition: 'Condition',
  transform: 'Transform',
  parallel: 'Parallel',
  merge: 'Merge',
  output: 'Output',
};

/** What is said on the board of a workflow. */
export const boardText = {
  title: 'Canvas',
  types,
  empty: 'There is nothing here yet. Add a node, or paste some.',
  unnamed: 'no id',
  named: (type: WorkflowNodeType, id: string, before: readonly string[], problems: number) =>
    [`${types[type]} ${id || 'without an id'}`, before.length > 0 && `after ${before.join(', ')}`, problems > 0 && plural(problems, 'problem', 'problems')]
      .filter(Boolean)
      .join(', '),
  described: 'Arrow keys go along edges. Enter opens a node, A adds one, C connects it.',
  card: {
    noAgent: 'No agent chosen',
    tools: (names: readonly string[]) => `${plural(names.length, 'tool', 'tools')}: ${names.join(', ')}`,
    noExpression: 'No expression yet',
    parallel: (n: number) => `${plural(n, 'node runs', 'nodes run')} at once`,
    merge: { concat: 'One after the other', object_merge: 'As one object', first: 'The first that is there', custom: 'By an expression' } as Record<string, string>,
    gate: { approval: 'Waits for an approval', input: 'Waits for an answer', review: 'Waits for a review' } as Record<string, string>,
    by: (who: string) => `from ${who}`,
    inputs: (names: readonly string[]) => (names.length === 0 ? 'Begins here' : `Given: ${names.join(', ')}`),
    output: (format: string | undefined) => (format ? `As ${format}` : 'Ends here'),
    saves: (path: string) => `Saved to ${path}`,
  },
  palette: {
    title: 'Add a node',
    add: (type: WorkflowNodeType) => `Add ${types[type].toLowerCase()}`,
  },
  change: {
    add: (type: WorkflowNodeType) => `Add ${types[type].toLowerCase()}`,
    delete: (n: number) => `Delete ${n === 1 ? 'node' : `${n} nodes`}`,
    deleteEdges: (n: number) => `Delete ${n === 1 ? 'edge' : `${n} edges`}`,
    connect: 'Connect',
    disconnect: 'Disconnect',
    reconnect: 'Move edge',
    cut: (n: number) => `Cut ${n === 1 ? 'node' : `${n} nodes`}`,
    paste: (n: number) => `Paste ${n === 1 ? 'node' : `${n} nodes`}`,
    parallel: 'Run in parallel',
    condition: 'Add condition',
    gate: 'Add gate',
  },
  said: {
    selected: (n: number) => plural(n, 'node selected', 'nodes selected'),
    deleted: (n: number) => plural(n, 'node deleted', 'nodes deleted'),
    cut: (n: number) => plural(n, 'node cut', 'nodes cut'),
    copied: (n: number) => plural(n, 'node copied', 'nodes copied'),
    pasted: (n: number) => plural(n, 'node pasted', 'nodes pasted'),
  },
  notOurs: 'What is on the clipboard is not of a workflow. Copy nodes here or on another canvas, and paste again.',
  view: { in: 'Zoom in', out: 'Zoom out', fit: 'Show all', map: 'Map of the canvas' },
  find: {
    label: 'Find a node',
    placeholder: 'Find',
    place: (n: number, of: number) => `${n} of ${of}`,
    none: 'Nothing found',
  },
  assist: {
    title: 'What is selected',
    parallel: 'Run in parallel',
    condition: 'Condition after',
    gate: 'Gate after',
    connect: 'Connect',
    delete: 'Delete',
  },
  connect: {
    title: (id: string) => `Connect ${id} to`,
    from: 'From',
    to: 'Find a node',
    none: 'Nothing found',
    says: 'Enter connects, or takes the edge away if there is one.',
  },
  edge: (from: string, to: string, label: string | undefined) => `Edge from ${from} to ${to}${label ? `: ${label}` : ''}`,
};
