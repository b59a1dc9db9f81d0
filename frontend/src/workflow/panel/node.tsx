import { X } from 'lucide-react';
import { use, useState } from 'react';
import type { WorkflowGraph, WorkflowNode } from '../../api/types.gen.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { Group } from '../../ui/fields.tsx';
import { Select } from '../../ui/select.tsx';
import { useStore } from '../../ui/store.ts';
import { addConditionAfter, addGateAfter, runInParallel } from '../graph/assist.ts';
import { connect, refusal } from '../graph/connect.ts';
import { begin, links } from '../graph/links.ts';
import { remove } from '../graph/nodes.ts';
import { OriginOf } from '../origin/origin.tsx';
import { Fold } from './fold.tsx';
import { Form } from './form.tsx';
import { edgeFields, nodeFields } from './node_fields.ts';
import { keyOf, put } from './path.ts';
import { panelText } from './text.ts';
import { FormsContext, useProblem } from './use_field.ts';

const said = panelText.node;

/** What is selected: the form of one node, what can be done with several, or all nodes to choose from. */
export function NodeTab() {
  const { editor } = use(FormsContext);
  const graph = useStore(editor, state => state.graph);
  const selected = useStore(editor, state => state.selected);
  const index = graph.nodes.findIndex(node => node.id === selected[0]);
  if (selected.length > 1) return <Several graph={graph} selected={selected} />;
  return index < 0 ? <Summary graph={graph} /> : <One key={index} graph={graph} index={index} />;
}

function One({ graph, index }: { graph: WorkflowGraph; index: number }) {
  const { editor } = use(FormsContext);
  const node = graph.nodes[index]!;
  const key = keyOf(['nodes', index]);
  const problem = useProblem(key, false);
  return (
    <div className="grid gap-4">
      <header id={key} tabIndex={-1}>
        <h2 className="text-base font-semibold">{panelText.types[node.type]}</h2>
        <p className="text-xs text-faint">{panelText.typeSays[node.type]}</p>
        {problem && <p className="mt-1 text-sm text-bad">{problem}</p>}
      </header>
      <Form path={['nodes', index]} fields={nodeFields[node.type]} />
      <OriginOf editor={editor} node={node} />
      <Edges graph={graph} index={index} />
      <Actions graph={graph} ids={[node.id]} />
    </div>
  );
}

/** The key of the list of edges. */
const all = keyOf(['edges']);

/** The edges that the file has from a node. Those of a parallel and of branches need not be among them. */
function Edges({ graph, index }: { graph: WorkflowGraph; index: number }) {
  const { editor, reveal } = use(FormsContext);
  const [why, refuse] = useState<string>();
  const { id, type } = graph.nodes[index]!;
  const leads = !['output', 'condition', 'parallel'].includes(type); // the others say so in their forms, or lead nowhere
  const edges = graph.edges.flatMap((edge, i) => (begin(edge).id === id ? [{ edge, i }] : []));
  const follow = (to: string) => {
    const refused = refusal(graph, id, undefined, to);
    refuse(refused);
    if (!refused) editor.change(said.connect(id, to), before => connect(before, id, undefined, to));
  };
  const cut = (i: number, to: string) => {
    editor.change(said.disconnect(to), before => put(before, ['edges', i], undefined));
    reveal(all);
  };
  if (!leads && edges.length === 0) return null;
  return (
    <Group title={said.edges} id={all}>
      <ul className="mb-2 grid gap-2 empty:hidden">
        {edges.map(({ edge, i }) => (
          <li key={i} id={keyOf(['edges', i])} tabIndex={-1} className="rounded-lg border border-line bg-sunken/50 px-3 py-2">
            <Fold label={said.edge(edge)} initially={false} tools={<IconButton icon={X} label={said.disconnect(edge.to)} onClick={() => cut(i, edge.to)} className="size-7" />}>
              <Form path={['edges', i]} fields={edgeFields} />
            </Fold>
            <EdgeProblem i={i} />
          </li>
        ))}
      </ul>
      {leads && (
        <Select
          label={said.follow}
          value=""
          options={[['', said.follow], ...graph.nodes.filter(node => node.id !== id).map(node => [node.id, node.id] as const)]}
          onChoose={follow}
          className="h-8 rounded-md border border-line-strong text-sm"
        />
      )}
      <Why why={why} />
    </Group>
  );
}

function EdgeProblem({ i }: { i: number }) {
  const problem = useProblem(keyOf(['edges', i]));
  return problem && <p className="text-xs text-bad">{problem}</p>;
}

function Why({ why }: { why: string | undefined }) {
  return (
    <p role="status" className="mt-2 text-sm text-bad empty:hidden">
      {why}
    </p>
  );
}

/** What can be done with nodes as a whole. */
function Actions({ graph, ids }: { graph: WorkflowGraph; ids: readonly string[] }) {
  const { editor, reveal } = use(FormsContext);
  const [why, refuse] = useState<string>();
  const cut = () => {
    editor.change(said.remove(ids.length), before => remove(before, ids));
    reveal('tab-panel');
  };
  const assist = (what: string, done: WorkflowGraph | { graph: WorkflowGraph; id: string } | string) => {
    refuse(typeof done === 'string' ? done : undefined);
    if (typeof done === 'string') return;
    editor.change(what, () => ('graph' in done ? done.graph : done));
    if ('graph' in done) editor.select([done.id]);
  };
  const [id] = ids as [string];
  return (
    <div className="border-t border-line pt-4">
      <div className="flex flex-wrap gap-2">
        {ids.length > 1 ? (
          <Button onClick={() => assist(said.parallel, runInParallel(graph, ids))}>{said.parallel}</Button>
        ) : (
          <>
            <Button onClick={() => assist(said.condition, addConditionAfter(graph, id))}>{said.condition}</Button>
            <Button onClick={() => assist(said.gate, addGateAfter(graph, id))}>{said.gate}</Button>
          </>
        )}
        <Button className="text-bad" onClick={cut}>
          {said.remove(ids.length)}
        </Button>
      </div>
      <Why why={why} />
    </div>
  );
}

function Several({ graph, selected }: { graph: WorkflowGraph; selected: readonly string[] }) {
  return (
    <div className="grid gap-4">
      <h2 className="text-base font-semibold">{said.some(selected.length)}</h2>
      <NodeList nodes={graph.nodes.filter(node => selected.includes(node.id))} />
      <Actions graph={graph} ids={selected} />
    </div>
  );
}

function Summary({ graph }: { graph: WorkflowGraph }) {
  return (
    <div className="grid gap-3">
      <header>
        <h2 className="text-base font-semibold break-words">{graph.name || graph.id}</h2>
        <p className="text-xs text-faint">{said.summary(graph.nodes.length, links(graph).length)}</p>
        {graph.description && <p className="mt-2 text-sm break-words whitespace-pre-wrap text-soft">{graph.description}</p>}
      </header>
      <p className="text-sm text-soft">{said.none}</p>
      <NodeList nodes={graph.nodes} />
    </div>
  );
}

/** Nodes, each a way to its form. */
function NodeList({ nodes }: { nodes: readonly WorkflowNode[] }) {
  const { editor } = use(FormsContext);
  return (
    <ul aria-label={said.all} className="-mx-2">
      {nodes.map(node => (
        <li key={node.id}>
          <button type="button" onClick={() => editor.select([node.id])} className="flex w-full min-w-0 items-baseline justify-between gap-3 rounded-md px-2 py-1 text-start hover:bg-hover">
            <span className="min-w-0 truncate font-mono text-code">{node.id}</span>
            <span className="shrink-0 text-xs text-faint">{panelText.types[node.type]}</span>
          </button>
        </li>
      ))}
    </ul>
  );
}
