import { CircleAlert, FileCode, FilePlus, Trash2 } from 'lucide-react';
import { useEffect, type ReactNode } from 'react';
import { useParley } from '../parley.ts';
import { Button, IconButton } from '../ui/button.tsx';
import { useStore } from '../ui/store.ts';
import { text } from '../ui/text.ts';
import { Problem } from '../vault/form.tsx';
import { Head, Title } from './head.tsx';
import { canvasHref, type Place } from './place.ts';
import { workflowText } from './text.ts';
import type { Workflows } from './workflows.ts';

const said = workflowText.list;

/** The workflows of the project, and those that have no file yet. */
export function WorkflowList({ workflows }: { workflows: Workflows }) {
  const { toasts } = useParley();
  const { load, why, folder, files, drafts } = useStore(workflows, state => state);
  const failed = (error: Error) => toasts.show(error.message);
  useEffect(() => {
    document.title = `${workflowText.title} — ${text.name}`;
    void workflows.refresh();
  }, [workflows]);
  const begin = () => workflows.begin().then(file => void (location.hash = canvasHref({ file })), failed);
  const discard = (path: string) =>
    workflows.discard(path).then(undo => toasts.show(said.discarded(path), { label: text.undo, run: () => void undo().catch(failed) }), failed);
  const isEmpty = load === 'ready' && files.length + drafts.length === 0;
  return (
    <>
      <Head>
        <Title>{workflowText.title}</Title>
        <Button onClick={() => void begin()} className="ms-auto">
          <FilePlus aria-hidden className="size-4" /> {said.new}
        </Button>
      </Head>
      <div className="min-h-0 flex-1 overflow-y-auto">
        <div className="mx-auto max-w-measure px-4 py-6">
          <p className="text-sm text-soft">{said.says}</p>
          {folder && (
            <p dir="ltr" className="mt-1 truncate font-mono text-code text-faint">
              {folder}
            </p>
          )}
          {load === 'loading' && <p className="mt-6 appear-late text-sm text-soft">{said.loading}</p>}
          <Problem error={why} />
          {isEmpty && <Nothing />}
          {drafts.length > 0 && (
            <Section title={said.unsaved}>
              {drafts.map(({ path, session, changedAt }) => (
                <Row key={path} place={session ? { session } : { file: path }} name={path} facts={[text.when(changedAt)]}>
                  <IconButton icon={Trash2} label={said.discard(path)} onClick={() => void discard(path)} />
                </Row>
              ))}
            </Section>
          )}
          {files.length > 0 && (
            <Section title={said.files}>
              {files.map(({ path, name, nodes, problems, changedAt, hasDraft, error }) => (
                <Row key={path} place={{ file: path }} name={name || path} path={name ? path : undefined} facts={[...(nodes > 0 ? [said.nodes(nodes)] : []), ...(error ? [] : [text.when(changedAt)])]} problem={error ?? (problems > 0 ? said.problems(problems) : undefined)} isDraft={hasDraft} />
              ))}
            </Section>
          )}
        </div>
      </div>
    </>
  );
}

function Nothing() {
  return (
    <div className="mt-10 grid justify-items-center gap-2 text-center">
      <FileCode aria-hidden className="size-8 text-faint" />
      <h2 className="font-semibold">{said.none}</h2>
      <p className="max-w-md text-sm text-soft">{said.how}</p>
    </div>
  );
}

function Section({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section aria-label={title} className="mt-6">
      <h2 className="pb-1 text-xs font-medium text-faint">{title}</h2>
      <ul className="divide-y divide-line rounded-lg border border-line">{children}</ul>
    </section>
  );
}

interface RowProps {
  place: Place;
  name: string;
  path?: string;
  facts: string[];
  problem?: string;
  isDraft?: boolean;
  children?: ReactNode;
}

function Row({ place, name, path, facts, problem, isDraft = false, children }: RowProps) {
  return (
    <li className="flex items-center gap-1 pe-2 first:rounded-t-lg last:rounded-b-lg hover:bg-hover">
      <a href={canvasHref(place)} className="min-w-0 flex-1 px-3 py-2">
        <span className="flex items-baseline gap-2">
          <span dir="auto" className="min-w-0 truncate text-sm font-medium">
            {name}
          </span>
          {isDraft && <span className="shrink-0 rounded-full bg-tint px-2 text-xs text-accent">{said.draft}</span>}
        </span>
        <span className="flex flex-wrap gap-x-3 text-xs text-soft">
          {path && (
            <span dir="ltr" className="min-w-0 truncate font-mono">
              {path}
            </span>
          )}
          {facts.map(fact => (
            <span key={fact}>{fact}</span>
          ))}
          {problem && (
            <span className="inline-flex items-center gap-1 text-warn">
              <CircleAlert aria-hidden className="size-3" /> {problem}
            </span>
          )}
        </span>
      </a>
      {children}
    </li>
  );
}
