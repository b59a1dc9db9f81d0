import { askUser } from './ask_user.tsx';
import type { Call } from './call.ts';
import { argument, pathOf } from './call.ts';
import type { Card } from './card.ts';
import { editFile } from './edit_file.tsx';
import { generic } from './generic.tsx';
import { gitCommit } from './git_commit.tsx';
import { gitDiff } from './git_diff.tsx';
import { gitLog } from './git_log.tsx';
import { gitStatus } from './git_status.tsx';
import { grant, isGrant } from './grant.tsx';
import { httpRequest } from './http_request.tsx';
import { listDirectory } from './list_directory.tsx';
import { mcp, shownIn } from './mcp.tsx';
import { notify } from './notify.tsx';
import { readFile } from './read_file.tsx';
import { commandOf, runCommand } from './run_command.tsx';
import { searchFiles } from './search_files.tsx';
import { todoWrite } from './todo_write.tsx';
import { webSearch } from './web_search.tsx';
import { changeIn, editsIn, writeFile } from './write_file.tsx';

/** The cards of Parley's own tools. */
export const cards = new Map<string, Card>([
  ['list_directory', listDirectory],
  ['read_file', readFile],
  ['search_files', searchFiles],
  ['write_file', writeFile],
  ['edit_file', editFile],
  ['run_command', runCommand],
  ['git_status', gitStatus],
  ['git_diff', gitDiff],
  ['git_log', gitLog],
  ['git_commit', gitCommit],
  ['http_request', httpRequest],
  ['web_search', webSearch],
  ['todo_write', todoWrite],
  ['ask_user', askUser],
  ['notify', notify],
]);

/** The cards of tools that other programs have, under names of their own: by what they were asked. */
const shapes: [is: (call: Call) => boolean, card: Card][] = [
  [isGrant, grant],
  [call => shownIn(call) !== undefined, mcp],
  [call => changeIn(call) !== undefined || editsIn(call.input).length > 0, writeFile],
  [call => pathOf(call.input) !== undefined && argument(call.input, 'content') !== undefined, writeFile],
  [call => commandOf(call.input) !== undefined, runCommand],
  [call => /^read/i.test(call.name) && pathOf(call.input) !== undefined, readFile],
];

/** The card of a call. What no card is for is shown by the general one. */
export function cardOf(call: Call): Card {
  return cards.get(call.name) ?? shapes.find(([is]) => is(call))?.[1] ?? generic;
}
