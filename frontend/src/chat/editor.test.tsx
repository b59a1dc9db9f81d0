import { act } from 'react';
import { createRoot, type Root } from 'react-dom/client';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { pass, ScriptedServer } from '../api/scripted.ts';
import { ParleyContext, type Parley } from '../parley.ts';
import { Dialogs } from '../ui/dialogs.ts';
import { text } from '../ui/text.ts';
import { Toasts } from '../ui/toasts.ts';
import { Editor } from './editor.tsx';

const token = 'ghp_0123456789';

let server: ScriptedServer;
let root: Root;
let stored: () => void;
const wrote = vi.fn<(written: string) => void>();
const done = vi.fn<(changed: string | undefined) => void>();

beforeEach(async () => {
  vi.useFakeTimers();
  vi.stubGlobal('IS_REACT_ACT_ENVIRONMENT', true);
  server = new ScriptedServer();
  server.answers.set('POST /find-credentials', () => ({ found: [{ kind: 'a GitHub token', text: token }] }));
  server.answers.set('GET /secrets', () => ({ secrets: [] }));
  server.answers.set('POST /secrets', (_, body) => new Promise(answer => (stored = () => answer(body))));
  root = createRoot(document.body.appendChild(document.createElement('div')));
  await act(() =>
    root.render(
      <ParleyContext value={{ client: server.client, dialogs: new Dialogs(), toasts: new Toasts() } as Partial<Parley> as Parley}>
        <Editor label="Edit" content={`use ${token}`} onWrite={wrote} onDone={done}>
          {save => <button onClick={save}>Save</button>}
        </Editor>
      </ParleyContext>,
    ),
  );
  await act(() => pass(200));
});

afterEach(async () => {
  await act(() => root.unmount());
  document.body.replaceChildren();
  vi.clearAllMocks();
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

const press = (label: string) =>
  act(async () => {
    [...document.querySelectorAll('button')].find(each => each.textContent === label)!.click();
    await pass();
  });
const answer = () =>
  act(async () => {
    stored();
    await pass();
  });

test('a credential in what is changed is stored like one in what is new, and nothing is kept before that', async () => {
  await press(text.credential.store);
  await press('Save');
  expect(done).not.toHaveBeenCalled();
  await answer();
  expect(wrote).toHaveBeenLastCalledWith('use [secret:github-token]');
  await press('Save');
  expect(done).toHaveBeenCalledWith('use [secret:github-token]');
});

test('what was left while its credential was stored stays as it was', async () => {
  await press(text.credential.store);
  await act(() => root.render(null));
  await answer();
  expect(wrote).not.toHaveBeenCalled();
});
