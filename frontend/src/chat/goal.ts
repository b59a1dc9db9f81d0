import { useCallback, useEffect, useRef, type RefObject } from 'react';
import { useParley } from '../parley.ts';
import { mark } from '../search/marks.ts';
import { useStore } from '../ui/store.ts';
import type { OpenSession } from './session.ts';

/** How long what is at the goal may take until it is laid out, in milliseconds. */
const patience = 1_500;

type Marked = (ranges: Range[]) => void;

/**
 * Takes the reader to the message that the session is to show: to its turn at once, and, when marks come into it, to the
 * first of those. bring scrolls to the turn of a message, and says whether it is here.
 */
export function useGoal(session: OpenSession, scroller: RefObject<HTMLElement | null>, bring: (id: string) => boolean): Marked {
  const goal = useStore(session.pages, state => state.goal);
  const until = useRef(0);
  const turn = useRef<string>(undefined);
  const bringing = useRef(bring);
  useEffect(() => {
    bringing.current = bring;
    if (!goal || !bring(goal)) return;
    until.current = performance.now() + patience;
    turn.current = goal;
    session.pages.reached();
    // What lies around it may turn out larger than it was thought to be, and push it out of view again.
    requestAnimationFrame(function stay() {
      if (performance.now() > until.current || !scroller.current) return;
      if (!isInView(scroller.current, goal)) bringing.current(goal);
      requestAnimationFrame(stay);
    });
  });
  useEffect(() => {
    // Who moves the view is where they want to be.
    const view = scroller.current!;
    const moved = () => (until.current = 0);
    for (const event of ['wheel', 'touchmove', 'keydown', 'pointerdown']) view.addEventListener(event, moved, { passive: true });
    return () => {
      for (const event of ['wheel', 'touchmove', 'keydown', 'pointerdown']) view.removeEventListener(event, moved);
    };
  }, [scroller]);
  return useCallback(
    ranges => {
      if (performance.now() > until.current) return;
      const message = messageIn(scroller.current!, turn.current!);
      const first = message && ranges.find(range => message.contains(range.startContainer));
      if (first) bringIntoView(scroller.current!, first);
    },
    [scroller],
  );
}

function messageIn(view: HTMLElement, id: string): Element | null {
  return view.querySelector(`[data-message="${CSS.escape(id)}"]`);
}

function isInView(view: HTMLElement, id: string): boolean {
  const { top, bottom } = view.getBoundingClientRect();
  const place = messageIn(view, id)?.getBoundingClientRect();
  return place !== undefined && place.bottom > top && place.top < bottom;
}

function bringIntoView(view: HTMLElement, range: Range): void {
  const { top, bottom, height } = view.getBoundingClientRect();
  const place = range.getBoundingClientRect();
  if (place.top < top + 40 || place.bottom > bottom - 40) view.scrollBy(0, place.top - top - height / 3);
}

/** Marks what was searched for in a conversation, until Escape or the next search. */
export function useMarks(session: string, content: RefObject<HTMLElement | null>, onMarked: Marked): void {
  const { search } = useParley();
  const words = useStore(search, state => (state.marks?.session === session ? state.marks.words : undefined));
  useEffect(() => {
    if (!words) return;
    const pressed = (event: KeyboardEvent) => event.key === 'Escape' && search.unmark();
    window.addEventListener('keydown', pressed);
    const unmark = mark(content.current!, words, onMarked);
    return () => {
      window.removeEventListener('keydown', pressed);
      unmark();
    };
  }, [search, content, words, onMarked]);
}
