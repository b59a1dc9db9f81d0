import type { Editor } from '../editor.ts';

export function Board({ editor }: { editor: Editor; onOpen: () => void }) {
  return <div className="min-w-0 flex-1">{editor.value.graph.id}</div>;
}
