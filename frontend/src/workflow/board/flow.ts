import { type Edge, MarkerType, type NodeHandle, Position } from '@xyflow/react';
import type { FileProblem, WorkflowGraph, WorkflowNodeType } from '../../api/types.gen.ts';
import type { Link } from '../graph/links.ts';
import { problemsByNode } from '../problems.ts';
import { type CardNode, describedBy, placeOfOut, sizeOf } from './card.tsx';
import { face, type Face, type Out } from './face.ts';
import type { Box, Layout, Point } from './layout.ts';
import { boardText as text } from './text.ts';

export interface LinkData extends Record<string, unknown> {
  bends: readonly Point[];
}

export type LinkEdge = Edge<LinkData, 'link'>;

/** A node with what its card shows, which says how large that is. */
export interface Faced extends Box {
  type: WorkflowNodeType;
  face: Face;
}

/** The nodes of a graph as boxes. While it is edited, two may have the same id: the first is shown. */
export function faced(graph: WorkflowGraph): Faced[] {
  const ids = new Set<string>();
  return graph.nodes.flatMap(node => {
    if (ids.has(node.id)) return [];
    ids.add(node.id);
    const shown = face(node, graph);
    return [{ id: node.id, type: node.type, face: shown, ...sizeOf(shown) }];
  });
}

/** What of a graph decides where its nodes are. */
export function shapeOf(boxes: readonly Box[], links: readonly Link[]): string {
  return JSON.stringify([boxes.map(({ id, width, height }) => [id, width, height]), links.map(({ id }) => id)]);
}

export interface Looks {
  layout: Layout;
  selected: readonly string[];
  current: string | undefined; // the node that Tab leads to
  problems: readonly FileProblem[];
}

/** The cards of a graph. Those that are as they were before are the same objects, and are not drawn again. */
export function cardsOf(graph: WorkflowGraph, boxes: readonly Faced[], links: readonly Link[], { layout, selected, current, problems }: Looks, before: CardNode[]): CardNode[] {
  const known = new Map(before.map(card => [card.id, card]));
  const wrong = problemsByNode(graph, problems);
  const preceding = new Map<string, string[]>();
  for (const { from, to } of links) preceding.set(to, [...(preceding.get(to) ?? []), from]);
  const chosen = new Set(selected);
  const aims = aimsOf(boxes, links, layout);
  const cards = read(boxes, layout).map(box => {
    const says = wrong.get(box.id)?.map(({ message }) => message) ?? [];
    const card: CardNode = {
      ...cardOf({ ...box, face: sorted(box, aims) }, layout.at.get(box.id)!, says),
      selected: chosen.has(box.id),
      ariaLabel: text.named(box.type, box.id, preceding.get(box.id) ?? [], says.length),
      domAttributes: { tabIndex: box.id === current ? 0 : -1, ...(says.length > 0 && { 'aria-describedby': describedBy(box.id) }) },
    };
    const old = known.get(box.id);
    return old && JSON.stringify(old) === JSON.stringify(card) ? old : card;
  });
  return kept(cards, before);
}

/** What is as it was before, as the same list: nothing has to be drawn then. */
function kept<T>(now: T[], before: T[]): T[] {
  return now.length === before.length && now.every((each, n) => each === before[n]) ? before : now;
}

/** Boxes in the order in which they are read: whoever hears the page, instead of seeing it, hears it so too. */
function read(boxes: readonly Faced[], { at }: Layout): Faced[] {
  return boxes.toSorted((a, b) => at.get(a.id)!.y - at.get(b.id)!.y || at.get(a.id)!.x - at.get(b.id)!.x);
}

/** Where, from left to right, the first stretch of an edge goes, by what it leaves. */
function aimsOf(boxes: readonly Faced[], links: readonly Link[], { at, bends }: Layout): Map<string, number> {
  const widths = new Map(boxes.map(({ id, width }) => [id, width]));
  return new Map(links.map(({ id, from, handle, to }) => [aimOf(from, handle), bends.get(id)?.[0]?.x ?? at.get(to)!.x + widths.get(to)! / 2]));
}

const aimOf = (from: string, handle: string | undefined) => `${from}:${handle ?? ''}`;

/** What a card shows, with the ways out in the order in which their edges go on, so that they need not cross. Those that lead nowhere are last. */
function sorted({ id, face: { lines, outs } }: Faced, aims: ReadonlyMap<string, number>): Face {
  const aim = ({ handle }: Out) => aims.get(aimOf(id, handle)) ?? Number.MAX_VALUE;
  return { lines, outs: outs.toSorted((a, b) => aim(a) - aim(b)) };
}

function cardOf({ id, type, face: shown, width, height }: Faced, position: Point, problems: readonly string[]): CardNode {
  return {
    id,
    type: 'card',
    position,
    width,
    height,
    measured: { width, height },
    handles: handlesOf(shown, width, height),
    data: { type, face: shown, problems },
  };
}

/** Where edges end and begin, so that they can be drawn before anything is. */
function handlesOf({ outs }: Face, width: number, height: number): NodeHandle[] {
  const ends: NodeHandle = { type: 'target', id: null, position: Position.Top, x: 0, y: 0, width, height };
  const begins = outs.map(({ handle }, n): NodeHandle => ({
    type: 'source',
    id: handle ?? null,
    position: Position.Bottom,
    x: placeOfOut(n, outs.length) * width - handleSize / 2,
    y: height - handleSize / 2,
    width: handleSize,
    height: handleSize,
  }));
  return [ends, ...begins];
}

/** As board.css has it. */
const handleSize = 10;

/** The edges that are drawn of links. Those that are as they were before are the same objects. */
export function edgesOf(links: readonly Link[], layout: Layout, picked: ReadonlySet<string>, before: LinkEdge[]): LinkEdge[] {
  const known = new Map(before.map(edge => [edge.id, edge]));
  const edges = links.map(({ id, from, handle, to, kind, label }): LinkEdge => {
    const old = known.get(id);
    const bends = layout.bends.get(id) ?? [];
    const shown = kind === 'branch' || kind === 'default' ? undefined : label;
    if (old && old.selected === picked.has(id) && old.data?.bends === bends && old.label === shown) return old;
    return {
      id,
      type: 'link',
      source: from,
      target: to,
      sourceHandle: handle ?? null,
      reconnectable: 'target', // at its other end, new edges begin
      label: shown,
      ariaLabel: text.edge(from, to, label),
      selected: picked.has(id),
      markerEnd: { type: MarkerType.ArrowClosed },
      data: { bends },
    };
  });
  return kept(edges, before);
}
