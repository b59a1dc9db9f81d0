import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import { text } from '../../src/ui/text.ts';
import { beCareful, isOver, questions, readable, say, scratch, test, turns, violations } from './browser.ts';

/** A checklist of two things, of which the first is done. */
const list = (status: string) => ({ items: [{ text: 'Look', status: 'completed' }, { text: 'Act', status }] });
const call = (name: string, input: object) => `[[tool:${name} ${JSON.stringify(input)}]]`;

test('a command shows what it writes while it runs, and how it ended', async ({ page }) => {
  await beCareful(page);
  await say(page, `Go ${call('run_command', { command: 'sh', args: ['-c', 'echo begun; until [ -e go ]; do sleep 0.05; done; printf "\\033[31mended\\033[0m\\n"; exit 3'] })} [[say:Done.]]`);
  await questions(page).getByRole('button', { name: text.question.once }).click();
  await turns(page).getByText('begun', { exact: true }).waitFor();
  await writeFile(join(await scratch(page), 'go'), '');
  await isOver(page, 'Done.');
  await turns(page).getByText(text.tool.ended(false, undefined, 3), { exact: true }).waitFor();
  await turns(page).getByRole('button', { name: /^Ran sh/ }).click();
  const written = turns(page).getByRole('region', { name: text.tool.output });
  await readable(written).toMatch(/begun\nended$/);
  expect(await written.getByText('ended', { exact: true }).getAttribute('class')).toBe('text-bad');
});

test('a form asks for what the agent wants to know, and what is filled in is what it is told', async ({ page }) => {
  const schema = { type: 'object', properties: { name: { type: 'string', title: 'Name' }, port: { type: 'integer', title: 'Port' } }, required: ['name'] };
  await say(page, `Ask ${call('ask_user', { question: 'Which server?', schema })} [[say:Thanks.]]`);
  const card = questions(page);
  await card.getByText('Which server?').waitFor();
  expect(await violations(page)).toEqual([]);
  await card.getByRole('textbox', { name: 'Name' }).fill('here');
  await card.getByRole('spinbutton', { name: 'Port' }).fill('80');
  await card.getByRole('button', { name: text.question.send, exact: true }).click();
  await isOver(page, 'Thanks.');
  await turns(page).getByRole('button', { name: `${text.tool.ask.done} Which server?` }).click();
  await readable(turns(page).last()).toContain('name: "here"\nport: 80');
});

test('a checklist is one, however often it is written', async ({ page }) => {
  await say(page, `Plan ${call('todo_write', list('pending'))} ${call('todo_write', list('completed'))} [[say:Done.]]`);
  await isOver(page, 'Done.');
  const plan = turns(page).getByRole('region', { name: text.plan.title });
  expect(await plan.getByRole('img', { name: text.plan.status('completed') }).count()).toBe(2);
});
