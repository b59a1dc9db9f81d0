import { useSyncExternalStore } from 'react';
import { useParley } from '../parley.ts';
import { useStore } from '../ui/store.ts';
import { useView } from '../ui/view.ts';

const narrow = matchMedia('(width < 48rem)');

function watchNarrow(changed: () => void): () => void {
  narrow.addEventListener('change', changed);
  return () => narrow.removeEventListener('change', changed);
}

interface Shown {
  isShown: boolean;
  /** Whether the list lies over the session. */
  isOver: boolean;
  toggle: () => void;
}

/** Whether the list of sessions is on the page: beside the session if there is room, over it while asked for if not. */
export function useSidebar(): Shown {
  const { dialogs } = useParley();
  const [view, change] = useView();
  const isOver = useSyncExternalStore(watchNarrow, () => narrow.matches);
  const isCalled = useStore(dialogs, state => state.dialog?.kind === 'sessions');
  const isShown = isOver ? isCalled : view.sidebar;
  const toggle = () => {
    if (!isOver) change({ sidebar: !isShown });
    else if (isShown) dialogs.close();
    else dialogs.showSessions();
  };
  return { isShown, isOver, toggle };
}
