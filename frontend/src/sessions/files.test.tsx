import { act, type ComponentType } from 'react';
import { createRoot, type Root } from 'react-dom/client';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { pass, refusal, ScriptedServer } from '../api/scripted.ts';
import { ParleyContext, type Parley } from '../parley.ts';
import { Dialogs } from '../ui/dialogs.ts';
import { Toasts } from '../ui/toasts.ts';
import ExportDialog from './export.tsx';
import ImportDialog from './import.tsx';
import { SessionList } from './list.ts';
import { fileText } from './text.ts';

const said = fileText.export;

let server: ScriptedServer;
let dialogs: Dialogs;
let toasts: Toasts;
let root: Root;
let heard: unknown[]; // by the server and the host, in order
let place: string | undefined; // where the person lets a file be saved

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal('IS_REACT_ACT_ENVIRONMENT', true);
  server = new ScriptedServer();
  dialogs = new Dialogs();
  toasts = new Toasts();
  heard = [];
  place = '/home/me/s.md';
  server.answers.set('GET /sessions/s/export', query => {
    const format = query.get('format')!;
    return { name: `s.${format}`, mediaType: 'text/plain', content: `as ${format}`, warnings: format === 'markdown' ? [] : ['Tools were used that the agent does not have.'] };
  });
  server.answers.set('GET /sessions', () => ({ sessions: [{ id: 's', exportedPath: 'old.html' }], workingDir: '' }));
  server.answers.set('PATCH /sessions/s', (_, body) => (heard.push(body), {}));
  root = createRoot(document.body.appendChild(document.createElement('div')));
});

afterEach(async () => {
  await act(() => root.unmount());
  server.end();
  document.body.replaceChildren();
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

async function show(Shown: ComponentType): Promise<void> {
  const list = new SessionList(server.client, server.wire, server.vault);
  await server.start(); // the list is there
  const host = { save: async (...file: string[]) => (heard.push(file), place) };
  await act(async () => {
    root.render(
      <ParleyContext value={{ client: server.client, dialogs, list, toasts, host } as Partial<Parley> as Parley}>
        <Shown />
      </ParleyContext>,
    );
    await pass();
  });
}

async function showExport(): Promise<void> {
  dialogs.showExport('s');
  await show(ExportDialog);
}

async function click(element: HTMLElement): Promise<void> {
  await act(async () => {
    element.click();
    await pass();
  });
}

const choose = (format: keyof typeof said.formats) => click(document.querySelectorAll('input')[Object.keys(said.formats).indexOf(format)]!);
const saveButton = () => [...document.querySelectorAll('button')].find(({ textContent }) => textContent === said.save)!;
const told = () => document.querySelector('[role=status]')!.textContent;

test('what to look at is told before a file is saved, and where it was saved is kept', async () => {
  await showExport();
  expect(document.querySelector('dialog')!.textContent).toContain(said.before('old.html'));
  expect(told()).toBe(`${said.review}Tools were used that the agent does not have.`);
  await choose('markdown');
  expect(told()).toBe(said.clear);
  expect(heard).toEqual([]);
  await click(saveButton());
  expect(heard).toEqual([['s.markdown', 'as markdown'], { exportedPath: place }]);
  expect(dialogs.value.dialog).toBeUndefined();
  expect(toasts.value.toasts.map(({ message }) => message)).toEqual([said.saved(place!)]);
});

test('who does not want the file after all has saved nothing, and chooses again', async () => {
  place = undefined;
  await showExport();
  await click(saveButton());
  expect(heard).toEqual([['s.canvas', 'as canvas']]);
  expect(dialogs.value.dialog?.kind).toBe('export');
  expect(saveButton().disabled).toBe(false);
});

test('a format that cannot be made leaves nothing to save, and another can be chosen', async () => {
  const { answers } = server;
  const made = answers.get('GET /sessions/s/export')!;
  answers.set('GET /sessions/s/export', () => refusal(400, 'validation', 'The workflow is too large.'));
  await showExport();
  expect(document.querySelector('[role=alert]')?.textContent).toBe('The workflow is too large.');
  expect(saveButton().disabled).toBe(true);
  answers.set('GET /sessions/s/export', made);
  await choose('bundle');
  expect(document.querySelector('[role=alert]')).toBeNull();
  expect(saveButton().disabled).toBe(false);
});

test('a file becomes a session, which is shown; one that is refused says why, and can be chosen again', async () => {
  server.answers.set('POST /import', (_, body) => (heard.push(body), heard.length === 1 ? refusal(400, 'validation', 'It is empty.') : { id: 'sess_new' }));
  dialogs.showImport();
  await show(ImportDialog);
  const box = document.querySelector<HTMLInputElement>('input')!;
  const give = (content: string) =>
    act(async () => {
      Object.defineProperty(box, 'files', { configurable: true, value: [new File([content], 'a.jsonl')] });
      box.dispatchEvent(new Event('change', { bubbles: true }));
      await pass();
    });
  await give('');
  expect(document.querySelector('[role=alert]')?.textContent).toBe('It is empty.');
  await give('{"id":"u1"}');
  expect(heard).toEqual([{ content: '' }, { content: '{"id":"u1"}' }]);
  expect(dialogs.value.dialog).toBeUndefined();
  expect(location.hash + location.pathname).toContain('sess_new');
});
