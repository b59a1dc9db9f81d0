import { lazy, Suspense, type ComponentProps } from 'react';
import { useParley } from '../parley.ts';
import { useStore } from '../ui/store.ts';

const Choice = lazy(async () => ({ default: (await import('./choice.tsx')).Choice }));

/** The dialog in which a person says which files the agent reaches, if it is open. It is loaded then. */
export function FilesDialog(props: ComponentProps<typeof Choice>) {
  const { dialogs } = useParley();
  const isOpen = useStore(dialogs, ({ dialog }) => dialog?.kind === 'files');
  return (
    isOpen && (
      <Suspense>
        <Choice {...props} />
      </Suspense>
    )
  );
}
