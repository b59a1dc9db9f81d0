import { expect } from 'vitest';
import { test, turns } from './browser.ts';

/** One red pixel. */
const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC';

// §2 the page makes `blob:` URLs of it.
test('a picture that was sent is shown, again after a reload, under the policy of the page', async ({ page }) => {
  await page.evaluate(async url => {
    const headers = { authorization: `Bearer ${sessionStorage.getItem('parley.token')}`, 'content-type': 'application/json', accept: '*/*' };
    const parts = [{ type: 'file', mediaType: 'image/png', filename: 'a red pixel', url }, { type: 'text', text: '[[say:Red.]]' }];
    const body = JSON.stringify({ id: 'pictures', messages: [{ id: 'u1', role: 'user', parts }] });
    await (await fetch('/messages', { method: 'POST', headers, body })).text();
    location.hash = '#/pictures';
  }, `data:image/png;base64,${pixel}`);
  const shown = turns(page).getByRole('img', { name: 'a red pixel' });
  const width = () => shown.evaluate((image: HTMLImageElement) => image.src.startsWith('blob:') && image.naturalWidth);
  await expect.poll(width).toBe(1);
  await page.reload();
  await expect.poll(width).toBe(1);
});
