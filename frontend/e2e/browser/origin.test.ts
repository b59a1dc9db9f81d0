import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { BrowserContext, Page } from 'playwright-core';
import { describe, expect } from 'vitest';
import type { Door } from '../program.ts';
import { test as base } from './browser.ts';

/** A site of somebody else's, which the person visits while Parley runs. Chromium finds every name under localhost here. */
const test = base
  // oxlint-disable-next-line no-empty-pattern -- Vitest reads from the pattern what a fixture needs
  .extend('site', async ({}, { onCleanup }) => {
    const server = createServer((_, response) => response.setHeader('content-type', 'text/html').end('<!doctype html><title>Evil</title>')).listen(0, '127.0.0.1');
    await once(server, 'listening');
    onCleanup(() => server.close().closeAllConnections());
    return `http://evil.localhost:${(server.address() as AddressInfo).port}`;
  });

async function visit(visitor: BrowserContext, site: string): Promise<Page> {
  const page = await visitor.newPage();
  await page.goto(site);
  return page;
}

const message = { id: 'stolen', messages: [{ id: 'm', role: 'user', parts: [{ type: 'text', text: 'Hello' }] }], trigger: 'submit-message' };

const headersOf = ({ token }: Door) => ({ authorization: `Bearer ${token}`, 'content-type': 'application/json' });

async function sessions(door: Door): Promise<unknown[]> {
  const answer = await fetch(`${door.url}/sessions`, { headers: headersOf(door) });
  return ((await answer.json()) as { sessions: unknown[] }).sessions;
}

/** A session that somebody could want: it asks something, and a message waits in it. Gives what can be known of it. */
async function victim(door: Door): Promise<() => Promise<unknown>> {
  const post = async (path: string, body: object) => (await fetch(door.url + path, { method: 'POST', headers: { ...headersOf(door), accept: 'application/json' }, body: JSON.stringify(body) })).json();
  const say = (id: string, text: string, more: object = {}) => post('/messages', { session_id: 'victim', data: { messages: [{ id, role: 'user', parts: [{ type: 'text', text }] }] }, ...more });
  await say('m1', '[[tool:write_file {"path":"a.txt","content":"one"}]]', { references: { agent: 'demo-careful' } });
  await say('m2', 'Next', { queue: true });
  return () => post('/load-session', { session_id: 'victim' });
}

// What follows runs in that page.

const listen = ({ url, token }: Door) => {
  const sources = [
    new WebSocket(`${url.replace('http', 'ws')}/socket`, ['parley', `parley.token.${token}`]),
    new EventSource(`${url}/messages/stolen/stream`),
  ];
  const becomes = (type: string) => sources.map(source => new Promise(resolve => source.addEventListener(type, () => resolve(type))));
  const [open, error] = [becomes('open'), becomes('error')];
  return Promise.all(sources.map((_, i) => Promise.race([open[i], error[i]])));
};

const frame = (url: string) =>
  new Promise(resolve => {
    const element = document.createElement('iframe');
    element.addEventListener('load', resolve);
    element.src = url;
    document.body.append(element);
  }).then(() => undefined);

/** Every way of a fetch: gives those that told the page anything. */
const fetchAll = async ({ url, token, question }: Door & { question: string }) => {
  const paths = ['/', '/health', '/sessions', '/sessions/victim', '/messages', '/messages/victim/stop', '/messages/victim/send-now', '/messages/victim/queue/1', '/messages/victim/stream'];
  paths.push('/load-session', '/approvals', `/approvals/${question}`, '/media', '/vault/lock', '/vault/start-new', '/projects', '/openapi.json');
  const body = JSON.stringify({ session_id: 'victim', approved: true, id: 'stolen', messages: [{ id: 'm', role: 'user', parts: [{ type: 'text', text: 'Hello' }] }] });
  const told: string[] = [];
  const attempt = async (path: string, init: RequestInit) => {
    const answer = await fetch(url + path, init).catch(() => undefined);
    if (answer && answer.type !== 'opaque') told.push(`${init.method} ${path}`);
  };
  const headers: HeadersInit = token ? { authorization: `Bearer ${token}` } : {};
  for (const path of paths) {
    const all: Promise<void>[] = [];
    navigator.sendBeacon(url + path, body);
    for (const method of ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
      const has = !['GET', 'HEAD'].includes(method);
      for (const type of has ? ['', 'text/plain', 'application/json', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x'] : ['']) {
        all.push(attempt(path, { method, headers: { ...headers, ...(type && { 'content-type': type }) }, ...(has && { body }) }));
        if (['GET', 'HEAD', 'POST'].includes(method)) all.push(attempt(path, { method, mode: 'no-cors', ...(has && { body, headers: { 'content-type': type } }) }));
      }
    }
    await Promise.all(all);
  }
  return told;
};

/** Every element that loads something, and workers: gives those that got it. */
const loadAll = ({ url }: Door) => {
  const elements: [tag: string, attribute: string, more?: Record<string, string>][] = [
    ['script', 'src'],
    ['script', 'src', { type: 'module' }],
    ['link', 'href', { rel: 'stylesheet' }],
    ['img', 'src'],
    ['video', 'src'],
    ['audio', 'src'],
  ];
  const loads = elements.flatMap(([tag, attribute, more = {}]) =>
    ['/', '/sessions', '/health', '/icon.svg', '/openapi.json'].map(
      path =>
        new Promise<string[]>(resolve => {
          const element = Object.assign(document.createElement(tag), more);
          for (const type of ['load', 'loadeddata']) element.addEventListener(type, () => resolve([`${tag} ${path}`]));
          element.addEventListener('error', () => resolve([]));
          element.setAttribute(attribute, url + path);
          document.body.append(element);
        }),
    ),
  );
  const works = [Worker, SharedWorker].map(
    Kind =>
      new Promise<string[]>(resolve => {
        try {
          new Kind(`${url}/app/index.js`).addEventListener('error', () => resolve([]));
        } catch {
          resolve([]);
        }
      }),
  );
  return Promise.all([...loads, ...works]).then(all => all.flat());
};

/** What the door answers to the page, whether or not the browser lets the page know. */
async function statusesOf(page: Page): Promise<Set<number>> {
  const statuses = new Set<number>();
  const network = await page.context().newCDPSession(page);
  await network.send('Network.enable');
  network.on('Network.responseReceivedExtraInfo', ({ statusCode }) => statuses.add(statusCode));
  return statuses;
}

// Of another port, of another name, and of one that is this machine's own.
describe.each(['evil.localhost', 'localhost', '127.0.0.1'])('§9 A page from another origin, at %s', host => {
  const at = (site: string) => site.replace('evil.localhost', host);

  for (const [who, knows] of [['a stranger', false], ['who stole the token', true]] as const) {
    test(`§9 can read and do nothing by fetch: ${who}`, async ({ visitor, site, parley: { door } }) => {
      const state = await victim(door);
      const before = (await state()) as { pending: { id: string }[]; queue: unknown[] };
      expect([before.pending.length, before.queue.length]).toEqual([1, 1]);
      const page = await visit(visitor, at(site));
      const statuses = await statusesOf(page);
      expect(await page.evaluate(fetchAll, { ...door, token: knows ? door.token : '', question: before.pending[0]!.id })).toEqual([]);
      expect(statuses, 'they reached the door').toContain(403);
      expect(await state()).toEqual(before);
      expect(await sessions(door)).toHaveLength(1);
    });
  }

  test('§9 cannot listen: neither by a socket, even with the token, nor by EventSource', async ({ visitor, site, parley }) => {
    const page = await visit(visitor, at(site));
    expect(await page.evaluate(listen, parley.door)).toEqual(['error', 'error']);
  });

  for (const enctype of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data']) {
    test(`§9 cannot send a form as ${enctype}`, async ({ visitor, site, parley }) => {
      const page = await visit(visitor, at(site));
      const answered = page.waitForResponse(response => response.url().startsWith(parley.door.url));
      await page.evaluate(
        ({ url, body, type }) => {
          const form = Object.assign(document.createElement('form'), { method: 'POST', action: `${url}/messages`, enctype: type });
          form.append(Object.assign(document.createElement('input'), { name: JSON.stringify(body), value: '' }));
          document.body.append(form);
          form.submit();
        },
        { url: parley.door.url, body: message, type: enctype },
      );
      expect((await answered).status()).toBe(403);
      expect(await sessions(parley.door)).toEqual([]);
    });
  }

  test('§9 cannot show the page in a frame, or take its parts', async ({ visitor, site, parley }) => {
    const page = await visit(visitor, at(site));
    await page.evaluate(frame, parley.link);
    const framed = page.frames().find(each => each !== page.mainFrame())!;
    await expect.poll(() => framed.url()).toMatch(/^chrome-error:/);
    expect(await page.evaluate(loadAll, parley.door)).toEqual([]);
  });
});

test('a name that was rebound to this machine is refused, token or not', async ({ parley }) => {
  const { url, token } = parley.door;
  for (const path of ['/', '/sessions', '/health']) {
    for (const host of ['evil.test', `evil.test:${new URL(url).port}`, '127.0.0.1']) {
      const asked = request(url + path, { headers: { host, authorization: `Bearer ${token}` } }).end();
      const [answer] = (await once(asked, 'response')) as [{ statusCode: number; resume(): void }];
      answer.resume();
      expect(answer.statusCode, `${path} under the name ${host}`).toBe(403);
    }
  }
});
