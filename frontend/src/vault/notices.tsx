import { KeyRound, TriangleAlert, X, type LucideIcon } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import type { Salvage } from '../api/types.gen.ts';
import { useParley } from '../parley.ts';
import { Button, IconButton } from '../ui/button.tsx';
import { useStore } from '../ui/store.ts';
import { text } from '../ui/text.ts';

/** What a person has to know about a history that is open: that it can only be read, what it lost, and, once, that nothing else opens it. */
export function VaultNotices() {
  const { vault: live, dialogs } = useParley();
  const { vault, salvaged } = useStore(live, state => state);
  const [dismissed, dismiss] = useState<ReadonlySet<string>>(new Set());
  const isOffered = useOffer();
  if (!vault) return null;
  const close = (name: string) => dismiss(new Set(dismissed).add(name));
  const isShown = (name: string, isTrue: boolean) => isTrue && !dismissed.has(name);
  return (
    <div role="status">
      {isShown('readOnly', vault.readOnly) && <Notice icon={TriangleAlert} says={text.vault.notice.readOnly} onClose={() => close('readOnly')} />}
      {salvaged && isShown('salvaged', true) && <Notice icon={TriangleAlert} says={sayOf(salvaged)} onClose={() => close('salvaged')} />}
      {isShown('rolledBack', vault.rolledBack) && <Notice icon={TriangleAlert} says={text.vault.notice.rolledBack} onClose={() => close('rolledBack')} />}
      {isShown('lost', vault.lost > 0) && <Notice icon={TriangleAlert} says={text.vault.notice.lost(vault.lost)} onClose={() => close('lost')} />}
      {isShown('offer', isOffered && !vault.slots.includes('recovery_code')) && (
        <Notice
          icon={KeyRound}
          says={vault.slots.includes('keychain') ? text.vault.notice.offer : text.vault.notice.offerBesidePassphrase}
          onClose={() => close('offer')}
        >
          <Button onClick={() => dialogs.showKey('code')}>{text.vault.code.make}</Button>
        </Notice>
      )}
    </div>
  );
}

function sayOf({ sessions, messages, incomplete }: Salvage): string {
  const titles = incomplete.map(({ title }) => `“${title || text.untitled}”`);
  return [text.vault.notice.salvaged(sessions, messages), titles.length > 0 && text.vault.notice.incomplete(titles)].filter(Boolean).join(' ');
}

/** Whether this page saw the first answer of a new history: from then on there is something to lose. */
function useOffer(): boolean {
  const { list } = useParley();
  const isFirstAnswer = useStore(list, ({ sessions: [first, second], failed }) =>
    first !== undefined && second === undefined && first.turns === 1 && first.status === 'idle' && !failed.has(first.id));
  const [isOffered, offer] = useState(false);
  if (isFirstAnswer && !isOffered) offer(true);
  return isOffered;
}

interface NoticeProps {
  icon: LucideIcon;
  says: string;
  onClose: () => void;
  /** What can be done about it. */
  children?: ReactNode;
}

function Notice({ icon: Icon, says, onClose, children }: NoticeProps) {
  const look = children ? 'border-line bg-panel' : 'border-warn/30 bg-warn-tint text-warn';
  return (
    <div className={`flex flex-wrap items-center justify-end gap-x-3 gap-y-1.5 border-b px-4 py-1.5 text-sm ${look}`}>
      <Icon aria-hidden className="size-4 shrink-0" />
      <p className="min-w-48 flex-1">{says}</p>
      {children}
      <IconButton icon={X} label={children ? text.vault.notice.notNow : text.close} onClick={onClose} className="size-7" />
    </div>
  );
}
