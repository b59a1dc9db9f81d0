import { lazy, Suspense, type ComponentType, type ReactNode } from 'react';
import { useParley } from '../parley.ts';
import type { OpenDialog } from './dialogs.ts';
import { useStore } from './store.ts';

/** A dialog of one kind, which is there while that is open. It is loaded when somebody opens it first. */
export function later<Props extends object>(kind: OpenDialog['kind'], load: () => Promise<{ default: ComponentType<Props> }>): (props: Props) => ReactNode {
  const Content: ComponentType<Props> = lazy(load);
  return function Later(props) {
    const { dialogs } = useParley();
    const isOpen = useStore(dialogs, ({ dialog }) => dialog?.kind === kind);
    return (
      isOpen && (
        <Suspense>
          <Content {...props} />
        </Suspense>
      )
    );
  };
}
