import { Unplug } from 'lucide-react';
import { useParley } from '../parley.ts';
import { Spinner } from './spinner.tsx';
import { useStore } from './store.ts';
import { text } from './text.ts';

/** A quiet line, over the session, while the page has no connection. */
export function Connection() {
  const { wire } = useParley();
  const state = useStore(wire, value => value.state);
  return (
    <div role="status" className="pointer-events-none absolute inset-x-0 top-13 z-10 flex justify-center px-4 text-sm">
      {state === 'lost' && (
        <p className="flex appear-late items-center gap-2 rounded-full border border-warn/30 bg-warn-tint px-3.5 py-1 text-warn shadow-pop">
          <Spinner className="size-3.5" /> {text.connection.lost}
        </p>
      )}
      {state === 'locked' && (
        <p className="flex items-center gap-2 rounded-2xl border border-bad/30 bg-bad-tint px-3.5 py-1 text-bad shadow-pop">
          <Unplug aria-hidden className="size-3.5 shrink-0" /> {text.connection.locked}
        </p>
      )}
    </div>
  );
}

/** The whole page of somebody who has no key. */
export function Locked() {
  return (
    <main className="grid h-dvh place-content-center gap-3 p-6">
      <img src="/icon.svg" alt="" className="size-10" />
      <h1 className="mt-2 text-xl font-semibold tracking-tight">{text.locked.title}</h1>
      <p className="max-w-md text-soft">{text.locked.says}</p>
      <p className="max-w-md text-soft">
        {text.locked.how} <code className="rounded bg-hover px-1.5 py-0.5 font-mono text-[0.9em] text-ink">parley serve</code>
      </p>
    </main>
  );
}
