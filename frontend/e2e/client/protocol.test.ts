import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join, resolve } from 'node:path';
import { build, type Plugin, type Rolldown } from 'vite';
import { expect } from 'vitest';
import { readable, test as base } from '../browser/browser.ts';
import type { Door } from '../program.ts';

const protocol = readFileSync(resolve(import.meta.dirname, '../../../backend/api/protocol.md'), 'utf8');
const client = /```tsx\n([^]*?)```/.exec(protocol)![1]!;

/** The client of the protocol's page, as it stands there, in a project that does nothing but show it. */
async function page({ url, token }: Door): Promise<string> {
  const files = new Map([
    [resolve(import.meta.dirname, 'chat.tsx'), client],
    [resolve(import.meta.dirname, 'main.tsx'), `import { createRoot } from 'react-dom/client'; import { Chat } from './chat.tsx'; createRoot(document.body).render(<Chat />);`],
  ]);
  const project: Plugin = {
    name: 'project',
    resolveId: (id, importer) => [...files.keys()].find(file => file === resolve(importer ? resolve(importer, '..') : '', id)),
    load: id => files.get(id),
  };
  const define = { 'import.meta.env.VITE_PARLEY_URL': JSON.stringify(url), 'import.meta.env.VITE_PARLEY_TOKEN': JSON.stringify(token) };
  const rolldownOptions = { input: resolve(import.meta.dirname, 'main.tsx') };
  const built = await build({ configFile: false, logLevel: 'silent', define, plugins: [project], build: { write: false, minify: false, rolldownOptions } });
  return (built as Rolldown.RolldownOutput).output[0].code;
}

/** A browser project: a page on a port of its own. */
const test = base
  // oxlint-disable-next-line no-empty-pattern -- Vitest reads from the pattern what a fixture needs
  .extend('site', async ({}, { onCleanup }) => {
    const site = { script: '', origin: '' };
    const server = createServer(({ url }, response) => {
      if (url === '/main.js') response.setHeader('content-type', 'text/javascript').end(site.script);
      else response.setHeader('content-type', 'text/html').end('<!doctype html><link rel=icon href=data:,><body><script type=module src=/main.js></script>');
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    onCleanup(() => server.close().closeAllConnections());
    site.origin = `http://localhost:${(server.address() as AddressInfo).port}`;
    return site;
  });

test('§2 useChat must work with no glue: the client of protocol.md, from a page of an origin that was let in', async ({ visitor, home, serve, site }) => {
  expect(client.split('\n').filter(line => line && !line.startsWith('import')).length, 'ten lines, and the brackets').toBeLessThanOrEqual(12);
  const project = join(home.path, 'project');
  await mkdir(project);
  const { door } = await serve(undefined, '--project', project, '--allow-origin', site.origin);
  site.script = await page(door);
  const tab = await visitor.newPage();
  await tab.goto(site.origin);
  for (const words of ['Hello [[say:One.]]', 'Again [[say:Two.]]']) {
    await tab.locator('input').fill(words);
    await tab.keyboard.press('Enter');
    await readable(tab.locator('p').last()).toBe(/\[\[say:(.*)\]\]/.exec(words)![1]);
  }
  expect(await tab.locator('p').count()).toBe(4);
});
