import type { Box, Layout, Point, Size } from './layout.ts';

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

/** All of what is placed, unless it had to be too small: then its beginning, as large as may be, and the whole of its width if that can be. */
export function overview(boxes: readonly Box[], { at }: Layout, screen: Screen, smallest: number, largest: number): Seen {
  if (boxes.length === 0) return { x: screen.width / 2, y: screen.height / 2, zoom: 1 };
  const room = clear(screen);
  const corners = boxes.map(box => ({ box, ...at.get(box.id)! }));
  const left = Math.min(...corners.map(({ x }) => x));
  const right = Math.max(...corners.map(({ x, box }) => x + box.width));
  const top = Math.min(...corners.map(({ y }) => y));
  const bottom = Math.max(...corners.map(({ y, box }) => y + box.height));
  const [wide, high] = [room.width / (right - left), room.height / (bottom - top)];
  const fitting = Math.min(wide, high, 1);
  const zoom = fitting < smallest ? Math.max(Math.min(wide, largest), smallest) : fitting;
  const [first] = corners;
  const x = !first || zoom <= wide ? (left + right) / 2 : first.x + first.box.width / 2;
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
