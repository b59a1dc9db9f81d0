import type { Editor } from '../editor.ts';

export function Panel({ editor }: { editor: Editor }) {
  return <aside className="w-90">{editor.value.graph.id}</aside>;
}
