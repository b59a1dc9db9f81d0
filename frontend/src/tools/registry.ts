import type { Card } from './card.ts';
import { generic } from './generic.tsx';
import { listDirectory } from './list_directory.tsx';
import { readFile } from './read_file.tsx';
import { writeFile } from './write_file.tsx';

const cards = new Map<string, Card>([
  ['list_directory', listDirectory],
  ['read_file', readFile],
  ['write_file', writeFile],
]);

/** The card of a tool. Every tool of Parley's own has one; all others share the general one. */
export function cardOf(tool: string): Card {
  return cards.get(tool) ?? generic;
}
