import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { pass, readyVault, refusal, ScriptedServer } from '../api/scripted.ts';
import type { Vault } from '../api/types.gen.ts';
import { waysOf } from './ways.tsx';

const lockedVault: Vault = { ...readyVault, state: 'needs_passphrase', accepts: ['passphrase'], slots: ['passphrase'] };

let server: ScriptedServer;
let opened: number;
let locked: number;

beforeEach(() => {
  vi.useFakeTimers();
  server = new ScriptedServer();
  opened = locked = 0;
  server.vault.onOpen(() => opened++);
  server.vault.onLock(() => locked++);
});

afterEach(() => {
  server.end();
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

const now = (vault: Vault) => server.answers.set('GET /vault', () => vault);
const state = () => server.vault.value.vault?.state;

/** The door's notice that the vault changed, and what it says when it is asked. */
async function becomes(vault: Vault): Promise<void> {
  now(vault);
  server.socket.say({ type: 'vault', state: vault.state });
  await pass();
}

/** Leaves such requests without an answer until the test gives them one. */
function hold(request: string): ((vault: Vault) => void)[] {
  const answers: ((vault: Vault) => void)[] = [];
  server.answers.set(request, () => new Promise<Vault>(resolve => answers.push(resolve)));
  return answers;
}

test('an open history is announced once for each connection', async () => {
  await server.vault.look();
  expect([state(), opened], 'without a wire nothing can be watched').toEqual(['ready', 0]);
  await server.start();
  await server.vault.look();
  expect(opened).toBe(1);
  server.socket.close();
  await pass(500);
  server.socket.accept();
  await pass();
  expect([opened, locked]).toEqual([2, 0]);
});

test('another history in the place of the one that is shown is taken for a lock', async () => {
  await server.start();
  await becomes({ ...readyVault, lost: 1 });
  expect([opened, locked]).toEqual([1, 0]);
  await becomes({ ...readyVault, history: 'another.0' });
  expect([opened, locked]).toEqual([1, 1]);
});

test('a history that is not open is announced when it is, whoever opened it', async () => {
  now(lockedVault);
  await server.start();
  expect([state(), opened]).toEqual(['needs_passphrase', 0]);
  await becomes(readyVault);
  expect([state(), opened, locked]).toEqual(['ready', 1, 0]);
});

test('a history that is locked is no longer open, and can be opened again', async () => {
  await server.start();
  await becomes(lockedVault);
  expect([server.vault.isOpen, opened, locked]).toEqual([false, 1, 1]);
  server.answers.set('POST /vault/unlock', () => readyVault);
  await server.vault.unlock({ passphrase: 'p' });
  expect([server.vault.isOpen, opened, locked]).toEqual([true, 2, 1]);
});

test('a door that comes back with its history locked did not lock it on purpose', async () => {
  await server.start();
  server.socket.close();
  now(lockedVault);
  await pass(500);
  server.socket.accept();
  await pass();
  expect([state(), opened, locked]).toEqual(['needs_passphrase', 1, 0]);
});

test('a request that is refused because the history is not open makes the page look', async () => {
  await server.start();
  now(lockedVault);
  server.answers.set('GET /agents', () => refusal(503, 'vault_locked', 'Unlock the history.'));
  await expect(server.client.agents()).rejects.toMatchObject({ status: 503, message: 'Unlock the history.' });
  await pass();
  expect(state()).toBe('needs_passphrase');
});

test('an answer that was overtaken by a newer one is dropped', async () => {
  await server.start();
  const answers = hold('GET /vault');
  void server.vault.look();
  await pass();
  server.answers.set('POST /vault/lock', () => lockedVault);
  await server.vault.lock();
  answers[0]!(readyVault);
  await pass();
  expect(state()).toBe('needs_passphrase');
});

test('an answer that was asked for later counts, even if an earlier one is still out', async () => {
  await server.start();
  const answers = hold('GET /vault');
  void server.vault.look();
  void server.vault.look();
  await pass();
  answers[0]!(readyVault);
  await pass();
  answers[1]!(lockedVault);
  await pass();
  expect(state()).toBe('needs_passphrase');
});

test('what was unlocked by a dialog counts, whatever was asked while it was open', async () => {
  now(lockedVault);
  await server.start();
  const answers = hold('POST /vault/unlock');
  const unlocked = server.vault.unlock({});
  await pass();
  await server.vault.look();
  answers[0]!(readyVault);
  await unlocked;
  expect(state()).toBe('ready');
});

test.each<[Partial<Vault>, string[]]>([
  [{ state: 'locked', slots: ['keychain'] }, ['keychain']],
  [{ state: 'locked', accepts: ['recovery_code'] }, ['keychain', 'recovery_code']],
  [{ state: 'needs_passphrase', accepts: ['recovery_code', 'passphrase'], slots: ['recovery_code', 'passphrase'] }, ['passphrase', 'recovery_code']],
  [{ state: 'needs_recovery_code', accepts: ['passphrase', 'recovery_code'], slots: ['keychain'] }, ['recovery_code', 'passphrase', 'keychain']],
  [{ state: 'no_keychain', accepts: ['recovery_code'], slots: ['keychain', 'recovery_code'] }, ['recovery_code', 'keychain']],
  [{ state: 'sleeping', accepts: ['passphrase'], slots: ['passphrase'] }, ['passphrase']],
  [{ state: 'unreadable', slots: ['keychain'] }, ['keychain']],
  [{ state: 'damaged', slots: [] }, ['keychain']],
])('%o is opened by %o', (vault, ways) => {
  expect(waysOf({ ...lockedVault, accepts: [], slots: [], ...vault })).toEqual(ways);
});
