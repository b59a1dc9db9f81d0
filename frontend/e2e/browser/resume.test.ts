import type { BrowserContext, WebSocketRoute } from 'playwright-core';
import { describe, expect } from 'vitest';
import { text } from '../../src/ui/text.ts';
import type { Served } from '../program.ts';
import { answer, composer, isOver, readable, say, saidAndDone, stopButton, stored, test, turns } from './browser.ts';

/** Opens the session of a page in another tab, as a person does who finds it in the list. */
async function anotherTab(context: BrowserContext, parley: Served, title: RegExp) {
  const tab = await context.newPage();
  await tab.goto(parley.link);
  await tab.getByRole('navigation').getByRole('link', { name: title }).click();
  return tab;
}

describe('an answer that is being written', () => {
  test('is the same message for who stayed, who came later, and who reloaded', async ({ page, context, parley }) => {
    await say(page, 'Long one [[think:5]] [[deltas:600]] [[gap:5ms]]');
    await answer(page).waitFor();
    const tab = await anotherTab(context, parley, /Long one/);
    await answer(tab).waitFor();
    await stopButton(tab).waitFor(); // it is live there, too
    await tab.reload();
    await answer(tab).waitFor();
    await stopButton(tab).waitFor(); // and after a reload

    for (const each of [page, tab]) await isOver(each, 'Long one');
    const spoken = (await stored(page))[1]!.parts.at(-1)!.text!;
    for (const each of [page, tab]) await readable(answer(each)).toContain(spoken.trim());
    await tab.reload(); // now it is loaded, not streamed
    await readable(answer(tab)).toContain(spoken.trim());
    expect((await stored(page)).length).toBe(2);
  });

  test('is stopped in every tab by a Stop in one', async ({ page, context, parley }) => {
    await say(page, 'Both [[say:Begun.]] [[hang]]');
    await answer(page).waitFor();
    const tab = await anotherTab(context, parley, /Both/);
    await answer(tab).waitFor();
    await stopButton(tab).click();
    for (const each of [page, tab]) await readable(turns(each)).toContain(text.end.stopped);
  });

  test('goes on while nobody looks', async ({ page, parley, context }) => {
    await say(page, 'Alone [[deltas:200]] [[gap:5ms]]');
    await answer(page).waitFor();
    await page.close();
    const tab = await context.newPage();
    await tab.goto(parley.link);
    await tab.getByRole('navigation').getByRole('link', { name: /Alone/ }).click();
    await readable(answer(tab)).toContain('w0000199');
    await isOver(tab, 'Alone');
    expect(await tab.getByText(text.end.truncated).count()).toBe(0);
  });
});

/** What may end a stream before its turn has: the connection is gone, or whoever is in between says that this is all. */
const cuts = {
  'a connection that drops': (socket: WebSocketRoute) => void socket.close(),
  'an end without finish': (socket: WebSocketRoute, requestId: string) => socket.send(JSON.stringify({ type: 'end', requestId })),
};

// §4 A client takes an end of stream without `finish`, `abort` or `error` for success; the page takes it for a cut and resumes.
for (const [what, cut] of Object.entries(cuts)) {
  test(`${what} is no end of an answer`, async ({ context, parley }) => {
    const page = await context.newPage();
    let cutOff: string | undefined;
    await page.routeWebSocket(/\/socket$/, socket => {
      const door = socket.connectToServer();
      door.onMessage(message => {
        const { requestId, chunk } = JSON.parse(message as string) as { requestId?: string; chunk?: { delta?: string } };
        if (!cutOff && chunk?.delta?.includes('w0000020')) cut(socket, (cutOff = requestId!));
        else if (!requestId || requestId !== cutOff) socket.send(message);
      });
    });
    await page.goto(parley.link);
    await say(page, 'Cut [[deltas:200]] [[gap:5ms]]');
    await isOver(page, 'Cut');
    expect(cutOff).toBeTruthy();
    await readable(answer(page)).toContain((await stored(page))[1]!.parts.at(-1)!.text!.trim());
    expect(await page.getByText(text.end.truncated).count()).toBe(0);
  });
}

test('a message that one tab sends appears in the other', async ({ page, context, parley }) => {
  await saidAndDone(page, 'Shared [[say:One.]]');
  const tab = await anotherTab(context, parley, /Shared/);
  await isOver(tab, 'One.');
  await say(tab, 'From the other tab [[say:Two.]]');
  await isOver(page, 'From the other tab');
  await readable(answer(page)).toContain('Two.');
});

test('a draft is still there after a reload, for each session its own', async ({ page }) => {
  await composer(page).fill('A thought for later');
  await page.getByRole('navigation').getByRole('link', { name: /A thought for later/ }).waitFor();
  await page.reload();
  await expect.poll(() => composer(page).inputValue()).toBe('A thought for later');

  await page.getByRole('link', { name: text.newSession }).click();
  await page.getByRole('heading', { name: text.welcome.title }).waitFor();
  expect(await composer(page).inputValue()).toBe('');
  await page.getByRole('navigation').getByRole('link', { name: /A thought for later/ }).click();
  await expect.poll(() => composer(page).inputValue()).toBe('A thought for later');
});
