import { useState } from 'react';
import type { Agent, BrokenFile, Source } from '../api/types.gen.ts';
import { useParley } from '../parley.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { useStore } from '../ui/store.ts';
import { text } from '../ui/text.ts';
import { isDemo } from './agents.ts';
import { blank, toDraft, type Draft } from './draft.ts';
import { Editor } from './editor.tsx';
import { agentsText as said } from './text.ts';

interface Editing {
  draft: Draft;
  isKnown: boolean;
}

/** All agents, or the form of one. */
export default function Agents() {
  const [editing, edit] = useState<Editing>();
  if (!editing) return <List onEdit={edit} />;
  const title = editing.isKnown ? said.editor.edit(editing.draft.name || editing.draft.id) : said.editor.make;
  return (
    <Dialog key="editor" title={title} isWide isKept>
      <Editor initial={editing.draft} isKnown={editing.isKnown} onDone={() => edit(undefined)} />
    </Dialog>
  );
}

const order: Source[] = ['made', 'own', 'project', 'builtin'];

function List({ onEdit }: { onEdit: (editing: Editing) => void }) {
  const { agents } = useParley();
  const { agents: all, broken, own, project, trusted } = useStore(agents, state => state);
  const hasOfProject = all.some(({ source }) => source === 'project');
  const [problem, fail] = useState<string>();
  const attempt = (done: Promise<unknown>) => void done.then(() => fail(undefined), (error: Error) => fail(error.message));
  const folders: Partial<Record<Source, string>> = { own, project };
  return (
    <Dialog key="list" title={text.agent.yours} isWide>
      <div className="mt-3 flex items-start gap-4">
        <p className="me-auto text-sm text-soft">{said.says}</p>
        <Button look="strong" data-focus className="shrink-0" onClick={() => onEdit({ draft: blank, isKnown: false })}>
          {said.make}
        </Button>
      </div>
      <p role="alert" className="mt-3 text-sm text-bad empty:hidden">
        {problem}
      </p>
      {hasOfProject && !trusted && (
        <section aria-label={said.trust.title} className="mt-4 rounded-md bg-warn-tint p-3 text-sm">
          <p className="font-medium text-warn">{said.trust.title}</p>
          <p className="mt-1 text-soft">{said.trust.says}</p>
          <Button className="mt-2" onClick={() => attempt(agents.trust())}>
            {said.trust.do}
          </Button>
        </section>
      )}
      {broken.length > 0 && <Broken files={broken} />}
      {order.map(source => {
        const rows = all.filter(agent => agent.source === source);
        const folder = folders[source];
        if (rows.length === 0 && !folder) return null;
        return (
          <section key={source} aria-label={said.sources[source]} className="mt-4">
            <h3 className="text-xs font-medium text-faint">{said.sources[source]}</h3>
            {folder && <p className="text-xs break-all text-faint">{said.folder(folder)}</p>}
            <ul className="divide-y divide-line">
              {rows.map(agent => (
                <Row key={agent.id} agent={agent} hasProject={project !== undefined} onEdit={onEdit} attempt={attempt} />
              ))}
            </ul>
            {source === 'project' && trusted && hasOfProject && (
              <Button className="mt-1" onClick={() => attempt(agents.distrust())}>
                {said.trust.undo}
              </Button>
            )}
          </section>
        );
      })}
    </Dialog>
  );
}

function Broken({ files }: { files: BrokenFile[] }) {
  return (
    <section aria-label={said.broken.title(files.length)} className="mt-4 rounded-md bg-bad-tint p-3 text-sm">
      <p className="font-medium text-bad">{said.broken.title(files.length)}</p>
      <ul className="grid gap-3">
        {files.map(({ path, agent, problems }) => (
          <li key={path} className="mt-1">
            <p dir="ltr" className="font-mono text-xs break-all">
              {path}
            </p>
            <ul>
              {problems.map(({ line, column, key, message }) => (
                <li key={`${line}:${column}:${key}:${message}`} className="mt-1">
                  <span className="text-xs text-faint">{said.broken.place(line, column)}</span>{' '}
                  {key && <code className="font-mono text-code">{key}</code>} {message}
                </li>
              ))}
            </ul>
            {agent && <p className="mt-1 text-soft">{said.broken.still(agent)}</p>}
          </li>
        ))}
      </ul>
    </section>
  );
}

interface RowProps {
  agent: Agent;
  hasProject: boolean;
  onEdit: (editing: Editing) => void;
  attempt: (done: Promise<unknown>) => void;
}

function Row({ agent, hasProject, onEdit, attempt }: RowProps) {
  const { client } = useParley();
  const { id, description, model, source, untrusted, path } = agent;
  const name = text.agent.name(agent.name || id, isDemo(agent));
  const open = (isKnown: boolean) =>
    attempt(client.agent(id).then(details => onEdit({ draft: { ...toDraft(details), ...(!isKnown && { id: `${id}-copy`.slice(-64) }) }, isKnown })));
  return (
    <li className="py-3 text-sm">
      <div className="flex flex-wrap items-start gap-x-3 gap-y-2">
        <div className="me-auto min-w-0 flex-1 basis-60">
          <p className="flex flex-wrap items-baseline gap-x-2">
            <span className="font-medium">{name}</span>
            {model && <span className="font-mono text-xs break-all text-faint">{model}</span>}
            {untrusted && <span className="text-xs text-warn">{said.untrusted}</span>}
          </p>
          {description && <p className="text-soft">{description}</p>}
          {path && (
            <p dir="ltr" className="font-mono text-xs break-all text-faint">
              {fileName(path)}
            </p>
          )}
        </div>
        <div className="flex flex-wrap gap-2">
          {source === 'made' && (
            <Button aria-label={said.one(said.edit, name)} onClick={() => open(true)}>
              {said.edit}
            </Button>
          )}
          <Button aria-label={said.one(said.copy, name)} onClick={() => open(false)}>
            {said.copy}
          </Button>
          {source === 'made' && <Remove id={id} name={name} attempt={attempt} />}
        </div>
      </div>
      {source === 'made' && <Save id={id} name={name} hasProject={hasProject} attempt={attempt} />}
    </li>
  );
}

/** Which of the files in its folder it is. */
const fileName = (path: string) => path.split(/[\\/]/).at(-1);

/** Deletes with a second click. */
function Remove({ id, name, attempt }: { id: string; name: string } & Pick<RowProps, 'attempt'>) {
  const { agents } = useParley();
  const [isAsked, ask] = useState(false);
  const label = isAsked ? said.removeSure : said.remove;
  return (
    <Button aria-label={said.one(label, name)} onClick={() => (isAsked ? attempt(agents.remove(id)) : ask(true))} onBlur={() => ask(false)} className={isAsked ? 'text-bad' : ''}>
      {label}
    </Button>
  );
}

function Save({ id, name, hasProject, attempt }: { id: string; name: string } & Pick<RowProps, 'hasProject' | 'attempt'>) {
  const { agents, toasts } = useParley();
  const save = (to: 'own' | 'project') => attempt(agents.save(id, to).then(({ path }) => toasts.show(said.saved(path))));
  const places = hasProject ? (['own', 'project'] as const) : (['own'] as const);
  return (
    <p className="mt-1 flex flex-wrap gap-x-4">
      {places.map(to => (
        <button key={to} type="button" aria-label={said.one(said.save[to], name)} onClick={() => save(to)} className="rounded text-accent hover:underline">
          {said.save[to]}
        </button>
      ))}
    </p>
  );
}
