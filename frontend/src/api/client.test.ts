import { afterEach, expect, test, vi } from 'vitest';
import { text } from '../ui/text.ts';
import { ApiError, Client } from './client.ts';
import { Door, type Connection } from './host.ts';

function clientAt(connection: Connection | undefined): Client {
  return new Client(new Door({ connection: async () => connection, painted: () => {}, onClose: () => {}, openLink: () => {}, copy: async () => {}, copySecret: async () => true, dropSecret: async () => {}, mayNotify: async () => false, save: async () => undefined, onNoticeOpened: () => {} }));
}

const here = { url: 'http://127.0.0.1:1', token: 'secret' };
const answer = (status: number, body: BodyInit | null) => vi.stubGlobal('fetch', vi.fn(async () => new Response(body, { status })));
const failure = (status: number, type: string, message: string) => JSON.stringify({ status: { code: status, type, message } });

afterEach(() => vi.unstubAllGlobals());

test('a request carries the token, and a body that says what it is', async () => {
  answer(200, '{"id":"s"}');
  await clientAt(here).change('a:b', { title: 'T' });
  const [url, { method, headers, body }] = vi.mocked(fetch).mock.calls[0] as [string, RequestInit];
  expect({ url, method, headers, body }).toEqual({
    url: 'http://127.0.0.1:1/sessions/a%3Ab',
    method: 'PATCH',
    headers: { accept: 'application/json', authorization: 'Bearer secret', 'content-type': 'application/json' },
    body: '{"title":"T"}',
  });
});

test('a page of a list names what is known of it', async () => {
  answer(200, '{"sessions":[]}');
  await clientAt(here).sessions({ after: undefined, limit: 50 });
  await clientAt(here).sessions({ after: '1.2', limit: 50 });
  expect(vi.mocked(fetch).mock.calls.map(([url]) => String(url).split('?')[1])).toEqual(['limit=50', 'after=1.2&limit=50']);
});

test('no content is an answer', async () => {
  answer(204, null);
  expect(await clientAt(here).remove('s')).toBeUndefined();
});

test.each<[string, () => unknown, Partial<ApiError>]>([
  ['is what the server says', () => answer(409, failure(409, 'busy', 'Wait.')), { status: 409, type: 'busy', message: 'Wait.' }],
  ['says so if the answer is none of ours', () => answer(502, '<html>'), { status: 502, type: 'unknown', message: text.strangeAnswer(502) }],
  ['is an answer of ours that cannot be read', () => answer(200, '<html>'), { status: 200, type: 'unknown', message: text.strangeAnswer(200) }],
  [
    'says that nobody answered',
    () => vi.stubGlobal('fetch', vi.fn().mockRejectedValue(new TypeError('Failed to fetch'))),
    { status: 0, type: 'unreachable', message: text.unreachable },
  ],
])('a failure %s', async (_, happens, want) => {
  happens();
  await expect(clientAt(here).stop('s')).rejects.toMatchObject({ name: 'ApiError', ...want });
});

test('without a key nobody is asked', async () => {
  answer(200, '{}');
  await expect(clientAt(undefined).agents()).rejects.toMatchObject({ status: 401 });
  expect(fetch).not.toHaveBeenCalled();
});
