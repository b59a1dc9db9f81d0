import { use } from 'react';
import { useParley } from '../parley.ts';
import { ErrorBoundary } from '../ui/boundary.tsx';
import { Button } from '../ui/button.tsx';
import { canvas } from '../ui/route.ts';
import { text } from '../ui/text.ts';
import { WorkflowList } from './list.tsx';
import { usePlace } from './place.ts';
import { workflowText } from './text.ts';
import { Workspace } from './workspace.tsx';

/** The canvas: the workflows there are, or one of them. */
export default function CanvasPage() {
  const workflows = use(useParley().workflows());
  const { file, session, node } = usePlace();
  if (!file && !session) return <WorkflowList workflows={workflows} />;
  const open = workflows.get({ file, session });
  return (
    <ErrorBoundary key={open.id} onBroken={() => void open.flush()} fallback={Broken}>
      <Workspace open={open} node={node} />
    </ErrorBoundary>
  );
}

/** In the place of a workflow: the others can still be shown. */
function Broken({ onRetry }: { onRetry: () => void }) {
  return (
    <div role="alert" className="grid flex-1 place-content-center justify-items-center gap-3 p-6 text-center text-soft">
      <p className="max-w-sm">{workflowText.workspace.broken}</p>
      <Button onClick={onRetry}>{text.again}</Button>
      <a href={canvas} className="text-sm font-medium text-accent hover:underline">
        {workflowText.workspace.back}
      </a>
    </div>
  );
}
