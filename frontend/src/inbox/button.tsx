import { Inbox } from 'lucide-react';
import { useParley } from '../parley.ts';
import { useStore } from '../ui/store.ts';
import { text } from '../ui/text.ts';

/** How much waits for the person, and the way to it. */
export function InboxButton() {
  const { dialogs, inbox } = useParley();
  const waiting = useStore(inbox, state => state.waiting.length);
  const label = text.inbox.open(waiting);
  return (
    <button
      type="button"
      aria-label={label}
      title={label}
      onClick={() => dialogs.showInbox()}
      className={`relative grid size-8 place-items-center rounded-md hover:bg-hover hover:text-ink ${waiting > 0 ? 'text-ink' : 'text-soft'}`}
    >
      <Inbox aria-hidden className="size-4" />
      {waiting > 0 && (
        <span aria-hidden className="absolute -end-0.5 top-0 min-w-4 rounded-full bg-warn px-1 text-center text-[0.625rem] leading-4 font-semibold text-on-accent tabular-nums">
          {text.inbox.badge(waiting)}
        </span>
      )}
    </button>
  );
}
