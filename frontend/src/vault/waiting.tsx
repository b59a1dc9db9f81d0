import { Spinner } from '../ui/spinner.tsx';
import { text } from '../ui/text.ts';

/** Nothing is known of the history yet. Usually that is over before anybody sees it. */
export function Waiting() {
  return (
    <main className="grid h-dvh place-content-center">
      <p role="status" className="flex appear-late items-center gap-2 text-soft">
        <Spinner /> {text.vault.connecting}
      </p>
    </main>
  );
}
