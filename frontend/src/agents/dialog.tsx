import { lazy, Suspense } from 'react';
import { useParley } from '../parley.ts';
import { useStore } from '../ui/store.ts';

/** Is loaded when somebody looks at it. */
const AgentsContent = lazy(async () => ({ default: (await import('./list.tsx')).AgentsContent }));

/** The dialog with all agents, if it is open. */
export function AgentsDialog() {
  const { dialogs } = useParley();
  const isOpen = useStore(dialogs, ({ dialog }) => dialog?.kind === 'agents');
  return (
    isOpen && (
      <Suspense>
        <AgentsContent />
      </Suspense>
    )
  );
}
