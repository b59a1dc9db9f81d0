import { describe, expect } from 'vitest';
import { text } from '../../src/ui/text.ts';
import { answer, isOver, readable, saidAndDone, test, turns } from './browser.ts';

const write = (path: string, content: string) => `[[tool:write_file ${JSON.stringify({ path, content })}]]`;

describe('the card of a tool', () => {
  test('list_directory says what it listed, and shows the entries when it is opened', async ({ page }) => {
    await saidAndDone(page, `${write('poem.txt', 'A line.\n')} [[tool:list_directory {"path":"."}]] [[say:Listed.]]`);
    const card = turns(page).getByRole('button', { name: `${text.tool.list.done} .` });
    await readable(card).toContain(text.tool.entries(1, false));
    const output = turns(page).getByRole('region', { name: text.tool.output });
    expect(await output.count(), 'folded at first').toBe(0);
    await card.click();
    await readable(output).toMatch(/poem\.txt\s+8 B/);
    await card.click();
    await output.waitFor({ state: 'detached' });
  });

  test('write_file shows what it changed, as a diff', async ({ page }) => {
    await saidAndDone(page, `${write('poem.txt', 'old\nsame\n')} ${write('poem.txt', 'new\nsame\n')} [[say:Written.]]`);
    const created = turns(page).getByRole('button', { name: `${text.tool.create.done} poem.txt` });
    const edited = turns(page).getByRole('button', { name: `${text.tool.write.done} poem.txt` });
    await readable(created).toContain('+2');
    await edited.click();
    const rows = turns(page).getByRole('region', { name: text.tool.diff }).getByRole('row');
    expect((await rows.allInnerTexts()).map(row => row.replace(/\s+/g, ' ').trim())).toEqual(['1 − old', '1 + new', '2 2 same']);
  });

  test('a card that opens stays where it is, also where a long answer ends', async ({ page }) => {
    await saidAndDone(page, `[[deltas:200]] ${write('poem.txt', 'a line\n'.repeat(12))} [[deltas:20]]`);
    await page.getByRole('button', { name: text.vault.code.make }).waitFor(); // comes in above, after the first answer
    const card = turns(page).getByRole('button', { name: `${text.tool.create.done} poem.txt` });
    const before = await card.boundingBox();
    await card.click();
    await turns(page).getByRole('region', { name: text.tool.diff }).waitFor();
    await page.getByRole('button', { name: text.jump(0) }).waitFor();
    expect(await card.boundingBox()).toEqual(before);
  });

  test('a call that was refused says so, and the turn goes on', async ({ page }) => {
    await saidAndDone(page, '[[tool:read_file {"path":"../secrets.txt"}]] [[say:I went on.]]');
    const card = turns(page).getByRole('button', { name: `${text.tool.read.failed} ../secrets.txt` });
    await card.click();
    await turns(page).getByRole('region', { name: text.tool.error }).waitFor();
    await readable(answer(page)).toContain('I went on.');
  });
});

test('reasoning is folded away, and opens', async ({ page }) => {
  await page.getByRole('button', { name: '/demo thinking' }).click();
  await isOver(page, 'Twenty-two times.');
  const thought = turns(page).getByRole('button', { name: /^Thought for \d+ s$/ });
  expect(await thought.getAttribute('aria-expanded')).toBe('false');
  const folded = await answer(page).innerText();
  await thought.click();
  await expect.poll(async () => (await answer(page).innerText()).length).toBeGreaterThan(folded.length + 200);
});

describe('markdown', () => {
  test('tables, code, tasks and links are what they look like; nothing is loaded from elsewhere', async ({ page }) => {
    await saidAndDone(page, '/demo markdown');
    const shown = answer(page);
    await shown.getByRole('table').first().waitFor();
    await shown.locator('figure pre .hljs-keyword').first().waitFor();
    expect(await shown.getByRole('link').count()).toBeGreaterThan(0);
    expect(await shown.locator('script, iframe, object, img[src^=http]').count()).toBe(0);
  });

  test('HTML and scripts in an answer are text, and a link asks before it leaves', async ({ page }) => {
    const attack = '<img src=x onerror="document.title=1"><script>document.title=2</script> [click](javascript:document.title=3) [site](http://evil.test/)';
    await saidAndDone(page, `[[say:${attack} Harmless.]]`);
    const shown = answer(page);
    await readable(shown).toContain('Harmless.');
    expect(await shown.locator('img, script, a[href^=javascript]').count()).toBe(0);

    await shown.getByRole('link', { name: 'site' }).click();
    const dialog = page.getByRole('dialog', { name: text.link.title });
    await readable(dialog).toContain('http://evil.test/');
    await dialog.getByRole('button', { name: text.cancel }).click();
    expect(page.context().pages().length).toBe(1);
    expect(await page.title()).toMatch(/Parley$/);
  });
});
