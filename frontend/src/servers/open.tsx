import { lazy, Suspense } from 'react';
import { useParley } from '../parley.ts';
import { useStore } from '../ui/store.ts';

const Servers = lazy(() => import('./dialog.tsx'));

/** The dialog about MCP servers, if it is open. It is loaded when that is asked for first. */
export function ServersDialog() {
  const { dialogs } = useParley();
  const isOpen = useStore(dialogs, ({ dialog }) => dialog?.kind === 'servers');
  return (
    isOpen && (
      <Suspense>
        <Servers />
      </Suspense>
    )
  );
}
