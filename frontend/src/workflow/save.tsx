import { useEffect, useRef, useState, type FormEvent, type KeyboardEvent, type RefObject } from 'react';
import { useParley } from '../parley.ts';
import { Button } from '../ui/button.tsx';
import { Field } from '../ui/fields.tsx';
import { text } from '../ui/text.ts';
import { useAttempt } from '../vault/attempt.ts';
import { Problem } from '../vault/form.tsx';
import type { OpenWorkflow } from './open.ts';
import { workflowText } from './text.ts';

const said = workflowText.save;

/** What a person is asked before a file is written. */
interface Question {
  path: string | undefined; // that is proposed; undefined where the file has one
  doubts: string[];
}

interface Saving {
  question: Question | undefined;
  save: () => void;
  saveCopy: () => void;
  close: () => void;
  done: () => void;
}

/** How a workflow gets into its file: at once, or after a question, when the button has the focus again. */
export function useSaving(open: OpenWorkflow, button: RefObject<HTMLButtonElement | null>): Saving {
  const { toasts } = useParley();
  const [question, ask] = useState<Question>();
  const close = () => {
    if (question) button.current!.focus();
    ask(undefined);
  };
  const done = () => {
    toasts.show(said.done(open.value.path));
    close();
  };
  const save = async () => {
    const { isSaving, isChanged, version, path } = open.value;
    if (isSaving || (version && !isChanged)) return;
    const doubts = await open.doubts();
    if (!version || doubts.length > 0) return ask({ path: version ? undefined : path, doubts });
    await open.save().catch((error: Error) => toasts.show(error.message));
  };
  const saveCopy = async () => {
    const doubts = await open.doubts();
    ask({ path: open.value.path.replace(/(?=\.relavium\.yaml$)/, '-copy'), doubts });
  };
  return { question, save: () => void save(), saveCopy: () => void saveCopy(), close, done };
}

interface SaveFormProps {
  open: OpenWorkflow;
  question: Question;
  onClose: () => void;
  onSaved: () => void;
}

/** Asks where a workflow is to be saved, and whether what is known of it should be so. */
export function SaveForm({ open, question: { path: proposed, doubts }, onClose, onSaved }: SaveFormProps) {
  const [path, setPath] = useState(proposed);
  const attempt = useAttempt();
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => form.current!.querySelector<HTMLElement>('input, button')!.focus(), []);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (!attempt.isRunning && (await attempt.run(() => open.save(path)))) onSaved();
  };
  const pressed = (event: KeyboardEvent) => {
    if (event.key !== 'Escape') return;
    event.stopPropagation();
    onClose();
  };
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- Escape is another way to Cancel
    <form ref={form} aria-label={said.title} onSubmit={event => void submit(event)} onKeyDown={pressed} className="absolute inset-x-0 top-0 z-20 grid gap-3 border-b border-line bg-panel px-4 py-3 shadow-pop">
      {doubts.length > 0 && (
        <ul className="grid gap-1 text-sm text-warn">
          {doubts.map(doubt => (
            <li key={doubt}>{doubt}</li>
          ))}
        </ul>
      )}
      {path !== undefined && <Field label={said.path} value={path} onChange={setPath} isCode isRequired />}
      <Problem error={attempt.error} />
      <div className="flex gap-2">
        <Button type="submit" look="strong" disabled={attempt.isRunning}>
          {doubts.length > 0 ? said.anyway : said.save}
        </Button>
        <Button onClick={onClose}>{text.cancel}</Button>
      </div>
    </form>
  );
}
