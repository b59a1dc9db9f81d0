import { ChevronRight } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import { text } from '../ui/text.ts';

const mostMembers = 100;
const mostCharacters = 500;
const openTo = 2; // levels

/** A JSON value as a tree. */
export function Json({ value }: { value: unknown }) {
  return (
    <div dir="ltr" className="overflow-x-auto rounded-md border border-line bg-sunken px-3 py-2 font-mono text-code">
      <Value value={value} level={0} />
    </div>
  );
}

function Value({ name, value, level }: { name?: string; value: unknown; level: number }) {
  if (typeof value !== 'object' || value === null) {
    return (
      <Line name={name}>
        <Leaf value={value} />
      </Line>
    );
  }
  return <Branch name={name} value={value} level={level} />;
}

function Branch({ name, value, level }: { name?: string; value: object; level: number }) {
  const members = Object.entries(value);
  const [isOpen, setOpen] = useState(level < openTo && members.length <= 20);
  const [shown, setShown] = useState(mostMembers);
  const [open, close] = Array.isArray(value) ? '[]' : '{}';
  if (members.length === 0) return <Line name={name}>{`${open}${close}`}</Line>;
  return (
    <div>
      <button type="button" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)} className="-ms-1 flex items-center rounded hover:bg-hover">
        <ChevronRight aria-hidden className={`size-3.5 text-faint ${isOpen ? 'rotate-90' : ''}`} />
        <Line name={name}>{isOpen ? open : `${open} ${text.members(members.length)} ${close}`}</Line>
      </button>
      {isOpen && (
        <div className="ms-1 border-s border-line ps-3">
          {members.slice(0, shown).map(([key, member]) => (
            <Value key={key} name={Array.isArray(value) ? undefined : key} value={member} level={level + 1} />
          ))}
          {members.length > shown && (
            <button type="button" className="text-faint underline" onClick={() => setShown(shown + mostMembers)}>
              {text.more(members.length - shown)}
            </button>
          )}
        </div>
      )}
    </div>
  );
}

function Line({ name, children }: { name?: string; children: ReactNode }) {
  return (
    <div className="break-words whitespace-pre-wrap">
      {name !== undefined && <span className="text-(--code-name)">{name}: </span>}
      {children}
    </div>
  );
}

const colors: Record<string, string> = { string: 'text-(--code-text)', number: 'text-(--code-number)' };

function Leaf({ value }: { value: unknown }) {
  const [isWhole, showAll] = useState(false);
  const written = JSON.stringify(value) ?? 'undefined';
  if (isWhole || written.length <= mostCharacters) return <span className={colors[typeof value] ?? 'text-(--code-word)'}>{written}</span>;
  return (
    <>
      <span className={colors[typeof value]}>{written.slice(0, mostCharacters)}</span>…{' '}
      <button type="button" className="text-faint underline" onClick={() => showAll(true)}>
        {text.more(written.length - mostCharacters)}
      </button>
    </>
  );
}
