import type { Session } from '../api/types.gen.ts';
import { filesText } from './text.ts';

/** Which files a session's agent reaches. */
export type Chosen = Pick<Session, 'scope' | 'workingDir'>;

export const scopes = ['sandboxed', 'project', 'full'] as const;

/** A choice in a word or two. */
export function inShort({ scope, workingDir }: Chosen): string {
  return filesText.short[scope](nameOf(workingDir));
}

/** The last element of a path. */
export function nameOf(path: string): string {
  return path.split(/[/\\]/).findLast(element => element !== '') ?? path;
}
