import type { EdgeChange, NodeChange } from '@xyflow/react';
import { useRef, useState, type FocusEvent, type MouseEvent, type RefObject } from 'react';
import { useStore } from '../../ui/store.ts';
import type { Editor } from '../editor.ts';

/** What is selected on the board, and which card has the focus. */
export interface Selection {
  nodes: readonly string[];
  edges: ReadonlySet<string>;
  focused: string | undefined; // the card that had the focus last
  /** The first node that somebody else selected, as the list of problems does: it has to be shown. It is told once. */
  unseen: () => string | undefined;
  /** Selects nodes that are seen. */
  choose: (ids: readonly string[]) => void;
  clear: () => void;
  /** Gives a card the focus, at the next frame: it may only just have been added. If it is not there, the one that Tab leads to. */
  focus: (id: string | undefined) => void;
  /** Selects nodes and shows the first, which gets the focus if it is to have it, or else is where keys go on from. */
  show: (ids: readonly string[], hasFocus: boolean) => void;
  /** What React Flow, and the board around it, hear. */
  onNodesChange: (changes: NodeChange[]) => void;
  onEdgesChange: (changes: EdgeChange[]) => void;
  onNodeClick: (event: MouseEvent, node: { id: string }) => void;
  onFocus: (event: FocusEvent) => void;
}

const none: ReadonlySet<string> = new Set();

export function useSelection(editor: Editor, frame: RefObject<HTMLElement | null>): Selection {
  const nodes = useStore(editor, state => state.selected);
  const [edges, pick] = useState(none);
  const [focused, setFocused] = useState<string>();
  const seen = useRef(nodes);
  const choose = (ids: readonly string[]) => {
    seen.current = ids;
    editor.select(ids);
  };
  const focus = (id: string | undefined) => {
    setFocused(id);
    requestAnimationFrame(() => {
      const cardOf = (which: string) => frame.current?.querySelector<HTMLElement>(`.react-flow__node${which}`);
      const card = (id !== undefined && cardOf(`[data-id="${CSS.escape(id)}"]`)) || cardOf('[tabindex="0"]') || frame.current;
      card?.focus({ preventScroll: true });
    });
  };
  return {
    nodes,
    edges,
    focused,
    unseen: () => {
      const isSeen = isSame(seen.current, nodes);
      seen.current = nodes;
      return isSeen ? undefined : nodes[0];
    },
    choose,
    clear: () => {
      pick(none);
      choose([]);
    },
    focus,
    show: (ids, hasFocus) => {
      if (hasFocus) focus(ids[0]);
      else setFocused(ids[0]);
      editor.select(ids);
    },
    onNodesChange: changes => {
      const now = after(editor.value.selected, changes);
      if (!isSame(now, editor.value.selected)) choose(now);
    },
    onEdgesChange: changes => pick(new Set(after([...edges], changes))),
    onNodeClick: ({ shiftKey, ctrlKey, metaKey }, { id }) => {
      if (!shiftKey && !ctrlKey && !metaKey) choose([id]);
      focus(id);
    },
    onFocus: ({ target }) => {
      const id = target instanceof HTMLElement && target.matches('.react-flow__node') ? target.dataset.id : undefined;
      if (id !== undefined) setFocused(id);
    },
  };
}

function after(selected: readonly string[], changes: readonly (NodeChange | EdgeChange)[]): string[] {
  const ids = new Set(selected);
  for (const change of changes) if (change.type === 'select') ids[change.selected ? 'add' : 'delete'](change.id);
  return [...ids];
}

function isSame(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((id, n) => id === b[n]);
}
