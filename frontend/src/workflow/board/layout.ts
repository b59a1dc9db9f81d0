import { Graph, layout as dagre, type LayoutConfig } from '@dagrejs/dagre';
import type { Link } from '../graph/links.ts';

export interface Point {
  x: number;
  y: number;
}

export interface Size {
  width: number;
  height: number;
}

/** Something to be placed. */
export interface Box extends Size {
  id: string;
}

/** What of an edge counts here. Several may have the same ends. */
export type Ends = Pick<Link, 'id' | 'from' | 'to'>;

export interface Layout {
  at: ReadonlyMap<string, Point>; // the upper left corner of each box
  /** Where an edge that is longer than from one row to the next goes between the boxes. */
  bends: ReadonlyMap<string, readonly Point[]>;
}

/** How far boxes are apart: beside each other, and between rows. */
const gaps = { nodesep: 36, edgesep: 24, ranksep: 36 };

/**
 * Places boxes in rows, from the top down, as a conversation is read: whoever comes later is lower. The same boxes and edges, in the same
 * order, are always placed alike. Ids of boxes are unique; edges whose ends are not there are left out.
 *
 * Where everything goes through one box, what is above it and what is below are placed on their own, and joined in that box: a long chain is
 * placed in no time.
 */
export function layout(boxes: readonly Box[], links: readonly Ends[]): Layout {
  const ids = new Set(boxes.map(({ id }) => id));
  const drawn = links.filter(({ from, to }) => ids.has(from) && ids.has(to));
  const at = new Map<string, Point>();
  const bends = new Map<string, readonly Point[]>();
  for (const piece of pieces(boxes, drawn)) {
    const inside = new Set(piece.map(({ id }) => id));
    const [neck] = piece;
    const joint = neck && at.get(neck.id);
    const placed = placePiece(piece, drawn.filter(({ from, to }) => inside.has(from) && inside.has(to)));
    const own = (neck && placed.at.get(neck.id)) ?? { x: 0, y: 0 };
    const shift = joint ? { x: joint.x - own.x, y: joint.y - own.y } : { x: 0, y: 0 };
    const moved = ({ x, y }: Point) => ({ x: x + shift.x, y: y + shift.y });
    for (const [id, point] of placed.at) at.set(id, moved(point));
    for (const [id, points] of placed.bends) bends.set(id, points.map(moved));
  }
  return { at, bends };
}

/**
 * Boxes, cut at each that all before it lead to, and all after it hang from. It is the last of one piece, and the first of the next. A graph
 * with a circle, which no workflow should have, is one piece.
 */
function pieces(boxes: readonly Box[], links: readonly Ends[]): Box[][] {
  const order = forward(boxes, links);
  if (order.length < boxes.length) return [[...boxes]];
  const place = new Map(order.map(({ id }, n) => [id, n]));
  const reach = order.map(() => -1); // the place of the last box that an edge leads to from here
  const isHung = order.map(() => false);
  for (const { from, to } of links) {
    const [start, end] = [place.get(from)!, place.get(to)!];
    reach[start] = Math.max(reach[start]!, end);
    isHung[end] = true;
  }
  const [firstEnd, lastStart] = [reach.indexOf(-1), isHung.lastIndexOf(false)];
  const found: Box[][] = [];
  let [begin, farthest] = [0, 0];
  for (let n = 1; n <= firstEnd; n++) {
    farthest = Math.max(farthest, reach[n - 1]!);
    if (farthest > n || n < lastStart) continue;
    found.push(order.slice(begin, n + 1));
    begin = n;
  }
  if (begin < order.length - 1 || found.length === 0) found.push(order.slice(begin));
  return found;
}

/** Boxes in an order in which all edges lead forward, and which is else as it was. Those that are in a circle, or come after one, are left out. */
function forward(boxes: readonly Box[], links: readonly Ends[]): Box[] {
  const waits = new Map(boxes.map(({ id }) => [id, 0]));
  const after = new Map<string, string[]>();
  for (const { from, to } of links) {
    waits.set(to, waits.get(to)! + 1);
    after.set(from, [...(after.get(from) ?? []), to]);
  }
  const order: Box[] = [];
  for (let rest = [...boxes]; ; ) {
    const free = rest.find(({ id }) => waits.get(id) === 0);
    if (!free) return order;
    order.push(free);
    rest = rest.filter(box => box !== free);
    for (const to of after.get(free.id) ?? []) waits.set(to, waits.get(to)! - 1);
  }
}

function placePiece(boxes: readonly Box[], links: readonly Ends[]): Layout {
  const [upper, lower] = boxes;
  if (upper && lower && boxes.length === 2 && links.length > 0 && links.every(({ from, to }) => from === upper.id && to === lower.id)) {
    const under = { x: Math.round((upper.width - lower.width) / 2), y: upper.height + gaps.ranksep };
    return { at: new Map([[upper.id, { x: 0, y: 0 }], [lower.id, under]]), bends: new Map(links.map(({ id }) => [id, []])) };
  }
  const graph = new Graph<object, Size & Partial<Point>, { points?: Point[] }>({ multigraph: true });
  graph.setGraph({ ...gaps, rankdir: 'TB', ranker: 'tight-tree' });
  // Dagre keeps nodes in plain objects: it takes no id that is empty, and none that objects have already.
  const names = new Map(boxes.map(({ id }, n) => [id, `n${n}`]));
  const nameOf = (id: string) => names.get(id)!;
  for (const { id, width, height } of boxes) graph.setNode(nameOf(id), { width, height });
  for (const { id, from, to } of links) graph.setEdge(nameOf(from), nameOf(to), {}, id);
  dagre(graph, { customOrder: asWritten });
  return {
    at: new Map(boxes.map(({ id, width, height }) => [id, corner(graph.node(nameOf(id)), width, height)])),
    bends: new Map(links.map(({ id, from, to }) => [id, between(graph.edge(nameOf(from), nameOf(to), id).points ?? [])])),
  };
}

type Ordering = NonNullable<LayoutConfig['customOrder']>;

/** From left to right, boxes are as they come in the graph, unless fewer edges cross in another order. */
const asWritten: Ordering = (graph, order) => {
  order(graph, { disableOptimalOrderHeuristic: true });
  const least = crossings(graph);
  if (least === 0) return;
  const before = graph.nodes().map(id => graph.node(id).order);
  order(graph);
  if (crossings(graph) >= least) for (const [n, id] of graph.nodes().entries()) graph.node(id).order = before[n];
};

/** How often edges cross, each of which goes from one row to the next here. */
function crossings(graph: Parameters<Ordering>[0]): number {
  const rows = new Map<number, [number, number][]>();
  for (const { v, w } of graph.edges()) {
    const { rank = 0, order = 0 } = graph.node(v);
    rows.set(rank, [...(rows.get(rank) ?? []), [order, graph.node(w).order ?? 0]]);
  }
  let count = 0;
  for (const row of rows.values()) for (const [a, b] of row) for (const [c, d] of row) if (a < c && b > d) count++;
  return count;
}

function corner({ x = 0, y = 0 }: Partial<Point>, width: number, height: number): Point {
  return { x: Math.round(x - width / 2), y: Math.round(y - height / 2) };
}

/** The ends of an edge are where its boxes have their handles. Between one row and the next there is a single point, which says nothing. */
function between(points: readonly Point[]): readonly Point[] {
  const inner = points.slice(1, -1);
  return inner.length > 1 ? inner.map(({ x, y }) => ({ x: Math.round(x), y: Math.round(y) })) : [];
}
