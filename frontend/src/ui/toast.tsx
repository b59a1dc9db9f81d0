import { X } from 'lucide-react';
import { useParley } from '../parley.ts';
import { IconButton } from './button.tsx';
import { useStore } from './store.ts';
import { text } from './text.ts';

export function ToastView() {
  const { toasts } = useParley();
  const shown = useStore(toasts, state => state.toasts);
  return (
    <div role="status" className="pointer-events-none absolute inset-x-0 bottom-28 z-10 flex flex-col items-center gap-2 px-4">
      {shown.map(({ id, message, action }) => (
        <div
          key={id}
          className="pointer-events-auto flex max-w-[min(28rem,100%)] items-center gap-2 rounded-lg border border-line-strong bg-raised py-1.5 ps-4 pe-1.5 text-sm shadow-pop"
        >
          <span className="line-clamp-3 min-w-0 py-1">{message}</span>
          {action && (
            <button
              type="button"
              className="shrink-0 rounded-md px-2 py-1 font-medium text-accent hover:bg-hover"
              onClick={() => {
                action.run();
                toasts.dismiss(id);
              }}
            >
              {action.label}
            </button>
          )}
          <IconButton icon={X} label={text.close} onClick={() => toasts.dismiss(id)} className="size-7" />
        </div>
      ))}
    </div>
  );
}
