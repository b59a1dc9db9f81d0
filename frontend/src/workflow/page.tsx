import { useState } from 'react';
import { Editor } from './editor.ts';
import { usePlace } from './place.ts';
import { workflowText as text } from './text.ts';
import { Workspace } from './workspace.tsx';

/** The canvas: the workflows there are, or one of them. */
export default function CanvasPage() {
  const { file, session } = usePlace();
  const [editor] = useState(() => new Editor({ graph: { id: 'new', nodes: [], edges: [] }, metadata: '' }));
  if (file || session) return <Workspace editor={editor} />;
  return <h1 className="px-4 py-3 text-sm font-semibold">{text.title}</h1>;
}
