import type { Box, Ends, Layout, Point } from './layout.ts';

export type Direction = 'up' | 'down' | 'left' | 'right';

/**
 * The box that is next in a direction. Up and down go along edges, to the nearest end if there are several, and where no edge leads, to the
 * nearest box; left and right stay in the row.
 */
export function next(boxes: readonly Box[], links: readonly Ends[], { at }: Layout, from: string, direction: Direction): string | undefined {
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
  const linked = new Set(links.flatMap(({ from: a, to: b }) => (direction === 'down' ? (a === from ? [b] : []) : b === from ? [a] : [])));
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
