import { act } from 'react';
import { createRoot, type Root } from 'react-dom/client';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { pass, refusal, ScriptedServer } from '../api/scripted.ts';
import type { Secret } from '../api/types.gen.ts';
import { ParleyContext, type Parley } from '../parley.ts';
import { Dialogs } from '../ui/dialogs.ts';
import Secrets from './dialog.tsx';
import { dayOf, endOf } from './edit.tsx';
import { namesIn } from './import.tsx';
import { referencesTo, SecretPicker } from './picker.tsx';
import { secretsText as said } from './text.ts';

const secret: Secret = { slug: 'token', name: 'Token', format: 'text', description: '', tags: [], created: 1, state: 'ok', fields: [], references: [], hides: false, warnings: [] };

let server: ScriptedServer;
let root: Root;
let sent: unknown[];
let copied: string[];

beforeEach(async () => {
  vi.useFakeTimers();
  vi.stubGlobal('IS_REACT_ACT_ENVIRONMENT', true);
  server = new ScriptedServer();
  sent = [];
  copied = [];
  server.answers.set('GET /secrets', () => ({ secrets: [secret] }));
  server.answers.set('POST /secrets', (_, body) => (sent.push(body), secret));
  server.answers.set('PATCH /secrets/token', (query, body) => (sent.push([query.get('global'), body]), secret));
  server.answers.set('POST /secrets/token/reveal', () => ({ value: 'hush hush' }));
  const host = { copySecret: async (value: string) => copied.push(value) > 0 };
  root = createRoot(document.body.appendChild(document.createElement('div')));
  await act(async () => {
    root.render(
      <ParleyContext value={{ client: server.client, dialogs: new Dialogs(), host } as Partial<Parley> as Parley}>
        <Secrets />
      </ParleyContext>,
    );
    await pass();
  });
});

afterEach(async () => {
  await act(() => root.unmount());
  document.body.replaceChildren();
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

const box = (name: string) => document.querySelector<HTMLInputElement>(`[name=${name}]`)!;
const page = () => document.body.innerHTML;

async function press(label: string): Promise<void> {
  const button = [...document.querySelectorAll('button')].find(each => (each.getAttribute('aria-label') ?? each.textContent?.trim()) === label)!;
  await act(async () => {
    button.click();
    await pass();
  });
}

async function paste(text: string): Promise<void> {
  const event = new Event('paste', { bubbles: true, cancelable: true });
  Object.assign(event, { clipboardData: { getData: () => text } });
  await act(async () => void box('value').dispatchEvent(event));
}

test('a value is shown for 30 seconds, and is nowhere in the page before and after', async () => {
  expect(page()).not.toContain('hush');
  await press(said.reveal('Token'));
  expect(page()).toContain('hush hush');
  await act(() => pass(29_000));
  expect(page()).toContain('hush hush');
  await act(() => pass(1_000));
  expect(page()).not.toContain('hush');
});

test('a value is hidden when nobody looks, and is copied without being shown', async () => {
  await press(said.reveal('Token'));
  vi.spyOn(document, 'hidden', 'get').mockReturnValue(true);
  await act(async () => void document.dispatchEvent(new Event('visibilitychange')));
  expect(page()).not.toContain('hush');
  await press(said.copy('Token'));
  expect(copied).toEqual(['hush hush']);
  expect(page()).not.toContain('hush');
});

test('a value that is typed is masked, and goes to the door and nowhere else', async () => {
  await press(said.add);
  expect([box('value').type, box('value').autocomplete]).toEqual(['password', 'off']);
  await act(async () => {
    Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')!.set!.call(box('name'), 'My token');
    box('name').dispatchEvent(new Event('input', { bubbles: true }));
  });
  box('value').value = ' {"a": 1}\u00a0';
  await act(async () => {
    box('value').form!.requestSubmit();
    await pass();
  });
  expect(sent).toMatchObject([{ name: 'My token', slug: 'my-token', global: true, format: 'text', value: ' {"a": 1}\u00a0', expires: 0, tags: [] }]);
  expect(box('value')).toBeNull();
});

test('what is typed stays when the format changes', async () => {
  await press(said.one(said.replace, 'Token'));
  box('value').value = '{"a": 1}';
  await act(async () => {
    box('value').dispatchEvent(new Event('input', { bubbles: true }));
    document.querySelectorAll<HTMLInputElement>('[type=radio]')[1]!.click();
  });
  expect([box('value').tagName, box('value').value]).toEqual(['TEXTAREA', '{"a": 1}']);
});

test('lines that were typed stay lines when the format changes', async () => {
  await press(said.one(said.replace, 'Token'));
  const formats = document.querySelectorAll<HTMLInputElement>('[type=radio]');
  await act(async () => formats[1]!.click());
  box('value').value = 'one\ntwo';
  await act(async () => void box('value').dispatchEvent(new Event('input', { bubbles: true })));
  await act(async () => formats[0]!.click());
  expect([box('value').tagName, box('value').value]).toEqual(['TEXTAREA', 'one\ntwo']);
});

test('what the door has to say about a new value is shown', async () => {
  server.answers.set('PATCH /secrets/token', () => ({ ...secret, warnings: ['It is short.'] }));
  await press(said.one(said.replace, 'Token'));
  await act(async () => {
    box('value').form!.requestSubmit();
    await pass();
  });
  expect(document.querySelector('dialog [role=status]')!.textContent).toBe('It is short.');
});

test('what is pasted in several lines keeps them, masked as well', async () => {
  await press(said.one(said.replace, 'Token'));
  await paste('one line\n');
  expect(box('value').tagName).toBe('INPUT');
  await paste('-----BEGIN\n1\n-----END\n');
  expect([box('value').tagName, box('value').value]).toEqual(['TEXTAREA', '-----BEGIN\n1\n-----END\n']);
  expect(box('value').className).toContain('[-webkit-text-security:disc]');
  await act(async () => {
    box('value').form!.requestSubmit();
    await pass();
  });
  expect(sent).toEqual([['1', { value: '-----BEGIN\n1\n-----END\n', format: 'text' }]]);
});

test.each([
  ['A=1\nexport B_2="x\n# C=3\n  D.e = f\n=g\nnothing', ['A', 'B_2', 'D.e']],
  ['', []],
  ['A="x\nQUJD==\n"\nB=\'y\n  REVG=\'\nC="\\"" #\nD=\'\'', ['C', 'D']],
])('the names in %j', (file, names) => expect(namesIn(file)).toEqual(names));

test('the references that there may be, to fields as well', () => {
  const hidden = { ...secret, slug: 'db', fields: ['old'] };
  const references = referencesTo([secret, hidden, { ...hidden, project: 'p', hides: true, fields: ['user', 'password'] }]);
  expect(references).toEqual(['{{secret:token}}', '{{secret:db}}', '{{secret:db.user}}', '{{secret:db.password}}']);
});

test.each([
  [() => ({ secrets: [] }), true],
  [() => refusal(503, 'unavailable', 'The history is locked.'), false],
])('that there is no secret is said only where that is known', async (answer, isSaid) => {
  server.answers.set('GET /secrets', answer);
  await act(async () => {
    root.render(
      <ParleyContext value={{ client: server.client } as Partial<Parley> as Parley}>
        <SecretPicker label="Headers" onChoose={() => {}} />
      </ParleyContext>,
    );
    await pass();
  });
  expect(page().includes(said.picker.none)).toBe(isSaid);
});

test('a day ends with its last second, and is the same day again', () => {
  expect(dayOf(endOf('2027-03-01'))).toBe('2027-03-01');
  expect(endOf('')).toBe(0);
});
