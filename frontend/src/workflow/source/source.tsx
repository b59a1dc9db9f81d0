import { useEffect, useRef } from 'react';
import { useStore } from '../../ui/store.ts';
import type { Editor } from '../editor.ts';
import { saidOf, type Problem } from './diagnostics.ts';
import { sourceText } from './text.ts';
import { SourceView } from './view.ts';

interface SourceProps {
  editor: Editor;
  /** The problem that the person wants to see. */
  at?: Problem;
}

/** The file that a workflow is, to be read and written as a text. */
export default function Source({ editor, at }: SourceProps) {
  const place = useRef<HTMLDivElement>(null);
  const view = useRef<SourceView>(undefined);
  useEffect(() => {
    const opened = new SourceView(editor, place.current!);
    view.current = opened;
    return () => opened.close();
  }, [editor]);
  useEffect(() => {
    if (at) view.current!.show(at);
  }, [at]);
  const problems = useStore(editor, state => state.problems);
  const isUnread = useStore(editor, ({ typed, unchecked }) => typed !== undefined && unchecked === undefined);
  return (
    <div className="flex h-full min-h-0 flex-col">
      <div ref={place} dir="ltr" className="min-h-0 flex-1" />
      <div className="border-t border-line px-3 py-2 text-xs text-soft">
        <p role="status" className={problems.length > 0 ? 'font-medium text-bad' : 'sr-only'}>
          {problems.length > 0 && `${sourceText.problems(problems.length)}.`} {isUnread && sourceText.unread}
        </p>
        {problems.length > 0 && (
          <ul className="mt-1 mb-2 max-h-24 overflow-y-auto">
            {problems.map((problem, i) => (
              // oxlint-disable-next-line react/no-array-index-key -- each check gives all of them anew
              <li key={i}>
                <button type="button" onClick={() => view.current!.show(problem)} className="flex w-full gap-2 rounded px-1 py-0.5 text-start hover:bg-hover hover:text-ink">
                  <span className="shrink-0 tabular-nums">{sourceText.line(problem.line)}</span>
                  <span className="min-w-0 break-words">{saidOf(problem)}</span>
                </button>
              </li>
            ))}
          </ul>
        )}
        <p>
          {sourceText.says} {sourceText.keys}
        </p>
      </div>
    </div>
  );
}
