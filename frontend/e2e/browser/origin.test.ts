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

async function sessions({ url, token }: Door): Promise<unknown[]> {
  const answer = await fetch(`${url}/sessions`, { headers: { authorization: `Bearer ${token}` } });
  return ((await answer.json()) as { sessions: unknown[] }).sessions;
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

const showIcon = (url: string) =>
  new Promise(resolve => {
    const image = new Image();
    image.addEventListener('load', () => resolve('loaded'));
    image.addEventListener('error', () => resolve('refused'));
    image.src = `${url}/icon.svg`;
  });

describe('a page of another origin', () => {
  for (const [who, knows] of [['a stranger', false], ['who stole the token', true]] as const) {
    test(`${who} can read and do nothing by fetch`, async ({ visitor, site, parley }) => {
      const { door } = parley;
      const page = await visit(visitor, site);
      const statuses: number[] = [];
      page.on('response', response => response.url().startsWith(door.url) && statuses.push(response.status()));
      const outcomes = await page.evaluate(
        async ({ url, token, body }) => {
          const headers = token ? { authorization: `Bearer ${token}` } : undefined;
          const post = (extra: RequestInit) => ({ method: 'POST', body: JSON.stringify(body), ...extra });
          const tries: [string, RequestInit][] = [
            ['/sessions', { headers }],
            ['/health', {}],
            ['/', {}],
            ['/messages', post({ headers: { ...headers, 'content-type': 'application/json' } })],
            ['/messages', post({})],
            ['/messages', post({ mode: 'no-cors' })],
            ['/messages/stolen/stop', { method: 'POST', mode: 'no-cors' }],
          ];
          return Promise.all(tries.map(([path, init]) => fetch(url + path, init).then(answer => answer.type, () => 'refused')));
        },
        { url: door.url, token: knows && door.token, body: message },
      );
      expect(outcomes.filter(outcome => outcome !== 'refused' && outcome !== 'opaque')).toEqual([]);
      expect(statuses.filter(status => status !== 403)).toEqual([]);
      expect(await sessions(door)).toEqual([]);
    });
  }

  test('cannot listen: neither by a socket, even with the token, nor by EventSource', async ({ visitor, site, parley }) => {
    const page = await visit(visitor, site);
    expect(await page.evaluate(listen, parley.door)).toEqual(['error', 'error']);
  });

  test('cannot send a form', async ({ visitor, site, parley }) => {
    const page = await visit(visitor, site);
    const answered = page.waitForResponse(response => response.url().startsWith(parley.door.url));
    await page.evaluate(
      ({ url, body }) => {
        const form = Object.assign(document.createElement('form'), { method: 'POST', action: `${url}/messages`, enctype: 'text/plain' });
        form.append(Object.assign(document.createElement('input'), { name: JSON.stringify(body), value: '' }));
        document.body.append(form);
        form.submit();
      },
      { url: parley.door.url, body: message },
    );
    expect((await answered).status()).toBe(403);
    expect(await sessions(parley.door)).toEqual([]);
  });

  test('cannot show the page in a frame, or take its parts', async ({ visitor, site, parley }) => {
    const page = await visit(visitor, site);
    await page.evaluate(frame, parley.link);
    const framed = page.frames().find(each => each !== page.mainFrame())!;
    await expect.poll(() => framed.url()).toMatch(/^chrome-error:/);
    expect(await page.evaluate(showIcon, parley.door.url)).toBe('refused');
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
