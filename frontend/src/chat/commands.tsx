import { useId, useState, type KeyboardEvent } from 'react';
import { isComposing } from '../ui/keys.ts';
import { text } from '../ui/text.ts';
import type { Command } from './harness.ts';

/** A message that is a slash and the beginning of a word. */
const begun = /^\/(\S*)$/;

interface Completion {
  matches: Command[];
  /** The one that would be taken. */
  at: number;
  listId: string;
  idOf: (command: Command) => string;
  take: (command: Command) => void;
  /** Whether a key was for the list. */
  pressed: (event: KeyboardEvent) => boolean;
}

/** Completes the command that a message begins with. Escape leaves it as it is, until it is written on. */
export function useCommands(draft: string, commands: Command[], write: (draft: string) => void): Completion {
  const [place, setPlace] = useState({ draft, at: 0, isLeft: false });
  const here = place.draft === draft ? place : { draft, at: 0, isLeft: false };
  const listId = useId();
  const word = begun.exec(draft)?.[1]?.toLowerCase();
  const isWhole = commands.some(({ name }) => name.toLowerCase() === word);
  const matches = word === undefined || here.isLeft || isWhole ? [] : commands.filter(({ name }) => name.toLowerCase().startsWith(word));
  const take = ({ name }: Command) => write(`/${name} `);
  const move = (by: number) => setPlace({ ...here, at: (here.at + by + matches.length) % matches.length });
  const pressed = (event: KeyboardEvent) => {
    if (matches.length === 0 || isComposing(event.nativeEvent) || event.shiftKey || event.altKey || event.ctrlKey || event.metaKey) return false;
    const keys: Record<string, () => void> = {
      ArrowDown: () => move(1),
      ArrowUp: () => move(-1),
      Enter: () => take(matches[here.at]!),
      Tab: () => take(matches[here.at]!),
      Escape: () => setPlace({ ...here, isLeft: true }),
    };
    const run = keys[event.key];
    run?.();
    return run !== undefined;
  };
  return { matches, at: here.at, listId, idOf: ({ name }) => `${listId}-${name}`, take, pressed };
}

/** The commands that what is written may become. The focus stays where the person writes. */
export function CommandList({ matches, at, listId, idOf, take }: Completion) {
  return (
    <>
      <p role="status" className="sr-only">
        {matches.length > 0 && text.harness.commands(matches.length)}
      </p>
      {matches.length > 0 && (
        <div id={listId} role="listbox" aria-label={text.composer.commands} className="absolute inset-x-0 bottom-full z-10 mb-1 max-h-60 overflow-y-auto rounded-xl border border-line-strong bg-raised p-1 text-sm shadow-pop">
          {matches.map((command, i) => (
            // oxlint-disable-next-line jsx-a11y/click-events-have-key-events -- the keys are those of the box
            <div
              key={command.name}
              id={idOf(command)}
              ref={option => void (i === at && option?.scrollIntoView({ block: 'nearest' }))}
              role="option"
              tabIndex={-1}
              aria-selected={i === at}
              onMouseDown={event => event.preventDefault()}
              onClick={() => take(command)}
              className="flex cursor-default items-baseline gap-3 rounded-lg px-3 py-1 hover:bg-hover aria-selected:bg-hover"
            >
              <span className="shrink-0 font-mono">/{command.name}</span>
              <span className="min-w-0 truncate text-soft">{command.description}</span>
            </div>
          ))}
        </div>
      )}
    </>
  );
}
