import { text } from '../ui/text.ts';
import { argument } from './call.ts';
import { parseDiff } from './diff.ts';
import { Diff } from './diff_view.tsx';
import { gitCard } from './git.tsx';

export const gitDiff = gitCard(
  text.tool.look,
  call => ['git diff', argument(call.input, 'from'), argument(call.input, 'to')].filter(Boolean).join(' '),
  written => (
    <div className="flex flex-col gap-3">
      {written.split(/^(?=diff --git )/m).map(file => (
        <section key={file} aria-label={nameOf(file)}>
          <p className="mb-1 truncate font-mono text-code text-soft">{nameOf(file)}</p>
          <Diff lines={parseDiff(file)} />
        </section>
      ))}
    </div>
  ),
);

/** The file that a part of a diff is about. */
function nameOf(file: string): string {
  return /^\+\+\+ b\/(.*)$/m.exec(file)?.[1] ?? /^diff --git a\/(.*?) b\//.exec(file)?.[1] ?? '';
}
