import { useEffect, useMemo, useRef, useState } from 'react';
import { useStore } from '../../ui/store.ts';
import type { Editor } from '../editor.ts';
import { links as linksOf, type Link } from '../graph/links.ts';
import type { CardNode } from './card.tsx';
import { cardsOf, edgesOf, faced, shapeOf, type Faced, type LinkEdge } from './flow.ts';
import { layout as layOut, type Layout } from './layout.ts';
import type { Selection } from './selection.ts';

/** A workflow as it is drawn. */
export interface Figure {
  boxes: readonly Faced[];
  links: readonly Link[];
  layout: Layout;
  current: string | undefined; // the node that Tab leads to: the one that was focused, if it is still there
  cards: CardNode[]; // in the order in which they are read
  edges: LinkEdge[];
  isWhole: boolean; // or cards are still being added: see first
}

/** How many cards are drawn at once when a large workflow is opened: more than are seen. The others follow, as many in each frame. */
const first = 40;
const further = 32;

/** Draws what is edited. What does not change stays the same object, so that only what changes is drawn again. */
export function useFigure(editor: Editor, { nodes: selected, edges: picked, focused }: Selection): Figure {
  const graph = useStore(editor, state => state.graph);
  const problems = useStore(editor, state => state.problems);
  const links = useMemo(() => linksOf(graph), [graph]);
  const boxes = useMemo(() => faced(graph), [graph]);
  const shape = shapeOf(boxes, links);
  // oxlint-disable-next-line react/exhaustive-deps -- the shape is what of them counts here
  const layout = useMemo(() => layOut(boxes, links), [shape]);
  const current = [focused, selected[0]].find(id => id !== undefined && layout.at.has(id)) ?? boxes[0]?.id;
  const drawn = useRef<Pick<Figure, 'cards' | 'edges'>>({ cards: [], edges: [] });
  const cards = useMemo(
    () => cardsOf(graph, boxes, links, { layout, selected, current, problems }, drawn.current.cards),
    [graph, boxes, links, layout, selected, current, problems],
  );
  const edges = useMemo(() => edgesOf(links, layout, picked, drawn.current.edges), [links, layout, picked]);
  useEffect(() => {
    drawn.current = { cards, edges };
  });
  const [drawnCards, draw] = useState(first);
  const isWhole = drawnCards >= cards.length;
  useEffect(() => {
    if (isWhole) return;
    const frame = requestAnimationFrame(() => draw(n => n + further));
    return () => cancelAnimationFrame(frame);
  }, [isWhole, drawnCards]);
  const shown = useMemo(() => part({ cards, edges }, drawnCards), [cards, edges, drawnCards]);
  return { boxes, links, layout, current, isWhole, ...shown };
}

function part({ cards, edges }: Pick<Figure, 'cards' | 'edges'>, n: number): Pick<Figure, 'cards' | 'edges'> {
  if (n >= cards.length) return { cards, edges };
  const shown = cards.slice(0, n);
  const ids = new Set(shown.map(({ id }) => id));
  return { cards: shown, edges: edges.filter(({ source, target }) => ids.has(source) && ids.has(target)) };
}
