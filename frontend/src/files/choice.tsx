import { useId, useState, type FormEvent } from 'react';
import type { FileScope } from '../api/types.gen.ts';
import type { OpenSession } from '../chat/session.ts';
import { useParley } from '../parley.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { text } from '../ui/text.ts';
import { useAttempt } from '../vault/attempt.ts';
import { Problem } from '../vault/form.tsx';
import { scopes, type Chosen } from './chosen.ts';
import { Held } from './held.tsx';
import { filesText } from './text.ts';

interface ChoiceProps {
  session: OpenSession;
  chosen: Chosen;
}

/** The dialog in which a person says which files the agent reaches. */
export default function Choice({ session, chosen }: ChoiceProps) {
  const { dialogs } = useParley();
  const [scope, choose] = useState(chosen.scope);
  const [folder, name] = useState(chosen.workingDir);
  const { error, isRunning, run, refuse } = useAttempt();
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const workingDir = folder.trim();
    if (scope === 'project' && workingDir === '') return refuse(filesText.noFolder);
    const change = { ...(scope !== chosen.scope && { scope }), ...(workingDir !== chosen.workingDir && { workingDir }) };
    if (await run(() => session.chooseFiles(change))) dialogs.close();
  };
  return (
    <Dialog title={filesText.title} isWide>
      <form onSubmit={event => void submit(event)} className="mt-3 grid gap-4">
        <fieldset className="grid gap-2">
          <legend className="sr-only">{filesText.title}</legend>
          {scopes.map(each => (
            <ScopeOption key={each} scope={each} isChosen={each === scope} onChoose={() => choose(each)} />
          ))}
        </fieldset>
        <label className="grid gap-1 text-sm">
          <span className="font-medium">{filesText.folder}</span>
          <input
            type="text"
            dir="ltr"
            value={folder}
            spellCheck={false}
            autoCapitalize="none"
            autoComplete="off"
            aria-invalid={error !== undefined}
            onChange={event => name(event.target.value)}
            className="h-9 w-full rounded-md border border-line-strong bg-raised px-3 font-mono text-code -outline-offset-1 aria-invalid:border-bad"
          />
          <span className="text-soft">{filesText.folderSays}</span>
        </label>
        <Problem error={error} />
        <div className="grid gap-1.5 border-t border-line pt-3 text-xs text-faint">
          <p>{filesText.always}</p>
          <Held />
        </div>
        <div className="flex flex-wrap justify-end gap-2">
          <Button onClick={() => dialogs.close()}>{text.cancel}</Button>
          <Button type="submit" look="strong" disabled={isRunning}>
            {scope === 'full' ? filesText.confirm : filesText.use}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

interface ScopeOptionProps {
  scope: FileScope;
  isChosen: boolean;
  onChoose: () => void;
}

/** One of the scopes, all of which can be clicked. */
function ScopeOption({ scope, isChosen, onChoose }: ScopeOptionProps) {
  const id = useId();
  const isFull = scope === 'full';
  return (
    <div
      className={`relative grid grid-cols-[auto_1fr] gap-x-3 rounded-lg border border-line px-3 py-2.5 hover:bg-hover ${isFull ? 'has-checked:border-warn has-checked:bg-warn-tint' : 'has-checked:border-accent has-checked:bg-tint'}`}
    >
      <input type="radio" id={id} name="scope" checked={isChosen} data-focus={isChosen || undefined} aria-describedby={`${id}-says`} onChange={onChoose} className="relative z-10 mt-1 size-4 accent-(--accent)" />
      <label htmlFor={id} className="cursor-pointer text-sm font-medium after:absolute after:inset-0">
        {filesText.scope[scope].name}
      </label>
      <p id={`${id}-says`} className={`col-start-2 mt-0.5 text-sm ${isFull && isChosen ? 'text-warn' : 'text-soft'}`}>
        {filesText.scope[scope].says}
      </p>
    </div>
  );
}
