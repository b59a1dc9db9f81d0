import { Graph, layout as dagre, type LayoutConfig } from '@dagrejs/dagre';

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

/** An edge between two boxes. Several may have the same ends, and be told apart by their ids. */
export interface Wire {
  id: string;
  from: string;
  to: string;
}

export interface Layout {
  at: ReadonlyMap<string, Point>; // the upper left corner of each box
  /** Where a wire that is longer than from one row to the next goes between the boxes. */
  bends: ReadonlyMap<string, readonly Point[]>;
}

/** How far boxes are apart: beside each other, and between rows. */
const gaps = { nodesep: 36, edgesep: 24, ranksep: 36 };

/**
 * Places boxes in rows, from the top down, as a conversation is read: whoever comes later is lower. The same boxes and wires, in the same
 * order, are always placed alike. Ids of boxes are unique; wires whose ends are not there are left out.
 *
 * Where all that comes later hangs from one box, what is above it and what is below are placed on their own, and joined in that box: a long
 * chain is placed in no time.
 */
export function layout(boxes: readonly Box[], wires: readonly Wire[]): Layout {
  const ids = new Set(boxes.map(({ id }) => id));
  const drawn = wires.filter(({ from, to }) => ids.has(from) && ids.has(to));
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
function pieces(boxes: readonly Box[], wires: readonly Wire[]): Box[][] {
  const order = forward(boxes, wires);
  if (order.length < boxes.length) return [[...boxes]];
  const place = new Map(order.map(({ id }, n) => [id, n]));
  const reach = order.map(() => -1); // the place of the last box that a wire leads to from here
  const isHung = order.map(() => false);
  for (const { from, to } of wires) {
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

/** Boxes in an order in which all wires lead forward, and which is else as it was. Those that are in a circle, or come after one, are left out. */
function forward(boxes: readonly Box[], wires: readonly Wire[]): Box[] {
  const waits = new Map(boxes.map(({ id }) => [id, 0]));
  const after = new Map<string, string[]>();
  for (const { from, to } of wires) {
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

function placePiece(boxes: readonly Box[], wires: readonly Wire[]): Layout {
  const [upper, lower] = boxes;
  if (upper && lower && boxes.length === 2 && wires.length > 0 && wires.every(({ from, to }) => from === upper.id && to === lower.id)) {
    const under = { x: Math.round((upper.width - lower.width) / 2), y: upper.height + gaps.ranksep };
    return { at: new Map([[upper.id, { x: 0, y: 0 }], [lower.id, under]]), bends: new Map(wires.map(({ id }) => [id, []])) };
  }
  const graph = new Graph<object, Size & Partial<Point>, { points?: Point[] }>({ multigraph: true });
  graph.setGraph({ ...gaps, rankdir: 'TB', ranker: 'tight-tree' });
  for (const { id, width, height } of boxes) graph.setNode(id, { width, height });
  for (const { id, from, to } of wires) graph.setEdge(from, to, {}, id);
  dagre(graph, { customOrder: asWritten });
  return {
    at: new Map(boxes.map(({ id, width, height }) => [id, corner(graph.node(id), width, height)])),
    bends: new Map(wires.map(({ id, from, to }) => [id, between(graph.edge(from, to, id).points ?? [])])),
  };
}

type Ordering = NonNullable<LayoutConfig['customOrder']>;

/** From left to right, boxes are as they come in the graph, unless fewer wires cross in another order. */
const asWritten: Ordering = (graph, order) => {
  order(graph, { disableOptimalOrderHeuristic: true });
  const least = crossings(graph);
  if (least === 0) return;
  const before = graph.nodes().map(id => graph.node(id).order);
  order(graph);
  if (crossings(graph) >= least) for (const [n, id] of graph.nodes().entries()) graph.node(id).order = before[n];
};

/** How often wires cross, each of which goes from one row to the next here. */
function crossings(graph: Parameters<Ordering>[0]): number {
  const rows = new Map<number, [number, number][]>();
  for (const { v, w } of graph.edges()) {
    const { rank = 0, order = 0 } = graph.node(v);
    rows.set(rank, [...(rows.get(rank) ?? []), [order, graph.node(w).order ?? 0]]);
  }
  let count = 0;
  for (const wires of rows.values()) for (const [a, b] of wires) for (const [c, d] of wires) if (a < c && b > d) count++;
  return count;
}

function corner({ x = 0, y = 0 }: Partial<Point>, width: number, height: number): Point {
  return { x: Math.round(x - width / 2), y: Math.round(y - height / 2) };
}

/** The ends of a wire are where its boxes have their handles. Between one row and the next there is a single point, which says nothing. */
function between(points: readonly Point[]): readonly Point[] {
  const inner = points.slice(1, -1);
  return inner.length > 1 ? inner.map(({ x, y }) => ({ x: Math.round(x), y: Math.round(y) })) : [];
}

export type Direction = 'up' | 'down' | 'left' | 'right';

/**
 * The box that is next in a direction. Up and down go along wires, to the nearest end if there are several, and where no wire leads, to the
 * nearest box; left and right stay in the row.
 */
export function next(boxes: readonly Box[], wires: readonly Wire[], { at }: Layout, from: string, direction: Direction): string | undefined {
  const here = boxes.find(({ id }) => id === from);
  if (!here) return undefined;
  const others = boxes.filter(({ id }) => id !== from);
  const shift = (box: Box): Point => {
    const [a, b] = [at.get(here.id)!, at.get(box.id)!];
    return { x: b.x + box.width / 2 - a.x - here.width / 2, y: b.y + box.height / 2 - a.y - here.height / 2 };
  };
  const inRow = (box: Box) => at.get(box.id)!.y < at.get(here.id)!.y + here.height && at.get(here.id)!.y < at.get(box.id)!.y + box.height;
  if (direction === 'left' || direction === 'right') {
    const sign = direction === 'right' ? 1 : -1;
    return nearest(others.filter(box => inRow(box) && shift(box).x * sign > 0), shift);
  }
  const sign = direction === 'down' ? 1 : -1;
  const linked = new Set(wires.flatMap(({ from: a, to: b }) => (direction === 'down' ? (a === from ? [b] : []) : b === from ? [a] : [])));
  return nearest(others.filter(({ id }) => linked.has(id)), shift) ?? nearest(others.filter(box => !inRow(box) && shift(box).y * sign > 0), shift);
}

function nearest(boxes: readonly Box[], shift: (box: Box) => Point): string | undefined {
  let best: { id: string; far: number } | undefined;
  for (const box of boxes) {
    const { x, y } = shift(box);
    const far = Math.hypot(x, y);
    if (!best || far < best.far) best = { id: box.id, far };
  }
  return best?.id;
}

/** A part of the board that is seen: how far it is moved, and how large things are in it. */
export interface Seen extends Point {
  zoom: number;
}

/** What the board is seen in. On its left side are tools. */
export interface Screen extends Size {
  left: number;
}

/** What lies over the other sides of the board leaves so much of it. */
const margins = { right: 24, top: 64, bottom: 68 };

/** The part of a screen that nothing lies over. */
function clear({ left, width, height }: Screen): Size & Point {
  return { x: left, y: margins.top, width: width - left - margins.right, height: height - margins.top - margins.bottom };
}

/** All of what is placed, unless it had to be smaller than that: then its beginning, at another size. */
export function overview(boxes: readonly Box[], { at }: Layout, screen: Screen, smallest: number, other: number): Seen {
  if (boxes.length === 0) return { x: screen.width / 2, y: screen.height / 2, zoom: 1 };
  const room = clear(screen);
  const corners = boxes.map(box => ({ box, ...at.get(box.id)! }));
  const left = Math.min(...corners.map(({ x }) => x));
  const right = Math.max(...corners.map(({ x, box }) => x + box.width));
  const top = Math.min(...corners.map(({ y }) => y));
  const bottom = Math.max(...corners.map(({ y, box }) => y + box.height));
  const fitting = Math.min(room.width / (right - left), room.height / (bottom - top), 1);
  const zoom = fitting < smallest ? other : fitting;
  const first = corners.find(({ y }) => y === top)!;
  const x = (right - left) * zoom <= room.width ? (left + right) / 2 : first.x + first.box.width / 2;
  const spare = Math.max((room.height - (bottom - top) * zoom) / 2, 0);
  return { x: room.x + room.width / 2 - x * zoom, y: room.y + spare - top * zoom, zoom };
}

/** What is seen, moved as little as shows a box whole; the same object if it is. */
export function showing(box: Box, { at }: Layout, screen: Screen, seen: Seen): Seen {
  const room = clear(screen);
  const { x, y } = at.get(box.id)!;
  const dx = outside(x * seen.zoom + seen.x, box.width * seen.zoom, room.x, room.x + room.width);
  const dy = outside(y * seen.zoom + seen.y, box.height * seen.zoom, room.y, room.y + room.height);
  return dx === 0 && dy === 0 ? seen : { ...seen, x: seen.x - dx, y: seen.y - dy };
}

/** How far a stretch lies outside of another. What is longer shows its beginning. */
function outside(start: number, length: number, from: number, to: number): number {
  if (start < from || length > to - from) return start - from;
  return Math.max(start + length - to, 0);
}
