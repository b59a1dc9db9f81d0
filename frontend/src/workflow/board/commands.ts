import type { WorkflowNodeType } from '../../api/types.gen.ts';
import type { Editor } from '../editor.ts';
import { disconnect } from '../graph/connect.ts';
import { add, remove } from '../graph/nodes.ts';
import type { Figure } from './figure.ts';
import type { Command } from './keys.ts';
import { next } from './next.ts';
import type { Selection } from './selection.ts';
import type { Sight } from './sight.ts';
import { boardText as text } from './text.ts';

/** What commands work on. The rest of them is done by others: they go there. */
interface Reach {
  editor: Editor;
  figure: Figure;
  selection: Selection;
  sight: Sight;
  onSaid: (what: string) => void;
  goTo: (place: 'panel' | 'connect' | 'palette' | 'find') => void;
}

/** Does what a key asks for. */
export function run(command: Command, reach: Reach): void {
  const { editor, figure, selection, sight, onSaid, goTo } = reach;
  const { boxes, links, layout, current, cards } = figure;
  switch (command.do) {
    case 'move': {
      const to = current !== undefined && selection.focused !== undefined ? next(boxes, links, layout, current, command.direction) : current;
      if (to === undefined) return;
      sight.show(to);
      selection.focus(to);
      return selection.choose(command.extend ? [...new Set([...selection.nodes, to])] : [to]);
    }
    case 'first':
    case 'last': {
      const to = cards.at(command.do === 'first' ? 0 : -1)?.id;
      return to === undefined ? undefined : selection.show([to], true);
    }
    case 'open':
      if (current !== undefined && selection.nodes.length === 0) selection.choose([current]);
      return goTo('panel');
    case 'delete':
      return removeSelected(reach);
    case 'clear':
      return selection.clear();
    case 'connect':
      return goTo('connect');
    case 'add':
      return goTo('palette');
    case 'find':
      return goTo('find');
    case 'all':
      onSaid(text.said.selected(boxes.length));
      return selection.choose(boxes.map(({ id }) => id));
    case 'undo':
    case 'redo':
      editor[command.do]();
      return selection.focus(editor.value.selected[0]);
    case 'in':
      return sight.closer();
    case 'out':
      return sight.farther();
    case 'fit':
      return sight.all();
  }
}

/** Adds a node after another one, if there is one, and goes there. */
export function addNode(type: WorkflowNodeType, after: string | undefined, { editor, selection }: Pick<Reach, 'editor' | 'selection'>): void {
  const { graph, id } = add(editor.value.graph, type, after);
  editor.change(text.change.add(type), () => graph);
  selection.show([id], true);
}

/** Deletes the nodes and edges that are selected. The focus goes to what was before them. */
export function removeSelected({ editor, figure: { links }, selection, onSaid }: Pick<Reach, 'editor' | 'figure' | 'selection' | 'onSaid'>): void {
  const { nodes } = selection;
  const edges = links.filter(({ id }) => selection.edges.has(id));
  if (nodes.length === 0 && edges.length === 0) return;
  const before = links.find(({ from, to }) => nodes.includes(to) && !nodes.includes(from))?.from;
  const what = nodes.length > 0 ? text.change.delete(nodes.length) : text.change.deleteEdges(edges.length);
  editor.change(what, graph => remove(disconnect(graph, edges), nodes));
  if (nodes.length > 0) onSaid(text.said.deleted(nodes.length));
  selection.clear();
  selection.focus(before);
}
