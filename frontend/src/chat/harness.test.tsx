import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test } from 'vitest';
import { HarnessPart } from '../parts/harness.tsx';
import { text } from '../ui/text.ts';
import { harnessIn, takesMore, type HarnessState } from './harness.ts';
import type { Message } from './message.ts';
import type { OpenSession } from './session.ts';
import { agentOf } from './turns.ts';

const told = (harness: string, how: HarnessState['how'] = 'new'): Message => ({
  id: harness + how,
  role: 'assistant',
  parts: [{ type: 'data-harness', data: { harness, how } }],
});
const said: Message = { id: 'u1', role: 'user', parts: [] };

/** What is shown of it. */
const shown = (how: HarnessState['how']) =>
  renderToStaticMarkup(<HarnessPart id="p" live={false} session={{} as OpenSession} part={{ type: 'data-harness', data: { harness: 'pi', how } }} />);
const by = (agent?: string): Message => ({ id: `a${agent}`, role: 'assistant', metadata: { agent }, parts: [] });

test('what holds is what the program of the agent told last', () => {
  expect(harnessIn([told('pi'), said, told('pi', 'warm'), said], 'pi')?.how).toBe('warm');
  expect(harnessIn([told('pi'), said, told('claude')], 'pi')).toBeUndefined();
  expect(harnessIn([said], 'pi')).toBeUndefined();
});

test('only who says so can be told more', () => {
  const steers: Message = { id: 'a', role: 'assistant', parts: [{ type: 'data-harness', data: { harness: 'pi', how: 'warm', steers: true } }] };
  expect([steers, told('pi'), said, undefined].map(takesMore)).toEqual([true, false, false, false]);
});

test('how the program came to know is said only where it did not just go on', () => {
  expect([shown('new'), shown('warm')]).toEqual(['', '']);
  expect(shown('resumed')).toContain(text.harness.how.resumed);
  expect(shown('retold')).toContain(text.harness.how.retold);
});

test('a turn is its last answer’s agent’s', () => {
  expect(agentOf({ key: 't', asked: said, answers: [by('pi'), by('claude'), by()] })).toBe('claude');
  expect(agentOf({ key: 't', asked: said, answers: [] })).toBeUndefined();
  expect(agentOf(undefined)).toBeUndefined();
});
