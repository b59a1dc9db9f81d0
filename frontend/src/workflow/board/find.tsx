import { Search } from 'lucide-react';
import { useState, type KeyboardEvent, type Ref } from 'react';
import type { WorkflowGraph } from '../../api/types.gen.ts';
import { isComposing } from '../../ui/keys.ts';
import { boardText as text } from './text.ts';

interface FindProps {
  graph: WorkflowGraph;
  field: Ref<HTMLInputElement>;
  onShow: (id: string) => void;
  onLeave: () => void;
}

/** Finds nodes by all that is written in them. Each that is found is shown; Enter goes to the next one, Shift+Enter back. */
export function Find({ graph, field, onShow, onLeave }: FindProps) {
  const [words, write] = useState('');
  const [place, go] = useState(0);
  const hits = found(graph, words);
  const show = (n: number, among = hits) => {
    go(n);
    if (among[n] !== undefined) onShow(among[n]);
  };
  const pressed = (event: KeyboardEvent) => {
    if (isComposing(event.nativeEvent)) return;
    if (event.key === 'Enter' && hits.length > 0) show((place + (event.shiftKey ? hits.length - 1 : 1)) % hits.length);
    if (event.key === 'Escape') {
      write('');
      onLeave();
    }
  };
  return (
    <search className="board-tools flex h-9 items-center gap-2 px-2.5 text-sm">
      <Search aria-hidden className="size-4 shrink-0 text-faint" />
      <input
        ref={field}
        aria-label={text.find.label}
        placeholder={text.find.placeholder}
        value={words}
        onChange={({ target: { value } }) => {
          write(value);
          show(0, found(graph, value));
        }}
        onKeyDown={pressed}
        className="w-28 min-w-0 bg-transparent outline-none placeholder:text-faint @2xl:w-40"
      />
      <span role="status" className="shrink-0 text-xs text-faint tabular-nums empty:hidden">
        {words.trim() && (hits.length > 0 ? text.find.place(Math.min(place, hits.length - 1) + 1, hits.length) : text.find.none)}
      </span>
    </search>
  );
}

/** The ids of the nodes that have all the words, in their order, but first the one that is called so. */
export function found(graph: WorkflowGraph, words: string): string[] {
  const asked = words.toLowerCase().split(/\s+/).filter(Boolean);
  if (asked.length === 0) return [];
  const hits = graph.nodes
    .filter(node => {
      const written = [text.types[node.type], ...Object.values(node).map(value => (typeof value === 'string' ? value : JSON.stringify(value)))].join('\n').toLowerCase();
      return asked.every(word => written.includes(word));
    })
    .map(({ id }) => id);
  const named = hits.filter(id => id === asked[0]);
  return [...named, ...hits.filter(id => id !== asked[0])];
}
