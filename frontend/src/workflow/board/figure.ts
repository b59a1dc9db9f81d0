import { useEffect, useMemo, useRef } from 'react';
import { useStore } from '../../ui/store.ts';
import type { Editor } from '../editor.ts';
import { links as linksOf, type Link } from '../graph/links.ts';
import type { CardNode } from './card.tsx';
import { cardsOf, faced, shapeOf, wiresOf, type Faced, type WireEdge } from './flow.ts';
import { layout as layOut, type Layout } from './layout.ts';

/** A workflow as it is drawn. */
export interface Figure {
  boxes: readonly Faced[];
  links: readonly Link[];
  layout: Layout;
  current: string | undefined; // the node that Tab leads to: the one that was focused, if it is still there
  cards: CardNode[];
  wires: WireEdge[];
}

/** Draws what is edited. What does not change stays the same object, so that only what changes is drawn again. */
export function useFigure(editor: Editor, focused: string | undefined, picked: ReadonlySet<string>): Figure {
  const graph = useStore(editor, state => state.graph);
  const selected = useStore(editor, state => state.selected);
  const problems = useStore(editor, state => state.problems);
  const links = useMemo(() => linksOf(graph), [graph]);
  const boxes = useMemo(() => faced(graph), [graph]);
  const shape = shapeOf(boxes, links);
  // oxlint-disable-next-line react/exhaustive-deps -- the shape is what of them counts here
  const layout = useMemo(() => layOut(boxes, links), [shape]);
  const current = [focused, selected[0]].find(id => id !== undefined && layout.at.has(id)) ?? boxes[0]?.id;
  const drawn = useRef<Pick<Figure, 'cards' | 'wires'>>({ cards: [], wires: [] });
  const cards = useMemo(
    () => cardsOf(graph, boxes, links, { layout, selected, current, problems }, drawn.current.cards),
    [graph, boxes, links, layout, selected, current, problems],
  );
  const wires = useMemo(() => wiresOf(links, layout, picked, drawn.current.wires), [links, layout, picked]);
  useEffect(() => {
    drawn.current = { cards, wires };
  });
  return { boxes, links, layout, current, cards, wires };
}
