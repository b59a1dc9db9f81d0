import { useParley } from '../parley.ts';
import { Dialog } from '../ui/dialog.tsx';
import { goTo } from '../ui/route.ts';
import { useAttempt } from '../vault/attempt.ts';
import { Problem } from '../vault/form.tsx';
import { fileText } from './text.ts';

const said = fileText.import;

/** Makes a session of a file, and leads there. */
export default function ImportDialog() {
  const { client, dialogs } = useParley();
  const { run, isRunning, error } = useAttempt();
  const take = (file: File) =>
    run(async () => {
      const session = await client.import(await file.text());
      dialogs.close();
      goTo(session.id);
    });
  return (
    <Dialog title={said.title}>
      <p className="mt-3 text-sm text-soft">{said.says}</p>
      <input
        type="file"
        data-focus
        aria-label={said.file}
        accept=".jsonl"
        disabled={isRunning}
        onChange={({ target }) => {
          const [file] = target.files!;
          if (file) void take(file);
          target.value = ''; // the same one may be chosen again, once it is mended
        }}
        className="mt-4 w-full text-sm text-soft file:me-3 file:h-8 file:rounded-md file:border file:border-line-strong file:bg-raised file:px-3 file:text-sm file:font-medium file:text-ink hover:file:bg-hover"
      />
      <p role="status" className="mt-2 text-sm text-soft empty:hidden">
        {isRunning && said.reading}
      </p>
      <Problem error={error} />
    </Dialog>
  );
}
