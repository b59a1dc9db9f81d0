import { Board } from './board/board.tsx';
import type { Editor } from './editor.ts';
import { Panel } from './panel/panel.tsx';

/** A workflow that is edited. */
export function Workspace({ editor }: { editor: Editor }) {
  return (
    <div className="flex min-h-0 flex-1">
      <Board editor={editor} onOpen={() => {}} />
      <Panel editor={editor} />
    </div>
  );
}
