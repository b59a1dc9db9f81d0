import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { findHost } from '../api/host.ts';
import { pass, refusal, ScriptedServer } from '../api/scripted.ts';
import type { Question } from '../api/types.gen.ts';
import { text } from '../ui/text.ts';
import type { ViewSettings } from '../ui/view.ts';
import { Inbox } from './inbox.ts';
import { notifyOf } from './notify.ts';

let server: ScriptedServer;
let inbox: Inbox;
let waiting: Question[];

const question = (id: string): Question => ({ id, sessionId: 's', kind: 'user_approval', call: 'c', manifest: { preview: 'rm -r secrets' }, askedAt: 1, title: 'My secrets', agent: 'A' });
const notice = async () => {
  server.socket.say({ type: 'session', requestId: 'r', sessionId: 's' });
  await pass(100);
};
const ids = () => inbox.value.waiting.map(({ id }) => id);

beforeEach(async () => {
  vi.useFakeTimers();
  server = new ScriptedServer();
  waiting = [question('ask_1')];
  server.answers.set('GET /approvals', () => ({ approvals: waiting }));
  inbox = new Inbox(server.client, server.wire, server.vault);
  void server.vault.look();
  await server.start();
});

afterEach(() => {
  server.end();
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

describe('pains 4 and 18: what waits for a person', () => {
  test('is known once the history is open, and follows what happens in any session', async () => {
    expect(ids()).toEqual(['ask_1']);
    waiting = [question('ask_1'), question('ask_2')];
    await notice();
    expect(ids()).toEqual(['ask_1', 'ask_2']);
    waiting = [question('ask_2'), { ...question('ask_3'), kind: 'client_tool' }]; // answered from another window
    await notice();
    expect(ids()).toEqual(['ask_2']);
  });

  test('is answered from here; an answer that came too late says so, and what waits is looked up again', async () => {
    const answers: unknown[] = [];
    server.answers.set('POST /approvals/ask_1', (_, answer) => {
      answers.push(answer);
      waiting = [];
      return refusal(409, 'answered', 'Somebody else answered it.');
    });
    await inbox.answer('ask_1', { approved: true });
    expect(answers).toEqual([{ approved: true }]);
    expect(inbox.value.problems).toEqual({ ask_1: 'Somebody else answered it.' });
    expect(ids()).toEqual([]);
  });
});

describe('a notification', () => {
  const shown: { title: string; options: NotificationOptions }[] = [];
  const look = (permission: string, hasFocus: boolean, notify = true) => {
    shown.length = 0;
    class Notice extends EventTarget {
      static permission = permission;
      constructor(title: string, options: NotificationOptions) {
        super();
        shown.push({ title, options });
      }
    }
    vi.stubGlobal('Notification', Notice);
    vi.spyOn(document, 'hasFocus').mockReturnValue(hasFocus);
    notifyOf(inbox, findHost(), { value: { notify } } as ViewSettings);
  };

  test('says how much waits and nothing of what, and comes once for what is new', async () => {
    look('granted', false);
    await notice();
    expect(shown, 'it was known').toEqual([]);
    waiting = [question('ask_1'), question('ask_2')];
    await notice();
    expect(shown.map(({ title, options }) => [title, options.body])).toEqual([[text.name, text.inbox.open(2)]]);
    expect(JSON.stringify(shown)).not.toContain('secrets');
    waiting = [question('ask_2')];
    await notice();
    expect(shown).toHaveLength(1);
  });

  test.each([
    ['the window is in front', 'granted', true, true],
    ['the browser does not let it', 'denied', false, true],
    ['the person does not want it', 'granted', false, false],
  ])('does not come while %s', async (_, permission, hasFocus, notify) => {
    look(permission, hasFocus, notify);
    waiting = [question('ask_1'), question('ask_2')];
    await notice();
    expect(shown).toEqual([]);
  });
});
