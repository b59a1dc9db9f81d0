import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { pass, readyVault, ScriptedServer } from '../api/scripted.ts';
import type { Vault } from '../api/types.gen.ts';
import { reportPresence } from './presence.ts';

let server: ScriptedServer;
let page: EventTarget;

beforeEach(() => {
  vi.useFakeTimers();
  server = new ScriptedServer();
  page = new EventTarget();
  reportPresence(server.vault, page);
});

afterEach(() => {
  server.end();
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

async function show(vault: Partial<Vault>): Promise<void> {
  server.answers.set('GET /vault', () => ({ ...readyVault, ...vault }));
  await server.vault.look();
}

/** What a person does; gives how often the door has been told so far. */
async function act(...signs: string[]): Promise<number> {
  for (const sign of signs) page.dispatchEvent(new Event(sign));
  await pass();
  return server.asked.filter(request => request === 'POST /vault/active').length;
}

test('who is there is reported once a minute, and nobody while nobody is', async () => {
  await show({ lockAfter: 5 });
  expect(await act()).toBe(0);
  expect(await act('keydown', 'pointermove', 'keydown')).toBe(1);
  await pass(59_999);
  expect(await act('wheel')).toBe(1);
  await pass(1);
  expect(await act('wheel')).toBe(2);
  await pass(60 * 60_000);
  expect(await act()).toBe(2);
});

test('nothing is reported of a history that does not lock itself, or is locked', async () => {
  await show({ lockAfter: 0 });
  expect(await act('keydown')).toBe(0);
  await show({ state: 'sleeping', lockAfter: 5 });
  expect(await act('pointerdown')).toBe(0);
  await show({ lockAfter: 5 });
  expect(await act('pointerdown')).toBe(1);
});
