import { act } from 'react';
import { createRoot, type Root } from 'react-dom/client';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { pass, readyVault, refusal, ScriptedServer } from '../api/scripted.ts';
import type { Vault } from '../api/types.gen.ts';
import { ParleyContext, type Parley } from '../parley.ts';
import { Dialogs } from '../ui/dialogs.ts';
import { useStore } from '../ui/store.ts';
import { text } from '../ui/text.ts';
import type { LiveVault } from './vault.ts';
import VaultScreen from './screen.tsx';

let server: ScriptedServer;
let dialogs: Dialogs;
let root: Root;
let sent: unknown[];

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal('IS_REACT_ACT_ENVIRONMENT', true);
  server = new ScriptedServer();
  dialogs = new Dialogs();
  sent = [];
  const { fetch } = globalThis;
  vi.stubGlobal('fetch', (url: string, init: RequestInit) => {
    if (init.body) sent.push(JSON.parse(String(init.body)));
    return fetch(url, init);
  });
  root = createRoot(document.body.appendChild(document.createElement('div')));
});

afterEach(async () => {
  await act(() => root.unmount());
  server.end();
  document.body.replaceChildren();
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

function Shown({ live }: { live: LiveVault }) {
  const vault = useStore(live, state => state.vault);
  return vault && vault.state !== 'ready' ? <VaultScreen vault={vault} /> : null;
}

async function show(vault: Partial<Vault>): Promise<void> {
  server.answers.set('GET /vault', () => ({ ...readyVault, slots: [], ...vault }));
  const parley = { vault: server.vault, wire: server.wire, dialogs } as Partial<Parley> as Parley;
  await act(async () => {
    root.render(
      <ParleyContext value={parley}>
        <Shown live={server.vault} />
      </ParleyContext>,
    );
    await server.start();
  });
}

const box = (name: string) => document.querySelector<HTMLInputElement | HTMLTextAreaElement>(`[name=${name}]`)!;
const button = (label: string) => [...document.querySelectorAll('button')].find(each => each.textContent === label)!;
const problem = () => document.querySelector('[role=alert]')?.textContent;

async function press(label: string): Promise<void> {
  await act(async () => {
    button(label).click();
    await pass();
  });
}

test('a passphrase leaves the page when it is used, and a wrong one can be typed anew at once', async () => {
  server.answers.set('POST /vault/unlock', () => refusal(400, 'validation', 'This is not the passphrase.'));
  await show({ state: 'needs_passphrase', accepts: ['passphrase'], slots: ['passphrase'] });
  box('passphrase').value = 'a wrong one';
  await press(text.vault.unlock);
  expect(sent).toEqual([{ passphrase: 'a wrong one' }]);
  expect([box('passphrase').value, problem(), document.activeElement]).toEqual(['', 'This is not the passphrase.', box('passphrase')]);
  server.answers.set('POST /vault/unlock', () => readyVault);
  box('passphrase').value = 'the right one';
  await press(text.vault.unlock);
  expect([server.vault.isOpen, document.body.textContent]).toEqual([true, '']);
});

test('a recovery code with a mistake stays, to be mended', async () => {
  server.answers.set('POST /vault/unlock', () => refusal(400, 'validation', 'Group 7 is not right.'));
  await show({ state: 'needs_recovery_code', accepts: ['recovery_code'], slots: ['keychain', 'recovery_code'] });
  box('code').value = 'k7qmx 2r9tb';
  await press(text.vault.unlock);
  expect([box('code').value, problem(), document.activeElement]).toEqual(['k7qmx 2r9tb', 'Group 7 is not right.', box('code')]);
});

test('a history that is told to be open before its unlocking is answered does not cut the answer off', async () => {
  let isCut = false;
  server.answers.set('POST /vault/unlock', () => new Promise(() => {}));
  await show({ state: 'needs_recovery_code', accepts: ['recovery_code'], slots: ['keychain', 'recovery_code'] });
  const { fetch } = globalThis;
  vi.stubGlobal('fetch', (url: string, init: RequestInit) => {
    init.signal?.addEventListener('abort', () => (isCut = true));
    return fetch(url, init);
  });
  box('code').value = 'k7qmx';
  await press(text.vault.unlock);
  server.answers.set('GET /vault', () => readyVault);
  await act(async () => {
    server.socket.say({ type: 'vault', state: 'ready' });
    await pass();
  });
  expect([server.vault.isOpen, document.body.textContent, isCut]).toEqual([true, '', false]);
});

test('nothing typed asks nobody', async () => {
  await show({ state: 'needs_passphrase', accepts: ['passphrase'], slots: ['passphrase'] });
  await press(text.vault.unlock);
  expect([problem(), sent]).toEqual([text.vault.passphrase.missing, []]);
});

test('waiting for the keychain can be cancelled, and tried again', async () => {
  server.answers.set('POST /vault/unlock', () => new Promise(() => {}));
  await show({ state: 'locked', slots: ['keychain'] });
  await press(text.vault.unlock);
  expect(document.body.textContent).toContain(text.vault.waiting);
  await press(text.cancel);
  expect([document.body.textContent!.includes(text.vault.waiting), problem()]).toEqual([false, undefined]);
  server.answers.set('POST /vault/unlock', () => refusal(503, 'internal', 'It is still locked.'));
  await press(text.vault.unlock);
  expect(problem()).toBe('It is still locked.');
  server.answers.set('POST /vault/unlock', () => readyVault);
  await press(text.again);
  expect([server.vault.isOpen, sent]).toEqual([true, [{}, {}, {}]]);
});

test('a first passphrase is typed twice, and a recovery code is offered right after it', async () => {
  server.answers.set('PUT /vault/passphrase', () => ({ ...readyVault, slots: ['passphrase'] }));
  await show({ state: 'no_keychain', keychain: { health: 'absent', kind: '', remedy: 'There is none.' } });
  box('passphrase').value = 'short';
  await press(text.vault.first.done);
  expect([problem(), document.activeElement]).toEqual([text.vault.passphrase.short(8), box('passphrase')]);
  box('passphrase').value = 'walnut tractor seldom';
  box('again').value = 'walnut tractor';
  await press(text.vault.first.done);
  expect([problem(), document.activeElement, sent]).toEqual([text.vault.passphrase.different, box('again'), []]);
  box('again').value = 'walnut tractor seldom';
  await press(text.vault.first.done);
  expect(sent).toEqual([{ passphrase: 'walnut tractor seldom' }]);
  expect([server.vault.isOpen, dialogs.value.dialog]).toEqual([true, { kind: 'key', step: 'code' }]);
});

test('who wants no recovery code is not given one', async () => {
  server.answers.set('PUT /vault/passphrase', () => readyVault);
  await show({ state: 'no_keychain' });
  for (const name of ['passphrase', 'again']) box(name).value = 'walnut tractor seldom';
  box('withCode').click();
  await press(text.vault.first.done);
  expect([server.vault.isOpen, dialogs.value.dialog]).toEqual([true, undefined]);
});

test('a history that cannot be read says what the door says, and a new one is begun only after saying what happens to it', async () => {
  server.answers.set('POST /vault/start-new', () => readyVault);
  await show({ state: 'damaged', message: 'The key file is damaged.', remedy: 'Put back a copy of it.' });
  expect(document.body.textContent).toContain('The key file is damaged.Put back a copy of it.');
  expect(button(text.vault.startNew.do)).toBeUndefined();
  await press(text.vault.startNew.offer);
  expect(document.body.textContent).toContain(text.vault.startNew.says);
  await press(text.vault.startNew.do);
  expect(server.vault.isOpen).toBe(true);
});

test('what waits for its owner is not left behind', async () => {
  await show({ state: 'locked', slots: ['keychain'] });
  expect(button(text.vault.startNew.offer)).toBeUndefined();
});
