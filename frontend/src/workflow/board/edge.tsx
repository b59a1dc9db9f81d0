import { BaseEdge, type EdgeProps } from '@xyflow/react';
import { memo } from 'react';
import type { LinkEdge } from './flow.ts';
import type { Point } from './layout.ts';

/** An edge: a line from card to card, through the gaps between them. */
export const EdgeLine = memo(function EdgeLine({ sourceX, sourceY, targetX, targetY, label, markerEnd, data }: EdgeProps<LinkEdge>) {
  const points = [{ x: sourceX, y: sourceY }, ...(data?.bends ?? []), { x: targetX, y: targetY }];
  const middle = points.length % 2 === 0 ? halfway(points[points.length / 2 - 1]!, points[points.length / 2]!) : points[(points.length - 1) / 2]!;
  return (
    <>
      <BaseEdge path={pathThrough(points)} markerEnd={markerEnd} interactionWidth={16} />
      {label && (
        <text x={middle.x} y={middle.y} className="board-label" textAnchor="middle" dominantBaseline="central">
          {label}
        </text>
      )}
    </>
  );
});

function halfway(a: Point, b: Point): Point {
  return { x: (a.x + b.x) / 2, y: (a.y + b.y) / 2 };
}

/** A line through points that goes straight down, or up, at each of them. */
export function pathThrough([first, ...rest]: readonly Point[]): string {
  if (!first) return '';
  let [path, at] = [`M${first.x},${first.y}`, first];
  for (const to of rest) {
    const { y } = halfway(at, to);
    path += ` C${at.x},${y} ${to.x},${y} ${to.x},${to.y}`;
    at = to;
  }
  return path;
}
