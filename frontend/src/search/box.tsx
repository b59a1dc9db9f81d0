import { Search as Glass, X } from 'lucide-react';
import { useEffect, useRef, useState, type KeyboardEvent } from 'react';
import type { Hit } from '../api/types.gen.ts';
import { useParley } from '../parley.ts';
import { goTo } from '../ui/route.ts';
import { useStore } from '../ui/store.ts';
import { text } from '../ui/text.ts';
import { Filters } from './filters.tsx';
import { optionId, Results, resultsId } from './results.tsx';

interface SearchProps {
  /** Whether the person asked for the box. */
  isAsked: boolean;
  onAsked: () => void;
  onGo: () => void;
}

/** The box to search all sessions in, and what was found while there is something in it. */
export function SearchBox({ isAsked, onAsked, onGo }: SearchProps) {
  const { search, open } = useParley();
  const { text: typed, hits, state } = useStore(search, value => value);
  const [active, setActive] = useState(0);
  const box = useRef<HTMLInputElement>(null);
  const isOpen = state !== 'idle';
  useEffect(() => {
    if (!isAsked) return;
    box.current!.select();
    onAsked();
  }, [isAsked, onAsked]);
  useEffect(() => {
    if (isOpen) document.getElementById(optionId(active))?.scrollIntoView({ block: 'nearest' });
  }, [isOpen, active]);

  const type = (words: string) => {
    setActive(0);
    search.type(words);
  };
  const choose = (hit: Hit) => {
    search.mark(hit.sessionId);
    if (hit.messageId) void open.get(hit.sessionId).show(hit.messageId);
    goTo(hit.sessionId);
    onGo();
  };
  const pressed = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing || event.keyCode === 229) return;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step && hits.length > 0) setActive((active + step + hits.length) % hits.length);
    else if (event.key === 'Enter' && hits[active] && state === 'done') choose(hits[active]);
    else if (event.key === 'Escape' && typed) type('');
    else if (event.key === 'Escape') box.current!.blur();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };

  return (
    <>
      <div className="relative mx-3 mb-1 shrink-0">
        <Glass aria-hidden className="pointer-events-none absolute start-2.5 top-2 size-4 text-faint" />
        <input
          ref={box}
          type="text"
          role="combobox"
          enterKeyHint="search"
          autoComplete="off"
          spellCheck={false}
          aria-label={text.search.label}
          aria-expanded={isOpen}
          aria-controls={resultsId}
          aria-autocomplete="list"
          aria-activedescendant={hits.length > 0 ? optionId(active) : undefined}
          placeholder={text.search.placeholder}
          value={typed}
          maxLength={300}
          onChange={event => type(event.target.value)}
          onKeyDown={pressed}
          className="h-8 w-full rounded-md border border-line bg-raised ps-8 pe-8 text-sm placeholder:text-faint"
        />
        {typed && (
          <button
            type="button"
            tabIndex={-1}
            aria-label={text.search.clear}
            title={text.search.clear}
            onClick={() => {
              type('');
              box.current!.focus();
            }}
            className="absolute end-1 top-1 grid size-6 place-items-center rounded text-faint hover:bg-hover hover:text-ink"
          >
            <X aria-hidden className="size-3.5" />
          </button>
        )}
      </div>
      {isOpen && <Filters onNarrowed={() => setActive(0)} />}
      {isOpen && <Results active={active} onChoose={choose} />}
    </>
  );
}
