import { use } from 'react';
import { useParley } from '../parley.ts';
import { WorkflowList } from './list.tsx';
import { usePlace } from './place.ts';
import { Workspace } from './workspace.tsx';

/** The canvas: the workflows there are, or one of them. */
export default function CanvasPage() {
  const workflows = use(useParley().workflows());
  const { file, session, node } = usePlace();
  if (!file && !session) return <WorkflowList workflows={workflows} />;
  const open = workflows.get({ file, session });
  return <Workspace key={open.id} open={open} node={node} />;
}
