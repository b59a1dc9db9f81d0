// @vitest-environment node
//
// What a canvas does to graphs: testdata/operations.txt says what comes of what. backend/workflow/testdata/canvas.jsonl has
// all that came of it, and all that was refused as it would have been, for Go to read as it reads any file.
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { WorkflowGraph, WorkflowNodeType } from '../../api/types.gen.ts';
import { addConditionAfter, addGateAfter, runInParallel } from './assist.ts';
import { copy, paste } from './clip.ts';
import { connect, disconnect, refusal } from './connect.ts';
import { links } from './links.ts';
import { add, remove, rename } from './nodes.ts';
import { forced, lines, sketch, unfinished } from './sketch.ts';
import { text } from './text.ts';

type Result = WorkflowGraph | string;

const graphOf = (made: { graph: WorkflowGraph } | string) => (typeof made === 'string' ? made : made.graph);

const operations: Record<string, (graph: WorkflowGraph, ids: string[]) => Result> = {
  connect: (graph, [from = '', to = '']) => {
    const [id = '', handle] = from.split(':');
    return refusal(graph, id, handle, to) ?? connect(graph, id, handle, to);
  },
  disconnect: (graph, [from, to]) => disconnect(graph, links(graph).filter(link => link.from === from && link.to === to)),
  add: (graph, [type, after]) => add(graph, (type === 'gate' ? 'human_gate' : type) as WorkflowNodeType, after).graph,
  remove,
  rename: (graph, [from = '', to = '']) => rename(graph, from, to),
  paste: (graph, ids) => paste(graph, copy(graph, ids)).graph,
  parallel: runInParallel,
  condition: (graph, [id = '']) => graphOf(addConditionAfter(graph, id)),
  gate: (graph, [id = '']) => graphOf(addGateAfter(graph, id)),
};

interface Step {
  before: WorkflowGraph;
  operation: string;
  ids: string[];
  made: Result;
  expected: string;
}

const [, ...blocks] = readFileSync(new URL('testdata/operations.txt', import.meta.url), 'utf8').split(/^# /m);

const cases = blocks.map(block => {
  const [title = '', ...rest] = block.split('\n');
  const [first = '', ...done] = rest.join('\n').split(/^-- /m);
  const steps: Step[] = [];
  let before = sketch(first);
  for (const each of done) {
    const [command = '', ...expected] = each.trim().split('\n');
    const [operation = '', ...ids] = command.split(' ');
    const made = operations[operation]?.(before, ids) ?? 'There is no such operation.';
    steps.push({ before, operation, ids, made, expected: expected.join('\n') });
    if (typeof made !== 'string') before = made;
  }
  return { title, steps };
});

test.each(cases)('$title', ({ steps }) => {
  for (const { made, expected } of steps) {
    expect(typeof made === 'string' ? [`= ${made}`] : lines(made)).toEqual(expected.startsWith('=') ? [expected] : lines(sketch(expected)));
  }
});

test('what is refused does not happen', () => {
  const refused = cases.flatMap(each => each.steps).filter(step => step.operation === 'connect' && typeof step.made === 'string');
  for (const { before, ids: [from = '', to = ''] } of refused) {
    const [id = '', handle] = from.split(':');
    expect(connect(before, id, handle, to)).toBe(before);
  }
});

test('the backend reads all of it', async () => {
  const all = cases.flatMap(({ title, steps }) =>
    steps.flatMap(({ before, operation, ids: [from = '', to = ''], made }) => {
      if (typeof made !== 'string') return { title, right: !unfinished(made), workflow: made };
      return operation === 'connect' && made !== text.connected ? { title, right: false, workflow: forced(before, from, to) } : [];
    }),
  );
  await expect(all.map(each => `${JSON.stringify(each)}\n`).join('')).toMatchFileSnapshot('../../../../backend/workflow/testdata/canvas.jsonl');
});
