import { use, useDeferredValue, useMemo, type RefObject } from 'react';
import type { WorkflowGraph } from '../../api/types.gen.ts';
import { Select } from '../../ui/select.tsx';
import { useStore } from '../../ui/store.ts';
import { after, order } from '../graph/order.ts';
import { panelText } from './text.ts';
import { FormsContext } from './use_field.ts';

/** The nodes that have run when one begins, in the order of the file. */
function before(graph: WorkflowGraph, id: string): string[] {
  const earlier = after(order(graph).map(({ from, to }) => ({ from: to, to: from })), id);
  return graph.nodes.map(node => node.id).filter(each => each !== id && earlier.has(each));
}

/** What may be filled into a text, with outputs of nodes if it is of one. A secret may not. */
export function offersFor(graph: WorkflowGraph, index?: number): string[] {
  const node = index === undefined ? undefined : graph.nodes[index];
  return [
    ...(graph.inputs ?? []).filter(input => input.name && input.type !== 'secret').map(input => `inputs.${input.name}`),
    ...(graph.context ?? []).filter(entry => entry.key).map(entry => `ctx.${entry.key}`),
    ...(node ? before(graph, node.id) : []).map(id => `run.outputs["${id}"]`),
    'run.id',
  ];
}

interface InsertProps {
  label: string;
  node: number | undefined; // whose text it is
  area: RefObject<HTMLTextAreaElement | null>;
  onInsert: (text: string) => void;
}

/** Puts a reference where the caret is. */
export function Insert({ label, node, area, onInsert }: InsertProps) {
  const { editor } = use(FormsContext);
  const graph = useDeferredValue(useStore(editor, state => state.graph)); // what can be inserted may come after what is typed
  const options = useMemo(() => [['', panelText.insert] as const, ...offersFor(graph, node).map(name => [name, name] as const)], [graph, node]);
  const choose = (name: string) => {
    const { value, selectionStart, selectionEnd } = area.current!;
    const reference = `{{ ${name} }}`;
    onInsert(value.slice(0, selectionStart) + reference + value.slice(selectionEnd));
    area.current!.focus();
    const end = selectionStart + reference.length;
    requestAnimationFrame(() => area.current?.setSelectionRange(end, end));
  };
  return (
    <Select
      label={panelText.insertInto(label)}
      hint={panelText.inserted}
      value=""
      options={options}
      onChoose={choose}
      className="h-6 w-20 shrink-0 text-xs"
    />
  );
}
