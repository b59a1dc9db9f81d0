import { useCallback, useEffect, useLayoutEffect, useRef, useState, type RefObject } from 'react';
import { follows, line, type Motion } from './follow.ts';

interface Following {
  /** For the element that scrolls. */
  scroller: RefObject<HTMLDivElement | null>;
  /** For the element inside of it that grows. */
  content: RefObject<HTMLDivElement | null>;
  isFollowing: boolean;
  /** The same, for who asks later. */
  following: RefObject<boolean>;
  /** Goes to the end, and stays there. */
  jump: () => void;
  /** Leaves the end, to go somewhere else. */
  leave: () => void;
  /** Is at the end again if that is in view, once what changed has its place. */
  settle: () => void;
}

/** Keeps a scrolling element at the end of its content while its reader is there. */
export function useFollowing(initially: boolean): Following {
  const scroller = useRef<HTMLDivElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const [isFollowing, setFollowing] = useState(initially);
  const following = useRef(initially);
  const become = useCallback((now: boolean) => {
    following.current = now;
    setFollowing(now);
  }, []);

  const settle = useCallback(() => {
    const look = () => {
      const view = scroller.current;
      if (view && view.scrollHeight - view.clientHeight - view.scrollTop <= line) become(true);
    };
    requestAnimationFrame(() => requestAnimationFrame(look));
  }, [become]);

  useLayoutEffect(() => {
    const view = scroller.current!;
    const pin = () => {
      if (following.current) view.scrollTop = view.scrollHeight;
    };
    const sizes = new ResizeObserver(pin);
    sizes.observe(view);
    sizes.observe(content.current!);
    pin();
    return () => sizes.disconnect();
  }, []);

  useEffect(() => {
    const view = scroller.current!;
    const stop = new AbortController();
    const moved = (motion: Motion) => become(follows(following.current, motion));
    const on = <K extends keyof HTMLElementEventMap>(target: EventTarget, type: K, heard: (event: HTMLElementEventMap[K]) => void) =>
      target.addEventListener(type, heard as EventListener, { passive: true, signal: stop.signal });
    const end = () => view.scrollHeight - view.clientHeight;

    let held = false;
    let top = view.scrollTop;
    let finger = 0;
    on(view, 'wheel', event => event.deltaY !== 0 && moved({ kind: 'wheel', towardsEnd: event.deltaY > 0 }));
    on(view, 'touchstart', event => void (finger = event.touches[0]!.clientY));
    on(view, 'touchmove', event => moved({ kind: 'drag', towardsEnd: event.touches[0]!.clientY < finger }));
    on(view, 'keydown', event => moved({ kind: 'key', key: event.key, shift: event.shiftKey }));
    on(view, 'pointerdown', () => void (held = true));
    on(window, 'pointerup', () => void (held = false));
    on(view, 'scroll', () => {
      const from = top;
      top = view.scrollTop;
      moved({ kind: 'scroll', from, to: top, end: end(), held });
    });
    on(view, 'click', event => {
      if (!(event.target as Element).closest('[aria-expanded], summary')) return;
      moved({ kind: 'unfold' });
      settle(); // what was unfolded may leave the end in view all the same
    });
    return () => stop.abort();
  }, [become, settle]);

  const jump = useCallback(() => {
    become(true);
    scroller.current!.scrollTop = scroller.current!.scrollHeight;
  }, [become]);
  const leave = useCallback(() => become(false), [become]);
  return { scroller, content, isFollowing, following, jump, leave, settle };
}
