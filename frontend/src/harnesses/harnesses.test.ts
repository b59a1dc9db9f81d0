import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { refusal, ScriptedServer } from '../api/scripted.ts';
import { Agents } from '../agents/agents.ts';
import { Harnesses } from './harnesses.ts';

let server: ScriptedServer;
let agents: Agents;
let harnesses: Harnesses;

beforeEach(() => {
  server = new ScriptedServer();
  agents = new Agents(server.client, server.wire, server.vault);
  harnesses = new Harnesses(server.client, agents);
  server.answers.set('GET /harnesses', () => ({ harnesses: [{ kind: 'pi' }] }));
});

afterEach(() => {
  server.end();
  vi.unstubAllGlobals();
});

test('it looks once, however often it is asked to, and only then', async () => {
  expect(server.asked).toEqual([]);
  await Promise.all([harnesses.look(), harnesses.look()]);
  await harnesses.look();
  expect(server.asked).toEqual(['GET /harnesses']);
  expect(harnesses.value).toMatchObject({ harnesses: [{ kind: 'pi' }], isLooking: false });
});

test('it looks again when it is told to, and knows then who can be talked to', async () => {
  await harnesses.look();
  server.answers.set('POST /harnesses', () => ({ harnesses: [] }));
  server.answers.set('GET /agents', () => ({ agents: [{ id: 'pi' }] }));
  await harnesses.lookAgain();
  expect(harnesses.value.harnesses).toEqual([]);
  expect(agents.value.agents).toMatchObject([{ id: 'pi' }]);
});

test('what failed says why, and takes nothing away', async () => {
  await harnesses.look();
  server.answers.set('POST /harnesses', () => refusal(500, 'internal', 'It broke.'));
  await harnesses.lookAgain();
  expect(harnesses.value).toMatchObject({ harnesses: [{ kind: 'pi' }], problem: 'It broke.', isLooking: false });
});
