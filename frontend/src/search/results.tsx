import type { Hit } from '../api/types.gen.ts';
import { useParley } from '../parley.ts';
import { useStore } from '../ui/store.ts';
import { text } from '../ui/text.ts';
import { bySession } from './search.ts';

export const resultsId = 'search-results';

export const optionId = (index: number) => `search-hit-${index}`;

interface ResultsProps {
  active: number;
  onChoose: (hit: Hit) => void;
}

/** What was found, session by session. What was found before stays until there is something else to show. */
export function Results({ active, onChoose }: ResultsProps) {
  const { search } = useParley();
  const { hits, next, behind, since, state, error } = useStore(search, value => value);
  return (
    <div className="min-h-0 flex-1 overflow-y-auto px-2 pb-3">
      <p role="status" className={`px-2 pt-2 text-sm text-faint ${state === 'done' && hits.length > 0 ? 'sr-only' : ''}`}>
        {state === 'failed' && error}
        {state === 'done' && (hits.length > 0 ? text.search.found(hits.length, next !== undefined) : text.search.none)}
      </p>
      {state === 'done' && behind > 0 && <p className="px-2 pt-2 text-xs text-faint">{text.search.behind}</p>}
      {state === 'done' && since && <p className="px-2 pt-2 text-xs text-faint">{text.search.since(text.when(since))}</p>}
      <div id={resultsId} role="listbox" aria-label={text.search.results} aria-busy={state === 'waiting'}>
        {bySession(hits).map(group => {
          const [first] = group;
          const title = first!.title || text.untitled;
          return (
            <div key={first!.sessionId} role="group" aria-label={title}>
              {first!.messageId && (
                <p aria-hidden className="truncate px-2 pt-3 pb-1 text-xs font-medium text-soft">
                  {title}
                </p>
              )}
              {group.map(hit => {
                const index = hits.indexOf(hit);
                return <Option key={index} hit={hit} index={index} isActive={index === active} onChoose={onChoose} />;
              })}
            </div>
          );
        })}
      </div>
      {next && (
        <button type="button" className="mt-2 w-full rounded-md py-1.5 text-sm text-soft hover:bg-hover" onClick={() => search.more()}>
          {text.sessions.more}
        </button>
      )}
    </div>
  );
}

interface OptionProps {
  hit: Hit;
  index: number;
  isActive: boolean;
  onChoose: (hit: Hit) => void;
}

/** One hit. That of a title stands where the title would. */
function Option({ hit, index, isActive, onChoose }: OptionProps) {
  const isTitle = !hit.messageId;
  return (
    // oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/interactive-supports-focus -- the box keeps the focus and hears the keys
    <div
      id={optionId(index)}
      role="option"
      aria-selected={isActive}
      onClick={() => onChoose(hit)}
      className={`cursor-pointer rounded-md px-2 py-1.5 text-sm ${isTitle ? 'mt-2' : ''} hover:bg-hover aria-selected:bg-hover aria-selected:outline-1 aria-selected:-outline-offset-1 aria-selected:outline-line-strong`}
    >
      <p dir="auto" className={`leading-5 break-words ${isTitle ? 'line-clamp-2 font-medium' : 'line-clamp-3 text-soft'}`}>
        {hit.excerpt.map((piece, i) =>
          piece.hit ? (
            // oxlint-disable-next-line react/no-array-index-key -- an excerpt never changes
            <mark key={i} className="rounded-xs bg-mark text-ink">
              {piece.text}
            </mark>
          ) : (
            piece.text
          ),
        )}
      </p>
      <p className="pt-0.5 text-xs text-soft">
        {text.search.role(hit.role)} · {text.when(hit.at)}
      </p>
    </div>
  );
}
