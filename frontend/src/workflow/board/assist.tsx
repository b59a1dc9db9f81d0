import { GitFork, Hand, Link2, Split, Trash2, type LucideIcon } from 'lucide-react';
import type { WorkflowGraph } from '../../api/types.gen.ts';
import type { Editor } from '../editor.ts';
import { addConditionAfter, addGateAfter, runInParallel } from '../graph/assist.ts';
import { boardText as text } from './text.ts';

interface AssistProps {
  editor: Editor;
  selected: readonly string[];
  onAdded: (id: string) => void;
  onRefused: (why: string) => void;
  onConnect: () => void;
  onDelete: () => void;
}

/** What can be done with the nodes that are selected, or with edges: those can only be deleted. */
export function Assist({ editor, selected, onAdded, onRefused, onConnect, onDelete }: AssistProps) {
  const [only] = selected;
  const parallel = () => {
    const done = runInParallel(editor.value.graph, selected);
    if (typeof done === 'string') onRefused(done);
    else editor.change(text.change.parallel, () => done);
  };
  const after = (what: string, put: (graph: WorkflowGraph, id: string) => { graph: WorkflowGraph; id: string } | string) => {
    const done = put(editor.value.graph, only!);
    if (typeof done === 'string') return onRefused(done);
    editor.change(what, () => done.graph);
    onAdded(done.id);
  };
  return (
    <div role="toolbar" aria-label={text.assist.title} className="board-tools flex items-center p-1">
      {selected.length > 1 && (
        <>
          <span className="px-2 text-xs text-faint max-sm:hidden">{text.said.selected(selected.length)}</span>
          <Tool icon={Split} label={text.assist.parallel} onClick={parallel} />
        </>
      )}
      {selected.length === 1 && (
        <>
          <Tool icon={GitFork} label={text.assist.condition} onClick={() => after(text.change.condition, addConditionAfter)} />
          <Tool icon={Hand} label={text.assist.gate} onClick={() => after(text.change.gate, addGateAfter)} />
          <Tool icon={Link2} label={text.assist.connect} onClick={onConnect} />
        </>
      )}
      <Tool icon={Trash2} label={text.assist.delete} onClick={onDelete} />
    </div>
  );
}

function Tool({ icon: Icon, label, onClick }: { icon: LucideIcon; label: string; onClick: () => void }) {
  return (
    <button type="button" aria-label={label} title={label} onClick={onClick} className="flex h-8 items-center gap-1.5 rounded-md px-2 text-xs text-soft hover:bg-hover hover:text-ink">
      <Icon aria-hidden className="size-4" />
      <span className="@max-2xl:hidden">{label}</span>
    </button>
  );
}
