import { MessageSquareText } from 'lucide-react';
import { useEffect, useId, useState, type ReactNode } from 'react';
import { ApiError } from '../../api/client.ts';
import type { WorkflowNode, WorkflowOrigin } from '../../api/types.gen.ts';
import { useParley } from '../../parley.ts';
import { Markdown } from '../../parts/markdown/markdown.tsx';
import { Button } from '../../ui/button.tsx';
import { hrefOf } from '../../ui/route.ts';
import { useStore } from '../../ui/store.ts';
import type { Editor } from '../editor.ts';
import { canvasHref, placeIn } from '../place.ts';
import { originOf, originsOf } from './origins.ts';
import { originText } from './text.ts';

interface OriginProps {
  editor: Editor;
  node: WorkflowNode;
}

/** The turn of a session that a node was made of, if it was. */
export function OriginOf({ editor, node }: OriginProps) {
  const { origins, error } = useOrigins(editor);
  const graph = useStore(editor, state => state.graph);
  const origin = origins && originOf(origins, node, graph);
  if (error && node.type === 'agent') return <p className="text-sm text-soft">{originText.failed(error)}</p>;
  return origin && <Origin key={origin.node} origin={origin} node={node.id} />;
}

function Origin({ origin, node }: { origin: WorkflowOrigin; node: string }) {
  const { open } = useParley();
  const isGone = useIsGone(origin.session);
  const title = useId();
  const show = () => {
    const canvas = canvasHref({ ...placeIn(location.hash), node });
    history.replaceState(null, '', canvas); // Back comes to the node
    history.pushState({ canvas }, '', hrefOf(origin.session));
    window.dispatchEvent(new HashChangeEvent('hashchange'));
    void open.get(origin.session).show(origin.message);
  };
  return (
    <section aria-labelledby={title} className="grid gap-3 border-t border-line pt-4 text-sm">
      <h3 id={title} className="font-semibold">
        {originText.title}
      </h3>
      {isGone && <p className="text-soft">{originText.gone}</p>}
      <Said label={originText.asked} said={origin.prompt}>
        <p dir="auto" className="break-words whitespace-pre-wrap">
          {origin.prompt}
        </p>
      </Said>
      <Said label={originText.answered} said={origin.answer}>
        <Markdown text={origin.answer} live={false} />
      </Said>
      {origin.tools.length > 0 && (
        <div>
          <h4 className="text-xs text-soft">{originText.tools}</h4>
          <ul className="mt-1 flex flex-wrap gap-1">
            {origin.tools.map(tool => (
              <li key={tool} className="rounded bg-hover px-1.5 py-0.5 font-mono text-xs break-all">
                {tool}
              </li>
            ))}
          </ul>
        </div>
      )}
      {isGone === false && (
        <Button onClick={show} className="justify-self-start">
          <MessageSquareText aria-hidden className="size-4" />
          {originText.show}
        </Button>
      )}
    </section>
  );
}

interface SaidProps {
  label: string;
  said: string;
  children: ReactNode;
}

/** What was said: of much of it the beginning, until a person wants the rest. */
function Said({ label, said, children }: SaidProps) {
  const [isOpen, setOpen] = useState(false);
  const isLong = said.length > 400 || said.split('\n').length > 6;
  return (
    <div>
      <h4 className="text-xs text-soft">{label}</h4>
      <div className={`mt-1 ${isLong && !isOpen ? 'max-h-28 overflow-hidden mask-b-from-60%' : ''}`}>{children}</div>
      {isLong && (
        <button type="button" aria-expanded={isOpen} aria-label={originText.all(label)} onClick={() => setOpen(!isOpen)} className="mt-1 rounded text-xs font-medium text-accent hover:underline">
          {isOpen ? originText.less : originText.more}
        </button>
      )}
    </div>
  );
}

/** Neither origins nor an error while they are asked for. */
function useOrigins(editor: Editor): { origins?: WorkflowOrigin[]; error?: string } {
  const { client } = useParley();
  const metadata = useStore(editor, state => state.metadata);
  const [found, set] = useState<{ metadata: string; origins?: WorkflowOrigin[]; error?: string }>();
  useEffect(() => {
    let isLeft = false;
    originsOf(client, editor).then(
      origins => isLeft || set({ metadata, origins }),
      (error: Error) => isLeft || set({ metadata, error: error.message }),
    );
    return () => void (isLeft = true);
  }, [client, editor, metadata]);
  return found?.metadata === metadata ? found : {};
}

/** Whether there is no such session any more; undefined until that is known. */
function useIsGone(session: string): boolean | undefined {
  const { client } = useParley();
  const [isGone, set] = useState<boolean>();
  useEffect(() => {
    let isLeft = false;
    client.session(session).then(
      () => isLeft || set(false),
      (error: unknown) => isLeft || set(error instanceof ApiError && error.status === 404),
    );
    return () => void (isLeft = true);
  }, [client, session]);
  return isGone;
}
