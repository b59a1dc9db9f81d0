import { lazy, Suspense, type ComponentType, type ReactNode } from 'react';
import { useParley } from '../parley.ts';
import { ErrorBoundary } from './boundary.tsx';
import type { OpenDialog } from './dialogs.ts';
import { useStore } from './store.ts';
import { text } from './text.ts';

/**
 * A dialog of one kind, which is there while that is open. It is loaded when somebody opens it first. One that cannot be loaded, as
 * without a connection, is closed again, and is tried anew the next time.
 */
export function later<Props extends object>(kind: OpenDialog['kind'], load: () => Promise<{ default: ComponentType<Props> }>): (props: Props) => ReactNode {
  let Content: ComponentType<Props> = lazy(load);
  return function Later(props) {
    const { dialogs, toasts } = useParley();
    const isOpen = useStore(dialogs, ({ dialog }) => dialog?.kind === kind);
    const giveUp = () => {
      Content = lazy(load);
      dialogs.close();
      toasts.show(text.broken.dialog);
    };
    return (
      isOpen && (
        <ErrorBoundary onBroken={giveUp} fallback={Nothing}>
          <Suspense>
            <Content {...props} />
          </Suspense>
        </ErrorBoundary>
      )
    );
  };
}

const Nothing = () => null;
