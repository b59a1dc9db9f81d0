import { useCallback, useEffect, useState } from 'react';
import type { Approval } from '../api/types.gen.ts';
import { useParley } from '../parley.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { hrefOf } from '../ui/route.ts';
import { text } from '../ui/text.ts';

/** The dialog with what a person has allowed for longer than once. */
export default function Permissions() {
  const { client } = useParley();
  const [approvals, show] = useState<Approval[]>();
  const [problem, fail] = useState<string>();
  const failed = useCallback((error: Error) => fail(error.message), []);
  const look = useCallback(() => client.permissions().then(list => show(list.approvals), failed), [client, failed]);
  useEffect(() => void look(), [look]);
  const revoke = (id: number) => void client.revoke(id).then(look, failed);
  return (
    <Dialog title={text.permissions.title} isWide>
      <p className="mt-3 text-sm text-soft">{approvals?.length === 0 ? text.permissions.none : text.permissions.says}</p>
      <p role="alert" className="mt-3 text-sm text-bad empty:hidden">
        {problem}
      </p>
      <ul className="mt-3 max-h-[60vh] divide-y divide-line overflow-y-auto empty:hidden">
        {approvals?.map(approval => (
          <Row key={approval.id} approval={approval} onRevoke={() => revoke(approval.id)} />
        ))}
      </ul>
    </Dialog>
  );
}

function Row({ approval: { pattern, scope, sessionId, title, at }, onRevoke }: { approval: Approval; onRevoke: () => void }) {
  const { dialogs } = useParley();
  return (
    <li className="flex items-center gap-4 py-2.5">
      <div className="min-w-0 flex-1">
        <code className="font-mono text-code break-words">{pattern}</code>
        <p className="mt-0.5 truncate text-xs text-soft">
          {sessionId ? (
            <a href={hrefOf(sessionId)} onClick={() => dialogs.close()} className="underline hover:text-ink">
              {title || text.untitled}
            </a>
          ) : (
            text.allow.scopes[scope]
          )}
          {' · '}
          {text.permissions.since(text.when(at))}
        </p>
      </div>
      <Button aria-label={text.permissions.revokeOne(pattern)} onClick={onRevoke} className="shrink-0">
        {text.permissions.revoke}
      </Button>
    </li>
  );
}
