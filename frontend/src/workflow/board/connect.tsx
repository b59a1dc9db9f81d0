import { Check } from 'lucide-react';
import { useEffect, useId, useState, type KeyboardEvent } from 'react';
import type { WorkflowGraph } from '../../api/types.gen.ts';
import { isComposing } from '../../ui/keys.ts';
import type { Editor } from '../editor.ts';
import { connect, disconnect, refusal } from '../graph/connect.ts';
import { links, ways } from '../graph/links.ts';
import { found } from './find.tsx';
import { boardText as text } from './text.ts';

interface ConnectProps {
  editor: Editor;
  graph: WorkflowGraph;
  from: string;
  onRefused: (why: string) => void;
  onClose: () => void;
}

/** Connects a node with others by keyboard: those that it leads to are ticked, and the one that is marked says why it cannot be connected. */
export function Connect({ editor, graph, from, onRefused, onClose }: ConnectProps) {
  const id = useId();
  const [words, write] = useState('');
  const node = graph.nodes.find(each => each.id === from);
  const handles = node?.type === 'condition' ? ways(node) : [];
  const [handle, choose] = useState(handles[0]?.handle);
  const ids = words.trim() ? found(graph, words) : graph.nodes.map(each => each.id);
  const targets = ids.filter(to => to !== from);
  const [at, go] = useState(0);
  const place = Math.min(at, targets.length - 1);
  const linked = new Map(links(graph).flatMap(link => (link.from === from && link.handle === handle ? [[link.to, link]] : [])));
  const marked = targets[place];
  // Only of the one that is marked: to ask for all takes long in a large graph.
  const why = marked === undefined || linked.has(marked) ? undefined : refusal(graph, from, handle, marked);
  useEffect(() => {
    document.getElementById(`${id}-${place}`)?.scrollIntoView({ block: 'nearest' });
  }, [id, place]);
  const toggle = (to: string) => {
    const link = linked.get(to);
    if (link) return editor.change(text.change.disconnect, now => disconnect(now, [link]));
    const refused = refusal(graph, from, handle, to);
    if (refused) onRefused(refused);
    else editor.change(text.change.connect, now => connect(now, from, handle, to));
  };
  const pressed = (event: KeyboardEvent) => {
    if (isComposing(event.nativeEvent)) return;
    if (event.key === 'Escape') onClose();
    else if (event.key === 'ArrowDown') go((place + 1) % targets.length);
    else if (event.key === 'ArrowUp') go((place + targets.length - 1) % targets.length);
    else if (event.key === 'Enter' && marked !== undefined) toggle(marked);
    else return;
    event.preventDefault();
  };
  return (
    <div role="dialog" aria-label={text.connect.title(from)} className="board-tools flex max-h-80 w-72 max-w-[calc(100cqw-2rem)] flex-col text-sm">
      <div className="flex flex-col gap-2 p-3 pb-2">
        <h2 className="truncate font-medium">{text.connect.title(from)}</h2>
        {handles.length > 0 && (
          <label className="flex items-center gap-2 text-xs text-soft">
            {text.connect.from}
            <select
              value={handle}
              onChange={({ target: { value } }) => choose(value)}
              onKeyDown={event => event.key === 'Escape' && onClose()}
              className="min-w-0 flex-1 rounded-md border border-line-strong bg-raised px-1.5 py-1"
            >
              {handles.map(way => (
                <option key={way.handle} value={way.handle}>
                  {way.label}
                </option>
              ))}
            </select>
          </label>
        )}
        <input
          // oxlint-disable-next-line jsx-a11y/no-autofocus -- it was asked for, and is closed by Escape
          autoFocus
          role="combobox"
          aria-expanded
          aria-controls={`${id}-list`}
          aria-activedescendant={targets.length > 0 ? `${id}-${place}` : undefined}
          aria-label={text.connect.to}
          placeholder={text.connect.to}
          value={words}
          onChange={({ target: { value } }) => {
            write(value);
            go(0);
          }}
          onKeyDown={pressed}
          className="rounded-md border border-line-strong bg-transparent px-2 py-1"
        />
      </div>
      <div role="listbox" id={`${id}-list`} aria-label={text.connect.title(from)} aria-multiselectable className="min-h-0 overflow-y-auto px-1 pb-1">
        {targets.map((to, n) => (
          // oxlint-disable-next-line jsx-a11y/click-events-have-key-events -- keys go to the field
          <div
            key={to}
            id={`${id}-${n}`}
            role="option"
            tabIndex={-1}
            aria-selected={linked.has(to)}
            onClick={() => toggle(to)}
            className={`flex cursor-pointer items-start gap-2 rounded-md px-2 py-1 hover:bg-hover ${n === place ? 'bg-hover' : ''}`}
          >
            <Check aria-hidden className={`mt-1 size-3.5 shrink-0 text-accent ${linked.has(to) ? '' : 'invisible'}`} />
            <span className="min-w-0">
              <span className="block truncate">{to}</span>
              {n === place && why && <span className="block text-xs text-faint">{why}</span>}
            </span>
          </div>
        ))}
        {targets.length === 0 && <p className="px-2 py-1 text-faint">{text.connect.none}</p>}
      </div>
      <p className="border-t border-line px-3 py-1.5 text-xs text-faint">{text.connect.says}</p>
    </div>
  );
}
