import { ChevronLeft, CircleAlert, CircleCheck, PanelRight, Redo2, Undo2 } from 'lucide-react';
import { useEffect, useRef, useState, type Ref } from 'react';
import { flushSync } from 'react-dom';
import { useParley } from '../parley.ts';
import { Button, IconButton, IconLink } from '../ui/button.tsx';
import { isWriting } from '../ui/keys.ts';
import { canvas, settle } from '../ui/route.ts';
import { Spinner } from '../ui/spinner.tsx';
import { useStore } from '../ui/store.ts';
import { text } from '../ui/text.ts';
import { Board } from './board/board.tsx';
import type { Editor, EditorState } from './editor.ts';
import { Head, Title } from './head.tsx';
import { Notices } from './notices.tsx';
import type { OpenWorkflow } from './open.ts';
import { Panel, type PanelHandle, type PanelTab } from './panel/panel.tsx';
import { canvasHref, placeIn } from './place.ts';
import { SaveForm, useSaving } from './save.tsx';
import { workflowText } from './text.ts';

const said = workflowText.workspace;

interface WorkspaceProps {
  open: OpenWorkflow;
  /** That the address names. */
  node: string | undefined;
}

/** One workflow: loaded, or why it is not. */
export function Workspace({ open, node }: WorkspaceProps) {
  const { load, why, editor, path, place } = useStore(open, state => state);
  useEffect(() => {
    // A file that was saved under another name is at another address.
    if (placeIn(location.hash).file !== place.file) settle(canvasHref(place));
  }, [place]);
  useEffect(() => {
    if (node) editor?.select([node]);
  }, [editor, node]);
  if (editor) return <Ready open={open} editor={editor} />;
  return (
    <>
      <Head>
        <IconLink icon={ChevronLeft} label={said.back} href={canvas} />
        <Title>{path || workflowText.title}</Title>
      </Head>
      <div role="status" className="grid flex-1 place-content-center justify-items-center gap-3 p-6 text-center text-soft">
        {load === 'loading' && (
          <p className="flex appear-late items-center gap-2">
            <Spinner /> {said.loading}
          </p>
        )}
        {load === 'missing' && (
          <>
            <p className="max-w-sm">{said.missing}</p>
            <a href={canvas} className="text-sm font-medium text-accent hover:underline">
              {said.back}
            </a>
          </>
        )}
        {load === 'failed' && (
          <>
            <p className="max-w-sm">
              {said.failed} {why}
            </p>
            <Button onClick={() => void open.load()}>{text.again}</Button>
          </>
        )}
      </div>
    </>
  );
}

function Ready({ open, editor }: { open: OpenWorkflow; editor: Editor }) {
  const saver = useRef<HTMLButtonElement>(null);
  const saving = useSaving(open, saver);
  const [isPanelShown, showPanel] = useState(() => matchMedia('(width >= 64rem)').matches);
  const isUnreadable = useStore(editor, hasNothingToDraw);
  const panel = useRef<PanelHandle>(null);
  const show = (tab: PanelTab) => {
    flushSync(() => showPanel(true)); // what is hidden takes no focus
    panel.current!.show(tab);
  };
  useEffect(() => {
    if (hasNothingToDraw(editor.value)) panel.current!.show('yaml');
  }, [editor]);
  useTitle(open, editor);
  useKeys(editor, saving.save);

  return (
    <>
      <Top open={open} editor={editor} isPanelShown={isPanelShown} onPanel={() => showPanel(!isPanelShown)} onProblems={() => show('problems')} saver={saver} onSave={saving.save} />
      <Notices open={open} onCopy={saving.saveCopy} />
      <div className="relative flex min-h-0 flex-1">
        {saving.question && <SaveForm key={saving.question.path} open={open} question={saving.question} onClose={saving.close} onSaved={saving.done} />}
        <div className="relative min-w-0 flex-1">
          {isUnreadable ? <Unreadable onMend={() => show('yaml')} /> : <Board editor={editor} onOpen={() => show('node')} />}
        </div>
        <aside
          aria-label={said.panel}
          hidden={!isPanelShown}
          className="w-100 shrink-0 border-s border-line max-lg:absolute max-lg:inset-y-0 max-lg:end-0 max-lg:z-10 max-lg:w-[min(25rem,100%)] max-lg:shadow-pop"
        >
          <Panel editor={editor} ref={panel} />
        </aside>
      </div>
    </>
  );
}

/** Whether a file could not be read, and never was before. */
const hasNothingToDraw = ({ typed, graph }: EditorState) => typed !== undefined && graph.nodes.length === 0;

/** In the place of the canvas, where there is nothing to draw. */
function Unreadable({ onMend }: { onMend: () => void }) {
  return (
    <div className="grid h-full place-content-center justify-items-center gap-3 p-6 text-center text-soft">
      <p className="max-w-sm">{said.unreadable}</p>
      <Button onClick={onMend}>{said.mend}</Button>
    </div>
  );
}

interface TopProps {
  open: OpenWorkflow;
  editor: Editor;
  isPanelShown: boolean;
  onPanel: () => void;
  onProblems: () => void;
  saver: Ref<HTMLButtonElement>;
  onSave: () => void;
}

/** What it is, how it stands, and what can be done with all of it. */
function Top({ open, editor, isPanelShown, onPanel, onProblems, saver, onSave }: TopProps) {
  const { path, version, isChanged, isSaving, unkept } = useStore(open, state => state);
  const name = useNameOf(editor, path);
  const undo = useStore(editor, state => state.undo);
  const redo = useStore(editor, state => state.redo);
  const problems = useStore(editor, state => state.problems.length);
  const state = isSaving ? said.saving : unkept ? said.unkept : version === '' ? said.fresh : isChanged ? said.changed : said.saved;
  const Mark = problems > 0 ? CircleAlert : CircleCheck;
  return (
    <Head>
      <IconLink icon={ChevronLeft} label={said.back} href={canvas} />
      <div className="me-auto flex min-w-0 items-baseline gap-2">
        <Title says={path}>{name}</Title>
        <p role="status" className={`shrink-0 text-xs max-sm:sr-only ${unkept ? 'text-warn' : 'text-faint'}`}>
          {state}
          <span className="sr-only">, {said.problems(problems)}</span>
        </p>
      </div>
      <button
        type="button"
        title={said.problems(problems)}
        aria-label={said.problems(problems)}
        onClick={onProblems}
        className={`flex h-8 shrink-0 items-center gap-1.5 rounded-md px-2 text-sm hover:bg-hover ${problems > 0 ? 'text-warn' : 'text-soft max-sm:hidden'}`}
      >
        <Mark aria-hidden className="size-4" />
        <span className="max-lg:hidden">{said.problems(problems)}</span>
        {problems > 0 && <span className="tabular-nums lg:hidden">{problems}</span>}
      </button>
      {/* These three are not disabled, but said to be: whoever presses one keeps the focus when there is no more to be done. */}
      <IconButton icon={Undo2} label={said.undo(undo)} aria-disabled={!undo} onClick={() => editor.undo()} className="size-8 aria-disabled:opacity-40" />
      <IconButton icon={Redo2} label={said.redo(redo)} aria-disabled={!redo} onClick={() => editor.redo()} className="size-8 aria-disabled:opacity-40" />
      <IconButton icon={PanelRight} label={said.panel} aria-expanded={isPanelShown} onClick={onPanel} />
      <Button ref={saver} look="strong" aria-disabled={isSaving || (version !== '' && !isChanged)} onClick={onSave} className="aria-disabled:opacity-50">
        {workflowText.save.save}
      </Button>
    </Head>
  );
}

function useNameOf(editor: Editor, path: string): string {
  return useStore(editor, ({ graph }) => graph.name || graph.id) || path;
}

function useTitle(open: OpenWorkflow, editor: Editor): void {
  const { path, version, isChanged } = useStore(open, state => state);
  const name = useNameOf(editor, path);
  const isUnsaved = version === '' || isChanged;
  useEffect(() => {
    document.title = `${isUnsaved ? '• ' : ''}${name} — ${text.name}`;
  }, [name, isUnsaved]);
}

/** Saves, undoes and redoes by keys, wherever on the page they are pressed, if nothing lies over it and nobody else took them. */
function useKeys(editor: Editor, save: () => void): void {
  const { dialogs } = useParley();
  const latest = useRef(save);
  useEffect(() => {
    latest.current = save;
  });
  useEffect(() => {
    const pressed = (event: KeyboardEvent) => {
      if (dialogs.value.dialog || event.defaultPrevented || event.isComposing || event.altKey || !(event.ctrlKey || event.metaKey)) return;
      const key = `${event.shiftKey ? 'Shift+' : ''}${event.key.toUpperCase()}`;
      if (key === 'S') latest.current();
      else if (key === 'Z' && !isWriting(event.target)) editor.undo();
      else if ((key === 'Shift+Z' || key === 'Y') && !isWriting(event.target)) editor.redo();
      else return;
      event.preventDefault();
    };
    window.addEventListener('keydown', pressed);
    return () => window.removeEventListener('keydown', pressed);
  }, [dialogs, editor]);
}
