import { useEffect, useState } from 'react';
import type { Exported } from '../api/types.gen.ts';
import { useParley } from '../parley.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { useStore } from '../ui/store.ts';
import { text } from '../ui/text.ts';
import { useAttempt } from '../vault/attempt.ts';
import { Problem } from '../vault/form.tsx';
import { canvasHref } from '../workflow/place.ts';
import { fileText, type Format } from './text.ts';

const said = fileText.export;

/** Saves a session as a file, once a person could read what to look at before it is given away. */
export default function ExportDialog() {
  const { client, dialogs, host, list, toasts } = useParley();
  const session = useStore(dialogs, ({ dialog }) => (dialog?.kind === 'export' ? dialog.session : ''));
  const [format, choose] = useState<Format>('canvas');
  const before = list.get(session)?.exportedPath;
  const { file, error } = useExported(session, format);
  const attempt = useAttempt();
  const save = ({ name, content }: Exported) =>
    attempt.run(async () => {
      const exportedPath = await host.save(name, content);
      if (!exportedPath) return;
      await client.change(session, { exportedPath });
      dialogs.close();
      toasts.show(said.saved(exportedPath));
    });
  const openOnCanvas = () => {
    dialogs.close();
    location.hash = canvasHref({ session });
  };
  return (
    <Dialog title={said.title} isWide>
      {before && <p className="mt-1 text-sm break-words text-soft">{said.before(before)}</p>}
      <fieldset className="mt-3 min-w-0 text-sm">
        <legend className="mb-1 font-medium">{said.format}</legend>
        {(Object.keys(said.formats) as Format[]).map(each => (
          <label key={each} className="flex items-baseline gap-2 rounded-md px-2 py-1.5 hover:bg-hover">
            <input type="radio" name="format" data-focus={each === format || undefined} checked={each === format} onChange={() => choose(each)} className="size-4 shrink-0 translate-y-1 accent-(--accent)" />
            <span className="w-24 shrink-0">{said.formats[each][0]}</span>
            <span className="min-w-0 text-soft">{said.formats[each][1]}</span>
          </label>
        ))}
      </fieldset>
      <div role="status" className="mt-3 min-h-10 border-t border-line pt-3 text-sm">
        {file ? <Review warnings={file.warnings} /> : !error && <p className="text-soft">{said.making}</p>}
      </div>
      <Problem error={error ?? attempt.error} />
      <div className="mt-4 flex flex-wrap items-center justify-end gap-2">
        <span dir="ltr" className="me-auto min-w-0 truncate font-mono text-code text-soft">
          {file?.name}
        </span>
        <Button onClick={() => dialogs.close()}>{text.cancel}</Button>
        {format === 'canvas' && <Button onClick={openOnCanvas}>{said.open}</Button>}
        <Button look="strong" disabled={!file || attempt.isRunning} onClick={() => file && void save(file)}>
          {said.save}
        </Button>
      </div>
    </Dialog>
  );
}

function Review({ warnings }: { warnings: string[] }) {
  if (warnings.length === 0) return <p className="text-soft">{said.clear}</p>;
  return (
    <>
      <h3 className="font-medium">{said.review}</h3>
      <ul className="mt-1 grid max-h-40 list-disc gap-1 overflow-y-auto ps-5 break-words text-warn">
        {warnings.map(warning => (
          <li key={warning}>{warning}</li>
        ))}
      </ul>
    </>
  );
}

/** A session in a format: neither a file nor an error while it is made. */
function useExported(session: string, format: Format): { file?: Exported; error?: string } {
  const { client } = useParley();
  const [made, set] = useState<{ format: Format; file?: Exported; error?: string }>();
  useEffect(() => {
    let isGone = false;
    client.export(session, format).then(
      file => isGone || set({ format, file }),
      (error: Error) => isGone || set({ format, error: error.message }),
    );
    return () => void (isGone = true);
  }, [client, session, format]);
  return made?.format === format ? made : {};
}
