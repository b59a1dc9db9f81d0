import { FileDiff } from 'lucide-react';
import { useEffect, useState } from 'react';
import type { ChangedFile, Conflict, RevertedFile, RevertRequest } from '../api/types.gen.ts';
import { useParley } from '../parley.ts';
import { countChanges, parseDiff } from '../tools/diff.ts';
import { Changes, Diff } from '../tools/diff_view.tsx';
import { Button } from '../ui/button.tsx';
import { Disclosure } from '../ui/disclosure.tsx';
import { text } from '../ui/text.ts';
import { nameOf } from './chosen.ts';
import { changesText } from './text.ts';

/** What is about to be reverted, or given back. */
interface Plan extends RevertRequest {
  files: RevertedFile[];
}

interface RunChangesProps {
  session: string;
  answer: string;
}

/** What the run of an answer wrote to files, and the way back. */
export function RunChanges({ session, answer }: RunChangesProps) {
  const { client, toasts } = useParley();
  const [files, set] = useState<ChangedFile[]>([]);
  const [plan, propose] = useState<Plan>();
  useEffect(() => {
    let isHere = true;
    // What cannot be loaded is not shown; it is there the next time.
    client.changes(session, answer).then(
      list => isHere && set(list.files),
      () => {},
    );
    return () => void (isHere = false);
  }, [client, session, answer]);
  const ask = (what: RevertRequest) => {
    client.revert(session, answer, { ...what, preview: true }).then(
      reverted => propose({ ...what, ...reverted }),
      (error: Error) => toasts.show(error.message),
    );
  };
  const apply = async ({ paths, undo }: Plan) => {
    try {
      await client.revert(session, answer, { paths, undo });
      set((await client.changes(session, answer)).files);
      propose(undefined);
    } catch (error) {
      toasts.show((error as Error).message);
    }
  };
  if (files.length === 0) return null;
  const all = files.map(({ diffs }) => countChanges(diffs.flatMap(parseDiff)));
  const sum = { added: all.reduce((n, { added }) => n + added, 0), removed: all.reduce((n, { removed }) => n + removed, 0) };
  const isReverted = files.every(({ reverted }) => reverted);
  return (
    <Disclosure
      className="rounded-lg border border-line px-3 py-0.5"
      icon={<FileDiff aria-hidden className="size-4 shrink-0 text-faint" />}
      label={changesText.title(files.length)}
      meta={isReverted ? changesText.reverted : <Changes {...sum} />}
    >
      <ul className="divide-y divide-line">
        {files.map(file => (
          <li key={file.path} className="relative py-0.5">
            <FileRow file={file} />
            <Button aria-label={file.reverted ? changesText.undoFile(file.path) : changesText.revertFile(file.path)} className="absolute end-0 top-0.5 h-7" onClick={() => ask({ paths: [file.path], undo: file.reverted })}>
              {file.reverted ? changesText.undo : changesText.revert}
            </Button>
          </li>
        ))}
      </ul>
      {files.length > 1 && (
        <div className="mt-2 flex justify-end">
          <Button className="h-7" onClick={() => ask({ undo: isReverted })}>
            {isReverted ? changesText.undoAll : changesText.revertAll}
          </Button>
        </div>
      )}
      {plan && <Preview plan={plan} onCancel={() => propose(undefined)} onApply={() => void apply(plan)} />}
    </Disclosure>
  );
}

/** One file: what the run changed in it. */
function FileRow({ file: { path, diffs, reverted } }: { file: ChangedFile }) {
  const lines = diffs.flatMap(parseDiff);
  return (
    <Disclosure
      icon={null}
      label={
        <code title={path} className={`font-mono text-code ${reverted ? 'text-faint line-through' : 'text-ink'}`}>
          {nameOf(path)}
        </code>
      }
      meta={<span className={reverted ? 'pe-28' : 'pe-20'}>{reverted ? changesText.reverted : <Changes {...countChanges(lines)} />}</span>}
    >
      <p dir="ltr" className="mb-1 font-mono text-xs break-all text-faint">
        {path}
      </p>
      {lines.length > 0 ? <Diff lines={lines} label={changesText.made(path)} /> : <p className="text-sm text-faint">{changesText.noText}</p>}
    </Disclosure>
  );
}

interface PreviewProps {
  plan: Plan;
  onCancel: () => void;
  onApply: () => void;
}

/** What would be done, before it is. */
function Preview({ plan: { files, undo }, onCancel, onApply }: PreviewProps) {
  const isNothing = files.every(({ diff }) => diff === '');
  const title = undo ? changesText.preview.undo : changesText.preview.revert;
  return (
    <section aria-label={title} className="mt-2 grid gap-2 rounded-md border border-line bg-sunken p-3">
      <h3 className="text-sm font-medium">{title}</h3>
      {files.map(({ path, diff, conflicts }) => (
        <div key={path} className="grid gap-1.5">
          <p dir="ltr" className="font-mono text-xs break-all text-soft">
            {path}
          </p>
          {diff && <Diff lines={parseDiff(diff)} label={`${title}: ${path}`} />}
          {conflicts.length > 0 && <Conflicts conflicts={conflicts} />}
        </div>
      ))}
      {isNothing && <p className="text-sm text-soft">{changesText.nothing}</p>}
      <div className="flex justify-end gap-2">
        <Button onClick={onCancel}>{isNothing ? text.close : text.cancel}</Button>
        {!isNothing && (
          <Button look="strong" onClick={onApply}>
            {undo ? changesText.undo : changesText.revert}
          </Button>
        )}
      </div>
    </section>
  );
}

/** Where the person has changed the file since. */
function Conflicts({ conflicts }: { conflicts: Conflict[] }) {
  const isWhole = conflicts.some(({ mine, back }) => !mine && !back);
  if (isWhole) return <p className="text-sm text-warn">{changesText.whole}</p>;
  return (
    <div className="grid gap-1.5 text-sm text-warn">
      <p>{changesText.conflicts(conflicts.length)}</p>
      {conflicts.map(({ line, mine, back }) => (
        <dl key={`${line} ${mine}`} className="grid grid-cols-[auto_1fr] gap-x-3 rounded-md border border-warn/30 bg-warn-tint px-3 py-2">
          <dt className="col-span-2 text-xs">{changesText.line(line)}</dt>
          <dt>{changesText.mine}</dt>
          <dd className="min-w-0 font-mono text-code break-words whitespace-pre-wrap">{mine || '—'}</dd>
          <dt>{changesText.back}</dt>
          <dd className="min-w-0 font-mono text-code break-words whitespace-pre-wrap">{back || '—'}</dd>
        </dl>
      ))}
    </div>
  );
}
