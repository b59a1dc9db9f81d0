import { useReactFlow } from '@xyflow/react';
import { useEffect, useRef, type RefObject } from 'react';
import type { Figure } from './figure.ts';
import type { Layout } from './layout.ts';
import { overview, showing, type Screen } from './seen.ts';
import type { Selection } from './selection.ts';

/** How small things may become by zooming out, how small all of a workflow may be at first, and how large a part of it is then. */
export const smallest = 0.1;
const readable = 0.55;
const large = 0.85;

/** Beside the tools. */
const margin = 15;

export interface Sight {
  show: (id: string) => void; // moves as little as shows it
  all: () => void;
  closer: () => void;
  farther: () => void;
}

/**
 * What of the board is seen. A workflow is shown from its beginning when it is opened; when its cards are placed anew, the one that a person
 * is at stays where it is on the screen; what somebody else selects is shown.
 */
export function useSight(frame: RefObject<HTMLElement | null>, { boxes, layout, current }: Figure, { unseen }: Selection): Sight {
  const flow = useReactFlow();
  const placed = useRef<Layout>(undefined);
  const see = (least: number, most: number) => void flow.setViewport(overview(boxes, layout, screenOf(frame), least, most));
  useEffect(() => {
    const before = placed.current;
    placed.current = layout;
    if (!before) return see(readable, large);
    const [old, now] = [current !== undefined && before.at.get(current), current !== undefined && layout.at.get(current)];
    if (!old || !now || before === layout) return;
    const { x, y, zoom } = flow.getViewport();
    void flow.setViewport({ x: x + (old.x - now.x) * zoom, y: y + (old.y - now.y) * zoom, zoom });
  });
  const show = (id: string) => {
    const box = boxes.find(each => each.id === id);
    if (!box) return;
    const before = flow.getViewport();
    const now = showing(box, layout, screenOf(frame), before);
    if (now !== before) void flow.setViewport(now);
  };
  useEffect(() => {
    const id = unseen();
    if (id !== undefined) show(id);
  });
  return { show, all: () => see(smallest, smallest), closer: () => void flow.zoomIn(), farther: () => void flow.zoomOut() };
}

function screenOf({ current: element }: RefObject<HTMLElement | null>): Screen {
  const tools = element?.querySelector<HTMLElement>('[data-palette]')?.offsetWidth ?? 0;
  return { width: element?.clientWidth ?? 0, height: element?.clientHeight ?? 0, left: tools + 2 * margin };
}
