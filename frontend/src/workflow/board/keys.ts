import type { Direction } from './next.ts';

/** What a key does on the board. */
export type Command =
  | { do: 'move'; direction: Direction; extend: boolean }
  | { do: 'first' | 'last' | 'open' | 'delete' | 'clear' | 'connect' | 'add' | 'all' | 'find' | 'undo' | 'redo' | 'in' | 'out' | 'fit' };

/** What of a key is looked at. */
export interface Pressed {
  key: string;
  ctrlKey: boolean;
  metaKey: boolean;
  altKey: boolean;
  shiftKey: boolean;
}

const directions: Record<string, Direction> = { ArrowUp: 'up', ArrowDown: 'down', ArrowLeft: 'left', ArrowRight: 'right' };

const plain: Record<string, Exclude<Command['do'], 'move'>> = {
  Home: 'first',
  End: 'last',
  Enter: 'open',
  Delete: 'delete',
  Backspace: 'delete',
  Escape: 'clear',
  c: 'connect',
  a: 'add',
  '+': 'in',
  '=': 'in',
  '-': 'out',
  '0': 'fit',
};

const withMod: Record<string, Exclude<Command['do'], 'move'>> = { a: 'all', f: 'find', z: 'undo', y: 'redo' };

/** What a key does, if anything. Copy, cut and paste are not here: they are events of their own. */
export function commandOf({ key, ctrlKey, metaKey, altKey, shiftKey }: Pressed): Command | undefined {
  if (altKey) return undefined;
  const letter = key.length === 1 ? key.toLowerCase() : key;
  if (ctrlKey || metaKey) {
    const command = withMod[letter];
    if (!command) return undefined;
    return { do: command === 'undo' && shiftKey ? 'redo' : command };
  }
  const direction = directions[key];
  if (direction) return { do: 'move', direction, extend: shiftKey };
  const command = plain[letter];
  return command && { do: command };
}
