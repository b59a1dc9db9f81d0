import { Workflow } from 'lucide-react';
import type { Client } from '../../api/client.ts';
import type { OpenSession } from '../../chat/session.ts';
import { useParley } from '../../parley.ts';
import { IconButton } from '../../ui/button.tsx';
import { canvasHref, type Place } from '../place.ts';
import { originOf } from './origins.ts';
import { originText } from './text.ts';

interface ToCanvasProps {
  session: OpenSession;
  answer: string;
  /** Where the session was saved as a workflow. */
  savedAs: string;
}

/** Leads from a turn to the node that was made of it. */
export default function ToCanvas({ session, answer, savedAs }: ToCanvasProps) {
  const { client, toasts } = useParley();
  const go = async () => {
    const said = session.pages.shown;
    const before = said.slice(0, said.findIndex(({ id }) => id === answer)).map(({ id }) => id);
    location.hash = canvasHref(await placeOfTurn(client, session.id, before, savedAs));
  };
  return <IconButton icon={Workflow} label={originText.back} onClick={() => void go().catch((error: Error) => toasts.show(error.message))} className="size-7" />;
}

/** Where a turn of a session is on the canvas, by the messages before its answer. A file that is not in the project is not there: then it is the session that is. */
export async function placeOfTurn(client: Client, session: string, before: string[], savedAs: string): Promise<Place> {
  const { files } = await client.workflows();
  const saved = `/${savedAs.replaceAll('\\', '/')}`;
  const file = files.find(({ path }) => saved.endsWith(`/${path}`))?.path;
  if (!file) return { session };
  const { graph, metadata } = (await client.workflow(file)).checked;
  if (!graph || !metadata) return { file };
  const origins = (await client.workflowOrigins(metadata)).origins.filter(origin => origin.session === session);
  const message = before.findLast(id => origins.some(origin => origin.message === id));
  return { file, node: graph.nodes.find(node => message && originOf(origins, node, graph)?.message === message)?.id };
}
