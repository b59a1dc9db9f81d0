import type { Client } from '../../api/client.ts';
import type { WorkflowGraph, WorkflowNode, WorkflowOrigin } from '../../api/types.gen.ts';
import type { Editor } from '../editor.ts';

interface Asked {
  metadata: string;
  origins: Promise<WorkflowOrigin[]>;
}

const asked = new WeakMap<Editor, Asked>();

/** Where the nodes of a workflow came from. The door is asked once for what stands in a file. */
export function originsOf(client: Client, editor: Editor): Promise<WorkflowOrigin[]> {
  const { metadata } = editor.value;
  if (!metadata) return Promise.resolve([]);
  const before = asked.get(editor);
  if (before?.metadata === metadata) return before.origins;
  const origins = client.workflowOrigins(metadata).then(answer => answer.origins);
  asked.set(editor, { metadata, origins });
  origins.catch(() => asked.delete(editor)); // the next who asks tries again
  return origins;
}

/** Where a node came from. One that has another id by now is known by what it asks, as long as no other node has its first id. */
export function originOf(origins: readonly WorkflowOrigin[], node: WorkflowNode, { nodes }: WorkflowGraph): WorkflowOrigin | undefined {
  if (node.type !== 'agent') return undefined;
  const prompt = node.prompt_template ?? '';
  return (
    origins.find(origin => origin.node === node.id) ??
    origins.find(origin => !nodes.some(({ id }) => id === origin.node) && isPrompt(prompt, origin.prompt))
  );
}

/** Whether a prompt is what was asked, of which there is only the beginning if it was long. */
function isPrompt(prompt: string, said: string): boolean {
  const neutral = said.replaceAll(/\{(?=\{)/g, '{ '); // as the export writes it
  return neutral !== '' && (neutral.endsWith('…') ? prompt.startsWith(neutral.slice(0, -1)) : prompt === neutral);
}
