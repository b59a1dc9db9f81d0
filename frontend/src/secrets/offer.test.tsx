import { act } from 'react';
import { createRoot, type Root } from 'react-dom/client';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { pass, refusal, ScriptedServer } from '../api/scripted.ts';
import { Draft } from '../chat/draft.ts';
import { ParleyContext, type Parley } from '../parley.ts';
import { Dialogs } from '../ui/dialogs.ts';
import { useStore } from '../ui/store.ts';
import { text } from '../ui/text.ts';
import { Toasts } from '../ui/toasts.ts';
import { CredentialOffer, useCredential } from './offer.tsx';

const token = 'ghp_0123456789';

let server: ScriptedServer;
let draft: Draft;
let root: Root;
let stored: unknown[];

beforeEach(async () => {
  vi.useFakeTimers();
  vi.stubGlobal('IS_REACT_ACT_ENVIRONMENT', true);
  server = new ScriptedServer();
  stored = [];
  server.answers.set('POST /find-credentials', (_, body) => ({
    found: (body as { text: string }).text.includes(token) ? [{ kind: 'a GitHub token', text: token }] : [],
  }));
  server.answers.set('GET /secrets', () => ({ secrets: [{ slug: 'github-token' }] }));
  server.answers.set('POST /secrets', (_, body) => (stored.push(body), body));
  draft = new Draft({ save: async () => {}, upload: () => Promise.reject(new Error()) });
  root = createRoot(document.body.appendChild(document.createElement('div')));
  await act(async () =>
    root.render(
      <ParleyContext value={{ client: server.client, dialogs: new Dialogs(), toasts: new Toasts() } as Partial<Parley> as Parley}>
        <Offered />
      </ParleyContext>,
    ),
  );
});

afterEach(async () => {
  await act(() => root.unmount());
  document.body.replaceChildren();
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

function Offered() {
  const written = useStore(draft, state => state.text);
  return <CredentialOffer {...useCredential(written, mention => draft.edit(mention(draft.value.text)))} />;
}

const shown = () => document.body.textContent;
const write = (written: string) =>
  act(async () => {
    draft.edit(written);
    await pass(200);
  });
const press = (label: string) =>
  act(async () => {
    [...document.querySelectorAll('button')].find(each => each.textContent === label)!.click();
    await pass();
  });

test('what looks like a credential is stored with one click, and mentioned by its name from then on', async () => {
  await write(`use ${token} twice: ${token}`);
  expect(shown()).toContain(text.credential.looks('a GitHub token'));
  await press(text.credential.store);
  expect(stored).toEqual([{ name: 'GitHub token 2', slug: 'github-token-2', global: true, format: 'text', value: token }]);
  expect(draft.value.text).toBe('use [secret:github-token-2] twice: [secret:github-token-2]');
  expect(shown()).toBe('');
});

test('what could not be stored stays as it was written, and it is said why', async () => {
  server.answers.set('POST /secrets', () => refusal(503, 'unavailable', 'The keychain is locked.'));
  await write(`use ${token}`);
  await press(text.credential.store);
  expect(draft.value.text).toBe(`use ${token}`);
  expect(shown()).toContain('The keychain is locked.');
});

test('what the person leaves is not offered again, and neither is what is gone', async () => {
  await write(`use ${token}`);
  await press(text.credential.leave);
  await write(`use ${token} now`);
  expect(shown()).toBe('');
  await write('nothing of the kind');
  expect(server.asked.filter(asked => asked.includes('find'))).toHaveLength(3);
  await write('short');
  expect(server.asked.filter(asked => asked.includes('find'))).toHaveLength(3);
});
